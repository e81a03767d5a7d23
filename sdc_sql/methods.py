"""The measures and the masks, as methods of a described table: a class for each room of the package.

Written from the headers of sql/ by python -m sdc_sql.write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.db.catalogue.macros import index_former_names
from sdc_sql.linkage import attribute_inference as _attribute_inference
from sdc_sql.linkage import certain_matches as _certain_matches
from sdc_sql.linkage import correct_attribution as _correct_attribution
from sdc_sql.linkage import derived_values as _derived_values
from sdc_sql.linkage import disclosive_attributes as _disclosive_attributes
from sdc_sql.linkage import distance_linkage as _distance_linkage
from sdc_sql.linkage import distance_to_closest as _distance_to_closest
from sdc_sql.linkage import holdout_distance as _holdout_distance
from sdc_sql.linkage import interval_disclosure as _interval_disclosure
from sdc_sql.linkage import linear_relations as _linear_relations
from sdc_sql.linkage import linkability as _linkability
from sdc_sql.linkage import membership as _membership
from sdc_sql.linkage import motivated_intruder as _motivated_intruder
from sdc_sql.linkage import probabilistic_linkage as _probabilistic_linkage
from sdc_sql.linkage import rank_linkage as _rank_linkage
from sdc_sql.linkage import replicated_uniques as _replicated_uniques
from sdc_sql.linkage import robust_disclosure as _robust_disclosure
from sdc_sql.linkage import series_changes as _series_changes
from sdc_sql.linkage import series_disclosure as _series_disclosure
from sdc_sql.linkage import series_newcomers as _series_newcomers
from sdc_sql.linkage import singling_out as _singling_out
from sdc_sql.linkage import suppression_report as _suppression_report
from sdc_sql.linkage import swapping_risk as _swapping_risk
from sdc_sql.linkage import true_reidentification as _true_reidentification
from sdc_sql.loss import class_sizes as _class_sizes
from sdc_sql.loss import confidence_overlap as _confidence_overlap
from sdc_sql.loss import contingency_distance as _contingency_distance
from sdc_sql.loss import direct_distance as _direct_distance
from sdc_sql.loss import distribution_distance as _distribution_distance
from sdc_sql.loss import entropy_loss as _entropy_loss
from sdc_sql.loss import estimate_change as _estimate_change
from sdc_sql.loss import explained_variance as _explained_variance
from sdc_sql.loss import factor_distance as _factor_distance
from sdc_sql.loss import il1 as _il1
from sdc_sql.loss import lambda_loss as _lambda_loss
from sdc_sql.loss import margin_distance as _margin_distance
from sdc_sql.loss import matrix_distance as _matrix_distance
from sdc_sql.loss import model_utility as _model_utility
from sdc_sql.loss import pram_entropy_loss as _pram_entropy_loss
from sdc_sql.loss import precision as _precision
from sdc_sql.loss import propensity as _propensity
from sdc_sql.loss import sse_sst as _sse_sst
from sdc_sql.loss import subdomain_moments as _subdomain_moments
from sdc_sql.loss import survey_estimate as _survey_estimate
from sdc_sql.loss import synthetic_estimate as _synthetic_estimate
from sdc_sql.loss import tree_propensity as _tree_propensity
from sdc_sql.loss import value_shares as _value_shares
from sdc_sql.loss import weight_distance as _weight_distance
from sdc_sql.mask import bootstrap as _bootstrap
from sdc_sql.mask import calibrate as _calibrate
from sdc_sql.mask import data_distortion as _data_distortion
from sdc_sql.mask import data_shuffling as _data_shuffling
from sdc_sql.mask import data_swap as _data_swap
from sdc_sql.mask import distort_sensitive as _distort_sensitive
from sdc_sql.mask import drop_identifiers as _drop_identifiers
from sdc_sql.mask import generalise as _generalise
from sdc_sql.mask import hybrid as _hybrid
from sdc_sql.mask import hybrid_masking as _hybrid_masking
from sdc_sql.mask import ipso as _ipso
from sdc_sql.mask import latin_hypercube as _latin_hypercube
from sdc_sql.mask import local_suppression as _local_suppression
from sdc_sql.mask import massc as _massc
from sdc_sql.mask import microaggregation as _microaggregation
from sdc_sql.mask import microhybrid as _microhybrid
from sdc_sql.mask import mondrian as _mondrian
from sdc_sql.mask import multiplicative_noise as _multiplicative_noise
from sdc_sql.mask import noise as _noise
from sdc_sql.mask import pram as _pram
from sdc_sql.mask import pram_cells as _pram_cells
from sdc_sql.mask import pram_estimate_by_batch as _pram_estimate_by_batch
from sdc_sql.mask import pram_matrix as _pram_matrix
from sdc_sql.mask import preview_recodings as _preview_recodings
from sdc_sql.mask import rank_swap as _rank_swap
from sdc_sql.mask import recode as _recode
from sdc_sql.mask import record_swap as _record_swap
from sdc_sql.mask import renumber as _renumber
from sdc_sql.mask import resampling as _resampling
from sdc_sql.mask import restore_moments as _restore_moments
from sdc_sql.mask import round_points as _round_points
from sdc_sql.mask import rounding as _rounding
from sdc_sql.mask import sample as _sample
from sdc_sql.mask import suppress_combinations as _suppress_combinations
from sdc_sql.mask import suppress_risky as _suppress_risky
from sdc_sql.mask import synthesise as _synthesise
from sdc_sql.mask import top_bottom_code as _top_bottom_code
from sdc_sql.risk import alpha_k_anonymity as _alpha_k_anonymity
from sdc_sql.risk import cells as _cells
from sdc_sql.risk import completed_households as _completed_households
from sdc_sql.risk import composition as _composition
from sdc_sql.risk import constant_columns as _constant_columns
from sdc_sql.risk import content_digest as _content_digest
from sdc_sql.risk import counted_sizes as _counted_sizes
from sdc_sql.risk import data_intrusion as _data_intrusion
from sdc_sql.risk import dominance as _dominance
from sdc_sql.risk import expected_harm as _expected_harm
from sdc_sql.risk import file_rules as _file_rules
from sdc_sql.risk import flip_regression as _flip_regression
from sdc_sql.risk import frequencies as _frequencies
from sdc_sql.risk import global_risk as _global_risk
from sdc_sql.risk import holdout as _holdout
from sdc_sql.risk import household_k_anonymity as _household_k_anonymity
from sdc_sql.risk import household_risk as _household_risk
from sdc_sql.risk import identifiers as _identifiers
from sdc_sql.risk import individual_risk as _individual_risk
from sdc_sql.risk import intruder as _intruder
from sdc_sql.risk import joint_releases as _joint_releases
from sdc_sql.risk import k_anonymity as _k_anonymity
from sdc_sql.risk import k_map as _k_map
from sdc_sql.risk import key_uniques as _key_uniques
from sdc_sql.risk import l_diversity as _l_diversity
from sdc_sql.risk import likeness as _likeness
from sdc_sql.risk import log_linear_fit as _log_linear_fit
from sdc_sql.risk import log_linear_risk as _log_linear_risk
from sdc_sql.risk import minimal_sample_uniques as _minimal_sample_uniques
from sdc_sql.risk import neighbourhood as _neighbourhood
from sdc_sql.risk import population_risk as _population_risk
from sdc_sql.risk import population_uniqueness as _population_uniqueness
from sdc_sql.risk import rejoined_households as _rejoined_households
from sdc_sql.risk import risk_threshold as _risk_threshold
from sdc_sql.risk import robust_distance as _robust_distance
from sdc_sql.risk import suda as _suda
from sdc_sql.risk import t_closeness as _t_closeness
from sdc_sql.risk import theta as _theta
from sdc_sql.risk import theta_by as _theta_by
from sdc_sql.risk import theta_misclassified as _theta_misclassified
from sdc_sql.risk import threshold_rule as _threshold_rule
from sdc_sql.risk import uniqueness as _uniqueness
from sdc_sql.roles import bind_mask, bind_measure, bind_method

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


class Room:
    """What a room's functions are methods of: a table with the roles of its columns."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            """Say of a measure or a mask where it is, and what it is called now."""
            told = explain_name(name) or f"The room {type(self).__name__.lower()} has no {name}."
            raise AttributeError(told, name=name, obj=self)


class Linkage(Room):
    """The functions of ``sdc_sql.linkage`` that the headers of the SQL files name."""

    attribute_inference = bind_measure(_attribute_inference.attribute_inference)
    certain_matches = bind_measure(_certain_matches.certain_matches)
    compatible_records = bind_measure(_suppression_report.compatible_records)
    correct_attribution = bind_measure(_correct_attribution.correct_attribution)
    correct_attribution_records = bind_measure(_correct_attribution.correct_attribution_records)
    derived_values = bind_method(_derived_values.derived_values)
    derived_values_summary = bind_method(_derived_values.derived_values_summary)
    disclosive_attributes = bind_measure(_disclosive_attributes.disclosive_attributes)
    distance_linkage = bind_measure(_distance_linkage.distance_linkage)
    distance_linkage_records = bind_measure(_distance_linkage.distance_linkage_records)
    distance_to_closest = bind_measure(_distance_to_closest.distance_to_closest)
    holdout_distance = bind_measure(_holdout_distance.holdout_distance)
    interval_disclosure = bind_measure(_interval_disclosure.interval_disclosure)
    interval_disclosure_records = bind_measure(_interval_disclosure.interval_disclosure_records)
    linear_relations = bind_measure(_linear_relations.linear_relations)
    linkability = bind_measure(_linkability.linkability)
    membership = bind_measure(_membership.membership)
    motivated_intruder = bind_measure(_motivated_intruder.motivated_intruder)
    motivated_intruder_records = bind_measure(_motivated_intruder.motivated_intruder_records)
    probabilistic_linkage = bind_measure(_probabilistic_linkage.probabilistic_linkage)
    probabilistic_linkage_parameters = bind_measure(_probabilistic_linkage.probabilistic_linkage_parameters)
    probabilistic_linkage_patterns = bind_measure(_probabilistic_linkage.probabilistic_linkage_patterns)
    probabilistic_linkage_records = bind_measure(_probabilistic_linkage.probabilistic_linkage_records)
    rank_linkage = bind_measure(_rank_linkage.rank_linkage)
    rank_linkage_records = bind_measure(_rank_linkage.rank_linkage_records)
    replicated_uniques = bind_measure(_replicated_uniques.replicated_uniques)
    robust_disclosure = bind_measure(_robust_disclosure.robust_disclosure)
    robust_disclosure_records = bind_measure(_robust_disclosure.robust_disclosure_records)
    series_changes = bind_measure(_series_changes.series_changes)
    series_disclosure = bind_measure(_series_disclosure.series_disclosure)
    series_disclosure_records = bind_measure(_series_disclosure.series_disclosure_records)
    series_newcomers = bind_measure(_series_newcomers.series_newcomers)
    singling_out = bind_measure(_singling_out.singling_out)
    suppression_report = bind_measure(_suppression_report.suppression_report)
    swapping_risk = bind_measure(_swapping_risk.swapping_risk)
    targeted_attribution_records = bind_measure(_correct_attribution.targeted_attribution_records)
    true_reidentification = bind_measure(_true_reidentification.true_reidentification)
    true_reidentification_records = bind_measure(_true_reidentification.true_reidentification_records)


class Loss(Room):
    """The functions of ``sdc_sql.loss`` that the headers of the SQL files name."""

    class_sizes = bind_method(_class_sizes.class_sizes)
    confidence_overlap = bind_method(_confidence_overlap.confidence_overlap)
    contingency_distance = bind_method(_contingency_distance.contingency_distance)
    direct_distance = bind_method(_direct_distance.direct_distance)
    distribution_distance = bind_method(_distribution_distance.distribution_distance)
    eigenvalue_distance = bind_method(_factor_distance.eigenvalue_distance)
    entropy_loss = bind_method(_entropy_loss.entropy_loss)
    estimate_change = bind_method(_estimate_change.estimate_change)
    explained_variance = bind_method(_explained_variance.explained_variance)
    factor_distance = bind_method(_factor_distance.factor_distance)
    gamma_loss = bind_method(_factor_distance.gamma_loss)
    il1 = bind_method(_il1.il1)
    lambda_loss = bind_method(_lambda_loss.lambda_loss)
    margin_distance = bind_method(_margin_distance.margin_distance)
    margins_kept = bind_method(_contingency_distance.margins_kept)
    matrix_distance = bind_method(_matrix_distance.matrix_distance)
    model_utility = bind_method(_model_utility.model_utility)
    pair_distance = bind_method(_margin_distance.pair_distance)
    pram_entropy_loss = bind_method(_pram_entropy_loss.pram_entropy_loss)
    precision = bind_method(_precision.precision)
    propensity = bind_method(_propensity.propensity)
    sse_sst = bind_method(_sse_sst.sse_sst)
    subdomain_moments = bind_method(_subdomain_moments.subdomain_moments)
    survey_estimate = bind_method(_survey_estimate.survey_estimate)
    synthetic_estimate = bind_method(_synthetic_estimate.synthetic_estimate)
    tree_propensity = bind_method(_tree_propensity.tree_propensity)
    value_shares = bind_method(_value_shares.value_shares)
    weight_distance = bind_method(_weight_distance.weight_distance)


class Mask(Room):
    """The functions of ``sdc_sql.mask`` that the headers of the SQL files name."""

    bootstrap = bind_mask(_bootstrap.bootstrap)
    calibrate = bind_method(_calibrate.calibrate)
    data_distortion = bind_mask(_data_distortion.data_distortion)
    data_shuffling = bind_mask(_data_shuffling.data_shuffling)
    data_swap = bind_mask(_data_swap.data_swap)
    data_swap_partners = bind_method(_data_swap.data_swap_partners)
    distort_sensitive = bind_method(_distort_sensitive.distort_sensitive)
    drop_identifiers = bind_method(_drop_identifiers.drop_identifiers)
    generalisations = bind_method(_generalise.generalisations)
    generalise = bind_method(_generalise.generalise)
    hybrid = bind_mask(_hybrid.hybrid)
    hybrid_masking = bind_mask(_hybrid_masking.hybrid_masking)
    ipso = bind_mask(_ipso.ipso)
    latin_hypercube = bind_mask(_latin_hypercube.latin_hypercube)
    local_suppression = bind_method(_local_suppression.local_suppression)
    massc = bind_method(_massc.massc)
    massc_design = bind_method(_massc.massc_design)
    microaggregate = bind_mask(_microaggregation.microaggregate)
    microaggregate_categorical = bind_mask(_microaggregation.microaggregate_categorical)
    microhybrid = bind_mask(_microhybrid.microhybrid)
    mondrian = bind_method(_mondrian.mondrian)
    multiplicative_noise = bind_mask(_multiplicative_noise.multiplicative_noise)
    noise = bind_mask(_noise.noise)
    pram = bind_mask(_pram.pram)
    pram_covariance = bind_method(_pram_matrix.pram_covariance)
    pram_estimate = bind_method(_pram_matrix.pram_estimate)
    pram_estimate_by_batch = bind_method(_pram_estimate_by_batch.pram_estimate_by_batch)
    pram_estimate_two_way = bind_method(_pram_matrix.pram_estimate_two_way)
    pram_guaranteed = bind_mask(_pram_cells.pram_guaranteed)
    pram_matrix = bind_method(_pram_matrix.pram_matrix)
    pram_proof = bind_method(_pram_cells.pram_proof)
    pram_retention = bind_mask(_pram_cells.pram_retention)
    preview_recodings = bind_method(_preview_recodings.preview_recodings)
    rank_swap = bind_mask(_rank_swap.rank_swap)
    recode = bind_method(_recode.recode)
    record_swap = bind_method(_record_swap.record_swap)
    record_swap_partners = bind_method(_record_swap.record_swap_partners)
    renumber = bind_method(_renumber.renumber)
    resample = bind_mask(_resampling.resample)
    restore_moments = bind_method(_restore_moments.restore_moments)
    round = bind_mask(_rounding.round)
    round_points = bind_method(_round_points.round_points)
    sample = bind_method(_sample.sample)
    suppress_combinations = bind_method(_suppress_combinations.suppress_combinations)
    suppress_risky = bind_method(_suppress_risky.suppress_risky)
    synthesise = bind_mask(_synthesise.synthesise)
    top_bottom_code = bind_method(_top_bottom_code.top_bottom_code)
    totals = bind_method(_calibrate.totals)


class Risk(Room):
    """The functions of ``sdc_sql.risk`` that the headers of the SQL files name."""

    alpha_k_anonymity = bind_measure(_alpha_k_anonymity.alpha_k_anonymity)
    cell_risk = bind_measure(_individual_risk.cell_risk)
    cells = bind_measure(_cells.cells)
    completed_households = bind_method(_completed_households.completed_households)
    composition_frequencies = bind_measure(_composition.composition_frequencies)
    composition_k_map = bind_measure(_composition.composition_k_map)
    composition_risk = bind_measure(_composition.composition_risk)
    composition_summary = bind_measure(_composition.composition_summary)
    composition_theta = bind_measure(_composition.composition_theta)
    constant_columns = bind_method(_constant_columns.constant_columns)
    content_digest = bind_method(_content_digest.content_digest)
    counted_sizes = bind_method(_counted_sizes.counted_sizes)
    data_intrusion_simulation = bind_measure(_data_intrusion.data_intrusion_simulation)
    dominance = bind_measure(_dominance.dominance)
    dominance_cells = bind_measure(_dominance.dominance_cells)
    expected_harm = bind_measure(_expected_harm.expected_harm)
    expected_harm_records = bind_measure(_expected_harm.expected_harm_records)
    flip_posterior_records = bind_measure(_flip_regression.flip_posterior_records)
    flip_regression = bind_measure(_flip_regression.flip_regression)
    frequencies = bind_measure(_frequencies.frequencies)
    frequency_counts = bind_measure(_uniqueness.frequency_counts)
    frequency_summary = bind_measure(_uniqueness.frequency_summary)
    global_risk = bind_measure(_global_risk.global_risk)
    holdout = bind_method(_holdout.holdout)
    household_global_risk = bind_measure(_household_risk.household_global_risk)
    household_k_anonymity = bind_measure(_household_k_anonymity.household_k_anonymity)
    household_risk = bind_measure(_household_risk.household_risk)
    identifiers = bind_measure(_identifiers.identifiers)
    individual_risk = bind_measure(_individual_risk.individual_risk)
    intruder_links = bind_measure(_intruder.intruder_links)
    joint_releases = bind_measure(_joint_releases.joint_releases)
    joint_releases_records = bind_measure(_joint_releases.joint_releases_records)
    k_anonymity = bind_measure(_k_anonymity.k_anonymity)
    k_map = bind_measure(_k_map.k_map)
    key_uniques = bind_measure(_key_uniques.key_uniques)
    l_diversity = bind_measure(_l_diversity.l_diversity)
    l_diversity_cells = bind_measure(_l_diversity.l_diversity_cells)
    l_diversity_records = bind_measure(_l_diversity.l_diversity_records)
    likeness = bind_measure(_likeness.likeness)
    likeness_cells = bind_measure(_likeness.likeness_cells)
    log_linear_fit = bind_measure(_log_linear_fit.log_linear_fit)
    log_linear_risk = bind_measure(_log_linear_risk.log_linear_risk)
    log_linear_risk_records = bind_measure(_log_linear_risk.log_linear_risk_records)
    log_linear_search = bind_measure(_log_linear_fit.log_linear_search)
    minimal_sample_uniques = bind_measure(_minimal_sample_uniques.minimal_sample_uniques)
    neighbourhood = bind_measure(_neighbourhood.neighbourhood)
    neighbourhood_records = bind_measure(_neighbourhood.neighbourhood_records)
    perceived_risk = bind_measure(_intruder.perceived_risk)
    perceived_risk_records = bind_measure(_intruder.perceived_risk_records)
    population_risk = bind_measure(_population_risk.population_risk)
    population_uniqueness = bind_measure(_population_uniqueness.population_uniqueness)
    public_use_file_rules = bind_measure(_file_rules.public_use_file_rules)
    rejoined_households = bind_measure(_rejoined_households.rejoined_households)
    research_file_rules = bind_measure(_file_rules.research_file_rules)
    risk_threshold = bind_measure(_risk_threshold.risk_threshold)
    robust_distance_records = bind_measure(_robust_distance.robust_distance_records)
    sample_uniques = bind_measure(_uniqueness.sample_uniques)
    suda = bind_measure(_suda.suda)
    suda_contributions = bind_measure(_suda.suda_contributions)
    suda_summary = bind_measure(_suda.suda_summary)
    suda_value_contributions = bind_measure(_suda.suda_value_contributions)
    t_closeness = bind_measure(_t_closeness.t_closeness)
    t_closeness_cells = bind_measure(_t_closeness.t_closeness_cells)
    theta = bind_measure(_theta.theta)
    theta_by = bind_measure(_theta_by.theta_by)
    theta_misclassified = bind_measure(_theta_misclassified.theta_misclassified)
    threshold_rule = bind_measure(_threshold_rule.threshold_rule)
    threshold_rule_records = bind_measure(_threshold_rule.threshold_rule_records)
    threshold_rule_summary = bind_measure(_threshold_rule.threshold_rule_summary)


class Methods(Linkage, Loss, Mask, Risk):
    """The methods of all rooms, for what calls them by their names."""


def explain_name(name: str) -> str | None:
    """Return how a measure or a mask is called that was looked for elsewhere; None where there is none of the name."""
    for room in Methods.__bases__:
        if name in vars(room) and not name.startswith("_"):
            where = room.__name__.lower()
            return f"{name} is a method of the room {where}: write data.{where}.{name}(...)."
    now = index_former_names().get(name)
    return explain_new_name(name, f"data.mask.{now}(...)") if now else None
