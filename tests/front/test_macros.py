"""The SQL files: their order, their form, and the macros that they promise."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from sdc_sql.udfs.registry import FUNCTIONS
from sqlglot import TokenType, tokenize

import sdc_sql
from sdc_sql.db.catalogue import ENTRIES
from sdc_sql.db.macros import CREATE, sql_files

ROOT = Path(__file__).resolve().parents[2]
# (of the files, all but the one that is made from their headers: tests/front/test_help.py)
FILES = {f.name: f for f in sql_files() if f.name != ENTRIES}
DEFINED = {macro: f.name for f in sql_files() for macro in f.defines}

# The contract: every public table macro, its parameters, and its result columns on `persons`.
PARAMETERS = {
    "sdc_cells": "tbl keys nulls",
    "sdc_frequencies": "tbl keys weight nulls",
    "sdc_frequency_counts": "tbl keys nulls",
    "sdc_frequency_summary": "tbl keys nulls",
    "sdc_sample_uniques": "tbl keys nulls",
    "sdc_theta": "tbl keys sampling_fraction confidence",
    "sdc_theta_by": "tbl keys stratum sampling_fraction confidence",
    "sdc_population_risk": "sample population keys",
    "sdc_individual_risk": "tbl keys weight nulls",
    "sdc_cell_risk": "tbl keys weight nulls",
    "sdc_global_risk": "tbl keys weight nulls",
    "sdc_risk_threshold": "tbl keys weight max_rate nulls",
    "sdc_household_risk": "tbl keys weight household household_threshold nulls",
    "sdc_household_global_risk": "tbl keys weight household nulls",
    "sdc_k_anonymity": "tbl keys k nulls",
    "sdc_l_diversity": "tbl keys sensitive c others",
    "sdc_l_diversity_cells": "tbl keys sensitive c others",
    "sdc_l_diversity_records": "tbl keys sensitive c others",
    "sdc_t_closeness": "tbl keys sensitive distance",
    "sdc_t_closeness_cells": "tbl keys sensitive distance",
    "sdc_likeness": "tbl keys sensitive chosen",
    "sdc_likeness_cells": "tbl keys sensitive chosen",
    "sdc_alpha_k_anonymity": "tbl keys sensitive alpha k chosen",
    "sdc_k_map": "tbl population keys k",
    "sdc_minimal_sample_uniques": "tbl keys max_msu nulls",
    "sdc_suda": "tbl keys max_msu dis_fraction scoring nulls",
    "sdc_suda_summary": "tbl keys max_msu dis_fraction scoring nulls",
    "sdc_suda_contributions": "tbl keys max_msu scoring nulls",
    "sdc_suda_value_contributions": "tbl keys max_msu scoring nulls",
    "sdc_theta_misclassified": "tbl keys sampling_fraction columns matrices",
    "sdc_theta_misclassified_crossing": "tbl keys sampling_fraction columns matrix",
    "sdc_pram_reversed": "original column_name matrix",
    "sdc_pram_reversed_crossing": "original columns matrix",
    "sdc_data_intrusion_simulation": "tbl keys sampling_fraction repetitions stream",
    "sdc_data_intrusion_misclassified": "tbl keys sampling_fraction columns matrices repetitions stream",
    "sdc_research_file_rules": "tbl keys weight levels inhabitants direct_identifiers panel nulls",
    "sdc_public_use_file_rules": (
        "tbl keys weight household household_variables indirect_regions province municipality withheld sensitive "
        "reference_date release_date nulls"
    ),
    "sdc_threshold_rule": "tbl keys threshold weight dimension levels inclusive nulls",
    "sdc_threshold_rule_summary": "tbl keys threshold weight dimension levels inclusive nulls",
    "sdc_threshold_rule_records": "tbl keys threshold weight dimension levels inclusive nulls",
}
MASKS = {
    "sdc_pram": "tbl column_name matrix id stratum stream",
    "sdc_pram_crossing": "tbl columns matrix id stratum stream",
    "sdc_pram_retention": "tbl columns retention id stratum stream",
    "sdc_pram_guaranteed": "tbl keys xi id within stream",
    "sdc_pram_proof": "tbl keys xi id within most",
    "sdc_pram_invariant": "tbl column_name matrix method",
    "sdc_pram_pd_alpha": "tbl column_name pd alpha",
    "sdc_pram_retention_matrix": "tbl column_name retention",
    "sdc_pram_estimate": "tbl column_name matrix",
    "sdc_pram_covariance": "tbl column_name matrix",
    "sdc_pram_estimate_two_way": "tbl row_name column_name row_matrix column_matrix",
    "sdc_pram_theta": "xi",
    "sdc_noise": "tbl columns alpha id method threshold lower upper rounded discrete stratum stream",
    "sdc_multiplicative_noise": "tbl columns size id method spread stratum stream",
    "sdc_microaggregate": "tbl columns k id method centroid blocks gamma stratum",
    "sdc_microaggregate_categorical": "tbl columns k id scale stratum",
    "sdc_rank_swap": "tbl column_name p id stratum stream",
    "sdc_rank_swap_correlated": "tbl column_name correlation id stratum stream",
    "sdc_round": "tbl columns base id",
    "sdc_random_round": "tbl columns base id stream",
    "sdc_resample": "tbl column_name samples id stratum stream",
    "sdc_sse_sst": "tbl masked columns id",
}
COUNTING = ("core/cells.sql", "core/frequencies.sql")
RECORD = "id age sex region weight household"
COLUMNS = {
    "sdc_cells('persons', ['sex', 'age'])": "age sex sample_frequency",
    "sdc_frequencies('persons', ['age', 'sex'])": f"{RECORD} sample_frequency population_frequency",
    "sdc_frequencies('persons', ['age', 'sex'], weight := 'weight', nulls := 'wildcard')": (
        f"{RECORD} sample_frequency population_frequency"
    ),
    "sdc_frequency_counts('persons', ['age', 'sex'])": "frequency cells",
    "sdc_frequency_summary('persons', ['age', 'sex'])": (
        "records cells sample_uniques uniques_rate pairs largest_cell"
    ),
    "sdc_sample_uniques('persons', ['age', 'sex'])": RECORD,
    "sdc_theta('persons', ['age', 'sex'], 0.1)": "records cells n1 n2 n3 theta standard_error upper_bound",
    "sdc_theta_by('persons', ['age', 'sex'], 'region', 0.1)": (
        "stratum records cells n1 n2 n3 sampling_fraction theta standard_error upper_bound"
    ),
    "sdc_population_risk('persons', 'persons', ['age', 'sex'])": (
        "pr_pu pr_pu_given_su theta p tau1 tau2 expected_correct_matches sample_records population_records "
        "sample_cells population_cells sample_uniques population_uniques sample_and_population_uniques unique_matches"
    ),
    "sdc_individual_risk('persons', ['age', 'sex'], 'weight')": (
        f"{RECORD} sample_frequency population_frequency individual_risk"
    ),
    "sdc_cell_risk('persons', ['age', 'sex'], 'weight')": (
        "age sex sample_frequency population_frequency individual_risk"
    ),
    "sdc_global_risk('persons', ['age', 'sex'], 'weight')": (
        "records expected_reidentifications reidentification_rate percent"
    ),
    "sdc_risk_threshold('persons', ['age', 'sex'], 'weight', 0.05)": (
        "threshold records_above keys_above records keys rate rate_after"
    ),
    "sdc_household_risk('persons', ['age', 'sex'], 'weight', 'household')": (
        f"{RECORD} individual_risk household_risk household_size individual_threshold"
    ),
    "sdc_household_global_risk('persons', ['age', 'sex'], 'weight', 'household')": (
        "records households expected_reidentified_persons expected_reidentified_households reidentification_rate "
        "percent household_reidentification_rate"
    ),
    "sdc_k_anonymity('persons', ['age', 'sex'], 3)": "k records cells",
    "sdc_l_diversity('persons', ['age', 'sex'], 'region')": "records cells distinct_l entropy_l recursive_l",
    "sdc_l_diversity_cells('persons', ['age', 'sex'], 'region')": (
        "age sex sample_frequency distinct_l entropy_l recursive_l"
    ),
    "sdc_l_diversity_records('persons', ['age', 'sex'], 'region')": f"{RECORD} distinct_l entropy_l recursive_l",
    "sdc_t_closeness('persons', ['age', 'sex'], 'region')": "records cells t",
    "sdc_t_closeness_cells('persons', ['age', 'sex'], 'region')": "age sex sample_frequency t",
    "sdc_likeness('persons', ['age', 'sex'], 'region')": "records cells k alpha beta enhanced_beta delta",
    "sdc_likeness_cells('persons', ['age', 'sex'], 'region')": (
        "age sex sample_frequency alpha beta enhanced_beta delta"
    ),
    "sdc_alpha_k_anonymity('persons', ['age', 'sex'], 'region', 0.5, 2)": (
        "alpha k records cells records_above_alpha records_below_k"
    ),
    "sdc_k_map('persons', 'persons', ['age', 'sex'], 3)": "k records cells absent_records least",
    "sdc_minimal_sample_uniques('persons', ['age', 'sex'])": f"{RECORD} size columns",
    "sdc_suda('persons', ['age', 'sex'])": f"{RECORD} msu_count suda_score dis_suda",
    "sdc_suda_summary('persons', ['age', 'sex'])": (
        "records records_with_msu msus total_score max_score max_dis_suda mean_dis_suda"
    ),
    "sdc_suda_contributions('persons', ['age', 'sex'])": "variable msus contribution",
    "sdc_suda_value_contributions('persons', ['age', 'sex'])": "variable value msus contribution",
    "sdc_theta_misclassified('persons', ['age', 'sex'], 0.1, ['sex'], ['sexes'])": (
        "records cells n1 n2 kept_uniques kept_pairs false_matches theta most_theta"
    ),
    "sdc_theta_misclassified_crossing('persons', ['age', 'sex'], 0.1, ['sex'], 'pairs')": (
        "records cells n1 n2 kept_uniques kept_pairs false_matches theta most_theta"
    ),
    "sdc_pram_reversed('persons', 'sex', 'sexes')": "from to probability",
    "sdc_pram_reversed_crossing('persons', ['sex'], 'pairs')": "from to probability",
    "sdc_data_intrusion_simulation('persons', ['age', 'sex'], 0.1)": (
        "repetitions unique_matches correct_matches theta standard_error closed_form"
    ),
    "sdc_data_intrusion_misclassified('persons', ['age', 'sex'], 0.1, ['sex'], ['sexes'])": (
        "repetitions unique_matches correct_matches theta standard_error closed_form"
    ),
    "sdc_research_file_rules('persons', ['age', 'sex'], 9, NULL)": "rule requirement found violated",
    "sdc_public_use_file_rules('persons', ['age', 'sex'], 9)": "rule requirement found violated",
    "sdc_threshold_rule('persons', ['age', 'sex'], 3)": "columns values records frequency threshold",
    "sdc_threshold_rule_summary('persons', ['age', 'sex'], 3)": (
        "columns threshold combinations unsafe_combinations unsafe_records least_frequency"
    ),
    "sdc_threshold_rule_records('persons', ['age', 'sex'], 3)": f"{RECORD} unsafe_combinations",
}
DEFAULTS = {  # what a parameter is when it is left out, and a call that says so
    "sdc_cells('persons', ['age'])": "sdc_cells('persons', ['age'], nulls := 'category')",
    "sdc_frequencies('persons', ['age'])": "sdc_frequencies('persons', ['age'], weight := NULL, nulls := 'category')",
    "sdc_frequency_counts('persons', ['age'])": "sdc_frequency_counts('persons', ['age'], nulls := 'category')",
    "sdc_frequency_summary('persons', ['age'])": "sdc_frequency_summary('persons', ['age'], nulls := 'category')",
    "sdc_sample_uniques('persons', ['age'])": "sdc_sample_uniques('persons', ['age'], nulls := 'category')",
    "sdc_theta('persons', ['age'], 0.1)": "sdc_theta('persons', ['age'], 0.1, confidence := 0.99)",
    "sdc_theta_by('persons', ['age'], 'sex', 0.1)": "sdc_theta_by('persons', ['age'], 'sex', 0.1, confidence := 0.99)",
    "sdc_cell_risk('persons', ['age'], 'weight')": "sdc_cell_risk('persons', ['age'], 'weight', nulls := 'category')",
    "sdc_individual_risk('persons', ['age'], 9)": "sdc_individual_risk('persons', ['age'], 9, nulls := 'category')",
    "sdc_global_risk('persons', ['age'], 9)": "sdc_global_risk('persons', ['age'], 9, nulls := 'category')",
    "sdc_risk_threshold('persons', ['age'], 9, 0.05)": (
        "sdc_risk_threshold('persons', ['age'], 9, 0.05, nulls := 'category')"
    ),
    "sdc_household_risk('persons', ['age'], 9, 'household')": (
        "sdc_household_risk('persons', ['age'], 9, 'household', household_threshold := NULL, nulls := 'category')"
    ),
    "sdc_household_global_risk('persons', ['age'], 9, 'household')": (
        "sdc_household_global_risk('persons', ['age'], 9, 'household', nulls := 'category')"
    ),
    **{
        f"{macro}('persons', ['age', 'sex', 'region', 'household'], 1)": (
            f"{macro}('persons', ['age', 'sex', 'region', 'household'], 1, weight := NULL, dimension := 3, "
            "levels := NULL, inclusive := true, nulls := 'category')"
        )
        for macro in ("sdc_threshold_rule", "sdc_threshold_rule_summary", "sdc_threshold_rule_records")
    },
    "sdc_k_anonymity('persons', ['age'], 3)": "sdc_k_anonymity('persons', ['age'], 3, nulls := 'category')",
    "sdc_l_diversity_cells('persons', ['age'], 'sex')": (
        "sdc_l_diversity_cells('persons', ['age'], 'sex', c := 2, others := NULL)"
    ),
    "sdc_t_closeness_cells('persons', ['age'], 'sex')": (
        "sdc_t_closeness_cells('persons', ['age'], 'sex', distance := 'equal')"
    ),
    "sdc_likeness_cells('persons', ['age'], 'sex')": "sdc_likeness_cells('persons', ['age'], 'sex', chosen := NULL)",
    "sdc_minimal_sample_uniques('persons', ['age'])": (
        "sdc_minimal_sample_uniques('persons', ['age'], max_msu := 3, nulls := 'category')"
    ),
    "sdc_suda('persons', ['age'])": (
        "sdc_suda('persons', ['age'], max_msu := 3, dis_fraction := 0.01, scoring := 'factorial', nulls := 'category')"
    ),
    "sdc_suda_summary('persons', ['age'])": (
        "sdc_suda_summary('persons', ['age'], max_msu := 3, dis_fraction := 0.01, scoring := 'factorial', "
        "nulls := 'category')"
    ),
    "sdc_suda_contributions('persons', ['age'])": (
        "sdc_suda_contributions('persons', ['age'], max_msu := 3, scoring := 'factorial', nulls := 'category')"
    ),
    "sdc_suda_value_contributions('persons', ['age'])": (
        "sdc_suda_value_contributions('persons', ['age'], max_msu := 3, scoring := 'factorial', nulls := 'category')"
    ),
}


@pytest.fixture(scope="module")
def db():
    """Return a connection with the macros and the table `persons`, shared since nothing is written to it."""
    with duckdb.connect() as con:
        sdc_sql.load(con).execute("""
            CREATE TABLE persons AS FROM (VALUES
                (1, 30, 'f', 'north', 10.0, 1), (2, 30, 'f', 'north', 15.0, 1), (3, 41, 'm', 'south', 20.0, 2),
                (4, NULL, 'm', 'south', 12.5, 2), (5, 67, NULL, NULL, 30.0, 3)
            ) AS t(id, age, sex, region, weight, household)
        """)
        con.execute("SET VARIABLE sdc_key = 'the key of a test'")
        con.execute("CREATE TABLE sexes AS FROM sdc_pram_retention_matrix('persons', 'sex', 0.9)")
        con.execute(
            'CREATE TABLE pairs AS SELECT {\'sex\': "from"} AS "from", {\'sex\': "to"} AS "to", probability FROM sexes'
        )
        yield con


def named(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    rows = con.execute(
        "SELECT function_name, parameters FROM duckdb_functions() WHERE starts_with(function_name, 'sdc_')"
    ).fetchall()
    return dict(rows)


def test_every_sql_file_of_the_project_is_found():
    assert sorted(FILES) == sorted(str(p.relative_to(ROOT / "sql").as_posix()) for p in (ROOT / "sql").rglob("*.sql"))


def test_each_file_comes_after_the_files_it_calls():
    seen: set[str] = set()
    for file in sql_files():
        assert (file.calls & set(DEFINED)) <= seen, file.name
        seen |= set(file.defines)


def test_within_a_file_each_macro_comes_after_those_it_calls():
    for file in FILES.values():
        for i, body in enumerate(re.split(rf"^{CREATE} ", file.text, flags=re.MULTILINE)[1:]):
            called = {t.text for t in tokenize(body, read="duckdb")} & set(file.defines)
            assert called <= set(file.defines[: i + 1]), file.name


def test_no_macro_is_defined_twice():
    assert len(DEFINED) == sum(len(f.defines) for f in sql_files())


@pytest.mark.parametrize("name", FILES)
def test_a_file_opens_with_a_header(name):
    header, create, _ = FILES[name].text.partition(CREATE)
    assert create
    assert header.startswith("-- ")
    assert all(line.startswith("--") for line in header.splitlines() if line)


@pytest.mark.parametrize("name", [n for n in FILES if n.startswith("risk/")])
def test_a_measure_names_its_source(name):
    header = FILES[name].text.partition(CREATE)[0]
    assert re.search(r"^-- Source: ", header, re.MULTILINE)


@pytest.mark.parametrize("name", FILES)
def test_every_macro_is_made_in_one_way_and_named_sdc(name):
    file = FILES[name]
    code = "\n".join(line for line in file.text.splitlines() if not line.startswith("--"))
    assert code.count("CREATE") == file.text.count(f"\n{CREATE} sdc_") == len(file.defines)
    assert all(macro.startswith("sdc_") for macro in file.defines)


@pytest.mark.parametrize("name", FILES)
def test_no_arrow_lambdas(name):
    assert TokenType.ARROW not in {t.token_type for t in tokenize(FILES[name].text, read="duckdb")}


@pytest.mark.parametrize("name", FILES)
def test_inner_names_are_the_macros_own(name):
    # of the CTEs: a user's table `counts` must not be taken for one of ours, nor ours for theirs
    tokens = tokenize(FILES[name].text, read="duckdb")
    ctes = {a.text for a, b in pairwise(tokens) if a.token_type is TokenType.VAR and b.token_type is TokenType.ALIAS}
    following = {
        t.text
        for t, alias, paren in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if alias.token_type is TokenType.ALIAS
        and (paren.token_type is TokenType.L_PAREN or paren.text == "MATERIALIZED")
    }
    assert all(cte.startswith("sdc__") for cte in ctes & following)


def test_the_bundle_is_every_file_once_in_order():
    bundle = sdc_sql.bundle()
    places = [bundle.index(f.text) for f in FILES.values()]
    assert places == sorted(places)
    assert all(bundle.count(f.text) == 1 for f in FILES.values())
    assert bundle == sdc_sql.bundle()


def test_the_bundle_runs_on_a_bare_connection():
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        con.execute("CREATE TABLE t AS FROM (VALUES (1), (1), (2)) AS v(a)")
        assert con.execute("FROM sdc_cells('t', ['a']) ORDER BY a").fetchall() == [(1, 2), (2, 1)]
        assert set(named(con)) == set(DEFINED)


def test_the_public_macros_of_the_measures_are_the_contract(db):
    measures = [f for f in FILES.values() if f.name.startswith("risk/") or f.name in COUNTING]
    public = {macro for f in measures for macro in f.defines if not macro.startswith("sdc__")}
    assert public == {*PARAMETERS, "sdc_posterior_risk"}
    assert public <= set(named(db))


def test_the_public_macros_of_the_masks_are_the_contract(db):
    masks = [f for f in FILES.values() if f.name.startswith(("mask/", "loss/"))]
    assert {macro for f in masks for macro in f.defines if not macro.startswith("sdc__")} == set(MASKS)
    assert set(MASKS) <= set(named(db))


@pytest.mark.parametrize("macro", [*PARAMETERS, *MASKS])
def test_parameters_by_name_and_order(db, macro):
    assert named(db)[macro] == (PARAMETERS | MASKS)[macro].split()


def test_what_needs_python_says_so_in_the_shell():
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        con.execute("SET VARIABLE sdc_key = 'abc'")
        con.execute("CREATE TABLE t AS SELECT range AS id, range AS x FROM range(9)")
        with pytest.raises(duckdb.Error, match="Noise needs Python"):
            con.execute("FROM sdc_noise('t', ['x'], 0.1, 'id')").fetchall()
        assert len(con.execute("FROM sdc_pram_retention('t', ['x'], 0.9, 'id')").fetchall()) == 9


def test_each_python_function_stands_in_for_a_macro_with_its_parameters():
    stubs = {m.removeprefix("sdc__kernel_") for m in FILES["mask/kernels.sql"].defines} - {"sdc__needs_python"}
    assert stubs == {f.name for f in FUNCTIONS}
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        for function in FUNCTIONS:
            assert named(con)[f"sdc__kernel_{function.name}"] == [name for name, _ in function.parameters]


@pytest.mark.parametrize("call", COLUMNS)
def test_result_columns_by_name_and_order(db, call):
    described = db.execute(f"FROM {call}").description
    assert [d[0] for d in described] == COLUMNS[call].split()


def test_every_macro_of_the_contract_has_its_columns_tested():
    assert {call.partition("(")[0] for call in COLUMNS} == set(PARAMETERS)


@pytest.mark.parametrize("call", DEFAULTS)
def test_defaults(db, call):
    left_out, said = (db.execute(f"FROM {c} ORDER BY ALL").fetchall() for c in (call, DEFAULTS[call]))
    # threads add in any order: sums of floats agree but for the last digits
    assert [[pytest.approx(v, nan_ok=True) if isinstance(v, float) else v for v in row] for row in said] == [
        list(row) for row in left_out
    ]
