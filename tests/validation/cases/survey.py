"""What R's package survey answers on the labour force survey: households within areas, Taylor's linearisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from small_tables import fetch

from validation.case import Case, within
from validation.tables import read_peer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

TABLE = """CREATE OR REPLACE TEMP TABLE lfs_by_area AS
    SELECT * REPLACE (coalesce(income, 0) AS income), left(residence, 3) AS area FROM lfs"""
DESIGN = "weight := 'weight', strata := 'area', cluster := 'household'"
CALLS = {
    "svytotal(~income, design)": "'total', 'income'",
    "svymean(~income, design)": "'mean', 'income'",
    "svyby(~income, ~sex, design, svymean)": "'mean', 'income', domains := ['sex']",
    "svymean(~sex, design)": "'share', 'sex'",
    "svyglm(income ~ age + household_size, design)": "'regression', 'income', predictors := ['age', 'household_size']",
}


def list_cases(con: duckdb.DuckDBPyConnection) -> Iterator[Case]:
    """Give the comparisons with R's survey."""
    con.execute(TABLE)
    peer = read_peer("survey")
    source = f"survey {peer['made_by']['survey']} (R {peer['made_by']['R']})"
    found = {
        (call, row["domain"] or "", row["term"] or ""): row
        for call, given in CALLS.items()
        for row in fetch(con, f"FROM sdc_survey_estimate('lfs_by_area', {given}, {DESIGN})")
    }
    for theirs in peer["figures"]:
        ours = found[theirs["call"], theirs["domain"], theirs["term"].lower()]
        said = " ".join(w for w in (theirs["statistic"], theirs["domain"], theirs["term"]) if w)
        for figure in ("estimate", "standard_error"):
            yield Case("sdc_survey_estimate", f"{said}: {figure.replace('_', ' ')}", "fixtures/lfs.parquet", source,
                       theirs["call"], theirs[figure], ours[figure], within(theirs[figure], 1e-9))  # fmt: skip
