"""Figures of one measure that others determine: rates by their counts, files by their records, cells by GROUP BY.

What a summary says is asked of the rows that it sums up, which other tests ask of brute force. Of each measure the
table is such that its figures differ from one another, and from none: one in the place of another is seen.
"""

from __future__ import annotations

import math

import pytest

TABLES = """
CREATE TABLE persons AS SELECT i AS id, i * i % 7 AS age, i * i % 11 % 2 = 0 AS sex, i // 20 AS region,
    CASE WHEN i < 8 THEN i WHEN i < 24 THEN i // 2 + 4 ELSE 8 + i // 3 END AS household, 2 + i % 5 AS w,
    CASE WHEN i = 31 THEN 9000 ELSE 1000 + (37 * i * i) % 801 END AS income,
    (i * i * i) % 13 % 4 AS job, 7 * i % 60 // 7 AS town FROM range(60) AS r(i);
CREATE TABLE released AS SELECT * REPLACE (CASE WHEN id % 9 <> 4 THEN age END AS age,
    income + id % 21 + CASE WHEN id % 8 = 3 THEN 450 ELSE -10 END AS income)
    FROM persons WHERE id % 10 <> 7;
CREATE TABLE known AS SELECT * REPLACE (CASE WHEN id % 4 = 1 THEN (age + 3) % 7 ELSE age END AS age) FROM persons;
CREATE TABLE population AS SELECT i AS id, i * i % 5 AS age, i * i % 11 % 2 = 0 AS sex FROM range(90) AS r(i)
    UNION ALL SELECT 100 + i, 2 + 4 * (i // 2), false FROM range(3) AS r(i);
CREATE TABLE truth AS SELECT age, sex, 0.75 + age / 100 AS true_probability FROM persons GROUP BY ALL;
CREATE TABLE sexes AS FROM (VALUES (true, true, 0.9), (true, false, 0.1), (false, true, 0.2), (false, false, 0.8))
    AS t("from", "to", probability);
CREATE TABLE homes AS SELECT household, string_agg(age, ', ' ORDER BY age) AS members
    FROM persons GROUP BY household;
"""
CELLS = "(SELECT age, sex, count(*) AS f, sum(w) AS big FROM persons GROUP BY ALL)"
CROSSED = "'persons', ['age', 'sex', 'region', 'job']"
OF_CELLS = "'persons', ['age', 'sex']"
# a measure, and of each figure what it must be, by the rows of another
SUMMARIES = {
    "sdc_distance_linkage('persons', 'released', ['age', 'sex', 'income'], 'id', continuous := ['income'])": (
        "sdc_distance_linkage_records('persons', 'released', ['age', 'sex', 'income'], 'id', continuous := ['income'])",
        {
            "unique_correct": "count(*) FILTER (nearer = 0 AND as_near = 1)",
            "tied": "count(*) FILTER (nearer = 0 AND as_near > 1)",
            "expected_correct_matches": "sum(probability)",
            "expected_second_matches": "sum(second_probability)",
            "rate": "avg(probability)",
            "second_rate": "avg(second_probability)",
        },
    ),
    "sdc_rank_linkage('persons', 'released', ['income'], 'id', p := 20)": (
        "sdc_rank_linkage_records('persons', 'released', ['income'], 'id', p := 20)",
        {
            "own_among_candidates": "count(*) FILTER (candidate)",
            "unique_correct": "count(*) FILTER (nearer = 0 AND as_near = 1)",
            "tied": "count(*) FILTER (nearer = 0 AND as_near > 1)",
            "expected_correct_matches": "sum(probability)",
            "rate": "avg(probability)",
        },
    ),
    "sdc_true_reidentification('known', 'released', ['age', 'town'], 'id')": (
        "sdc_true_reidentification_records('known', 'released', ['age', 'town'], 'id')",
        {
            "records": "count(*)",
            "unmatched": "count(*) FILTER (matches = 0)",
            "own_among_matches": "count(*) FILTER (correct)",
            "unique_correct": "count(*) FILTER (matches = 1 AND correct)",
            "unique_wrong": "count(*) FILTER (matches = 1 AND NOT correct)",
            "below_k": "count(*) FILTER (matches < 3)",
            "own_below_k": "count(*) FILTER (matches < 3 AND correct)",
            "expected_correct_matches": "sum(CASE WHEN correct THEN 1 / matches ELSE 0 END)",
            "rate": "avg(probability)",
        },
    ),
    f"sdc_global_risk_misclassified({OF_CELLS}, 'w', 'truth')": (
        f"sdc_individual_risk_misclassified({OF_CELLS}, 'w', 'truth')",
        {
            "records": "count(*)",
            "expected_reidentifications": "sum(individual_risk)",
            "reidentification_rate": "avg(individual_risk)",
            "percent": "100 * avg(individual_risk)",
            "expected_reidentifications_misclassified": "sum(individual_risk * true_probability)",
            "reidentification_rate_misclassified": "avg(individual_risk_misclassified)",
        },
    ),
    f"sdc_household_global_risk_misclassified({OF_CELLS}, 'w', 'household', 'truth')": (
        f"sdc_household_risk_misclassified({OF_CELLS}, 'w', 'household', 'truth')",
        {
            "records": "count(*)",
            "households": "count(DISTINCT household)",
            "expected_reidentified_persons": "sum(household_risk)",
            "expected_reidentified_households": "sum(household_risk / household_size)",
            "reidentification_rate": "avg(household_risk)",
            "percent": "100 * avg(household_risk)",
            "household_reidentification_rate": "sum(household_risk / household_size) / count(DISTINCT household)",
            "expected_reidentified_persons_misclassified": "sum(household_risk_misclassified)",
            "expected_reidentified_households_misclassified": "sum(household_risk_misclassified / household_size)",
            "reidentification_rate_misclassified": "avg(household_risk_misclassified)",
            "household_reidentification_rate_misclassified": "sum(household_risk_misclassified / household_size) "
            "/ count(DISTINCT household)",
        },
    ),
    "sdc_alpha_k_anonymity('persons', ['age', 'town'], 'region', 0.5, 3)": (
        "sdc_likeness_cells('persons', ['age', 'town'], 'region')",
        {
            "records": "coalesce(sum(sample_frequency) FILTER (sample_frequency < 3 OR alpha > 0.5), 0)",
            "cells": "count(*) FILTER (sample_frequency < 3 OR alpha > 0.5)",
            "records_above_alpha": "coalesce(sum(sample_frequency) FILTER (alpha > 0.5), 0)",
            "records_below_k": "coalesce(sum(sample_frequency) FILTER (sample_frequency < 3), 0)",
        },
    ),
    "sdc_likeness('persons', ['town'], 'sex')": (
        "sdc_likeness_cells('persons', ['town'], 'sex')",
        {
            "records": "sum(sample_frequency)",
            "cells": "count(*)",
            "k": "min(sample_frequency)",
            "alpha": "max(alpha)",
            "beta": "max(beta)",
            "enhanced_beta": "max(enhanced_beta)",
            "delta": "max(delta)",
        },
    ),
    "sdc_suda_summary('persons', ['age', 'sex', 'region', 'town'])": (
        "sdc_suda('persons', ['age', 'sex', 'region', 'town'])",
        {
            "records": "count(*)",
            "records_with_msu": "count(*) FILTER (msu_count > 0)",
            "msus": "sum(msu_count)",
            "total_score": "sum(suda_score)",
            "max_score": "max(suda_score)",
            "max_dis_suda": "max(dis_suda)",
            "mean_dis_suda": "avg(dis_suda)",
        },
    ),
    "sdc_neighbourhood('persons', ['income'], keys := ['sex'], width := 0.02)": (
        "sdc_neighbourhood_records('persons', ['income'], 'id', keys := ['sex'], width := 0.02)",
        {
            "records": "count(*)",
            "alone": "count(*) FILTER (neighbours = 1)",
            "below_k": "count(*) FILTER (neighbours < 3)",
            "share": "avg((neighbours < 3)::INTEGER)",
            "expected_correct_matches": "sum(1 / neighbours)",
            "rate": "avg(1 / neighbours)",
        },
    ),
    "sdc_robust_disclosure('persons', 'released', ['income'], 'id', width := 0.0003, near := 0.01)": (
        "sdc_robust_disclosure_records('persons', 'released', ['income'], 'id', width := 0.0003, near := 0.01)",
        {
            "records": "count(*)",
            "at_risk": "count(*) FILTER (at_risk)",
            "share": "avg(at_risk::INTEGER)",
            "weighted": "sum(distance) FILTER (at_risk) / sum(distance)",
            "alone": "count(*) FILTER (alone)",
            "alone_share": "avg(alone::INTEGER)",
            "alone_weighted": "sum(distance) FILTER (alone) / sum(distance)",
            "outlying": "count(*) FILTER (outlying)",
        },
    ),
    "sdc_k_map('persons', 'population', ['age', 'sex'], 3)": (
        f"{CELLS} AS c LEFT JOIN (SELECT age, sex, count(*) AS n FROM population GROUP BY ALL) AS p USING (age, sex)",
        {
            "records": "coalesce(sum(f) FILTER (coalesce(n, 0) < 3), 0)",
            "absent_records": "coalesce(sum(f) FILTER (n IS NULL), 0)",
            "least": "min(coalesce(n, 0))",
        },
    ),
    f"sdc_theta_misclassified({CROSSED}, 0.1, ['sex'], ['sexes'])": (
        "(SELECT count(*) AS f FROM persons GROUP BY age, sex, region, job)",
        {"records": "sum(f)", "cells": "count(*)", "n1": "count(*) FILTER (f = 1)", "n2": "count(*) FILTER (f = 2)"},
    ),
    "sdc_composition_risk('persons', ['age'], 'w', 'household')": (
        (
            "(SELECT household, any_value(household_frequency) AS f, any_value(population_households) AS big FROM "
            "sdc_composition_frequencies('persons', ['age'], 'household', 'w') GROUP BY household)"
        ),
        {
            "households": "count(*)",
            "population_households": "sum(big / f)",
            "unique_households": "count(*) FILTER (f = 1)",
        },
    ),
    "sdc_pram_entropy_loss('persons', 'persons', 'sex', 'sexes')": (
        "persons, sdc_pram_entropy_loss('persons', 'persons', 'sex', 'sexes') AS r",
        {"mean_loss": "any_value(loss) / count(*)"},
    ),
    "sdc_data_intrusion_simulation('persons', ['age', 'region', 'job'], 0.2, repetitions := 400)": (
        "sdc_data_intrusion_simulation('persons', ['age', 'region', 'job'], 0.2, repetitions := 400)",
        {
            "theta": "any_value(correct_matches / unique_matches)",
            "standard_error": "any_value(sqrt(theta * (1 - theta) / unique_matches))",
        },
    ),
    f"sdc_data_intrusion_misclassified({CROSSED}, 0.2, ['sex'], ['sexes'], repetitions := 400)": (
        (
            f"sdc_data_intrusion_misclassified({CROSSED}, 0.2, ['sex'], ['sexes'], repetitions := 400) AS d, "
            f"sdc_theta_misclassified({CROSSED}, 0.2, ['sex'], ['sexes']) AS m"
        ),
        {
            "theta": "any_value(correct_matches / unique_matches)",
            "standard_error": "any_value(sqrt(d.theta * (1 - d.theta) / unique_matches))",
            "closed_form": "any_value(m.theta)",
        },
    ),
    "sdc_composition_theta('persons', ['age'], 'household', 0.1)": (
        "sdc_theta('homes', ['members'], 0.1)",
        {name: f"any_value({name})" for name in ("cells", "n1", "n2", "n3", "theta", "standard_error", "upper_bound")},
    ),
}
# each row `r` of a measure, and what is true of its figures
OF_ITS_CELL = f"(SELECT {{}} FROM {CELLS} AS c WHERE (c.age, c.sex) = (r.age, r.sex))"
OF_ITS_REGION = "(SELECT {} FROM persons AS p WHERE p.region = r.region)"
MISCLASSIFIED = "abs(individual_risk_misclassified - individual_risk * true_probability) < 1e-12"
COUNTED = f"(sample_frequency, population_frequency) = {OF_ITS_CELL.format('(f, big)')}"
ROWS = {
    "sdc_membership('persons', 'released', 'known', ['age', 'income'], continuous := ['income'])": (
        "abs(upper - lower - 2 * 2.575829304 * error) < 1e-8",  # at 99 per cent
        "abs(lower + upper - 2 * area) < 1e-9",
        "abs(excess - lower + 0.5) < 1e-9",
    ),
    "sdc_probabilistic_linkage_parameters('persons', 'released', ['age', 'sex', 'region', 'job'], 'id')": (
        "abs(agreement - log2(m / u)) < 1e-9",
        "abs(disagreement - log2((1 - m) / (1 - u))) < 1e-6",
    ),
    f"sdc_individual_risk_misclassified({OF_CELLS}, 'w', 'truth')": (MISCLASSIFIED, COUNTED),
    f"sdc_cell_risk_misclassified({OF_CELLS}, 'w', 'truth')": (
        MISCLASSIFIED,
        COUNTED,
        "true_probability = 0.75 + age / 100",
        "individual_risk = sdc_posterior_risk(sample_frequency, sample_frequency / population_frequency)",
    ),
    f"sdc_log_linear_risk_records({OF_CELLS}, 'w')": (f"sample_frequency = {OF_ITS_CELL.format('f')}",),
    f"sdc_l_diversity_cells({OF_CELLS}, 'region')": (f"sample_frequency = {OF_ITS_CELL.format('f')}",),
    f"sdc_t_closeness_cells({OF_CELLS}, 'region')": (f"sample_frequency = {OF_ITS_CELL.format('f')}",),
    "sdc_dominance_cells('persons', ['region'], 'income', n := 2)": (
        f"(records, total) = {OF_ITS_REGION.format('(count(*), sum(income))')}",
        f"abs(top_share * total - {OF_ITS_REGION.format('list_sum(max(income, 2))')}) < 1e-9",
        f"abs(remainder * {OF_ITS_REGION.format('max(income)')} - total + top_share * total) < 1e-9",
    ),
    "sdc_joint_releases_records(['persons', 'released'], [['age', 'sex'], ['town']], 'id')": (
        (
            f"least_alone = least((SELECT f FROM persons AS p JOIN {CELLS} AS c USING (age, sex) "
            "WHERE p.id::VARCHAR = r.id), (SELECT nullif(count(*), 0) FROM released AS p JOIN released AS q "
            "USING (town) WHERE p.id::VARCHAR = r.id))"
        ),
        "together <= least_alone",
    ),
    "sdc_threshold_rule_summary('persons', ['age', 'sex', 'region'], 12, weight := 'w')": (
        (
            "(unsafe_combinations, unsafe_records) = (SELECT (count(*), coalesce(sum(t.records), 0)) FROM "
            "sdc_threshold_rule('persons', ['age', 'sex', 'region'], 12, weight := 'w') AS t "
            "WHERE t.columns = r.columns)"
        ),
    ),
}


KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"


@pytest.fixture(scope="module")
def tables(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        yield con.execute(TABLES)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("measure", SUMMARIES, ids=lambda call: call.partition("(")[0])
def test_a_summary_is_that_of_its_rows(tables, measure):
    rows, figures = SUMMARIES[measure]
    said = tables.execute(f"SELECT {', '.join(figures)} FROM {measure}").fetchone()
    asked = tables.execute(f"SELECT {', '.join(figures.values())} FROM {rows}").fetchone()
    alike = {"sdc_likeness": 1}.get(measure.partition("(")[0], 0)  # two are infinite
    assert len(set(said)) == len(said) - alike  # one in the place of another would be seen
    for name, found, wanted in zip(figures, said, asked, strict=True):
        assert found or (measure.startswith("sdc_k_map") and name == "least"), name
        assert math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12), (name, found, wanted)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("measure", ROWS, ids=lambda call: call.partition("(")[0])
def test_the_figures_of_a_row_agree(tables, measure):
    ((rows, agree),) = tables.execute(
        f"SELECT count(*), count(*) FILTER ({' AND '.join(ROWS[measure])}) FROM {measure} AS r"
    ).fetchall()
    assert rows == agree > 1
