"""Masks of columns of the household: members get one masked value, that of one record a household."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from math import sqrt

import duckdb
import pytest

import sdc_sql
from sdc_sql import ColumnError, InputError, Microdata, ParameterError
from sdc_sql.cli import main

NAMES = ("id", "hh x", "Select", "f", "k", "stratum")


def survey(con, *, households=60, missing=0.1, miscoded=0.0, seed=1):
    """Store a table named k: the region and the rent are of the household, the age is not; return its rows."""
    draw = random.Random(seed)  # noqa: S311
    rows = []
    for h in range(households):
        region, rent = draw.choice("nswe"), float(draw.randint(100, 2000))
        for _ in range(draw.randint(1, 4)):
            own = "x" if draw.random() < miscoded else region
            rows.append((len(rows), h, None if draw.random() < missing else own, rent, draw.randint(1, 80), h % 2))
    kinds = ("INTEGER", "INTEGER", "VARCHAR", "DOUBLE", "INTEGER", "INTEGER")
    made = ", ".join(f'"{n}" {kind}' for n, kind in zip(NAMES, kinds, strict=True))
    con.execute(f'CREATE OR REPLACE TABLE "k" ({made})')
    con.executemany("INSERT INTO k VALUES (?, ?, ?, ?, ?, ?)", rows)
    return rows


def described(con, table="k", **roles):
    given = {"id": "id", "household": "hh x", "household_columns": ["Select", "f"], "keys": ["Select", "k"]}
    return Microdata(con, table, **(given | roles))


def by_hand(rows, place):
    """Return the records of the households and, of each person, whose it is and whether its own value is missing."""
    shown = defaultdict(set)
    for row in rows:
        if row[place] is not None:
            shown[row[1]].add(row[place])
    homes, members = {}, {}
    for row in rows:
        value = row[place]
        if value is None and len(shown[row[1]]) == 1:
            (value,) = shown[row[1]]
        text = {None: None, str: value, float: f"{value:g}" if isinstance(value, float) else ""}[
            type(value) if value is not None else None
        ]
        part = "-" if text is None else f"{len(text)}:{text}"
        home = f"household {len(str(row[1]))}:{row[1]}{part}"
        homes[home] = (value, row[5])
        members[row[0]] = home, row[place] is None and value is not None
    return homes, members


@pytest.mark.parametrize(
    ("miscoded", "most"),
    [(0.2, 1), pytest.param(0.0, 4, marks=pytest.mark.slow), pytest.param(0.2, 4, marks=pytest.mark.slow)],
)
def test_members_take_what_one_record_a_household_gets(keyed, miscoded, most):
    """Masking is that of a table that was made by hand, joined back: the same draws, whoever lives in the household."""
    con = keyed
    rows = survey(con, miscoded=miscoded)
    wrong = []
    masks = {
        "Select": (lambda d, c, t: d.mask.pram_guaranteed(0.7, keys=[c], into=t),
                   lambda d, c, t: d.mask.data_swap([c], 0.6, equal=["stratum"], into=t),
                   lambda d, c, t: d.mask.microaggregate_categorical([c], 20, scale="nominal", into=t)),
        "f": (lambda d, c, t: d.mask.rank_swap(c, 20, stratum="stratum", into=t),
              lambda d, c, t: d.mask.noise([c], 0.5, method="linear", into=t),
              lambda d, c, t: d.mask.multiplicative_noise(c, 0.1, method="hoehne", into=t),
              lambda d, c, t: d.mask.microaggregate(c, 4, into=t)),
    }  # fmt: skip
    for column, of_column in masks.items():
        homes, members = by_hand(rows, NAMES.index(column))
        kind = "VARCHAR" if column == "Select" else "DOUBLE"
        con.execute(f'CREATE OR REPLACE TABLE homes (id VARCHAR, "{column}" {kind}, stratum INTEGER)')
        con.executemany("INSERT INTO homes VALUES (?, ?, ?)", [(h, *values) for h, values in homes.items()])
        for number, mask in enumerate(of_column[-most:]):
            step = mask(described(con), column, "released")
            mask(Microdata(con, "homes", id="id"), column, "expected")
            of_homes = dict(con.execute(f'SELECT id, "{column}" FROM expected').fetchall())
            found = con.execute(f'SELECT id, "{column}" FROM released').fetchall()
            con.execute("DROP TABLE released; DROP TABLE expected")
            expected = {i: None if own else of_homes[home] for i, (home, own) in members.items()}
            if dict(found) != expected or step.parameters["household_records"] != len(homes) or not step.changed:
                wrong.append((column, number))
    assert wrong == []


def right(con, table):
    """Count the households whose region an intruder has right, who takes what most of its members show."""
    of_member = con.execute(f'SELECT t."hh x", t."Select", k."Select" FROM "{table}" t JOIN k USING (id)').fetchall()
    shown, true = defaultdict(Counter), {}
    for h, released, own in of_member:
        shown[h][released] += 1
        true[h] = own
    best = {h: max(sorted(votes), key=votes.__getitem__) for h, votes in shown.items()}
    return sum(best[h] == true[h] for h in true)


@pytest.mark.slow
def test_who_knows_all_members_has_one_draw(keyed):
    """By record the members vote; by household the most frequent value is right no oftener than the draw itself is."""
    n, stays = 300, 0.4
    keyed.execute(f"""CREATE TABLE k AS SELECT row_number() OVER () AS id, h AS "hh x", 'nswe'[1 + h % 4] AS "Select",
                             0.0 AS f, 0 AS k FROM range({n}) t(h), range(7) u(m)""")
    described(keyed).mask.pram_retention("Select", stays, into="whole")
    described(keyed, household_columns=[]).mask.pram_retention("Select", stays, into="torn")
    described(keyed, household_columns=None).mask.pram_retention("Select", stays, into="found")
    bound = n * stays + 4 * sqrt(n * stays * (1 - stays))
    assert right(keyed, "whole") <= bound < right(keyed, "torn")
    assert keyed.execute("SELECT count(*) FROM (FROM whole EXCEPT FROM found)").fetchone() == (0,)  # found by itself


@pytest.mark.slow
def test_what_cannot_be_masked_together(keyed):
    survey(keyed)
    data = described(keyed)
    for mask, error, said in (
        (lambda: data.mask.noise(["f", "k"], 0.1), ColumnError, "two steps, f by itself"),
        (lambda: data.mask.pram_guaranteed(0.8), ColumnError, "Select is of the household and k is not"),
        (lambda: data.mask.rank_swap("f", 20, stratum="k"), ColumnError, "differ in k"),
        (lambda: data.where("k < 30").mask.rank_swap("f", 20), ParameterError, "some of the members"),
        (lambda: data.where("k < 30").mask.pram_retention("Select", 0.2), ParameterError, "some of the members"),
        (lambda: Microdata(keyed, "k", id="id").by_household(), ParameterError, "household"),
        (lambda: data.mask.rank_swap("nowhere", 20), ColumnError, "not a column"),
    ):
        before = keyed.execute("FROM k ORDER BY id").fetchall()
        with pytest.raises(error, match=said):
            mask()
        assert keyed.execute("FROM k ORDER BY id").fetchall() == before
    step = data.where("stratum = 1").mask.rank_swap("f", 20)  # whole households
    assert step.parameters["by_household"] == "hh x"
    left = keyed.execute('SELECT count(*) FROM (SELECT "hh x" FROM k GROUP BY ALL HAVING count(DISTINCT f) > 1)')
    assert left.fetchone() == (0,)
    keyed.execute('CREATE TABLE one AS SELECT * FROM k LIMIT 1; UPDATE k SET "hh x" = NULL WHERE id < 3')
    with pytest.raises(InputError):
        described(keyed, "one").mask.rank_swap("f", 20, stratum="hh x")
    alone = Microdata(keyed, "k", id="id").by_household("hh x").mask.microaggregate("f", 3, into="alone")
    homes = keyed.execute('SELECT count(DISTINCT "hh x") + 3 FROM k').fetchone()
    assert (alone.parameters["household_records"],) == homes


@pytest.mark.slow
def test_every_door_gives_the_same(keyed, tmp_path, monkeypatch, capsys):
    """Python, the command line, a release file, the frontier; and the steps, replayed and written down."""
    con = keyed
    (key,) = con.execute("SELECT getvariable('sdc_key')").fetchone()
    monkeypatch.setenv("SDC_KEY", key)
    survey(con)
    con.execute(f"COPY k TO '{tmp_path}/raw.parquet'")
    raw = described(con, f"{tmp_path}/raw.parquet")
    raw.mask.rank_swap("f", 20, into="masked")
    data = described(con, "masked")
    swapped = con.execute("SELECT id, f FROM masked ORDER BY id").fetchall()
    data.mask.microaggregate("f", 5)
    data.undo()
    assert con.execute("SELECT id, f FROM masked ORDER BY id").fetchall() == swapped
    data.mask.pram_guaranteed(0.6, keys=["Select"])
    con.execute("SELECT * FROM masked").fetchall()
    arguments = ["mask", "rank_swap", f"{tmp_path}/raw.parquet", "--id", "id", "--columns", "f", "--p", "20"]
    assert main([*arguments, "--by-household", "hh x", "--output", f"{tmp_path}/out.parquet"]) == 0
    assert con.execute(f"SELECT id, f FROM '{tmp_path}/out.parquet' ORDER BY id").fetchall() == swapped
    assert "by_household" in capsys.readouterr().out
    (found,) = raw.frontier([("rank_swap", {"column": "f", "p": 20})], "k_anonymity.2.records",
                            ("il1.il1", {"columns": ["f"]}))  # fmt: skip
    (loss,) = described(con, "masked").loss.il1(f"{tmp_path}/raw.parquet", columns=["f"])[:1]
    assert found.loss == pytest.approx(loss.il1)
    file = data.to_release_file(
        tmp_path / "release.toml", limits=["k_anonymity.2.records <= 999"], released_as_collected=["stratum"]
    )
    assert file.read_text().count('by_household = "hh x"') == 2
    outcome = sdc_sql.run_release(file, duckdb.connect(), write=False)
    assert [step.parameters["by_household"] for step in outcome.steps] == ["hh x"] * 2
    rows = 'SELECT "Select", f, k FROM {} ORDER BY ALL'
    released = outcome.released.con.execute(rows.format("sdc_release")).fetchall()
    assert released == con.execute(rows.format("masked")).fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("named", [True, False])
def test_a_release_masks_what_is_constant_by_household(keyed, tmp_path, monkeypatch, named):
    """Named or found: accepted files have one value a household, and the step says so; the certificate holds."""
    (key,) = keyed.execute("SELECT getvariable('sdc_key')").fetchone()
    monkeypatch.setenv("SDC_KEY", key)
    survey(keyed, missing=0)
    keyed.execute(f"COPY k TO '{tmp_path}/raw.parquet'")
    (tmp_path / "release.toml").write_text(f"""
        [source]
        path = "raw.parquet"
        [roles]
        id = "id"
        household = "hh x"
        {'household_columns = ["Select", "f", "stratum"]' if named else ""}
        released_as_collected = ["stratum", "k"]
        [[scenarios]]
        name = "neighbour"
        keys = ["Select"]
        limits = ["k_anonymity.3.records <= 0"]
        [[steps]]
        mask = "rank_swap"
        column = "f"
        p = 20
        [[steps]]
        mask = "noise"
        columns = ["f"]
        alpha = 0.1
        [[steps]]
        mask = "pram_retention"
        columns = ["Select"]
        retention = 0.8
        [output]
        path = "released.parquet"
        households = "keep"
        certificate = "certificate.json"
        public_report = "public.md"
    """)
    outcome = sdc_sql.run_release(tmp_path / "release.toml")
    assert outcome.accepted, outcome.reasons
    units = [(s.parameters.get("by_household"), s.parameters.get("unit")) for s in outcome.steps]
    assert units == [("hh x", None), (None, "household"), (None, "household")]
    torn = keyed.execute(f"""SELECT count(*) FROM (SELECT "hh x" FROM '{tmp_path}/released.parquet' GROUP BY ALL
                             HAVING count(DISTINCT f) > 1 OR count(DISTINCT "Select") > 1)""")
    assert torn.fetchone() == (0,)
    assert (tmp_path / "public.md").read_text().count("members with the same value") == 3
    found = sdc_sql.verify(
        tmp_path / "certificate.json", tmp_path / "released.parquet", release=tmp_path / "release.toml"
    )
    assert found.holds, found
