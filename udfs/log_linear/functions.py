"""What DuckDB is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE, WHOLE_TABLE
from sdc_sql.udfs.generalisation.progress import Progress
from sdc_sql.udfs.log_linear.criteria import criteria
from sdc_sql.udfs.log_linear.crossing import cross_cells, find_greatest_interactions, fit_table, parameters
from sdc_sql.udfs.log_linear.forest import forest_criteria
from sdc_sql.udfs.log_linear.many_valued import unique_risks
from sdc_sql.udfs.log_linear.search import search_forward

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.log_linear.crossing import Crossing
    from sdc_sql.udfs.log_linear.margins import Margin


def _interactions(text: str) -> list[tuple[int, ...]]:
    """Return the interactions of '1,2;1,3,4': the places of the keys from 0."""
    return [tuple(int(place) - 1 for place in part.split(",")) for part in text.split(";") if part]


def _margins(table: Crossing, sparse: Floats) -> dict[int, Margin]:
    """Return the margins of the keys of many values, whose places are counted from 1."""
    return {int(key) - 1: table.sparse_margin(int(key) - 1) for key in sparse}


def log_linear(codes: Integers, counts: Floats, weights: Floats, generators: str, sparse: Floats) -> list[Floats]:
    """Return the persons that the model expects in each cell; then its figures, the cells and the parameters first."""
    table, order = cross_cells(codes, counts, weights)
    fit = fit_table(table, find_greatest_interactions(len(codes), _interactions(generators)))
    expected = np.empty(len(order))
    expected[order] = fit.expected[np.searchsorted(fit.places, table.places)]
    cells = float(np.prod([float(k) for k in table.sizes]))
    return [
        expected,
        np.array([cells, parameters(table, fit.generators), *criteria(table, fit, _margins(table, sparse))]),
    ]


def log_linear_search(
    codes: Integers, counts: Floats, weights: Floats, generators: str, sparse: Floats, barred: str, enough: float,
    most: int,
) -> list[Floats]:  # fmt: skip
    """Return a row a step: the added interaction as a sum of powers of two, the parameters, the figures."""
    table, _ = cross_cells(codes, counts, weights)
    with Progress("interactions of this step") as progress:
        return [
            np.array(
                [
                    sum(2.0**i for i in step.added),
                    parameters(table, step.fit.generators),
                    *step.found[:6],
                    *step.found[7:],
                ]
            )
            for step in search_forward(
                table,
                enough,
                int(most),
                progress,
                first=_interactions(generators),
                margins=_margins(table, sparse),
                barred=_interactions(barred),
            )
        ]


FUNCTIONS = (
    declare_function(
        "log_linear", log_linear, TABLE, by_stratum=False, codes=WHOLE_TABLE, counts=NUMBERS, weights=NUMBERS,
        generators=TEXT, sparse=NUMBERS,
    ),
    declare_function(
        "log_linear_search", log_linear_search, TABLE, by_stratum=False, codes=WHOLE_TABLE, counts=NUMBERS,
        weights=NUMBERS, generators=TEXT, sparse=NUMBERS, barred=TEXT, enough=NUMBER, most=NUMBER,
    ),
    declare_function(
        "log_linear_forest", forest_criteria, NUMBERS, by_stratum=False, cells=TABLE, generators=TEXT,
        sparse=NUMBERS,
    ),
    declare_function(
        "log_linear_margins", unique_risks, TABLE, by_stratum=False, expected=NUMBERS, own=NUMBERS, records=TABLE,
        known=TABLE, frequencies=TABLE, sparse=NUMBERS, fraction=NUMBER, dispersion=NUMBER,
    ),
)  # fmt: skip
