"""A NULL that another member of the household shows is no NULL: completion, and every measure counts on it."""

from __future__ import annotations

import hashlib
import random
from itertools import pairwise

import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError
from sdc_sql.cli import main

ROWS = [(1, 26, "north", "young"), (2, 26, "north", "young"), (3, 26, "north", "young"), (4, 26, None, "old")]


def survey(con, rows=ROWS, name="survey", columns=("id", "household", "region", "age")):
    quoted = ", ".join('"' + c.replace('"', '""') + '"' for c in columns)
    con.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT 0 AS {quoted.split(",")[0]}, 0 AS {quoted.split(",")[1]}, '
                + ", ".join(f"'' AS {c}" for c in quoted.split(",")[2:]) + " LIMIT 0")  # fmt: skip
    con.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(columns))})', rows)
    return con


def completed(rows, columns):
    """Complete rows by hand: (id, household, value, ...)."""
    found = []
    for row in rows:
        new = list(row)
        for j in columns:
            shown = {r[j] for r in rows if r[1] == row[1] and row[1] is not None and r[j] is not None}
            if new[j] is None and len(shown) == 1:
                new[j] = shown.pop()
        found.append(tuple(new))
    return sorted(found, key=lambda r: r[0])


def below(rows, k):
    cells = [r[2:] for r in rows]
    return sum(cells.count(c) < k for c in cells)


@pytest.mark.slow
def test_a_value_that_another_member_shows_is_counted_at_every_door(con, tmp_path, capsys):
    survey(con)
    data = Microdata(con, "survey", keys=["region", "age"], household="household", id="id")
    assert [v.records for v in data.risk.k_anonymity(3)] == [1, 1]  # (north, old) by itself
    assert data.risk.frequency_summary().sample_uniques == 1
    assert data.check_limits(["k_anonymity.3.records <= 0", "k_anonymity.3.records < 2"])[0].holds is False
    assert sorted(data.risk.cells().fetchall()) == [("north", "old", 1), ("north", "young", 3)]
    assert con.execute("SELECT count(*) FROM survey WHERE region IS NULL").fetchone() == (1,)  # it stays as it is
    report = sdc_sql.risk_report(data)
    assert {row["keys" if "keys" in row else "region"] for row in report.riskiest_keys} == {"north"}
    assert [row["records"] for row in report.frequency_distribution if row["cells"]] == [1, 3]
    assert "region (the same for all members of each of 1 households)" in report.households
    wild = Microdata(con, "survey", keys=["region"], household="household", nulls="wildcard")
    assert [v.records for v in wild.risk.k_anonymity(4)] == [0, 0, 0]
    alone = Microdata(con, "survey", keys=["region", "age"], household="household", household_columns=[])
    assert alone.risk.cells().filter("region IS NULL").fetchall() == [(None, "old", 1)]
    con.execute(f"COPY survey TO '{tmp_path}/survey.parquet'")
    keys = ["risk", f"{tmp_path}/survey.parquet", "--keys", "region", "--fail-if", "k_anonymity.4.records > 0"]
    codes = [main([*keys, *more]) for more in ([], ["--household", "household"], ["--household", "household",
             "--household-columns", "region"])]  # fmt: skip
    assert codes == [3, 0, 0]
    assert "NULL counts as known" in capsys.readouterr().out


@pytest.mark.slow
def test_by_hand(con):
    """What is filled in is what a person would fill in, for random tables with odd names; so is what is counted."""
    wrong = []
    names = ("id", "a household", "Select", "k", 'a"b')
    for seed in range(4):
        draw = random.Random(seed)  # noqa: S311
        values = {h: (draw.choice("ns"), draw.choice("xyz")) for h in range(8)}
        rows = []
        for i in range(30):
            h = draw.choice([*values, None])
            own = values.get(h, ("n", "x"))
            region = None if draw.random() < 0.3 else ("s" if draw.random() < 0.05 else own[0])
            rows.append((i, h, region, None if draw.random() < 0.3 else own[1], draw.choice("op")))
        survey(con, rows, "k", names)
        by_hand = completed(rows, (2, 3))
        call = """FROM sdc_completed_households('k', 'A HOUSEHOLD', ['select', 'k']) ORDER BY id"""
        sdc_sql.load(con)
        if con.execute(call).fetchall() != by_hand:
            wrong.append(seed)
        con.execute('UPDATE k SET "a household" = -id - 1 WHERE "a household" IS NULL')
        data = Microdata(con, "k", keys=names[2:], household="a household", household_columns=["SELECT", "k"])
        if [v.records for v in data.risk.k_anonymity(3)] != [below(by_hand, 2), below(by_hand, 3)]:
            wrong.append((seed, "counts"))
    assert wrong == []


@pytest.mark.slow
def test_edges(con):
    survey(con, [*ROWS, (5, None, None, "old"), (6, None, "south", "old"), (7, 27, "south", "old"),
                 (8, 27, "north", "old"), (9, 27, None, "young")])  # fmt: skip
    sdc_sql.load(con)
    found = dict(
        con.execute("SELECT id, region FROM sdc_completed_households('survey', 'household', ['region'])").fetchall()
    )
    assert (found[4], found[5], found[9]) == (
        "north",
        None,
        None,
    )  # nobody is joined by NULL; two values complete nothing
    con.execute("CREATE TABLE empty AS FROM survey LIMIT 0")
    for call, said in (
        ("'empty', 'hh', ['region']", "not a column"), ("'survey', 'household', ['household']", "is the household"),
        ("'survey', 'household', ['regio']", "not a column"), ("'survey', 'hh', ['region']", "not a column"),
    ):  # fmt: skip
        with pytest.raises(Exception, match=said):
            con.execute(f"FROM sdc_completed_households({call})").fetchall()
    con.execute("CREATE VIEW none AS FROM sdc_completed_households('empty', 'household', ['region'])")
    assert con.execute("FROM none").fetchall() == []
    with pytest.raises(Exception, match="no rows"):
        con.execute("FROM sdc_k_anonymity('none', ['region'], 2)")
    con.execute("CREATE VIEW whole AS FROM sdc_completed_households('survey', 'household', ['region'])")
    assert con.execute("FROM sdc_k_anonymity('whole', ['region'], 2)").fetchall() == [(2, 0, 0)]
    with pytest.raises(ParameterError, match="no household"):
        Microdata(con, "survey", household_columns=["region"])
    with pytest.raises(ColumnError, match="household_columns"):
        Microdata(con, "survey", household="id", household_columns="region")


def test_columns_that_are_found(con):
    """Constant is of the household; nearly constant is, where chance gives less; one member alone tells nothing."""
    rows = []
    for h in range(100):
        region = "nswe"[h % 4]
        for m in range(3):
            rows.append((len(rows), h, region if (h, m) != (7, 1) else "x", "a" if (3 * h + m) % 97 else "b", str(m),
                         None if m else str(h)))  # fmt: skip
    survey(con, rows, columns=("id", "household", "region", "nation", "sex", "income"))
    found = {c.variable: c for c in Microdata(con, "survey", household="household").risk.constant_columns()}
    assert (found["region"].constant, found["region"].share) == (99, 0.99)
    assert found["sex"].constant == 0
    assert (found["income"].households, found["income"].share) == (0, None)
    data = Microdata(con, "survey", household="household")
    assert data.household_columns == ("region",)  # nation is as alike between households as within
    assert str(data._roles.list_found_columns(["region"])[0]).startswith(
        "region (the same for all members in 99.00% of 100"
    )


def test_the_original_is_completed_too(con):
    """An intruder who compares meets what both files show: no match is missed because a NULL was filled in."""
    survey(con)
    con.execute("CREATE TABLE original AS FROM survey")
    data = Microdata(con, "survey", keys=["region", "age"], household="household", id="id")
    assert data.linkage.true_reidentification("original").unmatched == 0
    assert data.linkage.suppression_report("original", 2).below_strong == 1


@pytest.mark.slow
@pytest.mark.parametrize("columns", [[], ["region"]])
def test_a_release_counts_on_the_completed_file(con, tmp_path, columns):
    """What is missing in the source is known too; a certificate says which columns, and verify counts likewise."""
    survey(
        con,
        [*ROWS, *((i, i, "north", "old") for i in range(10, 12)), *((i, 99, "south", "old") for i in range(12, 16))],
    )
    con.execute(f"COPY survey TO '{tmp_path}/survey.parquet'")
    (tmp_path / "release.toml").write_text(f"""
        [source]
        path = "survey.parquet"
        [roles]
        id = "id"
        household = "household"
        {f"household_columns = {columns}" if columns else ""}
        [[scenarios]]
        name = "neighbour"
        keys = ["region", "age"]
        limits = ["k_anonymity.3.records <= 0"]
        [output]
        path = "released.parquet"
        certificate = "certificate.json"
    """)
    outcome = sdc_sql.run_release(tmp_path / "release.toml")
    assert outcome.accepted  # (north, old): 2 + the one whose region the others show
    assert [c.name for c in outcome.household_columns] == ([] if columns else ["region"])
    found = sdc_sql.verify(
        tmp_path / "certificate.json", tmp_path / "released.parquet", release=tmp_path / "release.toml"
    )
    assert found.holds, found


def test_init_proposes_the_columns_of_the_household(con, tmp_path):
    """With the share where one member is miscoded; to name a column so is no decision that it may leave."""
    rows = [(4 * h + m, h, "nswe"[h % 4] if (h, m) != (7, 1) else "n", "abcd"[m]) for h in range(40) for m in range(4)]
    survey(con, rows)
    con.execute(f"COPY survey TO '{tmp_path}/survey.parquet'")
    text = sdc_sql.propose_release(tmp_path / "survey.parquet", tmp_path / "release.toml").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("household_columns")]
    assert line.startswith('household_columns = ["region"]')
    assert "97.50% of 40 households" in line


@pytest.mark.slow
def test_a_size_that_is_missing_is_counted(con):
    """Suppressed by other means, as it is or recoded, of whole households: who has their numbers counts them."""
    con.execute("""CREATE TABLE survey AS SELECT row_number() OVER () AS id, h AS household,
                          CASE WHEN h % 10 > 0 THEN 1 + h % 5 END AS size,
                          CASE WHEN h % 7 > 0 THEN least(1 + h % 5, 4) || CASE WHEN h % 5 > 2 THEN '+' ELSE '' END END AS "Select",
                          CASE WHEN h % 6 > 0 THEN 'nswe'[1 + h % 4] END AS region
                   FROM range(200) t(h), range(5) u(m) WHERE m <= h % 5""")  # fmt: skip  # noqa: E501
    keys = ["size", "Select", "region"]
    data = Microdata(con, "survey", keys=keys, household="household", household_columns=keys)
    (both,) = (
        data.risk.cells().aggregate('count(*) FILTER (size IS NULL) + count(*) FILTER ("Select" IS NULL)').fetchall()
    )
    assert both == (0,)
    wrong = data.risk.cells().filter("\"Select\" <> least(size, 4) || CASE WHEN size > 3 THEN '+' ELSE '' END")
    assert wrong.fetchall() == []
    (left,) = data.risk.cells().filter("region IS NULL").aggregate("sum(sample_frequency)").fetchall()
    assert left == (sum(1 + h % 5 for h in range(200) if h % 6 == 0),)  # which no number of members tells
    plain = "sdc_counted_sizes('survey', 'household', ['size', 'Select'])"
    counted = con.execute(f'SELECT count(size), count("Select"), count(region) FROM {plain}').fetchall()
    assert counted == con.execute("SELECT count(*), count(*), count(region) FROM survey").fetchall()
    assert con.execute(f"SELECT count(*) FROM {plain} WHERE size <> 1 + household % 5").fetchall() == [(0,)]
    assert data.risk.counted_sizes("size").columns == ["id", "household", "size", "Select", "region"]
    con.execute("INSERT INTO survey VALUES (0, NULL, NULL, NULL, 'n')")  # by NULL nobody is counted
    assert con.execute(f"SELECT size FROM {plain} WHERE id = 0").fetchall() == [(None,)]
    for columns, said in (
        (["region"], "no size of the household"),
        (["siz"], "not a column"),
        (["household"], "number"),
    ):
        with pytest.raises(Exception, match=said):
            con.execute("FROM sdc_counted_sizes('survey', 'household', ?)", [columns]).fetchall()


def test_every_figure_of_constant_columns_by_hand(con):
    """Households of one member say nothing of what is alike; by chance one has what the next by md5 has."""
    homes = {
        "h1": [("n", "f", 1), ("n", "m", 1)], "h2": [("n", "f", 2), ("s", "f", 2), ("n", "f", 2)],
        "h3": [("n", "f", 3)],
        "h4": [("s", "f", None), ("s", "f", 4)], "h5": [("s", "m", 4), ("s", None, 4)],
        "h6": [("n", "f", 4), ("n", "m", 1)],
    }  # fmt: skip
    con.execute('CREATE TABLE k (home VARCHAR, "Select" VARCHAR, b VARCHAR, c INTEGER)')
    con.executemany("INSERT INTO k VALUES (?, ?, ?, ?)", [(h, *row) for h, members in homes.items() for row in members])
    con.execute("INSERT INTO k VALUES (NULL, 'n', 'f', 9), (NULL, 's', 'f', 9)")
    found = con.execute("FROM sdc_constant_columns('k', 'HOME')").fetchall()
    order = sorted(homes, key=lambda h: hashlib.md5(h.encode()).hexdigest())  # noqa: S324 - an order, no secret
    for row, (j, name) in zip(found, enumerate(["Select", "b", "c"]), strict=True):
        known = {h: [row[j] for row in members if row[j] is not None] for h, members in homes.items()}
        several = [values for values in known.values() if len(values) > 1]
        constant = sum(len({*values}) == 1 for values in several)
        beside = [min(known[h]) == max(known[n]) for h, n in pairwise(order)]
        expected = name, len(several), constant, constant / len(several), sum(beside) / len(beside)
        assert row == (*expected[:3], *map(pytest.approx, expected[3:]))
    assert [row[1:3] for row in found] == [(5, 4), (4, 2), (4, 3)]
    assert con.execute("FROM sdc_constant_columns('k', 'home', columns := ['C'])").fetchall() == found[2:]
