"""The best generalisation: equal to trying all, its known optima, and a file that is k-anonymous, from every door."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import duckdb
import pytest

import sdc_sql
from sdc_sql import cli
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError

KEYS = ["f", "Select"]
LEVELS = {
    "f": sdc_sql.Hierarchy(
        tuple((str(i), str(i // 2), str(i // 4), "*") for i in range(8)), ("f", "two", "four", "all")
    ),
    "Select": sdc_sql.Hierarchy((("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*"), (None, None, "*"))),
}
RECORDS = [(i * i % 8, "abc"[i * i % 5 % 3] if i % 7 else None) for i in range(40)]
LOSSES = ("generalised_loss", "precision", "entropy", "discernibility", "average_class_size")


@pytest.fixture
def k(con):
    """Return a table of awkward names, its rows in no order of the ids."""
    con.execute('CREATE TABLE k (id BIGINT, "f" INTEGER, x DOUBLE, "Select" VARCHAR)')
    con.executemany("INSERT INTO k VALUES (?, ?, 1.5, ?)", [(100 - i, *record) for i, record in enumerate(RECORDS)])
    return sdc_sql.Microdata(con, "k", keys=KEYS, id="id")


def every_release(k: int, most: int) -> dict[tuple[int, int], list[tuple[str | None, ...]]]:
    """Return what each pair of levels releases, where it holds."""
    labels = [{row[0]: row for row in LEVELS[key].rows} for key in KEYS]
    found = {}
    for levels in itertools.product(range(4), range(3)):
        rows = [(labels[0][str(f)][levels[0]], labels[1][s][levels[1]]) for f, s in RECORDS]
        cells = Counter(rows)
        lost = sum(n for n in cells.values() if n < k)
        if lost == 0 or k <= lost <= most:
            found[levels] = [(None, None) if cells[row] < k else row for row in rows]
    return found


SQUARES = "case when suppressed then records * total else records * records end"


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("loss", "share"),
    [*((loss, 0.29) for loss in LOSSES), (SQUARES, 0.29), ("discernibility", 0.1), ("-1", 0.1), ("precision", 0)],
)
def test_the_cheapest_of_all_is_released(k, loss, share):
    most = round(share * 40 // 1)
    allowed = every_release(3, most)
    every = k.mask.generalisations(LEVELS, suppression=share, loss=loss)
    assert len(every) == 12
    at = [(LEVELS["f"].level(g.levels["f"]), LEVELS["Select"].level(g.levels["Select"])) for g in every]
    assert at == list(itertools.product(range(4), range(3)))
    assert {levels for levels, g in zip(at, every, strict=True) if g.holds} == set(allowed)
    step = k.mask.generalise(LEVELS, suppression=share, loss=loss, into="released")
    best = min((g.loss, sum(levels), levels) for levels, g in zip(at, every, strict=True) if g.holds)
    assert step.parameters["loss_found"] == best[0]
    rows = k.con.execute('SELECT f, "Select" FROM released ORDER BY id DESC').fetchall()
    assert rows == allowed[best[2]]
    assert step.parameters["suppressed"] == rows.count((None, None))
    assert step.parameters["levels"] == {
        key: LEVELS[key].names[level] for key, level in zip(KEYS, best[2], strict=True)
    }
    if loss in {"discernibility", SQUARES}:
        cells = Counter(rows)
        lost = cells.pop((None, None), 0)
        assert best[0] == sum(n * n for n in cells.values()) + lost * 40


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    "asked",
    [
        {"sensitive": "x", "l": 2},
        {"sensitive": "x", "l": 2, "diversity": "recursive", "c": 1.5},
        {"sensitive": "x", "l": 1.8, "diversity": "entropy", "t": 0.4},
        {"sensitive": "x", "t": 0.25, "distance": "ordered"},
        {"population": "everyone", "population_k": 9},
        {"weight": "x", "threshold": 20},
        {"weight": 2, "threshold": 8, "population": "everyone", "population_k": 5, "sensitive": "x", "l": 2},
    ],
)
def test_what_else_is_asked_holds_by_its_own_measure(k, asked):
    k.con.execute("UPDATE k SET x = 1 + id * id % 7 // 2")
    k.con.execute(
        'CREATE TABLE everyone AS SELECT "Select", f FROM k UNION ALL SELECT "Select", f FROM k WHERE id % 3 > 0'
    )
    alone = k.mask.generalise(LEVELS, suppression=0.4, into="alone").parameters
    step = k.mask.generalise(LEVELS, suppression=0.4, into="released", **asked)
    assert step.parameters["loss_found"] > alone["loss_found"]
    assert asked.items() <= step.parameters.items()
    kept = "(FROM released WHERE f IS NOT NULL)"
    released = sdc_sql.Microdata(k.con, "released", keys=KEYS, id="id")
    if "l" in asked:
        found = released.risk.l_diversity("x", c=asked.get("c", 2.0))
        assert getattr(found, f"{asked.get('diversity', 'distinct')}_l") >= asked["l"]
        assert step.parameters["least_l"] >= asked["l"]
    if "t" in asked:
        assert released.risk.t_closeness("x", distance=asked.get("distance", "equal")).t <= asked["t"]
    if "threshold" in asked:
        weight = "x" if asked["weight"] == "x" else "2"
        least = k.con.execute(
            f'SELECT min(w) FROM (SELECT sum({weight}) AS w FROM {kept} GROUP BY f, "Select")'
        ).fetchall()
        assert least == [(step.parameters["least_weight"],)]
        assert least[0][0] >= asked["threshold"]
    if "population" in asked:
        levels = [step.parameters["levels"][key] for key in KEYS]
        persons = k.con.execute('SELECT f, "Select" FROM everyone').fetchall()
        columns = zip(KEYS, zip(*persons, strict=True), levels, strict=True)
        of = Counter(zip(*(LEVELS[key].generalised(values, at) for key, values, at in columns), strict=True))
        least = min(of[row] for row in k.con.execute(f'SELECT f, "Select" FROM {kept}').fetchall())
        assert step.parameters["least_population"] == least >= asked["population_k"]
    every = k.mask.generalisations(LEVELS, suppression=0.4, **asked)
    assert min(g.loss for g in every if g.holds) == step.parameters["loss_found"]


def test_the_proofs_refuse(k):
    k.con.execute("CREATE TABLE bad AS SELECT id, f FROM k")
    place = "'k', 'bad', ['f'], 'id'"
    for call in (
        f"sdc__diversity_proof({place}, 'x', 2, 'distinct', 2)",
        f"sdc__closeness_proof({place}, 'Select', 0.01, 'equal')",
        f"sdc__threshold_proof({place}, 'x', 1000)",
    ):
        with pytest.raises(duckdb.Error, match="not as was asked"):
            k.con.execute(f"FROM {call}").fetchall()
    with sdc_sql.mask.hierarchy_tables.make_long_table(k._roles, KEYS, LEVELS) as long:
        k.con.execute("CREATE TABLE few AS SELECT 1 AS f")
        k.con.execute("UPDATE bad SET f = 1")
        with pytest.raises(duckdb.Error, match="not as was asked"):
            k.con.execute(f"FROM sdc__population_proof({place}, '{long}', [0], 'few', 2)").fetchall()


def test_in_place_and_the_log(k):
    before = k.con.execute("SELECT id, x FROM k ORDER BY id").fetchall()
    step = k.mask.generalise(LEVELS, suppression=0.29)
    assert k.con.execute("SELECT id, x FROM k ORDER BY id").fetchall() == before
    types = [row[:2] for row in k.con.execute("DESCRIBE k").fetchall()]
    assert types == [("id", "BIGINT"), ("f", "VARCHAR"), ("x", "DOUBLE"), ("Select", "VARCHAR")]
    assert k.con.execute("SELECT max(records) FROM sdc_k_anonymity('k', ['f', 'Select'], 3)").fetchall() == [(0,)]
    ((method, parameters),) = k.con.execute("SELECT method, parameters FROM sdc_steps").fetchall()
    assert method == "generalise"
    logged = json.loads(parameters)
    assert logged == step.parameters
    assert {"k", "suppression", "loss", "levels", "loss_found", "suppressed", "below_k"} == logged.keys()


@pytest.mark.slow
def test_sql_and_python_release_the_same_whatever_the_order_and_the_threads(k):
    k.con.execute("CREATE TABLE own AS SELECT 0 AS f, 'ab' AS s")
    with sdc_sql.mask.hierarchy_tables.make_long_table(k._roles, KEYS, LEVELS) as long:
        k.con.execute(f"CREATE TABLE levels AS FROM {long}")
    k.mask.generalise(LEVELS, suppression=0.29, loss="entropy", into="released")
    call = "FROM sdc_generalise('{}', ['{}', '{}'], 'levels', 'id', suppression := 0.29, loss := 'entropy') ORDER BY id"
    expected = k.con.execute("FROM released ORDER BY id").fetchall()
    k.con.execute("CREATE TABLE turned AS FROM k ORDER BY hash(id)")
    for threads, table, keys in ((1, "k", ("f", "Select")), (4, "turned", ("SELECT", "F"))):
        k.con.execute(f"SET threads = {threads}")
        assert k.con.execute(call.format(table, *keys)).fetchall() == expected
    assert (
        k.mask.generalise("levels", suppression=0.29, loss="entropy", into="again").parameters["hierarchies"]
        == "levels"
    )
    assert k.con.execute("FROM again ORDER BY id").fetchall() == expected


@pytest.mark.slow
def test_hierarchies_however_they_are_given(k, tmp_path):
    k.con.execute("CREATE TABLE fs AS SELECT i AS f, i // 2 AS two, i // 4 AS four, '*' AS \"all\" FROM range(8) t(i)")
    lines = [";".join(label or "" for label in row) for row in LEVELS["Select"].rows]
    for name in ("Select", "f"):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(lines if name == "Select" else [";".join(r) for r in LEVELS["f"].rows]))
    k.mask.generalise(LEVELS, into="released")
    for i, given in enumerate(
        [{"F": "fs", "select": tmp_path / "Select.csv"}, {"f": "fs", "Select": str(tmp_path / "Select.csv")}, tmp_path]
    ):
        k.mask.generalise(given, into=f"r{i}")
        assert k.con.execute(f"FROM r{i} EXCEPT FROM released").fetchall() == []
    k.con.execute(
        "CREATE TABLE ss AS FROM (VALUES ('a', 'ab', '*'), ('b', 'ab', '*'), ('c', 'c', '*'), (NULL, NULL, '*'))"
    )
    k.con.execute("CREATE TABLE long AS FROM sdc_hierarchy('fs', 'f') UNION ALL FROM sdc_hierarchy('ss', 'Select')")
    k.con.execute(f"COPY long TO '{tmp_path / 'long.parquet'}'")
    for i, given in enumerate(["long", str(tmp_path / "long.parquet")]):
        k.mask.generalise(given, into=f"l{i}")
        assert k.con.execute(f"FROM l{i} EXCEPT FROM released").fetchall() == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"k": 1}, ParameterError, "at least 2"),
        ({"k": 41}, InputError, "k is 41 and there are 40 records"),
        ({"suppression": 1.1}, ParameterError, "suppression is 1.1"),
        ({"suppression": "all"}, ParameterError, "suppression is"),
        ({"suppression": float("nan")}, ParameterError, "suppression is"),
        ({"loss": "entropie"}, ParameterError, "The loss is"),
        ({"loss": "(SELECT max(x) FROM k)"}, ParameterError, "an expression in SQL"),
        ({"loss": "sum(records)"}, ParameterError, "an expression in SQL"),
        ({"loss": "records; DROP TABLE k"}, ParameterError, "an expression in SQL"),
        ({"loss": "getenv('HOME')"}, ParameterError, "an expression in SQL"),
        ({"loss": "k.records"}, ParameterError, "an expression in SQL"),
        ({"loss": ""}, ParameterError, "The loss is"),
        ({"loss": None}, ParameterError, "The loss is"),
        ({"loss": "1 +"}, ParameterError, "The loss is"),
        ({"l": 2}, InputError, "give its column as sensitive"),
        ({"sensitive": "x"}, InputError, "nothing is asked of it"),
        ({"sensitive": "f", "l": 2}, InputError, "is a key variable as well"),
        ({"sensitive": "y", "l": 2}, ColumnError, "sensitive variable"),
        ({"sensitive": "x", "l": 0.5}, InputError, "l is 0.5"),
        ({"sensitive": "x", "l": 2, "diversity": "many"}, ParameterError, "diversity is"),
        ({"sensitive": "x", "l": 2, "c": 0}, ParameterError, "c"),
        ({"sensitive": "x", "t": 2}, InputError, "t is 2"),
        ({"sensitive": "x", "t": "near"}, ParameterError, "t is"),
        ({"sensitive": "Select", "keys": ["f"], "t": 0.5, "distance": "ordered"}, InputError, "NULL"),
        ({"population_k": 5}, InputError, "population and population_k go together"),
        ({"population": "k"}, InputError, "population and population_k go together"),
        ({"threshold": 5}, InputError, "weight and threshold go together"),
        ({"weight": "x"}, InputError, "weight and threshold go together"),
        ({"weight": "x", "threshold": -1}, InputError, "threshold is -1"),
        ({"population": "nowhere", "population_k": 5}, TableError, "nowhere"),
        ({"keys": []}, InputError, "is empty"),
        ({"keys": ["g"]}, ColumnError, "is not a column"),
        ({"hierarchies": {"f": LEVELS["f"]}}, ParameterError, "There is no hierarchy of Select"),
        ({"hierarchies": {**LEVELS, "y": LEVELS["f"]}}, ColumnError, "'y' is not a column"),
        ({"hierarchies": {**LEVELS, "f": 3}}, ParameterError, "A hierarchy is"),
        ({"hierarchies": 3}, ParameterError, "hierarchies is"),
        ({"hierarchies": "nowhere"}, TableError, "nowhere"),
        ({"hierarchies": "k"}, ColumnError, "variable"),
        ({"hierarchies": {**LEVELS, "f": sdc_sql.Hierarchy((("1", "*"),))}}, TableError, "of f have no row"),
    ],
)
def test_what_is_refused_changes_nothing(k, changed, error, said):
    before = k.con.execute("FROM k").fetchall()
    with pytest.raises(error, match=said):
        k.mask.generalise(**{"hierarchies": LEVELS} | changed)
    assert k.con.execute("FROM k").fetchall() == before


def test_where_no_level_holds(k):
    low = {key: sdc_sql.Hierarchy(tuple((row[0],) for row in LEVELS[key].rows)) for key in KEYS}
    with pytest.raises(InputError, match="records are still in cells below k = 3"):
        k.mask.generalise(low)


def test_one_record_and_none(con):
    con.execute("CREATE TABLE one AS SELECT 1 AS id, 3 AS f, 'a' AS \"Select\"")
    with pytest.raises(InputError, match="there are 1 records"):
        sdc_sql.Microdata(con, "one", keys=KEYS, id="id").mask.generalise(LEVELS, k=2)
    con.execute("CREATE TABLE none AS FROM one LIMIT 0")
    con.execute("CREATE TABLE fs AS SELECT 3 AS f, '*' AS top; CREATE TABLE long AS FROM sdc_hierarchy('fs', 'f')")
    with pytest.raises(duckdb.Error, match="has no rows"):
        con.execute("FROM sdc_generalise('none', ['f'], 'long', 'id')").fetchall()


def test_a_key_that_must_not_be_null(k):
    k.con.execute("CREATE TABLE bound (id BIGINT, f INTEGER NOT NULL); INSERT INTO bound SELECT id, f FROM k")
    bound = sdc_sql.Microdata(k.con, "bound", keys=["f"], id="id")
    with pytest.raises(ColumnError, match="must not be NULL"):
        bound.mask.generalise({"f": LEVELS["f"]}, suppression=0.1)
    assert bound.mask.generalise({"f": LEVELS["f"]}, suppression=0.1, into="free").records == 40


def test_what_is_released_is_counted_anew(k):
    k.con.execute("CREATE TABLE bad AS SELECT id, f // 4 AS f FROM k WHERE f > 4 OR id > 98")
    with pytest.raises(
        duckdb.Error, match="released records are without the guarantee 'k-anonymity': nothing was writ"
    ):
        k.con.execute("FROM sdc__generalisation_proof('bad', ['f'], 10)").fetchall()
    assert k.con.execute("FROM sdc__generalisation_proof('bad', ['f'], 2)").fetchall() == [(0,)]


@pytest.mark.slow
def test_on_the_command_line(k, tmp_path, capsys):
    k.con.execute(f"COPY k TO '{tmp_path / 'k.csv'}'")
    for name in KEYS:
        lines = [";".join(label or "" for label in row) for row in LEVELS[name].rows]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    call = ["mask", "generalise", str(tmp_path / "k.csv"), "--id", "id", "--columns", "f,Select", "--k", "3"]
    call += ["--hierarchies", str(tmp_path), "--suppression", "0.29", "--output", str(tmp_path / "out.csv"), "--json"]
    assert cli.main(call) == 0
    (step,) = json.loads(capsys.readouterr().out)
    k.mask.generalise(LEVELS, suppression=0.29, into="released")
    rows = f"SELECT f, \"Select\" FROM read_csv('{tmp_path / 'out.csv'}', all_varchar := true) ORDER BY id::INTEGER"
    assert k.con.execute(rows).fetchall() == k.con.execute('SELECT f, "Select" FROM released ORDER BY id').fetchall()
    assert step["parameters"]["levels"]


ADULT = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "expected", "levels"),
    [("entropy", 255559.8546, "101132201"), ("generalised_loss", 0.2661108, "030111120")],
)
def test_the_known_optima_of_adult(con, shared, loss, expected, levels):
    """../shared/reference/README.md: ARX 3.9.2."""
    con.execute(
        f"CREATE TABLE adult AS SELECT row_number() OVER () AS id, * FROM '{shared / 'data' / 'adult.parquet'}'"
    )
    data = sdc_sql.Microdata(con, "adult", keys=ADULT, id="id")
    step = data.mask.generalise(
        shared / "data" / "adult_hierarchies", k=5, suppression=0.04, loss=loss, into="released"
    )
    assert step.parameters["loss_found"] == pytest.approx(expected, rel=2e-7)
    assert "".join(step.parameters["levels"][key] for key in ADULT) == levels
    assert con.execute("SELECT max(records) FROM sdc_k_anonymity('released', ?, ?)", [ADULT, 5]).fetchall() == [(0,)]


@pytest.mark.slow
def test_what_l_suppresses_tells_of_the_values(con):
    """Six of one region who all have HIV are suppressed because of it: the step says how many (Wong et al. 2007)."""
    con.execute(
        "CREATE TABLE k AS SELECT id, CASE WHEN id < 6 THEN 'a' WHEN id < 8 THEN 'c' ELSE 'b' END AS f, "
        "if(id < 6 OR id % 2 = 0, 'HIV', 'flu') AS s FROM range(20) t(id)"
    )
    data = sdc_sql.Microdata(con, "k", keys=["f"], id="id")
    ladder = {"f": sdc_sql.tree_hierarchy({"*": ["a", "b", "c"]})}
    alone = data.mask.generalise(ladder, k=3, suppression=0.4, into="alone")
    assert "suppressed_beyond_k" not in alone.parameters
    con.execute("UPDATE k SET f = 'd' WHERE id = 8")
    ladder = {"f": sdc_sql.tree_hierarchy({"*": ["a", "b", "c", "d"]})}
    step = data.mask.generalise(ladder, k=3, suppression=0.5, sensitive="s", l=2, into="r")
    assert (step.parameters["suppressed"], step.parameters["suppressed_beyond_k"]) == (9, 6)
    assert con.execute("SELECT count(*), count(DISTINCT s) FROM r WHERE f IS NULL AND id < 6").fetchall() == [(6, 1)]
    diverse = data.mask.generalise(ladder, k=3, suppression=0.5, loss="-levels['f']", sensitive="s", l=2, into="up")
    assert diverse.parameters["suppressed_beyond_k"] == 0


@pytest.fixture
def groups(con):
    """Groups of x, x, y, y, z and of x, x, x, y; with weights. A record is suppressed in `less`."""
    con.execute("""CREATE TABLE t AS FROM (VALUES (1, 1, 'x', 1.0), (2, 1, 'x', 2.0), (3, 2, 'y', 3.0),
        (4, 3, 'y', 4.0), (5, 3, 'z', 5.0), (6, 4, 'x', 1.5), (7, 5, 'x', 2.0),
        (8, 6, 'x', 2.5), (9, 6, 'y', 1.0)) AS v(id, a, s, w)""")
    con.execute("CREATE TABLE done AS SELECT id, if(a < 4, 'low', 'high') AS a FROM t")
    con.execute("CREATE TABLE less AS SELECT id, if(id = 9, NULL, a) AS a FROM done")
    con.execute("""CREATE TABLE levels AS
        SELECT 'a' AS variable, v::VARCHAR AS value, l AS level, 'l' || l AS level_name,
               CASE WHEN l = 0 THEN v::VARCHAR WHEN v < 4 THEN 'low' ELSE 'high' END AS label
        FROM range(1, 7) AS r(v), range(2) AS s(l)""")
    return con


def test_the_proofs_give_the_figures_and_hold_at_what_was_asked(groups):
    """By hand. Entropy of 3/4 and 1/4; 3 < c (1) for recursive l = 2; shares of the file 5/9, 3/9, 1/9."""
    entropy = (4 / 3) ** (3 / 4) * 4 ** (1 / 4)
    least, far, ordered = "least_l FROM sdc__diversity_proof", 7 / 36, 11 / 72
    place = "('t', '{}', ['a'], 'id', "

    def proved(query):
        return execute(groups, f"SELECT {query}").fetchall()

    for given, found in (
        (f"{least}{place.format('done')}'s', 2, 'distinct', 2)", 2),
        (f"{least}{place.format('done')}'s', {entropy}, 'entropy', 2)", entropy),
        (f"{least}{place.format('done')}'s', 2, 'recursive', 3.5)", 2),
        (f"greatest_t FROM sdc__closeness_proof{place.format('done')}'s', {far}, 'equal')", far),
        (f"greatest_t FROM sdc__closeness_proof{place.format('done')}'s', {ordered}, 'ordered')", ordered),
        (f"least_weight FROM sdc__threshold_proof{place.format('less')}'w', 6)", 6),
    ):
        assert proved(given) == [(pytest.approx(found, rel=1e-12),)]
    for given in (
        f"{least}{place.format('done')}'s', 2.01, 'distinct', 2)",
        f"{least}{place.format('done')}'s', 2, 'recursive', 3)",
        f"greatest_t FROM sdc__closeness_proof{place.format('done')}'s', {far - 1e-6}, 'equal')",
        f"least_weight FROM sdc__threshold_proof{place.format('less')}'w', 6.01)",
    ):
        with pytest.raises(duckdb.Error, match="not as was asked"):
            proved(given)


def test_the_population_of_each_label_and_who_is_suppressed_beyond_k(groups):
    groups.execute("CREATE TABLE everyone AS SELECT unnest([1, 1, 2, 4, 5, 5, 6]) AS a")
    query = (
        "SELECT least_population FROM sdc__population_proof('t', 'less', ['a'], 'id', 'levels', [1], 'everyone', {})"
    )
    assert execute(groups, query.format(3)).fetchall() == [(3,)]  # 1, 1 and 2 are low
    with pytest.raises(duckdb.Error, match="not as was asked"):
        execute(groups, query.format(4)).fetchall()
    groups.execute("UPDATE less SET a = NULL WHERE id IN (1, 4)")
    query = "SELECT suppressed_beyond_k FROM sdc__suppressed_beyond_k('t', 'less', ['a'], 'id', 'levels', [{}], {})"
    # two of five of low, one of four of high; by the values themselves two of 1, one of 2, two of 3 and of 6 each
    for level, k, beyond in ((1, 4, 3), (1, 5, 2), (0, 2, 3)):
        assert execute(groups, query.format(level, k)).fetchall() == [(beyond,)], (level, k)
