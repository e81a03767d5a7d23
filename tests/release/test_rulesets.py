"""Rulesets: what a file must keep, by name or from a file of one's own, checked by the release that names it."""

from __future__ import annotations

import json

import duckdb
import pytest
from decided import decided

from sdc_sql import ReleaseFileError, read_release, run_release, verify
from sdc_sql.cli import main
from sdc_sql.release.reading import ruleset
from sdc_sql.release.reading.problems import Problems

LEVELS = '{ extremely = ["region"], very = ["race", "hispanic"], identifying = ["education"] }'
RESEARCH = f'[rules]\nname = "nl-research"\nlevels = {LEVELS}\npanel = false\ndirect_identifiers = ["name"]\n'
RELEASE = """{before}
[source]
path = "{source}"
[roles]
id = "couple"
weight = "weight"
{rules}
[[scenarios]]
name = "neighbour"
keys = ["region", "race", "hispanic", "education"]
{limits}
{steps}
[output]
path = "released.parquet"
{output}
"""


@pytest.fixture
def couples(tmp_path, fixtures):
    def written(**changed):
        given = dict.fromkeys(("before", "rules", "limits", "steps", "output"), "")
        file = tmp_path / "release.toml"
        file.write_text(RELEASE.format(source=fixtures / "cps_couples.parquet", **given | changed))
        return decided(file)

    return written


@pytest.fixture
def of_rows(tmp_path):
    """Write a release file of a table made by a query."""

    def written(query, text):
        duckdb.sql(query).write_parquet(str(tmp_path / "raw.parquet"))
        file = tmp_path / "release.toml"
        file.write_text(f'{text}\n[source]\npath = "raw.parquet"\n[output]\npath = "released.csv"\n')
        return decided(file)

    return written


def problems(file):
    with pytest.raises(ReleaseFileError) as caught:
        read_release(file)
    return caught.value.problems


def rules(outcome):
    return {o.limit.path.partition("rule ")[2]: o for o in outcome.limits if o.found}


@pytest.mark.parametrize("name", [n.replace("-N", "-5") for n in ruleset.list_rulesets()])
def test_every_ruleset_is_read_and_has_version_and_source(name):
    wrong = Problems()
    its = ruleset.parse_ruleset(ruleset.read_shipped_text(name), wrong)
    assert wrong.found == []
    assert its.name == name
    assert its.version
    assert its.title
    assert its.source
    assert its.unchecked


@pytest.mark.slow
def test_the_answers_are_those_of_the_rules_command(couples, con, fixtures, capsys):
    """The rules of the handbook, section 3.7, by both doors."""
    outcome = run_release(couples(rules=RESEARCH + "looked_at = [3]"), con, write=False)
    levels = ["--extremely", "region", "--very", "race,hispanic", "--identifying", "education"]
    asked = ["--for", "research", "--keys", "region,race,hispanic,education", "--weight", "weight", *levels]
    others = ["--no-panel", "--direct-identifiers", "name", "--looked-at", "3", "--json"]
    assert main(["rules", str(fixtures / "cps_couples.parquet"), *asked, *others]) == 3
    answers = json.loads(capsys.readouterr().out)
    assert len(answers) == 5
    for answer in answers:
        found = rules(outcome)[str(answer["rule"])]
        assert answer["requirement"] == found.limit.text
        assert answer["found"] in found.found
        assert found.holds is (answer["violated"] is False or answer["rule"] == 3)
    (reason,) = outcome.reasons
    assert reason.startswith("nl-research, rule 4: a region has at least 10000 inhabitants: not measured: ")
    assert "a person has to look at it" in reason


@pytest.mark.slow
def test_a_release_that_keeps_its_rules_is_written_with_certificate(couples, tmp_path, capsys):
    file = couples(rules=RESEARCH + "looked_at = [3, 4]", output='certificate = "c.json"\nreport = "r.md"')
    assert main(["release", str(file), "--plan"]) == 0
    assert "Rules: nl-research 1, " in capsys.readouterr().out
    assert main(["release", str(file)]) == 0
    out = capsys.readouterr().out
    assert "rule 3: occupation, firm and education" in out
    assert "a person has looked at it" in out
    assert "not checked by nl-research 1: that the researchers are bound by a contract" in out
    report = (tmp_path / "r.md").read_text()
    assert "nl-research, rule 2" in report
    assert "What nl-research 1 does not check" in report
    said = json.loads((tmp_path / "c.json").read_text())
    assert said["release_file"]["ruleset"]["name"] == "nl-research 1"
    assert "0 of 135 combinations" in said["limits"][1]["found"]
    assert verify(tmp_path / "c.json", tmp_path / "released.parquet", release=file).holds


@pytest.mark.slow
def test_a_rule_that_is_violated_refuses_also_where_a_person_looked(couples, con):
    named = RESEARCH.replace('["name"]', '["husband_income"]') + "looked_at = [1, 3, 4]"
    (reason,) = run_release(couples(rules=named), con, write=False).reasons
    assert reason == 'nl-research, rule 1: no direct identifiers: violated: in the table: "husband_income"'


@pytest.mark.slow
def test_a_changed_copy_is_a_ruleset(couples, con, tmp_path, capsys):
    assert main(["release", "--ruleset", "nl-research"]) == 0
    own = tmp_path / "it's mine.toml"
    text = capsys.readouterr().out.replace('"nl-research"', '"ours"')
    own.write_text(text + "[[thresholds]]\nrule = 2\nthreshold = 1400\nlevels = true\n")
    named = RESEARCH.replace("nl-research", "it's mine.toml") + "looked_at = [3, 4]"
    (reason,) = run_release(couples(rules=named), con, write=False).reasons
    # counted without us: a region, a very identifying variable, and another (what is very identifying identifies too)
    rare = sum(
        con.execute(
            f"SELECT count(*) FROM (SELECT sum(weight) AS w FROM sdc_original GROUP BY region, {two}) WHERE w < 1400"
        ).fetchall()[0][0]
        for two in ("race, education", "hispanic, education", "race, hispanic")
    )
    assert rare > 0
    assert reason.startswith("ours, rule 2: each combination of one key of each level at least 1400 times")
    assert f"violated: {rare} of 135 combinations" in reason


@pytest.mark.slow
def test_families_add_a_limit_to_every_scenario(couples, con):
    k = run_release(couples(before='rules = "k-4"'), con, write=False)
    con.execute("DROP TABLE sdc_original; DROP TABLE sdc_release")
    keys = "region, race, hispanic, education"
    rows = f"SELECT sum(f) FROM (SELECT count(*) AS f FROM '{k.plan.source.path}' GROUP BY {keys}) WHERE f < 4"
    ((below,),) = con.execute(rows).fetchall()
    assert below > 0
    assert f"k_anonymity.4.records is {below}" in k.reasons[0]
    threshold = run_release(couples(before='rules = "threshold-1359"'), con, write=False)
    assert threshold.plan.scenarios[0].threshold == 1359
    assert "unsafe_combinations (race, hispanic, education) is" in str(threshold.limits[0])


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("rules_", "expected"),
    [
        ('name = "nl-reserch"', "rules: there is no ruleset 'nl-reserch'; did you mean 'nl-research'?"),
        ('name = "k-0"', "rules: there is no ruleset 'k-0'"),
        ('name = "k-1"', "scenarios[0], k-1 limits[0]: k_anonymity.1 is no k"),
        ('name = "mine.toml"', "rules: there is no ruleset "),
        ("looked_at = [3]", "rules.name: it is missing"),
        ('name = "nl-research"\nlooked_at = [6]', "rules.looked_at: nl-research has no rule 6; there are 1, 2, 3,"),
        ('name = "nl-research"\nprovince = "region"', "rules.province: nl-research does not ask for it"),
        ('name = "nl-research"\ninhabitants = "x"', "rules.inhabitants: "),
        ('name = "nl-research"\nlevels = { very = ["race"] }', "rules.levels: region, hispanic, education has no"),
        ('name = "nl-research"\nlevels = { vary = ["race"] }', "rules.levels.vary: there is no such level; did you"),
        ('name = "nl-research"\nkeys = ["race"]', "rules.keys: region, hispanic, education is a key of a scenario"),
        ('name = "nl-public"\nreference_date = 2020-12-31', "rules.release_date: it is missing"),
        ('name = "k-3"\ncolumns = { age = "race" }', "rules.columns.age: there is no such field: k-3 has none."),
    ],
)  # fmt: skip
def test_errors_have_their_place(couples, rules_, expected):
    assert any(p.startswith(expected) for p in problems(couples(rules=f"[rules]\n{rules_}")))


def test_a_file_that_is_no_ruleset_is_told_whole(couples, tmp_path):
    (tmp_path / "mine.toml").write_text('name = "mine"\nchecks = 1\nlook = { a = "b" }\n[[thresholds]]\nrule = 1\n')
    found = problems(couples(before='rules = "mine.toml"'))
    assert [p.split(":")[0] for p in found] == ["rules (mine)"] * 5
    assert "checks: there is no such field; did you mean 'check'?" in found[0]


@pytest.mark.slow
def test_public_rules_are_measured_by_columns_that_are_not_released(of_rows, con):
    """Twelve provinces of 200 000 persons, in two areas of six: rule 3 is kept only if the provinces are seen."""
    columns = "i AS id, i % 2 AS area, i % 12 AS province, i % 24 AS town, i % 2 AS sex, 10000 AS w"
    query = f"SELECT {columns} FROM range(480) t(i)"
    text = """
        [roles]
        id = "id"
        weight = "w"
        [rules]
        name = "nl-public"
        indirect_regions = ["area"]
        province = "province"
        municipality = "town"
        withheld = ["nationality"]
        reference_date = 2023-12-31
        release_date = 2025-01-01
        looked_at = [5, 9, 10]
        [[scenarios]]
        name = "neighbour"
        keys = ["sex"]
        [[steps]]
        mask = "drop_identifiers"
        columns = ["province", "town"]
    """
    outcome = run_release(of_rows(query, text), con, write=False)
    assert outcome.reasons == ()
    assert "0 of 2 areas have fewer; the fewest 6" in " ".join(map(str, outcome.limits))
    con.execute("DROP TABLE sdc_original; DROP TABLE sdc_release")
    kept = run_release(of_rows(query, text.partition("[[steps]]")[0]), con, write=False)
    assert "rule 2" in kept.reasons[0]
    assert "violated" in kept.reasons[0] or "not measured" in kept.reasons[0]


SILC = """
    [roles]
    id = "id"
    [rules]
    name = "eu-silc-research"
    looked_at = [1, 2, 3]
    values = { local = "AT", oldest = 1944 }
    [rules.columns]
    age = "age"
    year_of_birth = "born"
    region = "DB040"
    country_of_birth = "country"
    citizenship = []
    year_of_immigration = "came"
    isced = "PE041"
    nace = "nace"
    [[scenarios]]
    name = "colleague"
    keys = ["age"]
"""
PERSONS = """FROM (VALUES
    (1, 80, 1944, 'AT13', 'AT', NULL, 344, '01'), (2, 97, 1928, 'AT33', 'DE', 1994, 500, '33'),
    (3, 81, 1943, 'ITC4', 'US', 1995, 860, '99'), (4, 12, 2013, NULL, NULL, 1999, NULL, NULL)
) AS t(id, age, born, DB040, country, came, PE041, nace)"""


@pytest.mark.slow
def test_the_coarsening_of_eu_silc(of_rows, con):
    """Eurostat, EU-SILC, information on data details: 80+, NUTS 1, LOC, EU, OTH, five years, 500 and over, sections."""
    outcome = run_release(of_rows(PERSONS, SILC), con)
    assert list(outcome.step_paths[:2]) == ["rules.coarsening[0]", "rules.coarsening[1]"]
    rows = con.execute("SELECT * EXCLUDE (id) FROM sdc_release ORDER BY id").fetchall()
    assert rows == [
        (80, 1944, "AT1", "LOC", None, 344, "A"),
        (80, 1944, "AT3", "EU", "1990-1994", 500, "C"),
        (80, 1944, "ITC", "OTH", "1995-1999", 500, "U"),
        (12, 2013, None, None, "1995-1999", None, None),
    ]
    assert outcome.written


def test_every_variable_and_value_of_a_profile_is_asked_for(of_rows):
    text = (
        SILC.replace('age = "age"\n', "")
        .replace('values = { local = "AT", oldest = 1944 }', "")
        .replace("[1, 2, 3]", "[4]")
    )
    assert [p.split(":")[0] for p in problems(of_rows(PERSONS, text))][:4] == [
        "rules.looked_at", "rules.columns.age", "rules.values.local", "rules.values.oldest",
    ]  # fmt: skip


def test_sections_have_every_division_once():
    """NACE Rev. 2 has 21 sections and 88 divisions."""
    profile = ruleset.parse_ruleset(ruleset.read_shipped_text("eu-silc-research"), Problems())
    (nace,) = [c for c in profile.coarsening if c["variable"] == "nace"]
    divisions = [d for several in nace["groups"].values() for d in several]
    assert "".join(nace["groups"]) == "ABCDEFGHIJKLMNOPQRSTU"
    assert len(divisions) == len(set(divisions)) == 88
    assert divisions == sorted(divisions)
