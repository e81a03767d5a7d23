"""What packages of PyPI answer on the couples and the workers (`fixtures/validation/`, with version and call)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from small_tables import fetch

from validation.case import Case, within
from validation.exact import measure_likeness
from validation.tables import ask, read_peer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

COUPLES = "fixtures/cps_couples.parquet"
MOVED = f"{COUPLES}, and its moved values"
DOUBLES = 1e-10  # both by doubles, in other orders
_SHARE = "1 - mutual_info_score(before, after) / mutual_info_score(before, before)"
FITTED = 1e-8  # both by iterations


def list_cases(con: duckdb.DuckDBPyConnection) -> Iterator[Case]:
    """Give the comparisons with packages of PyPI."""
    for part in (_pycanon, _statsmodels, _scipy, _scikit_learn, _recordlinkage, _sdmetrics):
        name = part.__name__.removeprefix("_")
        peer = read_peer(name)
        package, number = next(iter(peer["made_by"].items()))
        for case in part(con, peer["figures"]):
            function, figure, data, call, theirs, ours, *rest = case
            share, *said = rest or [DOUBLES]
            source = f"{package} {number}"
            yield Case(function, figure, data, source, call, theirs, ours, within(theirs, share), *said)


def _pycanon(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for table, keys in (("couples", ["region", "race", "hispanic"]), ("workers", ["region", "sex"])):
        data, calls = f"fixtures/cps_{table}.parquet, education by {', '.join(keys)}", figures[table]
        (diverse,) = fetch(con, f"FROM sdc_l_diversity('{table}', ?, 'education')", keys)
        (like,) = fetch(con, f"FROM sdc_likeness('{table}', ?, 'education')", keys)
        # the education of the workers is a number: by its order; of the couples it is text
        kind = "ordered" if table == "workers" else "equal"
        (close,) = fetch(con, f"FROM sdc_t_closeness('{table}', ?, 'education', distance := '{kind}')", keys)
        for function, figure, call, ours in (
            ("sdc_likeness", "k", "k_anonymity(data, keys)", like["k"]),
            ("sdc_l_diversity", "distinct l", "l_diversity(data, keys, sensitive)", diverse["distinct_l"]),
            ("sdc_likeness", "alpha", "alpha_k_anonymity(data, keys, sensitive)[0]", like["alpha"]),
            ("sdc_likeness", "beta", "basic_beta_likeness(data, keys, sensitive)", like["beta"]),
            ("sdc_t_closeness", f"t, {kind} distance", "t_closeness(data, keys, sensitive)", close["t"]),
        ):
            yield function, figure, data, call, calls[call], ours
        counts = con.execute(f"SELECT {', '.join(keys)}, education, count(*) FROM {table} GROUP BY ALL").fetchall()
        proved = measure_likeness([(row[:-2], row[-2], row[-1]) for row in counts])
        for figure, call, why in (
            ("enhanced_beta", "enhanced_beta_likeness(data, keys, sensitive)",
             "a cell has a value with (p - q) / q above -ln q: by the definition no beta holds"),
            ("delta", "delta_disclosure(data, keys, sensitive)",
             "a cell lacks a value that the file has: its ln(p / q) is infinite, and there it is left out"),
        ):  # fmt: skip
            given = (
                (why, "wrong there", proved[figure], "the definition, from the counts")
                if math.isinf(proved[figure])
                else ()
            )
            yield ("sdc_likeness", figure.replace("_", " "), data, call, calls[call], like[figure], DOUBLES, *given)
        call = "entropy_l_diversity(data, keys, sensitive)"
        yield "sdc_l_diversity", "entropy l, rounded down", data, call, calls[call], math.floor(diverse["entropy_l"])


def _statsmodels(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    keys = ["region", "race", "hispanic", "education"]
    models = {
        "independence": "'independence'",
        "two_way": "'two_way'",
        "region x education": "[['region', 'education']]",
    }
    for call, answer in figures.items():
        if call.startswith("GLM"):
            model = models[answer["model"]]
            (found,) = fetch(con, f"FROM sdc_log_linear_risk('couples', ?, 10, model := {model})", keys)
            for name in ("sample_uniques", "tau1", "tau2"):
                said = f"{name.replace('_', ' ')}, {answer['model'].replace('_', ' ')}"
                far = (
                    (1e-5, "ours ends where the margins are met within a hundredth of a record")
                    if name != "sample_uniques"
                    else ()
                )
                yield "sdc_log_linear_risk", said, f"{COUPLES}, one in ten", call, answer[name], found[name], *far
            continue
        pairs = "**" in call
        (found,) = fetch(
            con,
            f"""FROM sdc_propensity('couples', 'moved', ['region', 'education', 'hours', 'husband_income'],
                                  continuous := ['hours', 'husband_income'], pairs := {pairs})""",
        )
        for name in ("pmse", "parameters"):
            said = f"{name}, {'pairs' if pairs else 'no pairs'}"
            yield "sdc_propensity", said, MOVED, call, answer[name], found[name], FITTED


def _scipy(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    numbers = fetch(con, "FROM sdc_margin_distance('couples', 'moved', ['hours', 'husband_income'], "
                         "continuous := ['hours', 'husband_income'])")  # fmt: skip
    for found in numbers:
        answer = figures[found["variable"]]
        for name, call in (("ks", "ks_2samp(before, after).statistic"),
                           ("wasserstein", "wasserstein_distance(before, after) / std(before)")):  # fmt: skip
            yield "sdc_margin_distance", f"{name} of {found['variable']}", MOVED, call, answer[call], found[name]
    for column in ("region", "education"):
        (found,) = fetch(con, "FROM sdc_distribution_distance('couples', 'moved', ?)", [column])
        for name, call in (("hellinger", "norm(sqrt(p) - sqrt(q)) / sqrt(2)"),
                           ("total_variation", "abs(p - q).sum() / 2"),
                           ("entropy_before", "entropy(p)"), ("entropy_after", "entropy(q)")):  # fmt: skip
            yield ("sdc_distribution_distance", f"{name.replace('_', ' ')} of {column}", MOVED, call,
                   figures[column][call], found[name])  # fmt: skip
    (found,) = fetch(con, "FROM sdc_pair_distance('couples', 'moved', ['region', 'education'])")
    for name, when in (("v_before", "before"), ("v_after", "after")):
        call = f"association({when}, 'cramer')"
        yield ("sdc_pair_distance", f"Cramer's V of region and education, {when}", MOVED, call,
               figures["region x education"][call], found[name])  # fmt: skip


def _scikit_learn(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for column in ("region", "education"):
        found = fetch(
            con, "FROM sdc_entropy_loss('couples', 'moved', ?, 'couple') WHERE variable IS NOT NULL", [column]
        )[0]
        for name, call in (("mean_loss", "mutual_info_score(before, before) - mutual_info_score(before, after)"),
                           ("share", _SHARE)):  # fmt: skip
            yield (
                "sdc_entropy_loss",
                f"{name.replace('_', ' ')} of {column}",
                MOVED,
                call,
                figures[column][call],
                found[name],
            )
    con.execute("CREATE OR REPLACE TEMP TABLE some_couples AS FROM couples WHERE couple % 5 = 1")
    con.execute("CREATE OR REPLACE TEMP TABLE some_moved AS FROM moved WHERE couple % 37 = 2")
    (found,) = fetch(
        con,
        """FROM sdc_distance_to_closest('some_couples', 'some_moved',
                             ['experience', 'hours', 'husband_income'],
                             continuous := ['experience', 'hours', 'husband_income'])""",
    )
    for name, call in (("dcr_median", "median of kneighbors()[0][:, 0]"), ("dcr_mean", "mean of kneighbors()[0][:, 0]"),
                       ("dcr_p5", "5th percentile of kneighbors()[0][:, 0]"),
                       ("nndr_mean", "mean of the ratio of the first to the second")):  # fmt: skip
        yield ("sdc_distance_to_closest", name.replace("_", " "), f"{MOVED}, one in five and in 37", call,
               figures["closest"][call], found[name], FITTED)  # fmt: skip


def _recordlinkage(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    columns = ["region", "education", "children_under_6", "children_6_to_18", "experience"]
    for table in ("couples", "moved"):
        con.execute(f"CREATE OR REPLACE TEMP TABLE every_37th_{table} AS FROM {table} WHERE couple % 37 = 1")
    files = "'every_37th_couples', 'every_37th_moved', ?, 'couple'"
    data = f"{MOVED}, every 37th couple"
    for row in fetch(con, f"FROM sdc_probabilistic_linkage_parameters({files})", columns):
        for letter in ("m", "u"):
            call = f"ECMClassifier(atol=1e-12).{letter}_probs"
            yield ("sdc_probabilistic_linkage_parameters", f"{letter} of {row['variable']}", data, call,
                   figures[call][row["variable"]], row[letter], 1e-4, "where EM ends")  # fmt: skip
    pairs = ask(con, f"SELECT sum(pairs) FROM sdc_probabilistic_linkage_patterns({files})", columns)
    yield "sdc_probabilistic_linkage_patterns", "pairs", data, "len(features)", figures["len(features)"]["pairs"], pairs
    expected = ask(con, f"SELECT expected_matches FROM sdc_probabilistic_linkage({files})", columns)
    call = "ECMClassifier(atol=1e-12).p"
    yield ("sdc_probabilistic_linkage", "expected matches, of all pairs", data, call, figures[call]["p"],
           expected / pairs, 1e-3, "where EM ends")  # fmt: skip


def _sdmetrics(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for found in fetch(con, "FROM sdc_margin_distance('couples', 'moved', ['region', 'education', 'hours', "
                            "'husband_income'], continuous := ['hours', 'husband_income'])"):  # fmt: skip
        call = "KSComplement.compute" if found["total_variation"] is None else "TVComplement.compute"
        yield ("sdc_margin_distance", f"1 - distance of {found['variable']}", MOVED, call,
               figures[call][found["variable"]], 1 - found["distance"])  # fmt: skip
    (found,) = fetch(con, "FROM sdc_pair_distance('couples', 'moved', ['region', 'education'])")
    call = "ContingencySimilarity.compute"
    yield ("sdc_pair_distance", "1 - total variation of region and education", MOVED, call,
           figures[call]["region, education"], 1 - found["total_variation"])  # fmt: skip
    con.execute("CREATE OR REPLACE TEMP TABLE asked_couples AS FROM couples WHERE couple % 40 = 0")
    con.execute("CREATE OR REPLACE TEMP TABLE known_moved AS FROM moved WHERE couple % 20 = 1")
    keys, call = ["region", "education", "children_under_6"], "CategoricalZeroCAP.compute"
    for found in fetch(
        con, "FROM sdc_correct_attribution('asked_couples', 'known_moved', ?, ['race', 'own_insurance'])", keys
    ):
        yield ("sdc_correct_attribution", f"1 - CAP of {found['target']}", f"{MOVED}, of strangers", call,
               figures[call][found["target"]], 1 - found["cap"])  # fmt: skip
