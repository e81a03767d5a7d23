"""mu-ARGUS on the couples and on persons in households: unsafe combinations, risks, and groups of the least loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from validation.case import Case, within
from validation.exact import integrate_risk
from validation.tables import HOMES, TENTH, ask, read_peer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

EXACT = 4  # records from which on it does not compute a closed form
SERIES = (
    "from four records of a cell on it adds up eight terms of a series that has no end: the risk is too low, by "
    "0.61 % at most (four records that stand for very many persons)"
)
INTEGRAL = "the integral of the formula, by quadrature"
DOUBLES = 1e-9
COUPLES, LFS = "fixtures/cps_couples.parquet", "fixtures/lfs.parquet"


def list_cases(con: duckdb.DuckDBPyConnection) -> Iterator[Case]:
    """Give the comparisons with mu-ARGUS."""
    peer = read_peer("muargus")
    figures, source = peer["figures"], f"mu-ARGUS {peer['made_by']['mu-ARGUS']}"
    con.execute(f"CREATE OR REPLACE TEMP VIEW homes AS {HOMES}")
    con.execute(f"CREATE OR REPLACE TEMP TABLE tenth AS {TENTH}")
    for function, figure, data, call, theirs, ours, *independent in (
        *_base_risks(con, figures), *_combinations(con, figures), *_risks(con, figures), *_groups(con, figures)
    ):  # fmt: skip
        tolerance = within(theirs, DOUBLES)
        said = (SERIES, "wrong there", independent[0], INTEGRAL) if independent else ()
        yield Case(function, figure, data, source, call, theirs, ours, tolerance, *said)


def _base_risks(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for given, theirs in figures["BaseIndividualRisk"].items():
        f, persons = map(int, given.split(", "))
        ours = ask(con, "SELECT sdc_posterior_risk(?, ?)", f, f / persons)
        independent = [integrate_risk(f, f / persons)] if f >= EXACT else []
        figure = f"risk of {f} records that stand for {persons}"
        yield "sdc_posterior_risk", figure, "f and F", f"BaseIndividualRisk({given})", theirs, ours, *independent


def _combinations(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for of, counts in figures.items():
        head, _, threshold = of.partition(", threshold ")
        if head != "GetTableUC":
            continue
        keys = max(counts, key=len).split(", ")
        query = """SELECT unsafe_combinations FROM sdc_threshold_rule_summary('couples', $keys, $t, dimension := 4)
                   WHERE columns = $some"""
        for some, theirs in counts.items():
            given = {"keys": keys, "t": int(threshold), "some": some.split(", ")}
            ((ours,),) = con.execute(query, given).fetchall()
            call = f"GetTableUC, {some}"
            yield ("sdc_threshold_rule_summary", f"combinations of {threshold} records or fewer", COUPLES, call,
                   theirs, ours)  # fmt: skip


def _risks(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for of, found in figures.items():
        file, _, keys = of.partition(": ")
        if file not in {"couples.csv", "homes.csv"}:
            continue
        table, data = file.removesuffix(".csv"), f"{COUPLES if file == 'couples.csv' else LFS}, {keys}"
        records = con.execute(
            f"""SELECT sample_frequency, sample_frequency / population_frequency, individual_risk
                FROM sdc_individual_risk('{table}', ?, 'weight')""", [keys.split(", ")]
        ).fetchall()  # fmt: skip
        for figure, find in (("greatest individual risk", max), ("least individual risk", min)):
            f, p, ours = find(records, key=lambda record: record[2])
            independent = [integrate_risk(f, p)] if abs(found[figure] - ours) > DOUBLES * ours else []
            yield "sdc_individual_risk", figure, data, "GetBIRHistogramData", found[figure], ours, *independent
        mean = sum(integrate_risk(f, p) for f, p, _ in records) / len(records)
        ours = ask(con, f"SELECT reidentification_rate FROM sdc_global_risk('{table}', ?, 'weight')", keys.split(", "))
        figure = "re-identification rate"
        yield "sdc_global_risk", figure, data, "GetBIRHistogramData, Ksi", found[figure], ours, mean
        if table == "homes":
            yield from _household_risks(con, keys, data, found)


def _household_risks(
    con: duckdb.DuckDBPyConnection, keys: str, data: str, found: dict[str, float]
) -> Iterator[tuple[Any, ...]]:
    of = "FROM sdc_household_risk('homes', ?, 'weight', 'household')"
    name = "sdc_household_risk"
    figure = "greatest household risk"
    ours = ask(con, f"SELECT max(household_risk) {of}", keys.split(", "))
    yield name, figure, data, "CalculateBaseHouseholdRisk", found[figure], ours
    for figure, theirs in found.items():
        limit = figure.removeprefix("households of risk ").removesuffix(" or more")
        if limit != figure:
            query = f"SELECT count(DISTINCT household) {of} WHERE household_risk >= ?::DOUBLE"
            yield name, figure, data, f"SetBHRThreshold(log {limit})", theirs, ask(con, query, keys.split(", "), limit)


def _groups(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    squares = """SELECT sum(pow(m.husband_income - o.husband_income, 2))
                 FROM sdc_microaggregate('tenth', ['husband_income'], ?, 'couple', method := 'univariate') AS m
                 JOIN tenth AS o USING (couple)"""
    for given, theirs in figures["DoMicroAggregation, optimal"].items():
        column, k = given.split(", ")
        figure, data = f"sum of squares within groups of {k} or more", f"{COUPLES}, one in ten, {column}"
        call = f"DoMicroAggregation, one variable, groups of {k}, optimal"
        yield "sdc_microaggregate", figure, data, call, theirs, ask(con, squares, int(k))
