"""The dbt package holds a macro for every public table macro, with its parameters, and documents each."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.catalogue.macros import index_former_names, read_catalogue

PACKAGE = Path(__file__).resolve().parents[2] / "sdc_sql" / "dbt" / "package"
FILES = sorted((PACKAGE / "macros").rglob("*.sql"))
HEAD = re.compile(r"\{%-? (macro|test) (\w+)\(([^)]*)\)")
WHOLE_RECORDS = {"sdc_sample": "[]", "sdc_renumber": "[]", "sdc_massc": "keys"}  # and the columns that they draw for
MASKS = {declaration.name for declaration in read_catalogue() if declaration.masks}
OWN = {"mask", "release", "series"}  # of dbt alone: several steps in one model, a release file, a series
HEADS = [(kind, name, signature) for p in FILES for kind, name, signature in HEAD.findall(p.read_text("utf-8"))]
MACROS = {name: signature for kind, name, signature in HEADS if kind == "macro" and not name.startswith("sdc__")}
TESTS = {name: signature for kind, name, signature in HEADS if kind == "test"}


def test_types_are_those_that_dbt_knows():
    """(dbt refuses a macro of which it does not know the type of an argument, and with it the whole project.)"""
    plain = "any|bool|float|integer|relation|string"
    known = re.compile(rf"({plain}|list\[({plain}|list\[any\])\]|dict\[string, list\[string\]\])")
    for path in (PACKAGE / "macros").rglob("*.yml"):
        given = re.findall(r"^ +type: (.*)$", path.read_text("utf-8"), re.MULTILINE)
        assert given, path
        assert not [kind for kind in given if not known.fullmatch(kind)], path


@pytest.fixture(scope="module")
def parameters() -> dict[str, list[str]]:
    """Return the parameters of every public table macro, those that have a default with ` :=` behind them."""
    with duckdb.connect() as con:
        rows = sdc_sql.load(con).execute("""
            SELECT function_name, parameters FROM duckdb_functions()
            WHERE function_type = 'table_macro' AND starts_with(function_name, 'sdc_')
              AND NOT starts_with(function_name, 'sdc__')
        """)
        listed = dict(rows.fetchall())
    del listed["sdc_help"]  # for a prompt
    text = sdc_sql.bundle()
    for name, names in listed.items():
        head = text.partition(f" MACRO {name}(")[2].partition(") AS TABLE")[0]
        listed[name] = [f"{n} :=" if re.search(rf"\b{n} :=", head) else n for n in names]
    return listed


def written(name: str, parameters: list[str]) -> str:
    """Return what the package holds for a macro."""
    required = [p for p in parameters if not p.endswith(":=")]
    named = [p.removesuffix(" :=") for p in parameters if p.endswith(":=")]
    signature = ", ".join([*required, *(f"{n}=none" for n in named)])
    options = ", ".join(f"'{n}': {n}" for n in named)
    call = f"sdc.sdc__mask('{name}', id" if name in MASKS else f"sdc.sdc__measure('{name}'"
    call = f"sdc.sdc__replace('{name}', {WHOLE_RECORDS[name]}" if name in WHOLE_RECORDS else call
    body = f"{call}, [{', '.join(required)}], {{{options}}})"
    only = f"sdc.sdc__only('{name[4:]}', kwargs, {[*required, *named]})"
    said = f"    {{{{ {only} }}}}\n    {{{{ return({body}) }}}}\n"
    return f"{{%- macro {name[4:]}({signature}) -%}}\n{said}{{%- endmacro -%}}\n"


@pytest.mark.slow
def test_every_public_table_macro_has_its_dbt_macro(parameters):
    missing = {name[4:] for name in parameters} - set(MACROS)
    assert not missing, "write into sdc_sql/dbt/package/macros:\n" + "\n".join(
        written(f"sdc_{name}", parameters[f"sdc_{name}"]) for name in sorted(missing)
    )


def test_no_dbt_macro_stands_for_nothing(parameters):
    assert set(MACROS) - OWN == {name[4:] for name in parameters}


def test_each_is_written_in_one_way_with_the_parameters_of_its_macro(parameters):
    whole = "\n".join(p.read_text("utf-8") for p in FILES)
    now = {name: listed for name, listed in parameters.items() if name not in index_former_names()}
    wrong = [t for name, listed in now.items() if (t := written(name, listed)) not in whole]
    assert not wrong, "the package should hold:\n" + "\n".join(wrong)


def test_mask_knows_every_masking_step():
    text = (PACKAGE / "macros" / "mask" / "masks.sql").read_text("utf-8").partition("macro sdc__once()")[0]
    assert {f"sdc_{name}" for name in re.findall(r"^ {8}'(\w+)': ", text, re.MULTILINE)} == MASKS


def test_each_step_takes_its_id_last_of_four(parameters):
    # what `mask` counts on; of those without a parameter it is the third
    alone = {"sdc_synthesise"}
    for name in MASKS:
        required = [p for p in parameters[name] if not p.endswith(":=")]
        assert (len(required), required[0], required[-1]) == (3 if name in alone else 4, "tbl", "id"), name


def documented() -> dict[str, list[str]]:
    yaml = pytest.importorskip("yaml")
    entries = [e for p in (PACKAGE / "macros").rglob("*.yml") for e in yaml.safe_load(p.read_text("utf-8"))["macros"]]
    assert all(e["description"].endswith(".") for e in entries)
    assert len({e["name"] for e in entries}) == len(entries)
    return {e["name"]: [a["name"] for a in e["arguments"]] for e in entries}


@pytest.mark.slow
def test_everything_public_is_documented_with_its_arguments():
    former = {name.removeprefix("sdc_") for name in index_former_names()}
    public = {name: signature for name, signature in MACROS.items() if name not in former}
    public |= {f"test_{name}": signature for name, signature in TESTS.items()}
    assert documented() == {n: [a.partition("=")[0] for a in signature.split(", ")] for n, signature in public.items()}


def test_another_engine_gets_a_sentence():
    jinja2 = pytest.importorskip("jinja2")
    text = (PACKAGE / "macros" / "call.sql").read_text("utf-8") + "{{ sdc__only_on_duckdb('sdc_theta') }}"
    template = jinja2.Environment(extensions=["jinja2.ext.do"]).from_string(text)
    refused = []
    for kind in ("duckdb", "postgres", "spark"):
        target = {"type": kind, "name": "prod"}
        template.render(execute=True, target=target, sdc=SimpleNamespace(sdc__refuse=refused.append))
    words = "sdc_theta runs in DuckDB (dbt-duckdb with the plugin sdc_sql.dbt), and the target prod is"
    assert [one.partition(". ")[0] for one in refused] == [f"{words} postgres", f"{words} spark"]


def test_a_test_of_dbt_is_named_sdc_and_takes_a_model_first():
    assert {"sdc_k_anonymity", "sdc_theta_below", "sdc_global_risk_below", "sdc_no_direct_identifiers"} <= set(TESTS)
    assert all(name.startswith("sdc_") and signature.startswith("model, ") for name, signature in TESTS.items())
