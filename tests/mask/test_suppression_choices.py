"""Local suppression: ghost variables, the records that may be suppressed, and limits on how much of a key is."""

from __future__ import annotations

import json

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, InputError

GUARANTEES = pytest.mark.parametrize("guarantee", ["identical", "strong", "wildcard"])


@pytest.fixture
def towns(con):
    """Return a table named k, with columns f and Select and a quote in a name; the town tells the region."""
    con.execute(
        """
        CREATE TABLE k AS
        SELECT i AS id, i % 7 // 3 AS f, ['n', 's', NULL, 's', 'n', 'n', 'e'][1 + i * i % 7] || i % 4 AS "Select",
               ('t' || i % 5) AS "it's a town", 1.5 * i AS lat, i % 4 > 0 AS adult
        FROM range(40) AS r(i)
        """
    )
    return sdc_sql.Microdata(con, "k", keys=["f", "Select"], id="id")


GHOSTS = {"Select": ["it's a town", "lat"], "f": ["lat"]}


@pytest.mark.one_in(3)
@GUARANTEES
def test_ghosts_become_null_with_their_key_and_only_then(towns, guarantee):
    con = towns.con
    step = towns.mask.local_suppression(4, guarantee=guarantee, ghosts=GHOSTS, into="r")
    assert step.columns == ("f", "Select", "it's a town", "lat")
    assert step.parameters["ghosts"] == GHOSTS
    joined = 'FROM r JOIN k AS o USING (id) SELECT r.f IS NULL, o."Select" IS NOT NULL AND r."Select" IS NULL, '
    rows = con.execute(
        joined + 'r."it\'s a town" IS NULL, r.lat IS NULL, r.lat = o.lat, r."it\'s a town" = o."it\'s a town"'
    )
    found = rows.fetchall()
    assert all((town, lat) == (select, f or select) for f, select, town, lat, _, _ in found)
    assert all(same is not False and alike is not False for *_, same, alike in found)
    assert sum(town for _, _, town, *_ in found) == step.parameters["suppressions"]["Select"] > 0
    plain = towns.mask.local_suppression(4, guarantee=guarantee, into="plain")
    assert plain.parameters["suppressions"] == step.parameters["suppressions"]  # they are no keys
    sql = f"""FROM sdc_local_suppression('k', ['f', 'Select'], 4, 'id', guarantee := '{guarantee}',
              ghosts := MAP {{'SELECT': ['it''s a town', 'lat'], 'f': ['lat']}}) ORDER BY id"""
    assert con.execute(sql).fetchall() == con.execute("FROM r ORDER BY id").fetchall()


def test_ghosts_in_place_are_of_the_same_step(towns):
    step = towns.mask.local_suppression(4, ghosts=GHOSTS)
    ((columns,),) = towns.con.execute("SELECT columns FROM sdc_steps").fetchall()
    assert tuple(columns) == step.columns
    missing = towns.con.execute('SELECT count(*) FROM k WHERE "it\'s a town" IS NULL').fetchone()
    assert missing == (step.parameters["suppressions"]["Select"],)


def test_wrong_ghosts(towns):
    for wrong, words in (
        ({"nowhere": ["lat"]}, "nowhere"),
        ({"lat": ["adult"]}, "lat, which is none of the keys"),
        ({"f": "lat"}, "a list of columns for keys"),
        ({"f": ["Select"]}, "Select is a ghost variable and also a key"),
        ({"f": ["id"]}, "id is a ghost variable"),
        (["lat"], "a list of columns for keys"),
    ):
        with pytest.raises(InputError, match=words):
            towns.mask.local_suppression(2, ghosts=wrong)
    for wrong, words in (
        ("{'nowhere': ['lat']}", "nowhere"), ("{'lat': ['adult']}", "lat .with ghosts, but none of the keys"),
        ("{'f': ['far']}", "far"), ("{'f': ['id']}", "is the id"), ("{'f': ['Select']}", "twice"),
    ):  # fmt: skip
        with pytest.raises(duckdb.Error, match=words):
            towns.con.execute(
                f"FROM sdc_local_suppression('k', ['f', 'Select'], 2, 'id', ghosts := {wrong})"
            ).fetchall()
    towns.con.execute("ALTER TABLE k ALTER lat SET NOT NULL")
    with pytest.raises(ColumnError, match="lat of k must not be NULL"):
        towns.mask.local_suppression(4, ghosts=GHOSTS)


def count(con, table: str, sql: str) -> int:
    return con.execute(f"SELECT count(*) FROM {table} {sql}").fetchone()[0]


@pytest.mark.one_in(3)
@GUARANTEES
def test_only_records_of_the_subset_are_changed_and_they_are_made_safe(towns, guarantee):
    con = towns.con
    step = towns.mask.local_suppression(4, guarantee=guarantee, subset="adult", into="r")
    assert step.parameters["subset"] == "adult"
    assert step.parameters["subset_records"] == count(con, "k", "WHERE adult")
    changed = 'JOIN k AS o USING (id) WHERE (r.f, r."Select") IS DISTINCT FROM (o.f, o."Select")'
    assert count(con, "r", changed) == count(con, "r", f"{changed} AND o.adult") == step.changed > 0
    # each record of the subset by brute force, against all records
    rows = con.execute('SELECT o.adult, r.f, r."Select", o.f, o."Select" FROM r JOIN k AS o USING (id)').fetchall()
    for adult, *own in rows:
        if adult and guarantee == "identical":
            assert sum(own[:2] == [f, s] for _, f, s, *_ in rows) >= 4
        elif adult:
            others = [(f, s) for _, _, _, f, s in rows] if guarantee == "strong" else [(f, s) for _, f, s, *_ in rows]
            wild = guarantee == "wildcard"
            alike = [
                all(a is None or a == b or (wild and b is None) for a, b in zip(own, other, strict=False))
                for other in others
            ]
            assert sum(alike) >= 4
    # by a condition, and in SQL
    by_condition = towns.mask.local_suppression(4, guarantee=guarantee, subset="id % 4 >= 1 AND ADULT", into="c")
    assert by_condition.parameters["subset"] == "id % 4 >= 1 AND ADULT"
    assert count(con, "(FROM r EXCEPT FROM c)", "") == 0
    call = f"sdc_local_suppression('k', ['f', 'Select'], 4, 'id', guarantee := '{guarantee}', subset := 'adult')"
    assert count(con, f"(FROM r EXCEPT FROM {call})", "") == 0


@pytest.mark.slow
def test_a_record_outside_the_subset_hides_one_of_it(con):
    con.execute(
        "CREATE TABLE t AS "
        "FROM (VALUES (1, 'a', 'b', true), (2, 'a', NULL, false), (3, 'a', NULL, false)) AS v(id, x, y, p)"
    )
    data = sdc_sql.Microdata(con, "t", keys=["x", "y"], id="id")
    data.mask.local_suppression(3, subset="p", into="r")
    assert con.execute("FROM r ORDER BY id").fetchall()[0] == (1, "a", None, True)
    con.execute("UPDATE t SET x = id")
    with pytest.raises(InputError, match="1 records that may be suppressed are too few for k = 3"):
        data.mask.local_suppression(3, subset="p", into="s")


@pytest.mark.slow
def test_in_place_by_a_condition(towns):
    towns.con.execute("CREATE TABLE before AS FROM k")
    step = towns.mask.local_suppression(4, subset="lat < 30")
    assert count(towns.con, "(FROM before EXCEPT FROM k)", "WHERE lat >= 30") == 0
    assert count(towns.con, "(FROM before EXCEPT FROM k)", "") == step.changed > 0


@pytest.mark.slow
def test_wrong_subsets(towns):
    for wrong, words in (
        ("adlt", "Did you mean 'adult'"),
        ("f", "subset .f. must be a column of truth values"),
        ("lat + 1", "must be a column of truth values"),
        ("lat >", "cannot be read as a condition"),
        ("id IN (SELECT id FROM k)", "which a condition here may not"),
        ("EXISTS (FROM k)", "which a condition here may not|cannot be read"),
        ("random() > 0.5", "which a condition here may not"),
        ("getenv('HOME') = 'a'", "which a condition here may not"),
        ("adult; DROP TABLE k", "cannot be read"),
        ("other.k.lat > 3", "columns of the table alone"),
        ("nowhere > 3", "nowhere"),
        ("lat > 1000", "No record is of the subset"),
        (3, "a column of truth values"),
    ):
        with pytest.raises(InputError, match=words):
            towns.mask.local_suppression(2, subset=wrong, into="r")
    with pytest.raises(duckdb.Error, match="must be a column of truth values"):
        towns.con.execute("FROM sdc_local_suppression('k', ['f', 'Select'], 2, 'id', subset := 'lat')").fetchall()


@pytest.mark.slow
def test_on_the_command_line(towns, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    towns.con.execute("COPY k TO 'k.parquet'")
    command = ["mask", "local_suppression", "k.parquet", "--id", "id", "--columns", "f,Select", "--k", "4", "--json"]
    assert main([*command, "--ghosts", json.dumps(GHOSTS), "--subset", "lat < 30", "--output", "r.parquet"]) == 0
    (step,) = json.loads(capsys.readouterr().out)
    assert step["columns"] == ["f", "Select", "it's a town", "lat"]
    towns.mask.local_suppression(4, ghosts=GHOSTS, subset="lat < 30", into="r")
    assert towns.con.execute("FROM 'r.parquet' EXCEPT FROM r").fetchall() == []


@pytest.fixture
def couples(con, fixtures):
    con.execute(f"CREATE TABLE couples AS FROM '{fixtures / 'cps_couples.parquet'}' WHERE couple % 16 = 0")
    keys = ["region", "education", "children_under_6", "children_6_to_18"]
    return sdc_sql.Microdata(con, "couples", keys=keys, id="couple")


@pytest.mark.slow
@GUARANTEES
def test_no_more_than_a_share_of_a_key_is_suppressed(couples, guarantee):
    plain = couples.mask.local_suppression(3, guarantee=guarantee, into="plain").parameters["suppressions"]
    records = count(couples.con, "couples", "")
    most = max(plain, key=plain.get)
    share = 0.7 * plain[most] / records
    step = couples.mask.local_suppression(3, guarantee=guarantee, max_share={most: share}, into="limited")
    suppressed = step.parameters["suppressions"]
    assert suppressed[most] <= share * records < plain[most]
    assert step.parameters["suppression_cost"] == sum(suppressed.values())
    least = step.parameters.get("least_cost")
    assert least is None if guarantee == "wildcard" else least <= sum(suppressed.values()) <= 1.5 * least
    shares = [share if key == most else None for key in couples.keys]
    call = f"'couples', {list(couples.keys)}, 3, 'couple', '{guarantee}', max_share := {shares}".replace("None", "NULL")
    assert count(couples.con, f"(FROM limited EXCEPT FROM sdc_local_suppression({call}))", "") == 0


@pytest.mark.slow
def test_wrong_shares(couples):
    for wrong, words in (
        (1.5, "a number from 0 to 1"),
        ({"region": 0.1, "education": 2}, "max_share of the key education is 2"),
        ([0.1, 0.2], "one for each key"),
        ({"hours": 0.1}, "hours"),
        (True, "a number from 0 to 1"),
        (
            0,
            "max_share was not met: of the key [a-z0-9_]+ at most 0 of .*, and the nearest answer found suppresses 0.0",
        ),
    ):
        with pytest.raises(InputError, match=words):
            couples.mask.local_suppression(3, guarantee="strong", max_share=wrong, into="r")
    with pytest.raises(duckdb.Error, match="max_share of the key region is 3, outside"):
        couples.con.execute("FROM sdc_local_suppression('couples', ['region'], 3, 'couple', max_share := 3)").fetchall()


def test_a_subset_of_numbers_is_refused(con):
    """1 and 0 could be codes: that a column says who is of the subset, its type has to say."""
    con.execute(
        "CREATE TABLE small AS SELECT range AS id, range % 2 AS sex, (range % 2)::INTEGER AS chosen FROM range(8)"
    )
    with pytest.raises(duckdb.Error, match=r"The subset \(chosen\) must be a column of truth values"):
        con.execute("FROM sdc_local_suppression('small', ['sex'], 2, 'id', subset := 'chosen')").fetchall()


@pytest.mark.slow
@pytest.mark.whole
def test_k_alike_are_enough_in_a_subset(con):
    con.execute("CREATE TABLE homes AS SELECT range AS id, range % 2 AS sex, range < 4 AS chosen FROM range(6)")
    for guarantee in ("identical", "wildcard"):
        data = sdc_sql.Microdata(con, "homes", keys=["sex"], id="id")
        assert data.mask.local_suppression(3, guarantee=guarantee, subset="chosen", into=guarantee).changed == 0


def test_the_proof_of_a_subset_regards_its_records_alone(con):
    """Of five records three may be suppressed, among all; the two others stay, whatever they are."""
    con.execute("""CREATE TABLE t AS FROM (VALUES (1, 'a', true), (2, 'a', false), (3, 'b', NULL), (4, 'c', true),
                   (5, 'd', true)) AS v(id, f, free)""")
    con.execute("CREATE TABLE r AS SELECT id, if(id > 3, NULL, f) AS f FROM t")

    def proved(k, guarantee, released="r"):
        call = f"sdc__suppression_proof_of_subset('t', '{released}', ['f'], {k}, '{guarantee}', 'id', 'free')"
        return execute(con, f"SELECT suppressions, below_identical, subset_records FROM {call}").fetchall()

    assert proved(2, "identical") == [({"f": 2}, 1, 3)]  # b is alone, and none of them
    assert proved(3, "wildcard") == [({"f": 2}, 5, 3)]
    with pytest.raises(duckdb.Error, match="1 released records are without the guarantee 'strong'"):
        proved(3, "strong")
    con.execute("CREATE TABLE s AS SELECT id, if(id > 2, NULL, f) AS f FROM t")
    with pytest.raises(duckdb.Error, match="1 released records are without the guarantee"):  # the third had to stay
        proved(2, "identical", "s")
