"""The JSON Schema of release files knows the fields, types and ranges that the reader knows."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from pages import list_site_pages

from sdc_sql.cli import main
from sdc_sql.figures.registry import list_all_measures
from sdc_sql.release.reading import density, estimates, frontier_fields, read, rules, schema, step_fields
from sdc_sql.release.reading.fields import Reading
from sdc_sql.release.reading.plan import RolesOfColumns
from sdc_sql.release.reading.step_values import Values
from sdc_sql.write import schema_values

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads(schema.read_schema())
VALIDATOR = Draft202012Validator(SCHEMA)
FENCED = re.compile(r"^```toml\n(.*?)^```$|<<'TOML'\n(.*?)^TOML$", re.DOTALL | re.MULTILINE)
FOLDERS = [ROOT / name for name in ("sdc_sql", "sql", "udfs", "fixtures")]
PAGES = [ROOT / "README.md", *list_site_pages(), *(page for folder in FOLDERS for page in folder.rglob("*.md"))]

# What only the source, the other files, the macros or the text of a condition can show to be wrong.
UNSEEN = {
    "file.rules", "source.missing", "source.empty", "source.ragged", "roles.column", "roles.dropped", "roles.ordered",
    "scenarios.neighbourhood.key",
    "scenarios.neighbourhood.column", "scenarios.neighbourhood.widths", "limits.neighbourhood", "scenarios.twice",
    "steps.column", "steps.scenario", "steps.subset", "steps.where_column", "steps.where_query",
    "steps.where_statement", "steps.file", "steps.dropped", "limits.measure", "limits.figure", "limits.form",
    "limits.needs", "limits.loss", "loss.continuous", "loss.domains", "output.folder", "output.source",
    "roles.nan",  # no number of JSON
}  # fmt: skip
VALUES = (
    -1, 0, 0.3, 0.5, 1, 1.5, 2, 2.5, 3, 99, 100, 101, 1000, 1001, 1e149, 1e150, 2**63 - 1, 2**63, True, False, "", "x",
    "strong", "raking", [], [1], [0.5, 2], [-1], ["x"], ["x", "y"], [True], [["x", "y"]], [["x"], [1]], {}, {"x": 1},
    {"x": -1}, {"x": "y"}, {"x": ["y"]}, {"x": [1]}, [1, "x"], [2.5, 2**63],
)  # fmt: skip


def beside():
    """Return the module of the tests of the reader, which has its wrong files."""
    spec = importlib.util.spec_from_file_location("wrong_release_files", Path(__file__).with_name("test_read.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_json(text):
    """Return a TOML text as an editor hands it to a validator: dates are texts."""
    return json.loads(json.dumps(tomllib.loads(text), default=str))


def errors(text, validator=VALIDATOR):
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(as_json(text))]


@pytest.mark.slow
def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


def test_each_definition_is_used():
    references = set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', schema.read_schema()))
    assert references == set(SCHEMA["$defs"])


# (a release file of version 0.1 goes with its certificate; those of dbt have no source, which the model is)
FILES = sorted(f for f in (ROOT / "fixtures").rglob("*.toml") if f.parent.name not in {"certificate_1", "dbt_series"})


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_release_files_of_the_fixtures_are_valid(file):
    assert not errors(file.read_text(encoding="utf-8"))


def test_release_files_of_the_documentation_are_valid():
    texts = [a or b for page in PAGES for a, b in FENCED.findall(page.read_text(encoding="utf-8"))]
    releases = [text for text in texts if set(tomllib.loads(text)) <= set(read.FILE)]
    assert len(releases) >= 3
    # a part of a file need not have all sections
    part = Draft202012Validator({n: v for n, v in SCHEMA.items() if n not in {"required", "allOf"}})
    found = {
        text: errors(text, part if "[output]" not in text or text.startswith("# fixtures/") else VALIDATOR)
        for text in releases
    }
    assert not {text: wrong for text, wrong in found.items() if wrong}


def test_what_the_reader_refuses_is_refused_where_a_schema_can_see_it():
    tests = beside()

    def text(changed):
        changed = dict(changed)
        parts = [(head, changed.pop(head.strip("[]") or "file", body)) for head, body in tests.SECTIONS.items()]
        return "".join(f"{head}\n{body}\n" for head, body in parts if body is not None) + "".join(changed.values())

    assert not errors(text({}))
    seen = {kind for kind, (changed, _) in tests.WRONG.items() if "nan" not in kind and errors(text(changed))}
    assert seen == tests.WRONG.keys() - UNSEEN


def test_an_error_is_told_at_the_field():
    file = '[[scenarios]]\nname = "a"\nkeys = ["x"]\n[[steps]]\nmask = "local_suppression"\nkeys = ["x"]\nk = 1\n'
    assert "$.steps[0].k: 1 is less than the minimum of 2" in errors(file)


def test_sections_have_the_fields_of_the_reader():
    top, facts = SCHEMA["properties"], {name: kind for given in rules.FACTS.values() for name, kind in given.items()}
    scenario, candidate = top["scenarios"]["items"], top["frontier"]["properties"]["candidates"]["items"]
    for section, fields in (
        (SCHEMA, read.FILE), (top["source"], read.SOURCE), (top["roles"], read.ROLES), (scenario, read.SCENARIO),
        (top["loss"], read.LOSS), (top["output"], read.OUTPUT), (top["rules"]["then"], {**rules.SECTION, **facts}),
        (scenario["properties"]["neighbourhood"], density.FIELDS), (top["frontier"], frontier_fields.FRONTIER),
        (candidate, frontier_fields.CANDIDATE), (top["estimates"]["items"], estimates.ESTIMATE),
        (top["intruder"], read.INTRUDER),
    ):  # fmt: skip
        assert section["properties"].keys() == fields.keys()
        assert section["additionalProperties"] is False
        assert all(field["description"] for field in section["properties"].values())


def unknown_fields(method, names):
    """Return which of these fields the reader does not know of a step by the method."""
    reading = Reading(ROOT / "release.toml", "", {}, read.FILE)
    row = dict.fromkeys(names) | {"mask": method, "keys": ["x"]}
    step_fields.read_steps(reading, [row], RolesOfColumns(id="id"), [])
    return {
        problem.partition(":")[0].removeprefix("steps[0].")
        for problem in reading.problems.found
        if "there is no such field" in problem or "of whole records: leave it out" in problem
    }


def test_steps_have_the_fields_of_the_reader():
    methods = {name: SCHEMA["$defs"][f"step_{name}"] for name in step_fields.index_methods() if name != "renumber"}
    every = {field for method in methods.values() for field in method["properties"]}
    every |= {"nonsense", "tbl", "into", "in_place"}
    every -= {"mask", "columns", "column", "where", "by_household", "scenario"}
    for name, method in methods.items():
        known = every - unknown_fields(name, every)
        has = {field for field in method["properties"] if field in every}
        if "keys" not in has:  # of whole records
            known -= {"keys"}
        assert has == known, name
        assert method["additionalProperties"] is False
    assert SCHEMA["$defs"]["step"]["properties"]["mask"]["enum"] == sorted(methods)


def test_figures_have_the_measures_of_the_reader():
    figure = SCHEMA["properties"]["figures"]["additionalProperties"]
    found = {c["if"]["properties"]["measure"]["const"]: c["then"]["properties"].keys() for c in figure["allOf"]}
    assert found == {name: {"measure", *its.arguments} for name, its in list_all_measures().items()}
    assert figure["properties"]["measure"]["enum"] == [*list_all_measures()]


def test_values_are_refused_as_the_reader_refuses_them():
    masks = [mask for masks in step_fields.index_methods().values() for mask in masks]
    parameters = {str(p): p for mask in masks for p in step_fields.list_own_parameters(mask) if p.name != "subset"}
    differing = []
    for parameter in parameters.values():
        validator = Draft202012Validator(schema_values.define_parameter(parameter))
        for value in VALUES:
            reading = Reading(ROOT / "release.toml", "", {}, read.FILE)
            Values(reading, "steps[0]").convert_value(parameter, value)
            wrong = [problem for problem in reading.problems.found if "there is no file" not in problem]
            whole = isinstance(value, float) and value.is_integer()  # to JSON 1e149 is a whole number
            if validator.is_valid(value) == bool(wrong) and not whole:
                differing.append((parameter.name, parameter.kind, value, wrong))
    assert len(parameters) > 100
    assert not differing


def test_the_command_prints_it_and_a_proposal_names_it_where_it_stands_beside(tmp_path, capsys):
    assert main(["release", "--schema"]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed) == SCHEMA
    (tmp_path / "persons.csv").write_text("age,sex\n" + "30,f\n41,m\n" * 20)
    assert schema.make_schema_line(tmp_path) == []
    (tmp_path / schema.NAME).write_text(printed)
    assert main(["release", "--init", str(tmp_path / "persons.csv"), str(tmp_path / "persons.toml")]) == 0
    proposed = (tmp_path / "persons.toml").read_text()
    assert proposed.startswith(f"#:schema ./{schema.NAME}\n\n# Proposed from")
    assert not errors(proposed)
