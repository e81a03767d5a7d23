"""Where sdcMicro reads missing keys otherwise, and its log-linear risk: each with who is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from small_tables import fetch

from validation.case import Case, within
from validation.tables import KEYS, ask, read_peer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

LACKING = [("x", "u"), ("x", "u"), ("y", "v"), (None, None)]


def list_cases(con: duckdb.DuckDBPyConnection) -> Iterator[Case]:
    """Give the comparisons that differ."""
    peer = read_peer("sdcmicro_readings")
    figures, source = peer["figures"], f"sdcMicro {peer['made_by']['sdcMicro']} (R {peer['made_by']['R']})"
    query = """SELECT count(*) FILTER (individual_risk = 0)
               FROM sdc_individual_risk('blanked', ?, 'weight', nulls := 'wildcard')"""
    yield Case("sdc_individual_risk", "records whose risk is 0", "fixtures/cps_couples.parquet, blanked", source,
               "indivRisk(freqCalc(blanked, keyVars=keys, w='weight', alpha=0.5))",
               figures["records of risk 0 at alpha 0.5"], ask(con, query, KEYS), 0,
               "between one and two records by alpha it has no formula, and says 0: who is in the file has a risk"
               " of one by the persons like him",
               "wrong there", 0, "by definition: each record is like itself, and its risk is above 0")  # fmt: skip
    listed = ", ".join(f"({_quote(a)}, {_quote(b)})" for a, b in LACKING)
    con.execute(f"CREATE OR REPLACE TEMP TABLE lacking AS FROM (VALUES {listed}) AS t(a, b)")
    rows = fetch(con, "FROM sdc_frequencies('lacking', ['a', 'b'], nulls := 'wildcard') WHERE a = 'x'")
    alike = sum(all(p is None or p == q for p, q in zip(row, ("x", "u"), strict=True)) for row in LACKING)
    yield Case("sdc_frequencies", "records like (x, u), one of four having no key", "four records", source,
               "freqCalc(four, keyVars=c('a', 'b'), w='w', alpha=1)",
               figures["frequency of x, u beside a record without keys"], rows[0]["sample_frequency"], 0,
               "a record that lacks all keys may be any other, and counts all of them; they do not count it",
               "wrong there", alike, "the four records compared one by one")  # fmt: skip
    keys = KEYS[:4]
    (found,) = fetch(con, "FROM sdc_log_linear_risk('couples', ?, 10, model := 'independence')", keys)
    fitted = next(f for f in read_peer("statsmodels")["figures"].values() if f.get("model") == "independence")
    for figure, name in (("tau1", "gr1"), ("tau2", "gr2")):
        yield Case("sdc_log_linear_risk", f"{figure}, independence", "fixtures/cps_couples.parquet, one in ten", source,
                   f"modRisk(couples, method='default', weights='w', bound=1)${name} times the uniques",
                   figures[f"modRisk, {name} times the uniques"], found[figure], within(found[figure], 1e-8),
                   "it takes the fitted counts of the sample for those of the population: they are to be divided by the"
                   " sampling fraction",
                   "wrong there", fitted[figure], "statsmodels' Poisson regression, divided by it")  # fmt: skip


def _quote(value: str | None) -> str:
    return "NULL" if value is None else f"'{value}'"
