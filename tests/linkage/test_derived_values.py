"""Hidden values that other columns give back: each count once more in plain Python; what a sieve keeps."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from itertools import combinations

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from sdc_sql.udfs import derivation

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, TableError
from sdc_sql.linkage import counted_derivations, derivation_sides
from sdc_sql.linkage.derivations import _find_different
from sdc_sql.linkage.derived_values import measure_given_back

FIGURES = ("rule", "hidden", "given_back", "share_right", "margin", "support", "contradictions", "narrowed")


def by_hand(old, new, giver, variable, masked, household=None):  # noqa: C901, PLR0917 - the definition, in one place
    """Return the figures of a derivation from two lists of records in the same order."""
    pairs = [*zip(old, new, strict=True)]
    labels = defaultdict(set)
    for o, r in pairs:
        if o[variable] is not None and r[variable] is not None:
            labels[r[variable]].add(o[variable])
    shown = {(o[variable], r[variable]) for o, r in pairs}
    if masked == "suppressed":
        hidden = [o[variable] is not None and r[variable] is None for o, r in pairs]
        known = [r[variable] for r in new]
    else:
        hidden = [o[variable] is not None and len(labels.get(r[variable], ())) > 1 for o, r in pairs]
        known = [o[variable] for o in old]
    own = int(masked == "coarsened")
    homes = {r[household] for r, h in zip(new, hidden, strict=True) if h} if household and not own else set()
    cells = defaultdict(Counter)
    for r, value in zip(new, known, strict=True):
        if value is not None and None not in [r[g] for g in giver] and not (household and r[household] in homes):
            cells[tuple(r[g] for g in giver)][value] += 1
    support = sum(sum(c.values()) - 1 for c in cells.values())
    apart = sum(sum(c.values()) - max(c.values()) for c in cells.values())
    alone = Counter(v for v in known if v is not None)
    n, most = sum(alone.values()), max(alone.values(), default=0)

    def right(truth, guess):
        return guess == truth if own else (truth, guess) in shown

    back, sure, few = [], [], 0
    for (o, r), h in zip(pairs, hidden, strict=True):
        cell = cells.get(tuple(r[g] for g in giver)) if h else None
        if not cell or sum(cell.values()) <= own:
            continue
        guess = max(cell, key=lambda v: (cell[v], v))
        back.append(right(o[variable], guess))
        if sum(cell.values()) - own >= 10:
            few += len(cell) <= 3
            sure += [right(o[variable], guess)] * (len(cell) == 1)
    rule = "cells"
    if not (own and 2 * len(back) < sum(hidden)):
        if apart == 0 and most < n and support * math.log(most / n) < math.log(1e-6):
            rule = "exact"
        elif 0 < 1000 * apart <= support and 2 * apart <= n - most:
            rule = "near"
    given = sure if rule == "cells" else back
    guess = max(alone, key=lambda v: (alone[v], v), default=None)
    margin = [right(o[variable], guess) for (o, _), h in zip(pairs, hidden, strict=True) if h]
    share = sum(given) / len(given) if given else None
    return rule, sum(hidden), len(given), share, sum(margin) / max(len(margin), 1), support, apart, few


def stored(con, name, rows):
    columns = [*rows[0]]
    typed = ", ".join(f'"{column}" VARCHAR' for column in columns)
    con.execute(f'CREATE OR REPLACE TABLE "{name}" ({typed})')
    marks = f"({', '.join('?' * len(columns))})"
    con.execute(f'INSERT INTO "{name}" VALUES {", ".join([marks] * len(rows))}', [v for r in rows for v in r.values()])


def tables(seed, n=600):
    """Two tables: `Region` follows from `district` but for coding errors, `f` from two others, ages were coarsened."""
    draw = random.Random(seed)  # noqa: S311 - a table for a test
    old = []
    for i in range(n):
        district, a, b, age = draw.randrange(12), draw.randrange(4), draw.randrange(4), draw.randrange(20, 60)
        wrong = seed == 1 and i == 17
        old.append({
            "k": str(i), "district": str(district), "Region": "r" + str((district // 4 + wrong) % 3), "a": str(a),
            "Se'lect": str(b), "f": str((a + b) % 4), "age": str(age), "born": str(2000 - age), "home": str(i // 3),
        })  # fmt: skip
        if draw.random() < 0.03:
            old[-1][draw.choice(["district", "Region", "a", "born"])] = None
    new = [dict(r) for r in old]
    for r in new:
        r["age"] = str(int(r["age"]) // 10)
        for name in ("Region", "f", "age"):
            if draw.random() < 0.05:
                r[name] = None
    return old, new


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3))])
def test_each_figure_by_hand(con, seed):
    old, new = tables(seed)
    stored(con, "f", old)
    stored(con, "k's", new)
    columns, others = ["Region", "f", "age"], ["district", "a", "Se'lect", "born", "home", "age"]
    givers = [[one] for one in others] + [list(pair) for pair in combinations(others[:4], 2)]
    givers = givers[seed == 0 :: 1 if seed else 3]  # few of them are quick
    wrong = []
    for household in (None, "home") if seed else ("home",):
        call = "FROM sdc__derived('f', '\"k''s\"', 'K', ?, ?, sdc__derivations(?, ?), household := ?)"
        rows = con.execute(call, [columns, givers, columns, givers, household]).fetchall()
        for i, j, masked, rule, hidden, given, right, by_margin, support, apart, few in rows:
            said = ("exact", "near", "cells")[rule], hidden, given, right / given if given else None
            said += by_margin / max(hidden, 1), support, apart, few
            kind = ("suppressed", "coarsened")[masked]
            expected = by_hand(old, new, givers[i - 1], columns[j - 1], kind, household)
            if said != pytest.approx(expected):
                wrong.append((household, givers[i - 1], columns[j - 1], kind, said, expected))
        assert len(rows) == len(givers) * len(columns) * 2 - 2 * (["age"] in givers)  # it tells nothing of itself
    assert wrong == []


@pytest.mark.slow
def test_what_is_told_and_found_by_the_sieve(con):
    old, new = tables(0)
    stored(con, "f", old)
    stored(con, "k", new)
    data = Microdata(con, "k", id="k")
    found = {(tuple(d.giver), d.variable, d.masked): d for d in data.linkage.derived_values("f")}
    exact = {name for name, d in found.items() if d.rule == "exact"}
    assert {(("district",), "Region", "suppressed"), (("born",), "age", "coarsened")} <= exact
    assert (("a", "Se'lect"), "f", "suppressed") in exact
    assert not any({"district", "born"} & {*giver} for giver, *_ in exact if len(giver) > 1)  # one column does
    # the same figures, whoever asks; of all that could be asked no rule was lost
    every = [c for c in data.columns if c != "k"]
    rules = {}
    for giver in [*((c,) for c in every), *combinations(every, 2)]:
        for variable in ("Region", "f", "age"):
            for masked in ("suppressed", "coarsened"):
                if variable not in giver or (masked == "coarsened" and len(giver) > 1):
                    figures = dict(zip(FIGURES, by_hand(old, new, giver, variable, masked), strict=True))
                    if figures["rule"] != "cells" and figures["given_back"]:
                        rules[giver, variable, masked] = figures
    alone = {(giver[0], *of) for giver, *of in rules if len(giver) == 1}
    told = {n for n in rules if len(n[0]) == 1 or not any((one, *n[1:]) in alone for one in n[0])}
    assert told == {name for name, d in found.items() if d.rule != "cells"}
    for name, figures in rules.items():
        if name in found:
            assert {f: getattr(found[name], f) for f in FIGURES} == pytest.approx(figures)
    givers = [[*giver] for giver, *_ in found]
    summary, asked = (data.linkage.derived_values_summary("f", ["Region", "f", "age"], of) for of in (None, givers))
    assert (summary.given_back, summary.suppressed) == (asked.given_back, asked.suppressed)
    assert summary.exact_givers == len(exact)
    assert summary.given_back == sum(
        max(d.given_back for (_, *of), d in found.items() if of == [*kind] and d.rule == "exact")
        for kind in {(variable, masked) for _, variable, masked in exact}
    )


def test_one_coding_error_hides_no_leak(con):
    con.execute(
        "CREATE TABLE f AS SELECT i AS id, i % 40 AS district, CASE i WHEN 77 THEN 9 ELSE i % 40 // 8 END AS region "
        "FROM range(4000) t(i)"
    )
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN id % 50 = 7 THEN NULL ELSE region END AS region) FROM f")
    found, *_ = (
        d for d in Microdata(con, "k", id="id").linkage.derived_values("f", ["region"]) if d.masked == "suppressed"
    )
    assert (found.giver, found.rule, found.given_back, found.contradictions) == (["district"], "near", 80, 1)
    assert found.share_right == 1
    summary = Microdata(con, "k", id="id").linkage.derived_values_summary("f", ["region"])
    assert (summary.exact_givers, summary.near_givers, summary.nearly_given_back) == (0, 1, 80)


@pytest.mark.slow
def test_chance_is_no_giver(con):
    """In a small file of fine columns pairs determine much by accident: with values drawn at random nothing is told."""
    draw = random.Random(5)  # noqa: S311 - a table for a test
    for _ in range(2):
        old = [
            {"id": str(i), "v": draw.choice("xy"), **{c: str(draw.randrange(30)) for c in "abcdefgh"}}
            for i in range(200)
        ]
        new = [{**r, "v": None if draw.random() < 0.1 else r["v"]} for r in old]
        stored(con, "f", old)
        stored(con, "k", new)
        assert Microdata(con, "k", id="id").linkage.derived_values_summary("f").exact_givers == 0


def test_a_relabelling_hides_nothing(con):
    con.execute("CREATE TABLE f AS SELECT i AS id, i % 7 AS a, i % 5 AS b FROM range(300) t(i)")
    con.execute("CREATE TABLE k AS SELECT id, 'v' || a AS a, b FROM f")
    summary = Microdata(con, "k", id="id").linkage.derived_values_summary("f")
    assert summary.to_dict() == dict.fromkeys(summary.to_dict(), 0)


@pytest.mark.slow
def test_refused(con):
    con.execute("CREATE TABLE f AS FROM (VALUES (1, 1, 2), (2, 1, 3)) t(id, a, b)")
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE id WHEN 1 THEN b END AS b) FROM f")
    con.execute("CREATE TABLE strange AS SELECT * REPLACE (id + 5 AS id) FROM k")
    con.execute("CREATE TABLE none AS FROM k LIMIT 0")
    con.execute("CREATE TABLE one AS FROM k LIMIT 1")
    data = Microdata(con, "k", id="id")
    for call, error, words in (
        (lambda: Microdata(con, "k").linkage.derived_values("f"), ParameterError, "id"),
        (
            lambda: Microdata(con, "strange", id="id").linkage.derived_values("f"),
            TableError,
            "no record of the original",
        ),
        (
            lambda: Microdata(con, "strange", id="id").linkage.derived_values("f", ["b"], [["a"]]),
            TableError,
            "no record of the",
        ),
        (lambda: data.linkage.derived_values("f", ["b"], [["a", "b", "id"]]), ParameterError, "one or two columns"),
        (lambda: data.linkage.derived_values("f", ["b"], "a"), ColumnError, "list of lists"),
        (lambda: data.linkage.derived_values("f", ["b"], []), ColumnError, "list of lists"),
        (lambda: data.linkage.derived_values("f", ["b"], [["nowhere"]]), ColumnError, "nowhere"),
        (lambda: data.linkage.derived_values("f", ["nowhere"]), ColumnError, "nowhere"),
        (lambda: data.linkage.derived_values("f", ["b"], [["b"]]), ParameterError, "variable itself"),
        (lambda: data.linkage.derived_values("none"), TableError, "no rows"),
    ):
        with pytest.raises(error, match=words):
            call()
    assert Microdata(con, "one", id="id").linkage.derived_values("f") == []
    assert data.linkage.derived_values_summary("f").suppressed == 1


def test_columns_of_any_type_and_names_that_differ_in_a_letter(con):
    con.execute("""
        CREATE TABLE f AS SELECT i AS id, i % 6 AS "Ü", i % 3 AS "ü", [i % 3] AS list, {'a': i % 3} AS struct,
            i % 3 > 1 AS yes, (i % 3)::DECIMAL(9, 2) AS price, DATE '2020-01-01' + (i % 3)::INT AS day,
            TIMESTAMP '2020-01-01' + INTERVAL (i % 3) DAY AS at, ('v' || i % 3)::ENUM ('v0', 'v1', 'v2') AS kind,
            NULL::INTEGER AS nothing, CASE i % 3 WHEN 0 THEN 'nan'::DOUBLE ELSE i % 3 END AS real,
            (i % 3)::HUGEINT AS huge, 'b' || i % 3 AS b FROM range(90) t(i)
    """)
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN id > 5 THEN b END AS b) FROM f")
    found = Microdata(con, "k", id="id").linkage.derived_values("f")
    exact = {tuple(one.giver) for one in found if one.rule == "exact"}
    assert exact == {(name,) for name in ("Ü", "ü", "list", "struct", "price", "day", "at", "kind", "real", "huge")}
    assert all(one.given_back == 6 and one.share_right == 1 for one in found if one.rule == "exact")


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("order", ["ASC", "DESC"])
def test_of_two_as_common_the_greater_is_guessed_in_any_order_of_the_session(con, order):
    """With the sieve and by the macro alike: 5 is greater than 12 as a text."""
    con.execute(f"SET default_order = '{order}'")
    con.execute("CREATE TABLE o AS SELECT i AS id, i % 4 AS g, CASE WHEN i % 4 < 2 THEN 5 ELSE 12 END AS x"
                " FROM range(400) t(i) UNION ALL SELECT 1000 + i, 0, 5 FROM range(4) t(i)")  # fmt: skip
    con.execute("CREATE TABLE r AS SELECT id, g, CASE WHEN id < 1000 THEN x END AS x FROM o")
    data = Microdata(con, "r", id="id")
    ((row,), (same,)) = (data.linkage.derived_values("o", ["x"], givers) for givers in (None, [["g"]]))
    assert row == same
    assert (row.given_back, row.share_right, row.margin) == (4, 1, 1)


def test_values_without_a_number_are_coarsened_as_others_are(con):
    """nan and -nan have two texts, and a sign that tells them apart."""
    con.execute("CREATE TABLE o AS SELECT i AS id, i % 2 AS g,"
                " CASE WHEN i % 2 = 0 THEN 'nan' ELSE '-nan' END::DOUBLE AS x FROM range(200) t(i)")  # fmt: skip
    con.execute("CREATE TABLE r AS SELECT id, g, 1e0 AS x FROM o")
    data = Microdata(con, "r", id="id")
    sieved, counted = (data.linkage.derived_values_summary("o", ["x"], givers) for givers in (None, [["g"]]))
    assert sieved == counted
    assert sieved.coarsened == 200


def test_a_masked_number_gives_another_back_however_its_zero_is_written(con):
    """Of 0.0 and -0.0, of NaN with either sign, there are seven records each: together they predict, apart not."""
    con.execute("""
        CREATE TABLE o AS
        SELECT i AS id, [0.0, '-0.0'::DOUBLE, 'nan'::DOUBLE, '-nan'::DOUBLE, i % 5 + 1.0][1 + i % 5] AS x,
            CASE WHEN i % 5 < 2 THEN 'zero' WHEN i % 5 < 4 THEN 'none' ELSE 'other' || i % 3 END AS y
        FROM range(35) t(i)
    """)
    masked = "CASE WHEN id <> 34 THEN x END AS x, CASE WHEN id NOT IN (0, 1, 2, 3) THEN y END AS y"
    con.execute(f"CREATE TABLE r AS SELECT id, {masked} FROM o")
    data = Microdata(con, "r", id="id")
    found, same = (
        [one for one in data.linkage.derived_values("o", ["y", "x"], givers) if one.variable == "y"]
        for givers in (None, [["x"]])
    )
    assert found == same
    assert [(one.giver, one.given_back) for one in found] == [(["x"], 4)]


@pytest.mark.parametrize("kind", [pa.string(), pa.float64(), pa.int32(), pa.date32()])
def test_values_are_numbered_alike_in_every_chunk(kind):
    given = [[3, 1, None], [], [1, 7], [None], [7, 9, 3]]
    values = [[None if v is None else str(v) if kind == pa.string() else v for v in chunk] for chunk in given]
    before, after = pa.chunked_array(values[:2], kind), pa.chunked_array(values[2:], kind)
    numbers, different = _find_different(before, after)
    told = [None if n < 0 else different[n].as_py() for n in numbers.tolist()]
    assert told == [*before.to_pylist(), *after.to_pylist()]
    assert len(set(different.to_pylist())) == len(different) == 4
    assert len(_find_different(pa.chunked_array([], kind))[0]) == 0


@pytest.mark.slow
@pytest.mark.whole
def test_the_order_of_the_records_does_not_say_which_pairs_are_told(monkeypatch):
    """More pairs predict in some cells than are told: DuckDB reads large tables in no order."""
    monkeypatch.setattr(derivation, "PARTS", (30, 100, 400))
    monkeypatch.setattr(derivation, "HOPED", 3)
    monkeypatch.setattr(derivation, "BEST", 2)
    told = []
    for order in ("id", "hash(id)"):
        con = duckdb.connect()
        con.execute(
            """
            CREATE TABLE drawn AS SELECT i AS id, hash(i, 1) % 30 AS a, hash(i, 2) % 30 AS b, hash(i, 3) % 30 AS c,
                hash(i, 4) % 30 AS d, hash(i, 5) % 30 AS e, hash(i, 6) % 4 AS random FROM range(12000) AS r(i)
            """
        )
        pairs = [f"WHEN {x} = {n} AND {y} < 9 THEN {n} % 4" for n, (x, y) in enumerate(combinations("abcde", 2))]
        con.execute(
            f"CREATE TABLE f AS SELECT * EXCLUDE (random), CASE {' '.join(pairs)} ELSE random END AS y FROM drawn"
        )
        con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN hash(id) % 9 > 0 THEN y END AS y) FROM f")
        for table in ("f", "k"):
            con.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY {order}")
        told.append([*Microdata(con, "k", id="id").linkage.derived_values("f", ["y"])])
    assert len(told[0]) == 2
    assert told[0] == told[1]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 12))])
def test_what_gains_least_is_not_counted_where_nobody_asks_for_it(con, monkeypatch, seed):
    """Rules, what gains more than a bound, and the greatest gain are those of all derivations; fewer are counted."""
    monkeypatch.setattr(derivation, "PARTS", (30, 100, 400))
    monkeypatch.setattr(derivation, "FAR", 20)
    draw = random.Random(seed)  # noqa: S311 - a table for a test
    con.execute(
        """
        CREATE TABLE f AS SELECT i AS id, hash(i, ?) % 30 AS a, hash(i, ?) % 20 AS b, hash(i, ?) % 10 AS c, i % 7 AS d,
            CASE WHEN a < ? THEN a % 4 WHEN b < ? THEN b % 4 ELSE hash(i, 9) % 4 END AS x,
            CASE WHEN i = 77 THEN 8 ELSE a // 6 END AS y, c // 5 AS z, 10 * d + c AS v FROM range(3000) AS r(i)
        """,
        [*(draw.randrange(100) for _ in range(3)), draw.randrange(30), draw.randrange(20)],
    )
    con.execute(
        """
        CREATE TABLE k AS SELECT * REPLACE (
            CASE WHEN hash(id, 5) % 9 > 0 THEN x END AS x, CASE WHEN hash(id, 6) % 5 > 0 THEN y END AS y,
            CASE WHEN hash(id, 7) % 50 > 0 THEN z END AS z, v // 9 AS v) FROM f
        """
    )
    if seed % 2:  # without a rule that has an exception, which gains most
        con.execute("ALTER TABLE k DROP y")
    data = Microdata(con, "k", id="id")._roles
    counted, count = [], counted_derivations.count_cells
    monkeypatch.setattr(counted_derivations, "count_cells", lambda *of: counted.append(len(of[0])) or count(*of))

    begun, begin = [], counted_derivations._begin_counts
    monkeypatch.setattr(counted_derivations, "_begin_counts", lambda *of: begun.append(of[2:]) or begin(*of))

    def gain(one):
        return (one.gain or 0) * one.given_back / one.hidden if one.rule != "exact" else 0

    every = measure_given_back(data, "f")
    calls = [sum(n > 0 for n in counted)]
    for over in (0.02, 0.3, 1):
        counted.clear()
        begun.clear()
        told = measure_given_back(data, "f", over=over)
        found, done = begun[0][0], [task for _, tasks in begun for task in tasks]
        columns = [([i], of) for giver, *of in done for i in found.places[giver - 1]]
        assert all(task in done for task in found.tasks if ([*found.places[task[0] - 1]], task[1:]) in columns)
        assert len({*map(tuple, done)}) == len(done)
        calls.append(sum(n > 0 for n in counted))
        assert {str(one) for one in told} <= {str(one) for one in every}
        assert [one for one in told if one.rule != "cells"] == [one for one in every if one.rule != "cells"]
        assert [one for one in told if gain(one) > over] == [one for one in every if gain(one) > over]
        assert max(map(gain, told)) == max(map(gain, every))
    assert sorted(calls, reverse=True) == calls
    assert calls[-1] < calls[0]


@pytest.mark.parametrize("home", [None, "home"])
def test_what_is_read_column_by_column_is_what_a_join_gives(con, home):
    """Of columns of all kinds; where the ids stand in another order, the records are joined."""
    con.execute(
        """
        CREATE TABLE f AS SELECT i::INTEGER AS id, i // 3 AS home, i % 5 AS whole, (i % 7)::DECIMAL(5, 2) AS price,
            CASE i % 4 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-0.0'::DOUBLE WHEN 3 THEN i END AS x,
            i % 3 * 0.5::FLOAT AS y, DATE '2020-01-01' + (i % 9)::INTEGER AS day, i % 2 AS label, 'k' || i % 6 AS "f",
            ['a', 'b'][1 + i % 2]::ENUM ('a', 'b') AS "Se'lect", NULL::VARCHAR AS nothing FROM range(4000) AS r(i)
        """
    )
    con.execute(
        """
        CREATE TABLE k AS SELECT * REPLACE (
            CASE WHEN id % 50 > 0 THEN whole END AS whole, CASE WHEN id % 4 = 1 THEN 0.0 ELSE x END AS x,
            CASE WHEN id % 100 > 0 THEN "f" END AS "f", 'l' || label AS label, CASE WHEN id <> 9 THEN day END AS day)
        FROM f
        """
    )
    data, columns = Microdata(con, "k", id="id", household=home)._roles, ["whole", "price", "x", "y", "day", "label"]
    columns += ["f", "Se'lect", "nothing", "home"]
    beside, joined = (
        way(data, "f", columns, columns) for way in (derivation_sides._read_beside, derivation_sides._read_joined)
    )
    assert beside.variables == joined.variables == ["whole", "x", "day", "label", "f"]
    assert beside.shown == joined.shown
    assert beside.columns.keys() == joined.columns.keys()
    for name, column in beside.columns.items():
        order = [*(pc.sort_indices(one.columns["draw"]) for one in (beside, joined))]
        first, second = (one.columns[name].take(its) for one, its in zip((beside, joined), order, strict=True))
        assert derivation_sides.show_bits(first).equals(derivation_sides.show_bits(second)), name
        assert column.type == joined.columns[name].type
    con.execute("CREATE OR REPLACE TABLE k AS FROM k ORDER BY hash(id)")
    assert derivation_sides._read_beside(data, "f", columns, columns) is None


def test_a_pair_that_is_counted_is_set_beside_its_columns(con):
    """A pair that one of its columns outdoes is not told: it bounds no other gain."""
    draw = random.Random(1)  # noqa: S311 - a table for a test
    rows = []
    for times, which, fine, wrong, hide in (
        (600, "-", 0, 0, False), (300, "-", 0, 0, True), (600, "s", 1, 0, False), (350, "s", 1, 1, True),
        (600, "u", 1, 0, False), (200, "u", 1, 0, True), (1000, "", 0, 0, False), (150, "", 0, 0, True),
    ):  # fmt: skip
        for _ in range(times):
            s, u = (draw.randrange(10) if name == which else draw.randrange(10, 30) for name in "su")
            x = {"u": u, "": draw.randrange(10)}.get(which, s) + wrong * draw.randrange(1, 10)
            rows.append((s, u, fine * draw.randrange(1, 1500), x % 10, hide))
    draw.shuffle(rows)
    stored(con, "f", [dict(zip("isucx", (i, *row[:4]), strict=True)) for i, row in enumerate(rows)])
    stored(con, "k", [dict(zip("isucx", (i, *r[:3], None if r[4] else r[3]), strict=True)) for i, r in enumerate(rows)])
    con.execute("ALTER TABLE f ALTER i TYPE INTEGER")
    con.execute("ALTER TABLE k ALTER i TYPE INTEGER")
    data = Microdata(con, "k", id="i")._roles
    every, told = ([*measure_given_back(data, "f", over=over)] for over in (None, 0.5))
    assert [one.giver for one in every] == [["s"], ["u"]]
    assert told == every


def test_what_predicts_nothing_is_told_by_nobody(con):
    """A rule to the sieve, with more exceptions than one may have, whose cells are all mixed."""
    con.execute(
        """
        CREATE TABLE f AS SELECT i AS id, hash(i, 1) % 6 AS a,
            CASE WHEN hash(i, 2) % 1000 < 4 THEN 9 ELSE a // 2 END AS x FROM range(60000) AS r(i)
        """
    )
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN hash(id, 3) % 4 > 0 THEN x END AS x) FROM f")
    data = Microdata(con, "k", id="id")._roles
    assert [(one.rule, one.given_back) for one in measure_given_back(data, "f")] == [("cells", 0)]
    assert [*measure_given_back(data, "f", over=0.5)] == []


def test_a_rule_with_few_exceptions_is_counted_however_many_it_shows(con):
    """Of 60,000 records forty are exceptions, of which the last part that is looked at has some."""
    con.execute(
        """
        CREATE TABLE f AS SELECT i AS id, hash(i, 1) % 6 AS a, CASE WHEN i % 1500 = 7 THEN 9 ELSE a // 2 END AS x
        FROM range(60000) AS r(i)
        """
    )
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN hash(id, 3) % 4 > 0 THEN x END AS x) FROM f")
    data = Microdata(con, "k", id="id")._roles
    (one,) = measure_given_back(data, "f", over=1)
    assert (one.giver, one.rule, one.given_back) == (["a"], "near", one.hidden)


@pytest.mark.parametrize("order", ["id", "hash(id)"])
def test_texts_that_a_collation_calls_equal_are_two(con, order):
    con.execute("CREATE TABLE f (id INTEGER, t VARCHAR COLLATE NOCASE, g INTEGER)")
    con.execute("INSERT INTO f SELECT i, ['A', 'a', 'B', 'b'][1 + i % 4], i % 4 FROM range(400) AS r(i)")
    con.execute("CREATE TABLE k (id INTEGER, t VARCHAR COLLATE NOCASE, g INTEGER)")
    con.execute(f"INSERT INTO k SELECT id, lower(t), g FROM f ORDER BY {order}")
    for table in ("f", "k"):  # ids that the collation calls equal
        con.execute(f"ALTER TABLE {table} ADD COLUMN code VARCHAR COLLATE NOCASE")
        con.execute(f"UPDATE {table} SET code = CASE WHEN id % 2 = 0 THEN 'a' ELSE 'A' END || id // 2")
    for name in ("id", "code"):
        (one,) = Microdata(con, "k", id=name).linkage.derived_values("f", ["t"], givers=None)
        assert (one.rule, one.given_back) == ("exact", 400)


@pytest.mark.parametrize("late", [3, 6, -1])
def test_ids_are_compared_with_every_column_that_is_read(con, monkeypatch, late):
    """A view may give its records in another order when it is read again: they are joined then."""
    con.execute("CREATE TABLE f AS SELECT i AS id, i % 5 AS a, i % 3 AS b FROM range(100) AS r(i)")
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN id > 9 THEN a END AS a) FROM f")
    data, read, reads = Microdata(con, "k", id="id")._roles, derivation_sides._read_side, []

    def read_in_another_order(*of):
        found = read(*of)
        reads.append(of)
        if len(reads) == late or (late < 0 and "draw" in of[2]):
            return {name: column.take(pa.array([*range(1, 100), 0])) for name, column in found.items()}
        return found

    monkeypatch.setattr(derivation_sides, "_read_side", read_in_another_order)
    sides = derivation_sides.read_sides(data, "f", ["a", "b"], ["a", "b"])
    assert sides.columns["o_0"].type == "int64"
    given = sorted(zip(*(sides.columns[name].to_pylist() for name in ("draw", "o_0", "g_1")), strict=True))
    expected = con.execute("SELECT hash(id), a, b FROM f ORDER BY hash(id)").fetchall()
    assert given == expected
