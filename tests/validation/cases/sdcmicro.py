"""What sdcMicro answers on the couples and the workers (`fixtures/sdcmicro.json`, with version, commit and call).

Of a column of records the file has the sum, the sum weighted by place, which tells an exchange of records, and the
greatest value: each is a comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from small_tables import fetch

import sdc_sql
from validation.case import Case, within
from validation.exact import integrate_risk
from validation.tables import KEYS, ask, read_peer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

WORKERS = ["age", "sex", "region", "education"]
COUPLES_OF = "fixtures/cps_couples.parquet"
SUMS = {"sum": "sum over records", "index_weighted_sum": "sum weighted by place", "max": "greatest"}
KEPT = 1e-12  # sums of doubles


def list_cases(con: duckdb.DuckDBPyConnection) -> Iterator[Case]:
    """Give the comparisons with sdcMicro."""
    peer = read_peer("sdcmicro")
    entries, made = peer["entries"], peer["made_by"]
    source = f"sdcMicro {made['sdcMicro']} (R {made['R']})"
    for part in (_frequencies, _risk, _suda, _diversity, _suppression, _utility):
        for name, *case in part(con, entries):
            function, figure, data, *rest = case
            yield Case(function, figure, data, source, entries[name]["call"], *rest)


def _of_records(
    said: tuple[str, str, str, str], values: list[float], theirs: dict[str, Any], share: float = KEPT, why: str = ""
) -> Iterator[tuple[Any, ...]]:
    """Give the comparisons of a column of records; said: the entry, the function, the figure and the data."""
    name, function, figure, data = said
    ours = {
        "sum": sum(values),
        "index_weighted_sum": sum(i * v for i, v in enumerate(values, 1)),
        "max": max(values),
    }
    for kind, words in SUMS.items():
        yield (name, function, f"{figure}, {words}", data, theirs[kind], ours[kind], within(theirs[kind], share), why)


def _column(
    con: duckdb.DuckDBPyConnection, query: str, column: str, *given: object, order: str = "couple"
) -> list[float]:
    return [row[column] for row in fetch(con, f"SELECT {column} FROM ({query}) ORDER BY {order}", *given)]


def _frequencies(con: duckdb.DuckDBPyConnection, entries: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for name, table, nulls in (
        ("couples_frequencies", "couples", "category"),
        ("couples_wildcard_frequencies", "blanked", "wildcard"),
    ):
        said, theirs = f"{COUPLES_OF}, {nulls}", entries[name]["result"]
        query = f"FROM sdc_frequencies('{table}', ?, 'weight', nulls := '{nulls}')"
        sample = _column(con, query, "sample_frequency", KEYS)
        yield from _of_records((name, "sdc_frequencies", "f", said), sample, theirs["fk"])
        population = _column(con, query, "population_frequency", KEYS)
        yield from _of_records((name, "sdc_frequencies", "F", said), population, theirs["Fk"])
        below = sum(f < 3 for f in sample)
        yield name, "sdc_k_anonymity", "records that violate 3-anonymity", said, theirs["violations_k3"], below, 0


def _risk(con: duckdb.DuckDBPyConnection, entries: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Its risk is p / (f - q) for f > 2, above the mean of 1/F: the integral says which is right."""
    name = "couples_individual_risk"
    rows = fetch(con, "FROM sdc_individual_risk('couples', ?, 'weight') ORDER BY couple", KEYS)
    theirs = entries[name]["result"]["approx"]
    ours = [r["individual_risk"] for r in rows]
    exact = {
        (f, F): integrate_risk(f, f / F) for f, F in {(r["sample_frequency"], r["population_frequency"]) for r in rows}
    }
    proved = [exact[r["sample_frequency"], r["population_frequency"]] for r in rows]
    why = "for cells of three and more it takes p / (f - q) for the mean of 1/F, which is up to 0.44 % above it here"
    how = "the integral of u^(f-1) p / (p + q u) from 0 to 1, by Gauss and Legendre"
    for kind, said in SUMS.items():
        if kind == "max":  # of a cell of one: both are exact
            yield (
                name,
                "sdc_individual_risk",
                f"risk, {said}",
                COUPLES_OF,
                theirs[kind],
                max(ours),
                within(theirs[kind], 1e-11),
            )
            continue
        weigh = (lambda i: i) if kind == "index_weighted_sum" else (lambda _: 1)
        mine, true = (sum(weigh(i) * v for i, v in enumerate(column, 1)) for column in (ours, proved))
        yield (name, "sdc_individual_risk", f"risk, {said}", COUPLES_OF, theirs[kind], mine, within(mine, 1e-10), why,
               "wrong there", true, how)  # fmt: skip
    (whole,) = fetch(con, "FROM sdc_global_risk('couples', ?, 'weight')", KEYS)
    theirs = entries["couples_global_risk"]["result"]
    n = len(proved)
    for figure, theirs_of, true in (("expected_reidentifications", "risk_ER", sum(proved)),
                                    ("reidentification_rate", "risk", sum(proved) / n),
                                    ("percent", "risk_pct", 100 * sum(proved) / n)):  # fmt: skip
        yield ("couples_global_risk", "sdc_global_risk", figure.replace("_", " "), COUPLES_OF, theirs[theirs_of],
               whole[figure], within(whole[figure], 1e-10), why, "wrong there", true, how)  # fmt: skip


def _suda(con: duckdb.DuckDBPyConnection, entries: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for name, table, keys, scoring, order in (
        ("couples_suda_original_TRUE", "couples", KEYS, "factorial", "couple"),
        ("couples_suda_original_FALSE", "couples", KEYS, "superset", "couple"),
        ("workers_suda", "workers", WORKERS, "factorial", "person"),
    ):
        theirs, said = entries[name]["result"], f"fixtures/cps_{table}.parquet, {scoring}"
        query = "FROM sdc_suda(?, ?, max_msu := NULL, dis_fraction := 0.01, scoring := ?)"
        for column, figure, share, why in (
            ("suda_score", "score", KEPT, ""),
            ("dis_suda", "dis", 1e-6, "theirs differ from the formula in the seventh digit"),
        ):
            values = _column(con, query, column, table, keys, scoring, order=order)
            yield from _of_records((name, "sdc_suda", column, said), values, theirs[figure], share, why)
        shares = fetch(con, "FROM sdc_suda_contributions(?, ?, max_msu := NULL, scoring := ?)", table, keys, scoring)
        for share in shares:
            variable = share["variable"]
            known = theirs["attribute_contributions"][variable]
            yield (name, "sdc_suda_contributions", f"contribution of {variable}, %", said, known, share["contribution"],
                   within(known, KEPT))  # fmt: skip


def _diversity(con: duckdb.DuckDBPyConnection, entries: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    name, keys = "couples_l_diversity", [key for key in KEYS if key != "education"]
    query = "FROM sdc_l_diversity_records('couples', ?, 'education', c := 3)"
    for kind in ("Distinct", "Entropy", "Recursive"):
        values = _column(con, query, f"{kind.lower()}_l", keys)
        theirs = entries[name]["result"][f"education_{kind}_Ldiversity"]
        said = name, "sdc_l_diversity_records", f"{kind.lower()} l", f"{COUPLES_OF}, education"
        yield from _of_records(said, values, theirs)


def _suppression(con: duckdb.DuckDBPyConnection, entries: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Both search: the comparison is how many values are lost for the same guarantee, at most theirs."""
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    for k in (2, 3, 5):
        name = f"couples_kanon_{k}"
        theirs = entries[name]["result"]["suppressions"]
        con.execute("CREATE OR REPLACE TEMP TABLE released AS FROM sdc_local_suppression('couples', ?, ?, 'couple', "
                    "guarantee := 'wildcard')", [KEYS, k])  # fmt: skip
        lost = int(ask(con, f"SELECT {' + '.join(f'count(*) FILTER ({key} IS NULL)' for key in KEYS)} FROM released"))
        below = sum(f < k for f in _column(con, "FROM sdc_frequencies('released', ?, 'weight', nulls := 'wildcard')",
                                           "sample_frequency", KEYS))  # fmt: skip
        yield (name, "sdc_local_suppression", f"suppressions for k = {k}, beyond theirs", f"{COUPLES_OF}, wildcard", 0,
               max(0, lost - theirs), 0, f"theirs {theirs}, ours {lost}: fewer is better")  # fmt: skip
        yield (
            name,
            "sdc_local_suppression",
            f"records below k = {k} afterwards",
            f"{COUPLES_OF}, wildcard",
            0,
            below,
            0,
        )


def _utility(con: duckdb.DuckDBPyConnection, entries: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    name, said = "couples_utility", f"{COUPLES_OF}, perturbed by a formula"
    theirs = entries[name]["result"]
    columns = theirs["columns"]
    values = ", ".join(f"{c}::DOUBLE AS {c}" for c in columns)
    con.execute(
        "CREATE OR REPLACE TEMP TABLE numbered AS "
        f"SELECT row_number() OVER (ORDER BY couple) AS i, {values} FROM couples"
    )
    moved = ", ".join(
        f"{c} * (1 + 0.01 * ((i + {j}) % 7 - 3))"
        f" + 0.001 * (SELECT stddev_samp({c}) FROM numbered) * ((i * {j}) % 5 - 2) AS {c}"
        for j, c in enumerate(columns, 1)
    )
    con.execute(f"CREATE OR REPLACE TEMP TABLE perturbed AS SELECT i, {moved} FROM numbered")
    data = sdc_sql.Microdata(con, "perturbed", id="i")
    il1 = data.loss.il1("numbered", columns)[0]
    distance = data.loss.eigenvalue_distance("numbered", columns)[0]
    for function, figure, known, ours, share in (
        ("sdc_il1", "IL1s", theirs["IL1s"], il1.il1 * il1.values, KEPT),
        ("sdc_eigenvalue_distance", "sum of |e1 - e2| / e1", theirs["eigen"], distance.variation * len(columns), 1e-9),
        ("sdc_gamma_loss", "loss of correlation", theirs["IL_correl"],
         data.loss.gamma_loss("numbered", columns).gamma, 1e-9),
        ("sdc_interval_disclosure", "share within 0.05 s.d.", theirs["dRisk_0.05"],
         data.linkage.interval_disclosure("numbered", columns, width=0.05)[0].share, KEPT),
    ):  # fmt: skip
        yield name, function, figure, said, known, ours, within(known, share)
