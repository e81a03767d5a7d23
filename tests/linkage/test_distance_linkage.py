"""Record linkage by distance: by hand, by all pairs in numpy, at its bounds, with NULL, an external file, odd names."""

from __future__ import annotations

from math import sqrt

import duckdb
import numpy as np
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError

COLUMNS = ["x", "g", "Select", 'a"b']
WEIGHTS = [1, 2, 0.25, 3]
ROLES = {"continuous": ["x", 'A"B'], "ordinal": ["select"], "weights": WEIGHTS}


def make(con, name, **columns):
    """A table with ids from 1, in another order."""
    rows = len(next(iter(columns.values())))
    named = ", ".join(f'unnest(${i}) AS "{n.replace(chr(34), chr(34) * 2)}"' for i, n in enumerate(columns, 1))
    con.execute(
        f'CREATE OR REPLACE TABLE {name} AS FROM (SELECT unnest(range(1, {rows + 1})) AS "it\'s", {named}) '
        'ORDER BY ("it\'s" * 7919) % 101, 1',
        [list(c) for c in columns.values()],
    )
    return Microdata(con, name, id="it's")


def test_by_hand(con):
    """The header's: own at 0, 1, 3, 0; nearer none, none (one as near), one, none."""
    make(con, "k", x=[0, 1, 3, 7])
    data = make(con, "f", x=[0, 2, 6, 7])
    found = data.linkage.distance_linkage("k", ["x"], continuous=["x"], scaling="none")
    assert (found.records, found.candidates, found.unpaired, found.unique_correct, found.tied) == (4, 4, 0, 2, 1)
    assert (found.rate, found.expected_second_matches) == (2.5 / 4, 1.5)
    rows = (
        data.linkage.distance_linkage_records("k", ["x"], continuous=["x"], scaling="none").order('"it\'s"').fetchall()
    )
    assert rows == [(1, 0, 0, 1, 1, 0), (2, 1, 0, 2, 0.5, 0.5), (3, 3, 1, 1, 0, 1), (4, 0, 0, 1, 1, 0)]
    # ranks of 0 1 2 3 6 7, a fifth each: 6 is as near to 7 as to 3 - two ranks to 1 less
    ranked = data.linkage.distance_linkage("k", ["x"], ordinal=["x"])
    assert (ranked.expected_correct_matches, ranked.tied) == (3, 2)


def table(draw, n, like=None):
    """Columns of all kinds with ties; with `like`, those of a masked release."""
    if like is None:
        return {
            "x": draw.integers(0, 30, n).astype(float),
            "g": draw.choice(["u", "v", "w", "it's"], n),
            "Select": draw.integers(0, 5, n),
            'a"b': np.round(np.exp(draw.normal(size=n)), 1),
        }
    moved = table(draw, n)
    return {name: np.where(draw.random(n) < 0.3, moved[name], like[name]) for name in like}


def all_pairs(original, released, *, mahalanobis=False):
    """nearer and as near by the definition, over every pair."""
    total = np.zeros((len(released["x"]), len(original["x"])))
    numbers = ["x", 'a"b']
    if mahalanobis:
        v = np.linalg.inv(np.cov([original[c] for c in numbers]))
        d = np.stack([released[c][:, None] - original[c][None, :] for c in numbers])
        total += np.einsum("ijk,il,ljk->jk", d, v, d)
    for name, weight in zip(COLUMNS, WEIGHTS, strict=True):
        a, b = released[name][:, None], original[name][None, :]
        if name == "g":
            total += weight * (a != b)
        elif name == "Select":
            total += weight * ((a - b) / 4) ** 2
        elif not mahalanobis:
            total += weight * ((a - b) / original[name].std(ddof=1)) ** 2
    true = np.diag(total)[:, None]
    same = np.isclose(total, true, rtol=1e-9, atol=1e-13)
    return ((total < true) & ~same).sum(axis=1), same.sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_as_by_all_pairs(con, seed):
    draw = np.random.default_rng(seed)
    before = table(draw, 400)
    after = table(draw, 400, before)
    make(con, "k", **{c: v.tolist() for c, v in before.items()})
    data = make(con, "f", **{c: v.tolist() for c, v in after.items()})
    nearer, same = all_pairs(before, after)
    found = data.linkage.distance_linkage("k", COLUMNS, **ROLES)
    first, second = (
        np.where(nearer == 0, 1 / same, 0),
        np.where((nearer == 1) | ((nearer == 0) & (same > 1)), 1 / same, 0),
    )
    assert (found.unique_correct, found.tied) == (
        ((nearer == 0) & (same == 1)).sum(),
        ((nearer == 0) & (same > 1)).sum(),
    )
    assert [found.rate, found.second_rate] == pytest.approx([first.mean(), second.mean()])
    assert 0 < found.second_rate < found.rate < 1
    rows = data.linkage.distance_linkage_records("k", COLUMNS, **ROLES).order('"it\'s"').fetchall()
    assert [r[2] for r in rows] == np.minimum(nearer, 2).tolist()
    assert [r[3] for r in rows] == [s if n < 2 else None for n, s in zip(nearer.tolist(), same.tolist(), strict=True)]
    assert [r[4:] for r in rows] == list(zip(first.tolist(), second.tolist(), strict=True))


@pytest.mark.slow
def test_mahalanobis_as_by_all_pairs(con):
    draw = np.random.default_rng(6)
    before = table(draw, 300)
    before['a"b'] = before['a"b'] + before["x"] + 1e6  # correlated, and far from 0
    after = table(draw, 300, before)
    make(con, "k", **{c: v.tolist() for c, v in before.items()})
    data = make(con, "f", **{c: v.tolist() for c, v in after.items()})
    nearer, same = all_pairs(before, after, mahalanobis=True)
    roles = {"continuous": ["x", 'a"b'], "ordinal": ["Select"]}
    found = data.linkage.distance_linkage("k", COLUMNS, **roles, scaling="mahalanobis", weights=[1, 2, 0.25, 1])
    assert found.rate == pytest.approx(np.where(nearer == 0, 1 / same, 0).mean())
    # it does not matter in which units numbers are, nor that they are mixed
    con.execute('CREATE TABLE k2 AS SELECT * REPLACE (3 * x - "a""b" AS x) FROM k')
    con.execute('CREATE TABLE f2 AS SELECT * REPLACE (3 * x - "a""b" AS x) FROM f')
    mixed = Microdata(con, "f2", id="it's")
    again = mixed.linkage.distance_linkage("k2", COLUMNS, **roles, scaling="mahalanobis", weights=[1, 2, 0.25, 1])
    assert again.rate == pytest.approx(found.rate, abs=0.01)
    assert mixed.linkage.distance_linkage("k2", COLUMNS, **roles).rate != pytest.approx(found.rate, abs=0.01)


@pytest.mark.slow
def test_bounds(con):
    """Of itself each record is linked, of equal ones 1 / n, of columns permuted by themselves 1 of n in expectation."""
    draw = np.random.default_rng(3)
    n = 3000
    x, y, z = draw.normal(size=(3, n))
    itself = make(con, "k", x=x.tolist(), y=y.tolist(), z=z.tolist())
    for scaling in ("standardised", "mahalanobis", "range", "none"):
        found = itself.linkage.distance_linkage("k", ["x", "y", "z"], continuous=["x", "y", "z"], scaling=scaling)
        assert (found.rate, found.unique_correct, found.second_rate) == (1, n, 0)
    permuted = make(con, "f", **{c: draw.permutation(v).tolist() for c, v in zip("xyz", (x, y, z), strict=True)})
    found = permuted.linkage.distance_linkage("k", ["x", "y", "z"], continuous=["x", "y", "z"])
    # a Poisson number with mean 1: 7 or more has a chance of 0.0001
    assert found.expected_correct_matches < 7
    assert found.expected_second_matches < 7
    same = make(con, "same", g=["u"] * 50)
    found = same.linkage.distance_linkage("same", ["g"])
    assert (found.rate, found.second_rate, found.tied, found.unique_correct) == (
        pytest.approx(0.02),
        pytest.approx(0.02),
        50,
        0,
    )
    one = make(con, "one", g=["u"])
    assert one.linkage.distance_linkage("one", ["g"]).rate == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e140])
@pytest.mark.parametrize("scaling", ["standardised", "range", "mahalanobis"])
def test_of_any_size_a_file_is_linked_with_itself(con, size, scaling):
    """The squares of such numbers are 0 or infinite: all records would be as near."""
    data = make(con, "k", x=[i * size for i in range(1, 20)])
    assert data.linkage.distance_linkage("k", ["x"], continuous=["x"], scaling=scaling).rate == 1
    assert data.risk.neighbourhood(["x"], width=0.01, scaling="standardised").alone == 19


@pytest.mark.one_in(4)
@pytest.mark.whole
@pytest.mark.parametrize("scaling", ["standardised", "range", "none", "mahalanobis"])
def test_what_has_no_square_is_refused(con, scaling):
    data = make(con, "k", x=[i * 1e200 for i in range(1, 20)])
    for ask in (
        lambda: data.linkage.distance_linkage("k", ["x"], continuous=["x"], scaling=scaling),
        lambda: data.risk.neighbourhood(["x"], width=0.01, scaling="standardised"),
        lambda: data.risk.robust_distance_records(["x"]).fetchall(),
    ):
        with pytest.raises((ColumnError, duckdb.Error), match="beyond 1e150, whose squares are no numbers"):
            ask()


@pytest.mark.slow
def test_a_category_recoded_in_part_is_refused(con):
    """Three of twenty regions kept, the others one: as these are no nearer to their own, half of the risk is unseen."""
    original = {"Select": [f"r{i % 20}" for i in range(40)], "f": [i % 2 for i in range(40)]}
    make(con, "k", **original)
    data = make(con, "released", **original)
    assert data.linkage.distance_linkage("k", ["f", "Select"]).rate == 0.5  # two of each
    con.execute("""UPDATE released SET "Select" = 'r0' WHERE "Select" NOT IN ('r1', 'r2', 'r3')""")
    for columns in (["f", "Select"], ["select"]):
        with pytest.raises(ColumnError, match='Each original value of "Select" was released as one value'):
            data.linkage.distance_linkage("k", columns)
    con.execute("""UPDATE k SET "Select" = 'r0' WHERE "Select" NOT IN ('r1', 'r2', 'r3')""")
    assert data.linkage.distance_linkage("k", ["f", "Select"]).rate < 0.5  # recoded alike


@pytest.mark.slow
def test_suppressed_values_are_no_distance(con):
    """A number or rank that is NULL in the release leaves the others to tell: as if the column were left out."""
    draw = np.random.default_rng(11)
    n = 300
    x, o = draw.normal(size=n), draw.integers(0, 9, n)
    y = x + 0.3 * draw.normal(size=n)
    make(con, "k", x=x.tolist(), y=y.tolist(), o=o.tolist())
    noisy = [(x + 0.01 * draw.normal(size=n)).tolist(), (y + 0.01 * draw.normal(size=n)).tolist(), o.tolist()]
    full = make(con, "f", x=noisy[0], y=noisy[1], o=noisy[2])
    roles = {"continuous": ["x", "y"], "ordinal": ["o"]}
    part = make(con, "part", x=noisy[0], y=noisy[1], o=[None if i % 2 else v for i, v in enumerate(noisy[2])])
    con.execute("UPDATE part SET y = NULL")
    rows = part.linkage.distance_linkage_records("k", ["x", "y", "o"], **roles).order('"it\'s"').fetchall()
    for names, keep in ((["x"], 1), (["x", "o"], 0)):  # odd places lack o and y, even ones y alone
        some = {role: [c for c in cs if c in names] for role, cs in roles.items()}
        alone = full.linkage.distance_linkage_records("k", names, **some).order('"it\'s"').fetchall()
        assert [r[2:] for r in rows[keep::2]] == [r[2:] for r in alone[keep::2]]
    # an original that lacks the value too is nearer than one that has it
    make(con, "k", x=[0.0, 0.0, 5.0], y=[None, 1.0, 2.0], o=[1, 1, 1])
    three = make(con, "f", x=[0.0, 0.0, 5.0], y=[9.0, 9.0, 9.0], o=[1, 1, 1])
    con.execute("UPDATE f SET y = NULL")
    rows = three.linkage.distance_linkage_records("k", ["x", "y"], continuous=["x", "y"]).order('"it\'s"').fetchall()
    # y lacks in one: 2, the mean squared difference of two originals in standard deviations
    assert [r[1:] for r in rows] == [
        (0, 0, 1, 1, 0),
        (pytest.approx(sqrt(2)), 1, 1, 0, 1),
        (pytest.approx(sqrt(2)), 0, 1, 1, 0),
    ]


def by_both_readings(before, after):
    """Correct links expected by all pairs: a missing value read as one of its own, and where suppressed as nothing."""
    found = []
    for as_nothing in (False, True):
        total = 0.0
        for name, of_kind in (("x", "number"), ("g", "category"), ("s", "rank")):
            a, b = (np.array(side[name], dtype=object) for side in (after, before))
            no_a, no_b = (np.array([v is None for v in side]) for side in (a, b))
            one_lacks = no_a[:, None] != no_b[None, :]
            if of_kind == "category":
                d = np.array([[float(v != w) for w in b] for v in a])
                lost = 1.0
            else:
                scale = b[~no_b].astype(float).std(ddof=1) if of_kind == "number" else 4.0
                x, y = (np.where(no, 0, side).astype(float) / scale for side, no in ((a, no_a), (b, no_b)))
                lost = 2 * y[~no_b].var(ddof=1)
                d = np.where(
                    one_lacks, lost, np.where(no_a[:, None] & no_b[None, :], 0, (x[:, None] - y[None, :]) ** 2)
                )
            if as_nothing and (no_a & ~no_b).any():
                d[no_a] = lost
            total = total + d
        true = np.diag(total)[:, None]
        near = np.isclose(total, true, rtol=1e-9, atol=1e-13)
        found.append((~((total < true) & ~near).any(axis=1) / near.sum(axis=1)).sum())
    return found


@pytest.mark.parametrize("missing", [0.02, 0.5])
def test_what_was_suppressed_is_no_information_beside_what_is_missing_in_the_original(con, missing):
    """One that lacks its value must not draw to itself all that were suppressed; many that do are linked by it."""
    draw, n = np.random.default_rng(7), 120
    before = {
        "x": draw.integers(0, 30, n),
        "g": draw.choice(["u", "v", "w"], n),
        "s": [*range(5), *draw.integers(0, 5, n - 5)],
    }
    before = {
        k: [
            None if draw.random() < missing and i > 4 else type(v.item() if hasattr(v, "item") else v)(v)
            for i, v in enumerate(c)
        ]
        for k, c in before.items()
    }
    after = {
        k: [None if draw.random() < 0.3 * (1 - missing) ** 4 and i > 4 else v for i, v in enumerate(c)]
        for k, c in before.items()
    }
    make(con, "k", **before)
    data = make(con, "f", **after)
    found = data.linkage.distance_linkage("k", ["x", "g", "s"], continuous=["x"], ordinal=["s"])
    as_value, as_nothing = by_both_readings(before, after)
    assert (as_value > as_nothing) == (missing == 0.5)
    assert found.expected_correct_matches == pytest.approx(max(as_value, as_nothing), abs=1e-9)


@pytest.mark.slow
def test_who_is_not_released_is_no_candidate_unless_the_file_is_external(con):
    make(con, "k", x=[0, 1, 2, 3])
    con.execute('CREATE TABLE f AS SELECT "it\'s", x + 0.9 AS x FROM k WHERE x IN (0, 2)')
    data = Microdata(con, "f", id="it's")
    roles = {"continuous": ["x"], "scaling": "none"}
    known = data.linkage.distance_linkage("k", ["x"], **roles)  # who took part: 0.9 is nearest to 0, 2.9 to 2
    assert (known.records, known.candidates, known.unpaired, known.rate) == (2, 2, 0, 1)
    unknown = data.linkage.distance_linkage("k", ["x"], **roles, external=True)
    assert (unknown.candidates, unknown.rate, unknown.second_rate) == (4, 0, 1)
    con.execute("INSERT INTO f VALUES (9, 1.2)")
    with pytest.raises(TableError, match="1 records of the released table have an id"):
        data.linkage.distance_linkage("k", ["x"], **roles)
    found = data.linkage.distance_linkage("k", ["x"], **roles, external=True)
    assert (found.records, found.unpaired, found.second_rate) == (3, 1, pytest.approx(2 / 3))
    rows = data.linkage.distance_linkage_records("k", ["x"], **roles, external=True).order('"it\'s"').fetchall()
    assert rows[-1] == (9, None, None, None, 0, 0)
    con.execute('UPDATE f SET "it\'s" = 10 + "it\'s"')
    with pytest.raises(TableError, match="3 records of the released table have an id"):
        data.linkage.distance_linkage("k", ["x"], **roles, external=True)


@pytest.mark.slow
def test_refused(con):
    make(con, "k", x=[1.0, 2.0, 4.0], g=["u", "v", "v"], y=[2.0, 4.0, 8.0], c=[1.0, 1.0, 1.0])
    data = make(con, "f", x=[1.0, None, 3.0], g=["u", "v", "v"], y=[2.0, 4.0, 8.0], c=[1.0, 1.0, 1.0])
    with pytest.raises(InputError, match=r"a number is missing \(NULL\), and mahalanobis"):
        data.linkage.distance_linkage("k", ["x"], continuous=["x"], scaling="mahalanobis")
    whole = Microdata(con, "k", id="it's")
    for names in (["x", "y"], ["x", "c"]):
        with pytest.raises(InputError, match="no Mahalanobis distance"):
            whole.linkage.distance_linkage("k", names, continuous=names, scaling="mahalanobis")
    with pytest.raises(InputError, match="weights of numbers differ"):
        whole.linkage.distance_linkage("k", ["x", "y"], continuous=["x", "y"], scaling="mahalanobis", weights=[1, 2])
    with pytest.raises(ColumnError, match="named as continuous and as ordinal"):
        data.linkage.distance_linkage("k", ["x"], ordinal=["x"], continuous=["X"])
    with pytest.raises(ColumnError, match="not among the columns measured"):
        data.linkage.distance_linkage("k", ["x"], ordinal=["g"])
    for weights in (-1, [1, -1], [0, 0]):
        with pytest.raises(InputError, match="weights must be numbers of at least 0"):
            data.linkage.distance_linkage("k", ["x", "g"], weights=weights)
    with pytest.raises(InputError, match="scaling is 'sd'"):
        data.linkage.distance_linkage("k", ["g"], scaling="sd")
    with pytest.raises(ParameterError, match="external"):
        data.linkage.distance_linkage("k", ["g"], external="yes")
    with pytest.raises(duckdb.Error, match="external is NULL"):
        con.execute("FROM sdc_distance_linkage('k', 'f', ['g'], 'it''s', external := NULL)").fetchall()
    con.execute("CREATE TABLE twice AS FROM f UNION ALL FROM f")
    with pytest.raises(ColumnError, match="must be unique"):
        Microdata(con, "twice", id="it's").linkage.distance_linkage("k", ["g"])
    with pytest.raises(duckdb.Error, match="is the same on 2 records of the released table"):
        con.execute("FROM sdc_distance_linkage('k', 'twice', ['g'], 'it''s')").fetchall()
    con.execute("CREATE TABLE nobody AS FROM f LIMIT 0")
    with pytest.raises(TableError, match="no rows"):
        Microdata(con, "nobody", id="it's").linkage.distance_linkage("k", ["g"])


@pytest.mark.parametrize("ordinal", [[], ["g"]])
def test_a_variable_without_a_common_value_is_no_distance_from_all(con, ordinal):
    make(con, "k", g=["30", "34", "41"], x=[1, 2, 3])
    data = make(con, "f", g=["30-39", "30-39", "40-49"], x=[1, 2, 3])
    with pytest.raises(TableError, match="No value of g occurs in both tables"):
        data.linkage.distance_linkage("k", ["g", "x"], ordinal=ordinal)
