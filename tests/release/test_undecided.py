"""No column leaves by oversight: each is in a role, a scenario or a step, or said to be released as collected."""

from __future__ import annotations

import json
import re
import tomllib

import duckdb
import pytest

from sdc_sql import ReleaseFileError, propose_release, read_release, run_release, verify
from sdc_sql.cli import main
from sdc_sql.db import query
from sdc_sql.release.certifying import sealed
from sdc_sql.release.proposing import facts
from sdc_sql.release.reporting.public_report import public_report

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
# of 40 records: an amount that R wrote, a decimal comma, codes, few numbers, a name of a few firms, and of persons
ROWS = """
    SELECT range AS id, range % 2 AS k, 1.0 AS weight, range % 3 AS "Select", range % 4 AS f,
           CASE WHEN range = 39 THEN '57800000' ELSE (116258.5 + range)::VARCHAR END AS "spent  it's",
           CASE range WHEN 7 THEN 'NA' ELSE (range + 100) || ',5' END AS comma, lpad(range::VARCHAR, 3, '0') AS code,
           (range % 4 + 1)::VARCHAR AS sector, ['Alabama Power', 'Duke', 'PGE', 'x'][1 + range % 4] AS "UTILNAME",
           upper(chr((97 + range % 26)::INTEGER)) || 'nn Li' AS who, NULL::INTEGER AS "no\nthing", [range] AS tags
    FROM range(40)
"""
BASE = "SELECT range AS id, range % 2 AS k, 1.0 AS weight"
FILE = """
[source]
{source}
[roles]
id = "id"
weight = "weight"
{roles}
[[scenarios]]
name = "s"
keys = ["k"]
limits = ["k_anonymity.2.records <= 0"]
{steps}
[output]
path = "out.csv"
public_report = "users.md"
report = "house.md"
certificate = "c.json"
public_certificate = "p.json"
"""
UNDECIDED = {
    "Select": "numbers, 3 values; unique by itself in no record",
    "f": "numbers, 4 values; unique by itself in no record",
    "spent  it's": "texts, 40 values; unique by itself in 40 of 40 records (100 %); numbers read as text",
    "comma": "texts, 40 values; unique by itself in 40 of 40 records (100 %); numbers read as text, with a decimal "
    "comma, but for 1 record",
    "code": "texts, 40 values; unique by itself in 40 of 40 records (100 %)",
    "sector": "texts, 4 values; unique by itself in no record",
    "UTILNAME": "texts, 4 values; unique by itself in no record; looks like a name",
    "who": "texts, 26 values; unique by itself in 12 of 40 records (30 %)",
    r"no\nthing": "numbers, 0 values; unique by itself in no record",
    "tags": "BIGINT[], 40 values; unique by itself in 40 of 40 records (100 %)",
}
LISTED = """["Select", "f", "spent  it's", "comma", "code", "sector", "who", "no\\nthing", "tags"]"""
LINES = (
    'drop = ["UTILNAME"]  # under [roles]',
    f"released_as_collected = {LISTED}  # under [roles]",
)


@pytest.fixture
def release(tmp_path, monkeypatch):
    """Write a release file of the rows, in a format."""
    monkeypatch.setenv("SDC_KEY", KEY)

    def written(roles="", steps="", rows=ROWS, kind="parquet"):
        raw = tmp_path / f"raw.{kind}"
        if kind == "duckdb" and not raw.exists():
            with duckdb.connect(raw) as con:
                con.execute(f"CREATE TABLE k AS {rows}")
        elif kind != "duckdb":
            duckdb.sql(f"COPY ({rows}) TO '{raw}'")
        source = f'path = "raw.{kind}"' if kind != "duckdb" else 'database = "raw.duckdb"\ntable = "k"'
        (tmp_path / "r.toml").write_text(FILE.format(source=source, roles=roles, steps=steps))
        return tmp_path / "r.toml"

    return written


def problems(file):
    with pytest.raises(ReleaseFileError) as caught:
        read_release(file)
    return caught.value.problems


@pytest.mark.parametrize("kind", ["parquet", pytest.param("duckdb", marks=pytest.mark.slow)])
def test_what_nobody_decided_about_is_one_error_with_what_is_known_and_a_line_to_paste(release, kind, capsys):
    file = release(kind=kind)
    (problem,) = problems(file)
    head, *lines = [line.strip() for line in problem.split("\n    ")]
    assert head.startswith("roles.released_as_collected: 10 columns of the source are in no role, scenario or step")
    assert lines[:10] == [f'"{name}": {told}' for name, told in UNDECIDED.items()]
    assert tuple(lines[-2:]) == LINES
    for door in (["release", str(file)], ["release", str(file), "--plan"]):
        assert main(door) == 2
        err = capsys.readouterr().err
        assert all(f"\n    {line}\n" in err for line in lines)
    assert "Alabama" not in problem
    assert "57800000" not in problem
    # pasted, they are what the file says
    assert read_release(release("\n".join(LINES), kind=kind)).roles.drop == ("UTILNAME",)


@pytest.mark.slow
def test_a_column_is_decided_by_role_scenario_or_step_and_by_nothing_else(release):
    rows = f"{BASE}, range % 3 AS a, range % 4 AS b, range * 1.0 AS x FROM range(40)"
    swap = '[[steps]]\nmask = "rank_swap"\ncolumns = ["x"]\np = 5\nstratum = "a"'
    round_ = '[[steps]]\nmask = "round"\ncolumns = ["x"]\nbase = 5\nwhere = "a = 1"\n'
    loss = '[loss]\ncolumns = ["b"]\nlimits = ["direct_distance.distance <= 1"]\n'
    wrong = []
    for roles, steps, left in (
        ("", "", "a b x"), ('sensitive = ["A"]', "", "b x"), ('ghosts = { k = ["a"] }', "", "b x"),
        ('strata = ["a"]', "", "b x"), ('drop = ["a"]\nidentifiers = ["B"]', "", "x"), ("", swap, "b"),
        ("", round_ + loss, "a b"), ('small_weights = "at_least_one"', "", "a b x"),
        ('released_as_collected = ["X", "a"]', "", "b"),
        ('household = "a"', '[[scenarios]]\nname = "t"\nkeys = ["b"]\nneighbourhood = { columns = ["x"] }', ""),
    ):  # fmt: skip
        file = release(roles, steps, rows)
        found = "" if not left else " ".join(
            line.split('"')[1] for line in problems(file)[0].split("\n    ") if line.startswith('"'))  # fmt: skip
        if not left:
            read_release(file)
        if found != left:
            wrong.append((roles, steps, found))
    assert wrong == []
    # a column that is called as a word of the roles is decided by no such word
    rows = 'SELECT range AS id, range % 2 AS k, 1.0 AS weight, 2 AS error, 3 AS "at_least_one" FROM range(9)'
    assert problems(release('small_weights = "at_least_one"', rows=rows))[0].count("unique by itself") == 2


def test_what_is_said_to_be_as_collected_is_so(release):
    rows = f"{BASE}, range // 2 AS home, 'x' || range % 3 AS a FROM range(40)"
    pram = '[[steps]]\nmask = "pram_retention"\ncolumns = ["a"]\nretention = 0.9'
    for roles, steps, told in (
        ('released_as_collected = ["a", "home"]', pram, "a is changed by steps[0]: take it out of one of them."),
        ('released_as_collected = ["a", "id", "home"]', "", 'id is not: output.ids is "drop".'),
        ('household = "home"\nreleased_as_collected = ["a", "home"]', "", 'home is not: output.households is "recode'),
        ('drop = ["home"]\nreleased_as_collected = ["a", "HOME"]', "", "HOME is one of roles.drop, which are not read"),
        ('drop = ["home", "a", "home"]', "", "home is named twice"),
        ('drop = ["id"]', "", "id is one of roles.drop, which are not read at all."),
        ('drop = ["hom"]', "", "The column 'hom' is not a column of the source"),
    ):
        assert any(told in problem for problem in problems(release(roles, steps, rows))), (roles, told)


@pytest.mark.slow
def test_reports_and_certificates_list_what_left_as_collected(release, tmp_path, capsys):
    rows = f"{BASE}, range % 5 AS \"it's\", 'x' AS gone, 7 AS y FROM range(40)"
    steps = '[[steps]]\nmask = "round"\ncolumns = ["y"]\nbase = 5'
    file = release('drop = ["gone"]\nreleased_as_collected = ["it\'s"]', steps, rows)
    assert main(["release", str(file), "--plan"]) == 0
    out = capsys.readouterr().out
    assert "Not read, dropped: gone\n" in out
    assert "Released as collected: k, weight, it's\n" in out
    with duckdb.connect() as con:
        outcome = run_release(file, con)
        assert "Released as they were collected: k, weight, it's." in public_report(outcome, "markdown")
        assert "gone" not in outcome.columns_before
    assert "| not released | gone, id |" in (tmp_path / "users.md").read_text()
    house = (tmp_path / "house.md").read_text()
    assert "| it's | other | released as collected | none |" in house
    assert re.search(r"\| y \| \w+ \| [^|]+ \| (?!none|not released)[^|]+ \|", house)
    assert duckdb.read_csv(str(tmp_path / "out.csv")).columns == ["k", "weight", "it's", "y"]
    for name in ("c", "p"):
        certificate = tmp_path / f"{name}.json"
        assert json.loads(certificate.read_text())["released_as_collected"] == ["k", "weight", "it's"]
        found = verify(certificate, tmp_path / "out.csv", release=file if name == "c" else None)
        assert found.holds, found.failed
        assert "released_as_collected" in {check.field for check in found.checks}
    with pytest.raises(ReleaseFileError, match="by oversight"):  # the file is another: told before anything is run
        verify(tmp_path / "c.json", tmp_path / "out.csv", release=release('drop = ["gone"]', steps, rows))


@pytest.mark.slow
def test_certificates_that_say_too_much_are_found(release, tmp_path):
    rows = f"{BASE}, range % 7 AS y FROM range(40)"
    run_release(release("", '[[steps]]\nmask = "round"\ncolumns = ["y"]\nbase = 5', rows))
    for name in ("c", "p"):
        said = json.loads((tmp_path / f"{name}.json").read_text())
        for listed in (["k", "weight", "y"], ["k", "none"]):
            fields = {n: v for n, v in said.items() if n not in ("marks", "digest")}
            other = sealed.seal_fields(fields | {"released_as_collected": listed})
            (tmp_path / "other.json").write_text(json.dumps(other))
            assert verify(tmp_path / "other.json", tmp_path / "out.csv").failed == ("released_as_collected",)


@pytest.mark.slow
def test_numbers_codes_and_names_among_texts():
    """By hand: which texts are numbers, and which are names."""
    wrong = []
    for values, numbers, names in (
        (["57800000", "116258.5"] * 3, True, False), (["1e5", "-2", " 3.5 "], True, False), (["1,5", "2"], True, False),
        (["017", "18.5", "19.25"], False, False), (["1", "2", "3"], False, False), (["2010", "2011"], False, False),
        ([str(i * i * 7) for i in range(40)], True, False), ([str(1000 + i) for i in range(40)], False, False),
        (["1.5"] * 96 + ["NA"] * 4, True, False), (["1.5"] * 90 + ["NA"] * 10, False, False), ([], False, False),
        ([f"{a}{b}na Li" for a in "ABCDEFG" for b in "aeiou"], False, True), (["Some School", "None"], False, False),
        ([f"FIRM{chr(65 + i % 26)}{chr(65 + i // 26)}, INC." for i in range(40)], False, True),
        ([f"some thing {i}" for i in range(40)], False, False), (["inf", "nan", "1.5"], False, False),
        ([None] * 3, False, False),
    ):  # fmt: skip
        with duckdb.connect() as con:
            con.execute("CREATE TABLE k (x VARCHAR)")
            con.executemany("INSERT INTO k VALUES (?)", [[v] for v in values] or [[None]])
            (its,) = facts.find_row_facts(con, query.call_macro("query_table", "k"))
        if (its.numbers, its.like_names) != (numbers, names):
            wrong.append((values[:2], its))
    assert wrong == []


@pytest.mark.slow
def test_an_unedited_proposal_is_never_accepted(tmp_path, capsys):
    """Also where nothing but keys and an id is there; and what is emptied without a decision is an error again."""
    few = "SELECT range AS id, range % 2 AS sex FROM range(40)"
    for i, rows in enumerate((ROWS, few, "SELECT 1 AS age", "SELECT 'Ann Lee' AS name, 2 AS f")):
        raw, file = tmp_path / f"raw{i}.parquet", tmp_path / f"r{i}.toml"
        duckdb.sql(f"COPY ({rows}) TO '{raw}'")
        propose_release(raw, file)
        for options in ([], ["--plan"]):
            assert main(["release", str(file), *options]) == 2
            assert "nothing is run before this list is empty" in capsys.readouterr().err
        said = tomllib.loads(file.read_text())["to_decide"]
        (problem,) = problems(file)
        assert all(" ".join(question.split()) in problem for question in said)
        assert not list(tmp_path.glob("*released*"))
    roles = tomllib.loads((tmp_path / "r0.toml").read_text())["roles"]
    assert "UTILNAME" in roles["identifiers"]
    text = (tmp_path / "r0.toml").read_text()
    assert r'"spent  it' in text
    assert "numbers that are written as texts, which no step on numbers takes" in text
    (tmp_path / "r0.toml").write_text(text[text.index("[source]") :])
    assert problems(tmp_path / "r0.toml")[0].startswith("roles.released_as_collected: ")


HOUSES = """
    SELECT range AS record, range // 3 * 7 + 1000 AS "oriHID", range % 3 + 1 AS pid, range % 2 AS sex,
           20 + range % 50 AS age, 100.0 AS sampling_weight, 50.0 + range % 3 AS household_weights,
           (range * 7919 % 60 * 1000 + range)::BIGINT AS spent, range % 3 + 1 AS order_of_birth, 5 + range % 6 AS rooms
    FROM range(60)
"""


@pytest.mark.slow
def test_households_weights_and_numbers_of_members_are_found(tmp_path):
    duckdb.sql(f"COPY ({HOUSES}) TO '{tmp_path}/raw.parquet'")
    text = propose_release(tmp_path / "raw.parquet", tmp_path / "r.toml").read_text()
    said = tomllib.loads(text)
    assert said["roles"] == {"id": "record", "household": "oriHID", "weight": "sampling_weight"}
    assert said["scenarios"][0]["keys"] == ["sex", "age", "rooms"]
    assert '# sensitive = ["spent"]' in text
    asked = {line.split('"')[1]: line for line in said["to_decide"][2:]}
    assert {*asked} == {"pid", "household_weights", "spent", "order_of_birth"}
    assert all("numbers the persons of a household" in asked[name] for name in ("pid", "order_of_birth"))
    assert asked["household_weights"].endswith("a weight?")


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_stata_and_spss_files_stay_what_they_are(ending, tmp_path):
    pyreadstat, polars = pytest.importorskip("pyreadstat"), pytest.importorskip("polars")
    frame = polars.DataFrame({"id": range(60), "sex": [1, 2] * 30, "job": [1, 2, 3] * 20})
    labels = {"sex": {1: "man", 2: "woman"}, "job": {1: "clerk", 2: "cook", 3: "king"}}
    getattr(pyreadstat, f"write_{ending[1:]}")(
        frame, str(tmp_path / f"raw{ending}"), column_labels={"sex": "sex of the person", "job": "what it's"},
        variable_value_labels=labels,
    )  # fmt: skip
    file = propose_release(tmp_path / f"raw{ending}", tmp_path / "r.toml")
    said = tomllib.loads(file.read_text())
    assert said["output"]["path"] == f"r-released{ending}"
    text = file.read_text()
    file.write_text(text[text.index("[source]") :])
    run_release(file)
    _, meta = getattr(pyreadstat, f"read_{ending[1:]}")(str(tmp_path / f"r-released{ending}"))
    assert meta.variable_value_labels == labels
    assert meta.column_names_to_labels == {"sex": "sex of the person", "job": "what it's"}


def test_the_proposals_for_real_files(shared, tmp_path):
    wrong = []
    for name, roles, told in (
        ("testdata", {"household": "ori_hid", "weight": "sampling_weight",
                      "household_columns": ["urbrur", "roof", "walls", "water", "electcon"]},
         {"household_weights": "a weight?", "expend": "unique by itself in 4,580 of 4,580 records (100 %)",
          "savings": "unique by itself in 4,578 of 4,580 records (99.9 %)"}),
        ("eusilc_population", {"id": "id", "household": "hid", "household_columns": [
            "region", "hsize", "eqsize", "eqIncome", "hy040n", "hy050n", "hy070n", "hy080n", "hy090n", "hy110n",
            "hy130n", "hy145n"]},
         {"pid": "numbers the persons", "eqIncome": "24,978 values"}),
        ("ghana_survey", {"household": "hhid", "household_columns": ["hsize", "region", "clust"]},
         {"weight": "a weight?", "clust": "texts, 580 values"}),
        ("cascrefmicrodata", {"weight": "AFNLWGT"}, {"AGI": "1,080 of 1,080"}),
        ("tarragona", {}, {"SALES": "828 of 834 records (99.2 %)"}), ("adult", {}, {"salary-class": "texts, 2 values"}),
        ("francdat", {}, {"Num3": "8 of 8", "w": "a weight?"}), ("fars_coded", {}, {}),
    ):  # fmt: skip
        file = propose_release(shared / "data" / f"{name}.parquet", tmp_path / f"{name}.toml")
        said = tomllib.loads(file.read_text())
        asked = {line.split('"')[1]: line for line in said["to_decide"] if line.startswith('"')}
        missing = {c for c, words in told.items() if words not in asked.get(c, "")}
        keys = {*said["scenarios"][0]["keys"]}
        if said["roles"] != roles or missing or keys & {"pid", "weight", "w", "clust", "ori_hid", "Num3"}:
            wrong.append((name, said["roles"], missing, keys))
        assert problems(file)[0].startswith("to_decide: ")
    assert wrong == []


@pytest.mark.slow
def test_amounts_that_r_wrote_as_texts_of_a_real_file(shared, tmp_path):
    """R writes whole numbers without a point, so that DuckDB reads the column as text."""
    raw = tmp_path / "raw.csv"
    written = "regexp_replace(savings::VARCHAR, '\\.0$', '') AS savings"
    rows = f"SELECT row_number() OVER () AS record, sex, age, urbrur, {written}"
    duckdb.sql(f"COPY ({rows} FROM '{shared}/data/testdata.parquet') TO '{raw}'")
    file = propose_release(raw, tmp_path / "r.toml")
    (line,) = [line for line in tomllib.loads(file.read_text())["to_decide"] if line.startswith('"savings"')]
    assert line == (
        '"savings": texts, 4,579 values; unique by itself in 4,578 of 4,580 records (99.9 %); numbers read as text, '
        "which a step on numbers reads as numbers"
    )
    assert 'written as texts, which a step on numbers reads as numbers: ["savings"]' in file.read_text()
    text = file.read_text().replace('# [[steps]]\n# mask = "microaggregate"\n# columns = ["savings"]\n# k = 3',
                                    '[[steps]]\nmask = "microaggregate"\ncolumns = ["savings"]\nk = 3')  # fmt: skip
    file.write_text(text[text.index("[source]") :])
    assert run_release(file).accepted
    ((fewest,),) = duckdb.sql(
        f"SELECT min(n) FROM (SELECT count(*) AS n FROM '{tmp_path}/r-released.csv' GROUP BY savings)"
    ).fetchall()
    assert fewest >= 3
