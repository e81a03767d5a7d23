{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{% test sdc_attribute_inference_below(model, original, holdout, columns, target, maximum, continuous=none, tolerance=none, max_guesses=none, confidence=none) %}
    {{ sdc.sdc__only('sdc_attribute_inference_below', kwargs, ['original', 'holdout', 'columns', 'target', 'maximum', 'continuous', 'tolerance', 'max_guesses', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_attribute_inference', [holdout, columns, target], {'continuous': continuous, 'tolerance': tolerance, 'max_guesses': max_guesses, 'confidence': confidence}, 'risk', maximum,
        'The risk of inferring the target, beside what succeeds with a holdout', original) }}
{% endtest %}

{% test sdc_correct_attribution_below(model, original, keys, targets, maximum, tau=none, nulls=none) %}
    {{ sdc.sdc__only('sdc_correct_attribution_below', kwargs, ['original', 'keys', 'targets', 'maximum', 'tau', 'nulls']) }}
    {{ sdc.sdc__not_below(model, 'sdc_correct_attribution', [keys, targets], {'tau': tau, 'nulls': nulls}, 'cap', maximum,
        'The probability that an intruder attributes the true value of this target to a record of the original', original) }}
{% endtest %}

{% test sdc_derived_values_summary_below(model, original, id, columns, givers, maximum, household=none) %}
    {{ sdc.sdc__only('sdc_derived_values_summary_below', kwargs, ['original', 'id', 'columns', 'givers', 'maximum', 'household']) }}
    {{ sdc.sdc__not_below(model, 'sdc_derived_values_summary', [id, columns, givers], {'household': household}, 'exact_givers', maximum,
        'The number of columns, or pairs of columns, that give hidden values back without exception', original, counts=true) }}
{% endtest %}

{% test sdc_disclosive_attributes_below(model, original, keys, targets, maximum, nulls=none) %}
    {{ sdc.sdc__only('sdc_disclosive_attributes_below', kwargs, ['original', 'keys', 'targets', 'maximum', 'nulls']) }}
    {{ sdc.sdc__not_below(model, 'sdc_disclosive_attributes', [keys, targets], {'nulls': nulls}, 'disco', maximum,
        'The share of the original\'s records whose value of this target the released file tells with certainty, and rightly', original) }}
{% endtest %}

{% test sdc_distance_linkage_below(model, original, columns, id, maximum, ordinal=none, continuous=none, scaling=none, weights=none, external=none) %}
    {{ sdc.sdc__only('sdc_distance_linkage_below', kwargs, ['original', 'columns', 'id', 'maximum', 'ordinal', 'continuous', 'scaling', 'weights', 'external']) }}
    {{ sdc.sdc__not_below(model, 'sdc_distance_linkage', [columns, id], {'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'external': external}, 'rate', maximum,
        'The share of the released records whose nearest original one is their own', original) }}
{% endtest %}

{% test sdc_distance_to_closest_below(model, original, columns, maximum, ordinal=none, continuous=none, scaling=none, weights=none) %}
    {{ sdc.sdc__only('sdc_distance_to_closest_below', kwargs, ['original', 'columns', 'maximum', 'ordinal', 'continuous', 'scaling', 'weights']) }}
    {{ sdc.sdc__not_below(model, 'sdc_distance_to_closest', [columns], {'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights}, 'close', maximum,
        'The share of released records that are as close to an original one as the closest twentieth of these are to one another', original) }}
{% endtest %}

{% test sdc_holdout_distance_below(model, original, holdout, columns, maximum, household=none, ordinal=none, continuous=none, scaling=none, weights=none, confidence=none) %}
    {{ sdc.sdc__only('sdc_holdout_distance_below', kwargs, ['original', 'holdout', 'columns', 'maximum', 'household', 'ordinal', 'continuous', 'scaling', 'weights', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_holdout_distance', [holdout, columns], {'household': household, 'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'confidence': confidence}, 'excess', maximum,
        'What the share of released records closer to the original than to the holdout exceeds chance by, at the least', original) }}
{% endtest %}

{% test sdc_interval_disclosure_below(model, original, columns, id, maximum, intervals=none, width=none) %}
    {{ sdc.sdc__only('sdc_interval_disclosure_below', kwargs, ['original', 'columns', 'id', 'maximum', 'intervals', 'width']) }}
    {{ sdc.sdc__not_below(model, 'sdc_interval_disclosure', [columns, id], {'intervals': intervals, 'width': width}, 'share', maximum,
        'The share of the original values, or records, that lie within the intervals', original) }}
{% endtest %}

{% test sdc_linkability_below(model, original, holdout, columns, others, maximum, continuous=none, max_guesses=none, confidence=none) %}
    {{ sdc.sdc__only('sdc_linkability_below', kwargs, ['original', 'holdout', 'columns', 'others', 'maximum', 'continuous', 'max_guesses', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_linkability', [holdout, columns, others], {'continuous': continuous, 'max_guesses': max_guesses, 'confidence': confidence}, 'risk', maximum,
        'The risk of linking two parts of a record, beside what succeeds with a holdout', original) }}
{% endtest %}

{% test sdc_membership_below(model, original, holdout, columns, maximum, household=none, copy=none, ordinal=none, continuous=none, scaling=none, weights=none, isolated=none, confidence=none) %}
    {{ sdc.sdc__only('sdc_membership_below', kwargs, ['original', 'holdout', 'columns', 'maximum', 'household', 'copy', 'ordinal', 'continuous', 'scaling', 'weights', 'isolated', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_membership', [holdout, columns], {'household': household, 'copy': copy, 'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'isolated': isolated, 'confidence': confidence}, 'excess', maximum,
        'What the area under the curve of an intruder who infers membership exceeds chance by, at the least', original) }}
{% endtest %}

{% test sdc_motivated_intruder_below(model, original, columns, id, maximum, continuous=none, linkage=none, records=none, confidence=none, stream=none) %}
    {{ sdc.sdc__only('sdc_motivated_intruder_below', kwargs, ['original', 'columns', 'id', 'maximum', 'continuous', 'linkage', 'records', 'confidence', 'stream']) }}
    {{ sdc.sdc__not_below(model, 'sdc_motivated_intruder', [columns, id], {'continuous': continuous, 'linkage': linkage, 'records': records, 'confidence': confidence, 'stream': stream}, 'upper', maximum,
        'The upper end of the interval of the share of the persons whom a motivated intruder finds', original) }}
{% endtest %}

{% test sdc_probabilistic_linkage_below(model, original, columns, id, maximum, continuous=none, tolerance=none, block=none, false_match=none, false_nonmatch=none) %}
    {{ sdc.sdc__only('sdc_probabilistic_linkage_below', kwargs, ['original', 'columns', 'id', 'maximum', 'continuous', 'tolerance', 'block', 'false_match', 'false_nonmatch']) }}
    {{ sdc.sdc__not_below(model, 'sdc_probabilistic_linkage', [columns, id], {'continuous': continuous, 'tolerance': tolerance, 'block': block, 'false_match': false_match, 'false_nonmatch': false_nonmatch}, 'rate', maximum,
        'The share of the records that probabilistic record linkage links correctly', original) }}
{% endtest %}

{% test sdc_rank_linkage_below(model, original, columns, id, maximum, p=none, stratum=none, weights=none) %}
    {{ sdc.sdc__only('sdc_rank_linkage_below', kwargs, ['original', 'columns', 'id', 'maximum', 'p', 'stratum', 'weights']) }}
    {{ sdc.sdc__not_below(model, 'sdc_rank_linkage', [columns, id], {'p': p, 'stratum': stratum, 'weights': weights}, 'rate', maximum,
        'The share of the released records that are linked truly within the range of a rank swap, to the nearest record or to any there', original) }}
{% endtest %}

{% test sdc_replicated_uniques_below(model, original, keys, maximum) %}
    {{ sdc.sdc__only('sdc_replicated_uniques_below', kwargs, ['original', 'keys', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_replicated_uniques', [keys], {}, 'replicated', maximum,
        'The share of the original\'s records that are unique in it and in the released file', original) }}
{% endtest %}

{% test sdc_robust_disclosure_below(model, original, columns, id, maximum, width=none, near=none) %}
    {{ sdc.sdc__only('sdc_robust_disclosure_below', kwargs, ['original', 'columns', 'id', 'maximum', 'width', 'near']) }}
    {{ sdc.sdc__not_below(model, 'sdc_robust_disclosure', [columns, id], {'width': width, 'near': near}, 'weighted', maximum,
        'The share of the records at risk, each counted by its robust distance', original) }}
{% endtest %}

{% test sdc_series_changes_below(model, original, columns, id, earlier_originals, earlier_releases, maximum, width=none) %}
    {{ sdc.sdc__only('sdc_series_changes_below', kwargs, ['original', 'columns', 'id', 'earlier_originals', 'earlier_releases', 'maximum', 'width']) }}
    {{ sdc.sdc__not_below(model, 'sdc_series_changes', [columns, id, earlier_originals, earlier_releases], {'width': width}, 'level_gain', maximum,
        'The share of the levels that one release hides which the mean of the releases tells', original) }}
{% endtest %}

{% test sdc_series_disclosure_below(model, original, columns, id, earlier_originals, earlier_releases, maximum, width=none) %}
    {{ sdc.sdc__only('sdc_series_disclosure_below', kwargs, ['original', 'columns', 'id', 'earlier_originals', 'earlier_releases', 'maximum', 'width']) }}
    {{ sdc.sdc__not_below(model, 'sdc_series_disclosure', [columns, id, earlier_originals, earlier_releases], {'width': width}, 'gain', maximum,
        'The share of the values that one release hides which the series tells', original) }}
{% endtest %}

{% test sdc_series_newcomers_below(model, original, columns, id, earlier_originals, earlier_releases, maximum) %}
    {{ sdc.sdc__only('sdc_series_newcomers_below', kwargs, ['original', 'columns', 'id', 'earlier_originals', 'earlier_releases', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_series_newcomers', [columns, id, earlier_originals, earlier_releases], {}, 'gain', maximum,
        'By how much likelier a released category that nobody showed before is the newcomer\'s own', original) }}
{% endtest %}

{% test sdc_singling_out_below(model, original, holdout, columns, maximum, continuous=none, width=none, max_guesses=none, confidence=none) %}
    {{ sdc.sdc__only('sdc_singling_out_below', kwargs, ['original', 'holdout', 'columns', 'maximum', 'continuous', 'width', 'max_guesses', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_singling_out', [holdout, columns], {'continuous': continuous, 'width': width, 'max_guesses': max_guesses, 'confidence': confidence}, 'risk', maximum,
        'The risk of singling out, beside what succeeds with a holdout', original) }}
{% endtest %}

{% test sdc_swapping_risk_below(model, original, columns, id, maximum, swapped=none, threshold=none) %}
    {{ sdc.sdc__only('sdc_swapping_risk_below', kwargs, ['original', 'columns', 'id', 'maximum', 'swapped', 'threshold']) }}
    {{ sdc.sdc__not_below(model, 'sdc_swapping_risk', [columns, id], {'swapped': swapped, 'threshold': threshold}, 'risk', maximum,
        'The share of the unswapped records that lie in small cells', original) }}
{% endtest %}

{% test sdc_true_reidentification_below(model, original, keys, id, maximum, k=none, nulls=none, recoded=none) %}
    {{ sdc.sdc__only('sdc_true_reidentification_below', kwargs, ['original', 'keys', 'id', 'maximum', 'k', 'nulls', 'recoded']) }}
    {{ sdc.sdc__not_below(model, 'sdc_true_reidentification', [keys, id], {'k': k, 'nulls': nulls, 'recoded': recoded}, 'rate', maximum,
        'The share of the records that an intruder with the original keys links correctly', original) }}
{% endtest %}

{% test sdc_class_sizes_below(model, keys, maximum) %}
    {{ sdc.sdc__only('sdc_class_sizes_below', kwargs, ['keys', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_class_sizes', [keys], {}, 'share', maximum,
        'The discernibility, as a share of that of a file whose records are all alike') }}
{% endtest %}

{% test sdc_contingency_distance_below(model, original, columns, maximum, dimension=none) %}
    {{ sdc.sdc__only('sdc_contingency_distance_below', kwargs, ['original', 'columns', 'maximum', 'dimension']) }}
    {{ sdc.sdc__not_below(model, 'sdc_contingency_distance', [columns], {'dimension': dimension}, 'share', maximum,
        'The share of the records of the tables that are in other cells', original) }}
{% endtest %}

{% test sdc_margins_kept(model, original, margins, maximum, total=none) %}
    {{ sdc.sdc__only('sdc_margins_kept', kwargs, ['original', 'margins', 'maximum', 'total']) }}
    {{ sdc.sdc__not_below(model, 'sdc_margins_kept', [margins], {'total': total}, 'share', maximum,
        'The share of the cells of this published table that changed', original) }}
{% endtest %}

{% test sdc_direct_distance_below(model, original, columns, id, maximum, ordinal=none, weight=none) %}
    {{ sdc.sdc__only('sdc_direct_distance_below', kwargs, ['original', 'columns', 'id', 'maximum', 'ordinal', 'weight']) }}
    {{ sdc.sdc__not_below(model, 'sdc_direct_distance', [columns, id], {'ordinal': ordinal, 'weight': weight}, 'distance', maximum,
        'The share of the categories that masking changed', original) }}
{% endtest %}

{% test sdc_distribution_distance_below(model, original, columns, maximum, weight=none, recoded=none, id=none) %}
    {{ sdc.sdc__only('sdc_distribution_distance_below', kwargs, ['original', 'columns', 'maximum', 'weight', 'recoded', 'id']) }}
    {{ sdc.sdc__not_below(model, 'sdc_distribution_distance', [columns], {'weight': weight, 'recoded': recoded, 'id': id}, 'hellinger', maximum,
        'The Hellinger distance of the released distribution from the original one', original) }}
{% endtest %}

{% test sdc_entropy_loss_below(model, original, columns, id, maximum, weight=none) %}
    {{ sdc.sdc__only('sdc_entropy_loss_below', kwargs, ['original', 'columns', 'id', 'maximum', 'weight']) }}
    {{ sdc.sdc__not_below(model, 'sdc_entropy_loss', [columns, id], {'weight': weight}, 'share', maximum,
        'The share of the information on this variable that was lost', original) }}
{% endtest %}

{% test sdc_gamma_loss_below(model, original, columns, maximum) %}
    {{ sdc.sdc__only('sdc_gamma_loss_below', kwargs, ['original', 'columns', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_gamma_loss', [columns], {}, 'gamma', maximum,
        'The share of the information on the connections between the variables that was lost', original) }}
{% endtest %}

{% test sdc_il1_below(model, original, columns, id, maximum, max_term=none, weight=none) %}
    {{ sdc.sdc__only('sdc_il1_below', kwargs, ['original', 'columns', 'id', 'maximum', 'max_term', 'weight']) }}
    {{ sdc.sdc__not_below(model, 'sdc_il1', [columns, id], {'max_term': max_term, 'weight': weight}, 'bounded', maximum,
        'The bounded IL1', original) }}
{% endtest %}

{% test sdc_lambda_loss_below(model, original, columns, id, maximum, ordinal=none, continuous=none, weight=none) %}
    {{ sdc.sdc__only('sdc_lambda_loss_below', kwargs, ['original', 'columns', 'id', 'maximum', 'ordinal', 'continuous', 'weight']) }}
    {{ sdc.sdc__not_below(model, 'sdc_lambda_loss', [columns, id], {'ordinal': ordinal, 'continuous': continuous, 'weight': weight}, 'loss', maximum,
        'The share of the information (lambda, of a variable lambda_j) that was lost', original) }}
{% endtest %}

{% test sdc_margin_distance_below(model, original, columns, maximum, continuous=none, weight=none) %}
    {{ sdc.sdc__only('sdc_margin_distance_below', kwargs, ['original', 'columns', 'maximum', 'continuous', 'weight']) }}
    {{ sdc.sdc__not_below(model, 'sdc_margin_distance', [columns], {'continuous': continuous, 'weight': weight}, 'distance', maximum,
        'The Kolmogorov-Smirnov distance of a number, the total variation of categories', original) }}
{% endtest %}

{% test sdc_pair_distance(model, original, columns, maximum, continuous=none, weight=none, classes=none) %}
    {{ sdc.sdc__only('sdc_pair_distance', kwargs, ['original', 'columns', 'maximum', 'continuous', 'weight', 'classes']) }}
    {{ sdc.sdc__not_below(model, 'sdc_pair_distance', [columns], {'continuous': continuous, 'weight': weight, 'classes': classes}, 'change', maximum,
        'By how much Cramer\'s V of this pair of variables has changed', original) }}
{% endtest %}

{% test sdc_precision_below(model, keys, hierarchies, maximum) %}
    {{ sdc.sdc__only('sdc_precision_below', kwargs, ['keys', 'hierarchies', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_precision', [keys, hierarchies], {}, 'loss', maximum,
        'The height of the released values in their hierarchies, 0 (the original ones) to 1 (the top)') }}
{% endtest %}

{% test sdc_propensity_below(model, original, columns, maximum, continuous=none, pairs=none) %}
    {{ sdc.sdc__only('sdc_propensity_below', kwargs, ['original', 'columns', 'maximum', 'continuous', 'pairs']) }}
    {{ sdc.sdc__not_below(model, 'sdc_propensity', [columns], {'continuous': continuous, 'pairs': pairs}, 'share', maximum,
        'The share of the most that the propensity score can differ from one that tells nothing', original) }}
{% endtest %}

{% test sdc_weight_distance_below(model, original, weight, id, maximum) %}
    {{ sdc.sdc__only('sdc_weight_distance_below', kwargs, ['original', 'weight', 'id', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_weight_distance', [weight, id], {}, 'total_change', maximum,
        'How far the total of the weights is from the original one', original) }}
{% endtest %}

{% test sdc_composition_summary_below(model, keys, household, maximum, k=none) %}
    {{ sdc.sdc__only('sdc_composition_summary_below', kwargs, ['keys', 'household', 'maximum', 'k']) }}
    {{ sdc.sdc__not_below(model, 'sdc_composition_summary', [keys, household], {'k': k}, 'unique_households', maximum,
        'The number of households that no other of the file is made up as', counts=true) }}
{% endtest %}

{% test sdc_composition_theta_below(model, keys, household, sampling_fraction, maximum, confidence=none) %}
    {{ sdc.sdc__only('sdc_composition_theta_below', kwargs, ['keys', 'household', 'sampling_fraction', 'maximum', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_composition_theta', [keys, household, sampling_fraction], {'confidence': confidence}, 'upper_bound', maximum,
        'The upper bound of the probability that a unique match of a household is correct') }}
{% endtest %}

{% test sdc_composition_risk_below(model, keys, weight, household, maximum) %}
    {{ sdc.sdc__only('sdc_composition_risk_below', kwargs, ['keys', 'weight', 'household', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_composition_risk', [keys, weight, household], {}, 'reidentification_rate', maximum,
        'The share of the households that is expected to be re-identified, by Pitman\'s model') }}
{% endtest %}

{% test sdc_expected_harm_below(model, costs, id, maximum) %}
    {{ sdc.sdc__only('sdc_expected_harm_below', kwargs, ['costs', 'id', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_expected_harm', [costs, id], {}, 'maximum', maximum,
        'The largest harm that a respondent has to expect') }}
{% endtest %}

{% test sdc_global_risk_below(model, keys, weight, maximum, nulls=none, small_weights=none) %}
    {{ sdc.sdc__only('sdc_global_risk_below', kwargs, ['keys', 'weight', 'maximum', 'nulls', 'small_weights']) }}
    {{ sdc.sdc__not_below(model, 'sdc_global_risk', [keys, weight], {'nulls': nulls, 'small_weights': small_weights}, 'reidentification_rate', maximum,
        'The expected share of records that are re-identified') }}
{% endtest %}

{% test sdc_household_global_risk_below(model, keys, weight, household, maximum, nulls=none, small_weights=none) %}
    {{ sdc.sdc__only('sdc_household_global_risk_below', kwargs, ['keys', 'weight', 'household', 'maximum', 'nulls', 'small_weights']) }}
    {{ sdc.sdc__not_below(model, 'sdc_household_global_risk', [keys, weight, household], {'nulls': nulls, 'small_weights': small_weights}, 'reidentification_rate', maximum,
        'The expected share of persons in re-identified households') }}
{% endtest %}

{% test sdc_individual_risk_below(model, keys, weight, maximum, nulls=none, small_weights=none) %}
    {{ sdc.sdc__only('sdc_individual_risk_below', kwargs, ['keys', 'weight', 'maximum', 'nulls', 'small_weights']) }}
    {{ sdc.sdc__not_below(model, 'sdc_cell_risk', [keys, weight], {'nulls': nulls, 'small_weights': small_weights}, 'individual_risk', maximum,
        'The risk of each record of this cell') }}
{% endtest %}

{% test sdc_perceived_risk_below(model, external, columns, id, spread, maximum, density=none, stands_for=none, method=none, tau=none) %}
    {{ sdc.sdc__only('sdc_perceived_risk_below', kwargs, ['external', 'columns', 'id', 'spread', 'maximum', 'density', 'stands_for', 'method', 'tau']) }}
    {{ sdc.sdc__not_below(model, 'sdc_perceived_risk', [columns, id, spread], {'density': density, 'stands_for': stands_for, 'method': method, 'tau': tau}, 'maximum', maximum,
        'The largest probability with which the intruder takes a released record for a given person\'s') }}
{% endtest %}

{% test sdc_log_linear_risk_below(model, keys, weight, maximum, fitted_model=none, smoothing=none, small_weights=none, margins=none) %}
    {{ sdc.sdc__only('sdc_log_linear_risk_below', kwargs, ['keys', 'weight', 'maximum', 'fitted_model', 'smoothing', 'small_weights', 'margins']) }}
    {{ sdc.sdc__not_below(model, 'sdc_log_linear_risk', [keys, weight], {'model': fitted_model, 'smoothing': smoothing, 'small_weights': small_weights, 'margins': margins}, 'tau2_rate', maximum,
        'The expected share of matches with sample uniques that are correct') }}
{% endtest %}

{% test sdc_neighbourhood_below(model, continuous, maximum, keys=none, width=none, scaling=none, weight=none, k=none) %}
    {{ sdc.sdc__only('sdc_neighbourhood_below', kwargs, ['continuous', 'maximum', 'keys', 'width', 'scaling', 'weight', 'k']) }}
    {{ sdc.sdc__not_below(model, 'sdc_neighbourhood', [continuous], {'keys': keys, 'width': width, 'scaling': scaling, 'weight': weight, 'k': k}, 'share', maximum,
        'The share of the records with fewer than k in their neighbourhood') }}
{% endtest %}

{% test sdc_population_uniqueness_below(model, keys, population_size, maximum, method=none) %}
    {{ sdc.sdc__only('sdc_population_uniqueness_below', kwargs, ['keys', 'population_size', 'maximum', 'method']) }}
    {{ sdc.sdc__not_below(model, 'sdc_population_uniqueness', [keys, population_size], {'method': method}, 'pr_pu_given_su', maximum,
        'The estimated probability that a sample unique is unique in the population') }}
{% endtest %}

{% test sdc_rejoined_households_below(model, household, columns, maximum) %}
    {{ sdc.sdc__only('sdc_rejoined_households_below', kwargs, ['household', 'columns', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_rejoined_households', [household, columns], {}, 'records', maximum,
        'The records that are joined with others of their household, although its number is not released', counts=true) }}
{% endtest %}

{% test sdc_suda_below(model, keys, maximum, max_msu=none, dis_fraction=none, scoring=none, nulls=none) %}
    {{ sdc.sdc__only('sdc_suda_below', kwargs, ['keys', 'maximum', 'max_msu', 'dis_fraction', 'scoring', 'nulls']) }}
    {{ sdc.sdc__not_below(model, 'sdc_suda', [keys], {'max_msu': max_msu, 'dis_fraction': dis_fraction, 'scoring': scoring, 'nulls': nulls}, 'dis_suda', maximum,
        'The confidence in a match against this record') }}
{% endtest %}

{% test sdc_t_closeness_below(model, keys, sensitive, maximum, distance=none) %}
    {{ sdc.sdc__only('sdc_t_closeness_below', kwargs, ['keys', 'sensitive', 'maximum', 'distance']) }}
    {{ sdc.sdc__not_below(model, 'sdc_t_closeness_cells', [keys, sensitive], {'distance': distance}, 't', maximum,
        'The distance of the distribution in this cell from that of the file') }}
{% endtest %}

{% test sdc_theta_below(model, keys, sampling_fraction, maximum, confidence=none) %}
    {{ sdc.sdc__only('sdc_theta_below', kwargs, ['keys', 'sampling_fraction', 'maximum', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_theta', [keys, sampling_fraction], {'confidence': confidence}, 'upper_bound', maximum,
        'The upper bound of the probability that a unique match is correct') }}
{% endtest %}

{% test sdc_theta_by_below(model, keys, stratum, sampling_fraction, maximum, confidence=none) %}
    {{ sdc.sdc__only('sdc_theta_by_below', kwargs, ['keys', 'stratum', 'sampling_fraction', 'maximum', 'confidence']) }}
    {{ sdc.sdc__not_below(model, 'sdc_theta_by', [keys, stratum, sampling_fraction], {'confidence': confidence}, 'upper_bound', maximum,
        'In this stratum the upper bound of the probability that a unique match is correct') }}
{% endtest %}

{% test sdc_theta_misclassified_below(model, keys, sampling_fraction, columns, matrices, maximum) %}
    {{ sdc.sdc__only('sdc_theta_misclassified_below', kwargs, ['keys', 'sampling_fraction', 'columns', 'matrices', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_theta_misclassified', [keys, sampling_fraction, columns, matrices], {}, 'theta', maximum,
        'The probability that a unique match is correct, with misclassified keys') }}
{% endtest %}

{% test sdc_theta_misclassified_crossing_below(model, keys, sampling_fraction, columns, matrix, maximum) %}
    {{ sdc.sdc__only('sdc_theta_misclassified_crossing_below', kwargs, ['keys', 'sampling_fraction', 'columns', 'matrix', 'maximum']) }}
    {{ sdc.sdc__not_below(model, 'sdc_theta_misclassified_crossing', [keys, sampling_fraction, columns, matrix], {}, 'theta', maximum,
        'The probability that a unique match is correct, with misclassified keys') }}
{% endtest %}
