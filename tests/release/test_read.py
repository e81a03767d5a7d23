"""A release file is checked whole: every error at once, each with its place."""

from __future__ import annotations

import pytest

import sdc_sql
from sdc_sql import ParameterError, ReleaseFileError
from sdc_sql.release.reading.read import read_release

SECTIONS = {
    "": 'release = "first"',
    "[source]": 'path = "persons.csv"',
    "[roles]": 'id = "id"\nweight = "weight"\nsampling_fraction = 0.1\nsensitive = ["region"]\n'
    'released_as_collected = ["name", "household"]',
    "[[scenarios]]": 'name = "neighbour"\nkeys = ["age", "Select"]\nlimits = ["k_anonymity.3.records <= 0"]',
    "[[steps]]": 'mask = "local_suppression"\nscenario = "neighbour"\nk = 3\nwhere = "region <> \'north\'"',
    "[loss]": 'columns = ["age"]\nlimits = ["direct_distance.distance <= 1"]',
    "[output]": 'path = "released.csv"',
}


@pytest.fixture
def write(tmp_path):
    (tmp_path / "persons.csv").write_text(
        "id,name,age,Select,region,weight,household\n1,Ann,30,f,north,10,1\n2,Bo,30,f,south,20.5,1\n"
    )
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "ragged.csv").write_text("id,age\n" + "1,30\n" * 39 + "2,30,4\n" + "1,30\n" * 39)

    def written(**sections):
        """Write the file with some sections changed: scenarios for [[scenarios]]."""
        text = ""
        for head, body in SECTIONS.items():
            changed = sections.pop(head.strip("[]") or "file", body)
            text += "" if changed is None else f"{head}\n{changed}\n"
        file = tmp_path / "release.toml"
        file.write_text(text + "".join(sections.values()))
        return file

    return written


def problems(file):
    with pytest.raises(ReleaseFileError) as caught:
        read_release(file)
    return caught.value.problems


def test_a_file_without_errors_is_read(write, tmp_path):
    plan = read_release(write())
    assert plan.source.path == tmp_path / "persons.csv"
    assert plan.output.path == tmp_path / "released.csv"
    assert plan.output.ids == "drop"
    (step,) = plan.steps
    assert (step.verb, step.columns, step.suppresses, step.draws) == (
        "local_suppression",
        ("age", "Select"),
        True,
        False,
    )
    assert (step.where, step.arguments) == ("region <> 'north'", {"keys": ["age", "Select"], "k": 3})
    assert [limit.path for limit in plan.limits] == ["scenarios[0].limits[0]", "loss.limits[0]"]


def near(text):
    """Return a scenario with such a neighbourhood."""
    told = f'name = "neighbour"\nkeys = ["age"]\nneighbourhood = {{ {text} }}'
    return {"scenarios": f'{told}\nlimits = ["k_anonymity.3.records <= 0"]'}


def steps(text):
    return {"steps": text}


WRONG = {
    "file.unknown": ({"file": 'titel = "x"'}, "titel: there is no such field; did you mean 'title'?"),
    "file.kind": ({"file": "title = 1"}, "title: it is 1: it must be a text."),
    "file.rules": ({"file": 'rules = "nl"'}, "rules: there is no ruleset 'nl'"),
    "source.none": ({"source": None}, "source: the file has no [source]."),
    "source.missing": ({"source": 'path = "no.csv"'}, "source.path: There is no file"),
    "source.elsewhere": ({"source": 'path = "s3://bucket/x.csv"'}, "source.path: s3://bucket/x.csv is not"),
    "source.empty": ({"source": 'path = "empty.csv"'}, "source.path: {folder}/empty.csv has no records"),
    "source.ragged": ({"source": 'path = "ragged.csv"'}, "source.path: Line 41 of the CSV file cannot be re"),
    "source.both": ({"source": 'path = "a"\ndatabase = "b"'}, "source: give either path"),
    "source.table": ({"source": 'path = "persons.csv"\ntable = "t"'}, "source.table: it goes with database"),
    "roles.unknown": ({"roles": 'id = "id"\nwieght = "w"'}, "roles.wieght: there is no such field; did you mean 'w"),
    "roles.column": ({"roles": 'id = "ID2"'}, "roles.id: The id 'ID2' is not a column of the source"),
    "roles.fraction": ({"roles": 'id = "id"\nsampling_fraction = 1.0'}, "roles.sampling_fraction: it is 1.0"),
    "roles.weight": ({"roles": 'id = "id"\nweight = -1'}, "roles.weight: it is -1: it must be from"),
    "roles.nan": ({"roles": 'id = "id"\nweight = nan'}, "roles.weight: it is nan: it must be the name of a column"),
    "roles.dropped": ({"roles": 'id = "id"\nweight = "name"\nidentifiers = ["NAME"]'}, "roles.weight: name is one of"),
    "roles.strata": ({"roles": 'id = "id"\nstrata = ["age", "region"]'}, "roles.strata: it names several"),
    "roles.ordered": ({"roles": 'id = "id"\nordered = ["age"]'}, "roles.ordered: age is none of roles.sensitive"),
    "roles.id": ({"roles": 'weight = "weight"'}, "roles.id: it is missing: masking finds"),
    "scenarios.none": ({"scenarios": None, "steps": None}, "scenarios: the file has no [[scenarios]]."),
    "scenarios.keys": ({"scenarios": 'name = "a"'}, "scenarios[0].keys: it is missing."),
    "scenarios.name": ({"scenarios": 'keys = ["age"]', "steps": None}, "scenarios[0].name: it is missing."),
    "scenarios.column": (
        {"scenarios": 'name = "neighbour"\nkeys = ["age", "sekect"]\nlimits = []'},
        "scenarios[0].keys[1]: The key variable 'sekect' is not a column of the source",
    ),
    "scenarios.identifier": (
        {"roles": 'id = "id"\nidentifiers = ["name"]', "scenarios": 'name = "neighbour"\nkeys = ["name"]'},
        "scenarios[0].keys[0]: name is one of roles.identifiers, which are not read at all.",
    ),
    "scenarios.id": ({"scenarios": 'name = "neighbour"\nkeys = ["id"]'}, "scenarios[0].keys: id is the id"),
    "scenarios.nulls": ({"scenarios": 'name = "neighbour"\nkeys = ["age"]\nnulls = "x"'}, "scenarios[0].nulls: it is"),
    "scenarios.k": ({"scenarios": 'name = "neighbour"\nkeys = ["age"]\nk = 1'}, "scenarios[0].k: it is 1"),
    "scenarios.neighbourhood": (
        near('width = 0.1, colums = ["weight"]'), "scenarios[0].neighbourhood.colums: there is no such field; did you"
    ),
    "scenarios.neighbourhood.columns": (near("width = 0.1"), "scenarios[0].neighbourhood.columns: it is missing"),
    "scenarios.neighbourhood.key": (near('columns = ["age"]'), "scenarios[0].neighbourhood.columns: a key of the scen"),
    "scenarios.neighbourhood.column": (
        near('columns = ["wait"]'), "scenarios[0].neighbourhood.columns[0]: The continuous key 'wait' is not a column"
    ),
    "scenarios.neighbourhood.width": (
        near('columns = ["weight"], width = -1'), "scenarios[0].neighbourhood.width: it must be at least 0."
    ),
    "scenarios.neighbourhood.widths": (
        near('columns = ["weight"], width = [1, 2]'), "scenarios[0].neighbourhood.width: give one, or one for each"
    ),
    "scenarios.neighbourhood.scaling": (
        near('columns = ["weight"], scaling = "sd"'), "scenarios[0].neighbourhood.scaling: it is 'sd': one of relative"
    ),
    "scenarios.neighbourhood.k": (
        near('columns = ["weight"], k = 1'), "scenarios[0].neighbourhood.k: it is 1: it must be at least 2."
    ),
    "limits.neighbourhood": (
        {"scenarios": 'name = "neighbour"\nkeys = ["age"]\nlimits = ["neighbourhood.below_k <= 0"]'},
        "scenarios[0].limits[0]: neighbourhood needs a neighbourhood of the scenario",
    ),
    "scenarios.twice": (
        {"more": '[[scenarios]]\nname = "neighbour"\nkeys = ["age"]'},
        "scenarios[1].name: there is another scenario 'neighbour'.",
    ),
    "limits.none": (
        {"scenarios": 'name = "neighbour"\nkeys = ["age"]'},
        "scenarios: none has a limit: nothing could be refused.",
    ),
    "steps.mask": (steps('mask = "recod"\ncolumn = "age"'), "steps[0].mask: there is no mask 'recod'; did you"),
    "steps.nothing": (steps("k = 3"), "steps[0].mask: it is missing: name the mask"),
    "steps.no name": (steps("mask = 3"), "steps[0].mask: it is 3: it must be a name."),
    "steps.field": (
        steps('mask = "pram_retention"\ncolumns = ["region"]\nretentoin = 0.9'),
        "steps[0].retentoin: there is no such field; did you mean 'retention'?",
    ),
    "steps.needs": (steps('mask = "rank_swap"\ncolumn = "age"'), "steps[0]: it needs p or correlation."),
    "steps.both": (
        steps('mask = "rank_swap"\ncolumn = "age"\np = 5\ncorrelation = 0.9'),
        "steps[0]: p and correlation exclude each other",
    ),
    "steps.other": (
        steps('mask = "noise"\ncolumns = ["weight"]\nstandard_deviation = 1\nthreshold = 3'),
        "steps[0].threshold: it goes with alpha only.",
    ),
    "steps.k": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 1'),
        "steps[0].k: it is 1: it must be a whole number of at least 2",
    ),
    "steps.whole": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 2.5'), "steps[0].k: it is 2.5: it must be a whole"
    ),
    "steps.truth": (
        steps('mask = "round"\ncolumns = ["weight"]\nbase = 5\nat_random = "yes"'),
        "steps[0].at_random: it is 'yes': it must be true or false",
    ),
    "steps.range": (
        steps('mask = "pram_retention"\ncolumns = ["region"]\nretention = 1.5'),
        "steps[0].retention: it is 1.5: it must be a finite number, from 0 to 1",
    ),
    "steps.choice": (
        steps('mask = "noise"\ncolumns = ["weight"]\nalpha = 0.1\nmethods = 1'), "steps[0].methods: there is no such"
    ),
    "steps.value": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 2\nguarantee = "stron"'),
        "steps[0].guarantee: it is 'stron': it must be 'identical', 'strong' or 'wildcard'; did you mean 'strong'?",
    ),
    "steps.by_key": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 2\nimportance = { age = -1, agee = 1 }'),
        "steps[0].importance.age: it is -1: it must be a finite number, above 0",
    ),
    "steps.column": (
        steps('mask = "local_suppression"\nkeys = ["age", "SELECTT"]\nk = 2'), "steps[0].keys[1]: The column 'S"
    ),
    "steps.scenario": (
        steps('mask = "local_suppression"\nscenario = "naighbour"\nk = 2'),
        "steps[0].scenario: there is no scenario 'naighbour'; did you mean 'neighbour'?",
    ),
    "steps.scenario_columns": (
        steps('mask = "noise"\nscenario = "neighbour"\nalpha = 0.1'), "steps[0].scenario: a scenario says which keys"
    ),
    "steps.target": (steps('mask = "noise"\nalpha = 0.1'), 'steps[0]: give columns = ["age", "sex"].'),
    "steps.where": (
        steps('mask = "drop_identifiers"\ncolumns = ["name"]\nwhere = "age > 1"'),
        "steps[0].where: a column is dropped from all records",
    ),
    "steps.subset": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 2\nsubset = "agee > 1"'), "steps[0].subset: The column"
    ),
    "steps.where_column": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 2\nwhere = "agee > 1"'), "steps[0].where: The col"
    ),
    "steps.where_query": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 2\nwhere = "age IN (SELECT age FROM other)"'),
        "steps[0].where: it holds",
    ),
    "steps.where_statement": (
        steps('mask = "local_suppression"\nkeys = ["age"]\nk = 2\nwhere = "1; DROP TABLE x"'),
        "steps[0].where: it cannot be read",
    ),
    "steps.file": (
        steps('mask = "generalise"\nkeys = ["age"]\nhierarchies = "none.csv"'), "steps[0].hierarchies: there is no"
    ),
    "steps.dropped": (
        steps('mask = "drop_identifiers"\ncolumns = ["age"]'), "steps[0]: age is used by scenarios[0]"
    ),
    "limits.measure": (
        {"scenarios": 'name = "neighbour"\nkeys = ["age"]\nlimits = ["thet.theta < 1"]'},
        "scenarios[0].limits[0]: The limit 'thet.theta < 1' cannot be read: There is no measure 'thet': did",
    ),
    "limits.figure": (
        {"scenarios": 'name = "neighbour"\nkeys = ["age"]\nlimits = ["theta.thetas < 1"]'},
        "scenarios[0].limits[0]: The limit 'theta.thetas < 1' cannot be read: theta has no figure 'thetas': it",
    ),
    "limits.form": (
        {"scenarios": 'name = "neighbour"\nkeys = ["age"]\nlimits = ["theta.theta < 1", "theta < "]'},
        "scenarios[0].limits[1]: The limit 'theta < ' cannot be read",
    ),
    "limits.needs": (
        {"roles": 'id = "id"', "scenarios": 'name = "neighbour"\nkeys = ["age"]\nlimits = ["theta.theta < 1"]'},
        "scenarios[0].limits[0]: theta needs roles.sampling_fraction",
    ),
    "limits.loss": (
        {"loss": 'columns = ["age"]\nlimits = ["theta.theta < 1"]'},
        "loss.limits[0]: theta.theta is risk: put the limit under [[scenarios]]",
    ),
    "loss.columns": ({"loss": 'limits = ["il1.il1 < 1"]'}, "loss.columns: it is missing"),
    "loss.continuous": (
        {"loss": 'columns = ["age"]\ncontinuous = ["weight"]\nlimits = ["il1.il1 < 1"]'},
        "loss.continuous: weight is none of loss.columns.",
    ),
    "loss.domains": (
        {"loss": 'columns = ["age"]\nlimits = ["explained_variance.growth < 1"]'}, "loss.limits[0]: explained_variance"
    ),
    "output.path": ({"output": 'ids = "keep"'}, "output.path: it is missing"),
    "output.ending": ({"output": 'path = "a.xlsx"'}, "output.path: a.xlsx must end in .parquet, .csv, .duckdb, .dta"),
    "output.folder": ({"output": 'path = "no/a.csv"'}, "output.path: there is no folder"),
    "output.elsewhere": ({"output": 'path = "https://x.org/a.csv"'}, "output.path: https://x.org/a.csv is not"),
    "output.source": ({"output": 'path = "persons.csv"'}, "output.path: persons.csv is the source"),
    "output.ids": ({"output": 'path = "a.csv"\nids = "kep"'}, "output.ids: it is 'kep'"),
    "output.recode": ({"file": "", "output": 'path = "a.csv"\nids = "recode"'}, "output.ids: recoded ids need release"),
}  # fmt: skip


@pytest.mark.one_in(8)
@pytest.mark.whole
@pytest.mark.parametrize("kind", WRONG)
def test_each_error_is_told_with_its_place(write, kind):
    changed, expected = WRONG[kind]
    file = write(**changed)
    expected = expected.replace("{folder}", str(file.parent))
    found = problems(file)
    assert any(problem.startswith(expected) for problem in found), found


def test_every_error_at_once_and_no_more(write):
    changed = steps('mask = "local_suppression"\nscenario = "neighbour"\nk = 1') | {"output": 'path = "a.xlsx"'}
    assert [p.partition(":")[0] for p in problems(write(**changed, file="titel = 1"))] == [
        "titel", "steps[0].k", "output.path",
    ]  # fmt: skip


def test_an_unknown_field_of_a_step_hides_no_other_error(write):
    suppression = 'mask = "local_suppression"\nkeys = ["age", "Selct"]\nk = 1\ngarantee = "strong"\nwhere = "x ="'
    noise = '\n[[steps]]\nmask = "noise"\ncolumns = ["wieght"]\nalhpa = 0.1\nmethod = "liniar"'  # alpha is needed
    found = problems(write(steps=suppression + noise))
    assert [problem.partition(": ")[0] for problem in found] == [
        "steps[0].garantee", "steps[0].keys[1]", "steps[0].k", "steps[0].where",
        "steps[1].alhpa", "steps[1].columns[0]", "steps[1].method",
    ]  # fmt: skip


def test_no_message_shows_a_value_of_the_data(write):
    found = problems(write(roles='id = "idd"\nweight = "age2"', steps='mask = "pram"\ncolumns = ["x"]'))
    assert not any(value in problem for problem in found for value in ("Ann", "20.5"))


def test_what_is_no_toml_is_told_with_its_line(write):
    with pytest.raises(ParameterError, match=r"is no TOML file: .*line 2"):
        read_release(write(file="title ="))


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(ParameterError, match="There is no release file"):
        sdc_sql.read_release(tmp_path / "none.toml")


def test_a_quote_in_the_names_of_file_and_column(tmp_path):
    (tmp_path / "o'hara.csv").write_text('id,"it""s"\n1,2\n2,2\n')
    (tmp_path / "release.toml").write_text(
        '[source]\npath = "o\'hara.csv"\n[roles]\nid = "id"\n[[scenarios]]\nname = "a"\nkeys = [\'it"s\']\n'
        'limits = ["k_anonymity.records <= 0"]\n[output]\npath = "it\'s.csv"\n'
    )
    plan = read_release(tmp_path / "release.toml")
    assert (list(plan.columns), plan.scenarios[0].keys) == (["id", 'it"s'], ('it"s',))


def test_the_release_and_ghosts_of_the_file_are_those_of_the_steps(write):
    plan = read_release(
        write(
            roles='id = "id"\nghosts = { age = ["household"], region = ["name"] }',
            steps=SECTIONS["[[steps]]"] + '\n[[steps]]\nmask = "rank_swap"\ncolumns = ["weight"]\np = 5',
        )
    )
    assert plan.steps[0].arguments["ghosts"] == {"age": ["household"]}
    assert (plan.steps[1].columns, plan.steps[1].arguments) == (("weight",), {"p": 5, "release": "first"})
    assert plan.draws


def test_a_parameter_called_method_goes_with_the_name_of_the_mask(write):
    steps = 'mask = "noise"\ncolumns = ["weight"]\nalpha = 0.1\nmethod = "linear"'
    (step,) = read_release(write(steps=steps)).steps
    assert (step.verb, step.arguments["method"]) == ("noise", "linear")
    assert [p.partition(":")[0] for p in problems(write(steps=steps.replace("linear", "liner")))] == ["steps[0].method"]
    (wrong,) = problems(write(steps=steps.replace('"noise"', '"nois"')))
    assert wrong.startswith("steps[0].mask: there is no mask 'nois'")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('method = "recode"\ncolumn = "age"\nkeep_first = 1', 'method = "recode" # mask = "recode"'),
        ('method = "rank-swap"\ncolumns = ["weight"]\np = 5', 'method = "rank-swap" # mask = "rank_swap"'),
        ('mask = "rank-swap"\ncolumns = ["weight"]\np = 5', 'mask = "rank-swap" # mask = "rank_swap"'),
        ('method = "pram"\ncolumns = ["age"]\nretention = 0.9', 'method = "pram" # mask = "pram_retention"'),
        ('mask = "round_to_base"\ncolumns = ["weight"]\nbase = 5', 'mask = "round_to_base" # mask = "round"'),
        ('mask = "shuffle"\nrelease = "a"', 'mask = "shuffle" # mask = "renumber"'),
    ],
)
def test_the_form_of_earlier_versions_is_an_error_that_gives_the_new_one(write, old, new):
    was, _, now = new.partition(" # ")
    found = problems(write(steps=old))
    field = was.partition(" ")[0]
    assert found[0] == f"steps[0].{field}: {was} is of versions before 0.2.0: write {now}."
    assert len(found) == 1 + ("renumber" in now)  # which is of no release file


def test_a_ghost_that_stays_while_its_key_is_changed_is_refused(write):
    swap = 'mask = "rank_swap"\ncolumns = ["age"]\np = 5'
    roles = 'id = "id"\nghosts = { age = ["household"] }\nreleased_as_collected = ["name", "region", "weight"]'
    (problem,) = problems(write(roles=roles, steps=swap))
    assert problem.startswith("steps[0]: household would stay as it is")
    both = swap.replace('["age"]', '["age", "household"]')
    assert len(read_release(write(roles=roles, steps=both)).steps) == 1
