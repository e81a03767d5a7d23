"""The typed methods of Microdata take what their macros declare: the same names, order and defaults."""

from __future__ import annotations

import inspect
from decimal import Decimal
from functools import cache

import duckdb

from sdc_sql import Microdata
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.methods import Methods

METHODS: dict[str, list] = {}
for declaration in read_catalogue():
    if declaration.is_table and (hasattr(Methods, declaration.verb) or hasattr(Microdata, declaration.verb)):
        METHODS.setdefault(declaration.verb, []).append(declaration)
# What the table at hand provides: not an argument of the method, or one that may be left out.
COUNTING = {"nulls", "small_weights"}
ROLES = COUNTING | {"tbl", "released", "sample", "keys", "weight", "household", "id", "stratum", "sampling_fraction"}
# What Python alone has: a copy, or leave to delete records, the categories of an array.
OWN = {"into", "in_place", "labels"}
# Python's names: a method of several macros takes one column or several; a mapping has columns with their matrices.
NAMES = {"column_name": "column", "row_name": "row"}
OTHER_NAMES = {
    "pram": {"column_name": "columns"},
    "theta_misclassified": {"columns": "matrices", "matrix": "matrices"},
    "data_intrusion_simulation": {"columns": "matrices", "matrix": "matrices"},
}
# What Python supplies where the macro wants an answer.
DEFAULTS = {("research_file_rules", "levels"): None}
# all columns and their pairs, which a macro cannot name
DEFAULTS |= {(f"derived_values{s}", n): None for s in ("", "_summary") for n in ("columns", "givers")}
DEFAULTS |= {(f, "columns"): None for f in ("linear_relations", "rejoined_households")}
DEFAULTS |= {("distort_sensitive", "groups"): None, ("ipso", "confidential"): None}  # the keys; none
DEFAULTS |= {("data_distortion", "families"): None}  # all of them
DEFAULTS |= {("bootstrap", "categories"): None}  # none of them
DEFAULTS |= {("completed_households", "columns"): None}


def parameters(method: str) -> dict[str, inspect.Parameter]:
    found = dict(inspect.signature(getattr(Methods if hasattr(Methods, method) else Microdata, method)).parameters)
    found.pop("data")
    return found


def python(method: str, name: str) -> str:
    return OTHER_NAMES.get(method, {}).get(name) or NAMES.get(name, name)


def test_names():
    wrong = []
    for method, macros in METHODS.items():
        known = {python(method, p.name) for d in macros for p in d.parameters}
        switches = {d.switch for d in macros} - {""}
        found = set(parameters(method))
        wrong += [f"{method}: {name} is of no macro" for name in (found - known - OWN) ^ switches]
        wrong += [f"{method} lacks {name}" for name in known - found - ROLES]
        if ("into" in found) != any(d.is_step for d in macros):
            wrong.append(f"{method}: what masks, and that alone, takes into")
    assert wrong == []


def test_order():
    wrong = []
    for method, macros in METHODS.items():
        for declaration in macros:
            names = list(dict.fromkeys(python(method, p.name) for p in declaration.parameters if p.name not in ROLES))
            if [name for name in parameters(method) if name in names] != names:
                wrong.append(f"{method}: the order is {', '.join(names)}")
    assert wrong == []


@cache
def value(default: str) -> object:
    ((found,),) = duckdb.sql(f"SELECT {default}").fetchall()
    return float(found) if isinstance(found, Decimal) else found


def test_defaults():
    wrong = []
    for method, macros in METHODS.items():
        found = parameters(method)
        for parameter in (p for d in macros for p in d.parameters):
            name = python(method, parameter.name)
            if name not in found:
                continue
            said = found[name].default
            in_all = all(any(p.name == parameter.name for p in d.parameters) for d in macros)
            if said is None and (parameter.name in ROLES or (len(macros) > 1 and not in_all)):
                continue  # the table's, or one of several of which one is given
            if parameter.default is None:
                wanted = DEFAULTS.get((method, name), inspect.Parameter.empty)
            else:
                wanted = value(parameter.default)
            if said != wanted and not (said == () and wanted is None):
                wrong.append(f"{method}: {name} is {said} by default, declared {wanted}")
    assert wrong == []


def test_every_macro_has_its_method():
    without = {"sdc_pram_reversed", "sdc_pram_reversed_crossing", "sdc_hierarchy", "sdc_help"}
    without |= {"sdc_swap_posterior"}  # of no data: sdc_sql.swap_posterior
    # the methods without the last word call these after PRAM
    without |= {"sdc_true_probability", "sdc_true_probability_crossing"}
    without |= {f"sdc_{m}_misclassified" for m in ("cell_risk", "individual_risk", "global_risk")}
    without |= {f"sdc_household_{m}_misclassified" for m in ("risk", "global_risk")}
    assert {d.name for d in read_catalogue() if d.is_table} - {d.name for m in METHODS.values() for d in m} == without
