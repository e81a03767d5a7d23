"""The public names, listed once here and once in the package, and what their documentation holds."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import subprocess
import sys

import pytest

import sdc_sql
import sdc_sql.results  # (the classes are there when their modules are imported)
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.showing.results import Result
from sdc_sql.methods import Methods

NAMED = [
    "ColumnError",
    "Comparison",
    "Frontier",
    "Hierarchy",
    "InputError",
    "ManyUniquesWarning",
    "MaskingStep",
    "Microdata",
    "MissingPackageError",
    "ParameterError",
    "Picture",
    "ReleaseFileError",
    "RepeatedReleaseWarning",
    "Results",
    "RiskReport",
    "SdcError",
    "Series",
    "SeriesError",
    "TableError",
    "Unsupported",
    "Verification",
    "WeightError",
    "bundle",
    "code_hierarchy",
    "compile",
    "example",
    "flip_posterior",
    "hierarchy_table",
    "install",
    "interval_hierarchy",
    "load",
    "propose_release",
    "read_hierarchy",
    "read_release",
    "risk_report",
    "run_release",
    "swap_posterior",
    "tree_hierarchy",
    "uninstall",
    "verify",
]
# what a measure returns is public as soon as it is there
ROOMS = ("sdc_sql.linkage", "sdc_sql.loss", "sdc_sql.mask", "sdc_sql.risk")
RETURNED = [c.__name__ for c in Result.__subclasses__() if c.__module__.startswith(ROOMS)]
PUBLIC = sorted([*NAMED, *RETURNED])
METHODS = sorted({d.verb for d in read_catalogue() if d.is_table and hasattr(Methods, d.verb)})
OWN = (
    "add_id",
    "after_pram",
    "app",
    "by_household",
    "check_limits",
    "compare",
    "frontier",
    "to_release_file",
    "undo",
    "weighing",
    "where",
    "write",
)
RESULTS = [n for n in PUBLIC if inspect.isclass(getattr(sdc_sql, n)) and issubclass(getattr(sdc_sql, n), Result)]
FUNCTIONS = [n for n in PUBLIC if inspect.isfunction(getattr(sdc_sql, n))]


def test_all_is_the_list_and_sorted():
    assert sorted(sdc_sql.__all__) == PUBLIC
    assert sorted(NAMED) == NAMED


def test_star_import_gives_the_list():
    names: dict[str, object] = {}
    exec("from sdc_sql import *", names)  # noqa: S102 - what is tested is this very statement
    assert sorted(n for n in names if n != "__builtins__") == PUBLIC


def test_the_import_brings_neither_numpy_nor_duckdb_and_dir_has_every_name():
    asked = "import sys, sdc_sql; print({'numpy', 'duckdb', 'sqlglot'} & {*sys.modules}); print(dir(sdc_sql))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    loaded, names = done.stdout.splitlines()
    assert loaded == "set()"
    assert set(PUBLIC) <= set(ast.literal_eval(names))


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Microdatum'"):
        _ = sdc_sql.Microdatum


def test_there_is_a_version():
    assert sdc_sql.__version__.count(".") == 2


def test_every_name_is_documented():
    docs = {name: getattr(sdc_sql, name).__doc__ for name in PUBLIC}
    # (the docstring that dataclass writes says nothing)
    assert [name for name, doc in docs.items() if not doc or doc.startswith(f"{name}(")] == []


def test_every_function_has_an_example():
    assert [name for name in FUNCTIONS if "Examples\n" not in inspect.getdoc(getattr(sdc_sql, name))] == []


def test_microdata_has_an_example():
    assert "Examples\n" in inspect.getdoc(sdc_sql.Microdata)


def test_microdata_has_each_measure_and_mask_and_no_other_method_of_its_own():
    own = sorted(n for n in dir(sdc_sql.Microdata) if callable(getattr(sdc_sql.Microdata, n)) and n[0] != "_")
    assert own == sorted(OWN)
    assert sorted(n for n in dir(Methods) if n[0] != "_") == sorted(METHODS)


def test_a_measure_or_mask_without_its_room_is_told_where_it_is():
    data = sdc_sql.example()
    for name in METHODS:
        with pytest.raises(AttributeError, match=rf"write data\.\w+\.{name}\(") as told:
            getattr(data, name)
        room = re.search(r"data\.(\w+)\.", str(told.value))[1]
        assert callable(getattr(getattr(data, room), name))
    with pytest.raises(AttributeError, match="its measures and masks are in"):
        _ = data.thetas


def test_a_measure_or_mask_of_another_room_is_told_where_it_is():
    data = sdc_sql.example()
    with pytest.raises(AttributeError, match=r"of the room linkage: write data\.linkage\.true_reidentification\("):
        _ = data.loss.true_reidentification
    with pytest.raises(AttributeError, match=r"of the room risk: write data\.risk\.theta\("):
        _ = data.mask.theta
    with pytest.raises(AttributeError, match="The room mask has no _roles_of"):
        _ = data.mask._roles_of


def test_every_method_is_documented_with_an_example():
    docs = {n: inspect.getdoc(getattr(sdc_sql.Microdata if n in OWN else Methods, n)) for n in (*METHODS, *OWN)}
    assert [name for name, doc in docs.items() if "Examples\n" not in (doc or "")] == []


def test_a_measure_documents_each_of_its_arguments():
    left_out = []
    for name in METHODS:
        method = getattr(Methods, name)
        doc = inspect.getdoc(method)
        arguments = [p for p in inspect.signature(method).parameters if p != "data"]
        left_out += [f"{name}: {argument}" for argument in arguments if f"\n{argument}\n    " not in doc]
    assert left_out == []


def test_results_are_frozen_dataclasses():
    kinds = [getattr(sdc_sql, name) for name in RESULTS]
    assert [k for k in kinds if not dataclasses.is_dataclass(k) or not k.__dataclass_params__.frozen] == []


def test_the_errors_are_one_tree():
    assert issubclass(sdc_sql.InputError, sdc_sql.SdcError)
    assert issubclass(sdc_sql.InputError, ValueError)
    for name in ("TableError", "ColumnError", "WeightError", "ParameterError"):
        assert getattr(sdc_sql, name).__bases__ == (sdc_sql.InputError,)
