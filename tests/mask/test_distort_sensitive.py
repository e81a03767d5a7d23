"""Sensitive values of failing groups drawn anew: groups by the keys alone, and what an intruder who knows it infers."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from sdc_sql.udfs.distortion import redraw_groups
from sdc_sql.udfs.group_model import Conditions, Urn, make_redraw_urn, make_urn

import sdc_sql
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import InputError

SIX = (  # six of one region who all have HIV, in a file where few have (as in Wong et al. 2007, section 1)
    "CREATE OR REPLACE TABLE k AS SELECT id, CASE WHEN id < 6 THEN 'a' ELSE 'b' || id % 9 END AS f, "
    "if(id < 6 OR id % 7 = 0, 'HIV', 'flu') AS \"it's\", id % 2 AS \"Select\" FROM range(60) t(id)"
)


def conditions(kinds: int, l: float | None = None, t: float | None = None, chosen=None, **more) -> Conditions:  # noqa: E741
    return Conditions(l, t, np.isin(np.arange(kinds), range(kinds) if chosen is None else chosen), **more)


def urn_by_hand(p, phi: float, n: int) -> dict[tuple[int, ...], float]:
    """Return the probability of every count by going through every sequence of draws (not by the closed form)."""
    found: dict[tuple[int, ...], float] = {}
    for drawn in product(range(len(p)), repeat=n):
        chance = 1.0
        for i, value in enumerate(drawn):
            chance *= ((1 - phi) * p[value] + phi * drawn[:i].count(value)) / ((1 - phi) + phi * i)
        counts = tuple(drawn.count(v) for v in range(len(p)))
        found[counts] = found.get(counts, 0) + chance
    return found


# values' shares, the intraclass correlation, records, l, chosen
SETTINGS = [
    ([0.7, 0.3], 0.6, 5, 2, [1]), ([0.5, 0.5], 0.3, 4, 2, [1]), ([0.9, 0.1], 0.0, 3, 5, [1]),
    ([0.4, 0.3, 0.3], 0.1, 5, 2, None),
    ([0.3, 0.3, 0.4], 0.5, 4, 2, None), ([0.6, 0.3, 0.1], 0.9, 4, 3, [1, 2]), ([0.5, 0.5], 0.2, 2, 2, None),
    ([0.34, 0.33, 0.33], 0.4, 6, 2.5, None),
]  # fmt: skip


@pytest.mark.parametrize(("p", "phi", "n", "l", "chosen"), SETTINGS)
def test_who_knows_the_method_gains_no_more_than_1_of_l(p, phi, n, l, chosen):  # noqa: E741
    """By enumeration of every group and all that can become of it; the kernel says only what is drawn how often."""
    groups = urn_by_hand(p, phi, n)
    regarded = range(len(p)) if chosen is None else chosen
    model, share = make_redraw_urn(Urn(np.array(p), phi), conditions(len(p), l, chosen=chosen), n)
    slack = {y: min(1 - l * y[v] / n for v in regarded) for y in groups}
    drawn = urn_by_hand(p, model.phi, n)
    to = {y: drawn[y] * (slack[y] if share < 1 else 1) for y in groups if slack[y] >= -1e-12}
    joint: dict[tuple[int, ...], np.ndarray] = {}
    for x, chance in groups.items():
        redrawn = share if slack[x] >= -1e-12 else 1.0
        told = np.append(np.array(x) / n, 1) * chance
        joint[x] = joint.get(x, 0) + told * (1 - redrawn)
        for y, weight in to.items():
            joint[y] = joint.get(y, 0) + told * redrawn * weight / sum(to.values())
    for y, told in joint.items():
        if told[-1] > 0:
            assert slack[y] >= -1e-12
            assert max(told[v] / told[-1] for v in regarded) <= 1 / l + 1e-12


def test_draws_by_the_other_groups_shares_alone_would_give_more():
    """What the weights are for: drawn from good groups as they are, a value is known with 0.6 where 1/l is 0.5."""
    groups = urn_by_hand([0.7, 0.3], 0.6, 6)
    good = {y: chance for y, chance in groups.items() if y[1] <= 3}
    failing = {y: chance for y, chance in groups.items() if y[1] > 3}
    drawn = good[3, 3] / sum(good.values())
    of_failing = sum(chance * y[1] / 6 for y, chance in failing.items())
    assert (good[3, 3] / 2 + drawn * of_failing) / (good[3, 3] + drawn * sum(failing.values())) > 0.55


def test_t_holds_of_what_an_intruder_concludes():
    p, phi, n, t = [0.5, 0.3, 0.2], 0.3, 4, 0.5
    groups = urn_by_hand(p, phi, n)
    model, share = make_redraw_urn(Urn(np.array(p), phi), conditions(3, t=t), n)
    far = {y: np.abs(np.array(y) / n - p).sum() / 2 for y in groups}
    drawn = urn_by_hand(p, model.phi, n)
    to = {y: drawn[y] * (1 - far[y] / t) for y in groups if far[y] <= t}
    gone = {x: chance * (share if far[x] <= t else 1) for x, chance in groups.items()}
    lost = sum(chance * np.array(x) / n for x, chance in gone.items())
    for y, weight in to.items():
        d, kept = weight / sum(to.values()), groups[y] - gone[y]
        told = (kept * np.array(y) / n + d * lost) / (kept + d * sum(gone.values()))
        assert np.abs(told - p).sum() / 2 <= t + 1e-12


def test_what_is_drawn_is_what_the_method_says():
    """1,000 failing groups of 4 among others: how often each count comes, within 4 standard deviations."""
    kinds, n, times = 2, 4, 1_000
    others = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]] * 1_500)
    values = np.concatenate([np.ones((times, n), dtype=int), others]).ravel()
    groups = np.arange(values.size) // n
    asked = conditions(kinds, 2, chosen=[1])
    masked = redraw_groups(groups, values, np.arange(values.size), asked).reshape(-1, n)
    assert (masked[times:] == others).all()
    urn = make_urn(groups, values, kinds)
    weights = {y: c * (1 - 2 * y[1] / n) for y, c in urn_by_hand(urn.p, urn.phi, n).items() if y[1] <= 2}
    for ones in range(5):
        share = weights.get((n - ones, ones), 0) / sum(weights.values())
        found = int((masked[:times].sum(axis=1) == ones).sum())
        assert abs(found - times * share) <= 4 * np.sqrt(times * share * (1 - share))


def test_the_urn_of_a_file_by_pairs():
    """The intraclass correlation is the agreement of fellow records beyond that of any two."""
    rng = np.random.default_rng(5)
    groups, values = rng.integers(0, 6, 40), rng.integers(0, 3, 40)
    groups[:6] = range(6)
    pairs = [(a, b) for a in range(40) for b in range(40) if a != b]
    any_two = np.mean([values[a] == values[b] for a, b in pairs])
    fellows = [[values[a] == values[b] for b in range(40) if a != b and groups[a] == groups[b]] for a in range(40)]
    within = np.mean([np.mean(own) for own in fellows if own])
    assert make_urn(groups, values, 3).phi == pytest.approx(max((within - any_two) / (1 - any_two), 0))


@pytest.mark.slow
def test_six_of_six(keyed):
    keyed.execute(SIX)
    data = sdc_sql.Microdata(keyed, "k", keys=["f"], id="id")
    ladder = {"f": sdc_sql.tree_hierarchy({"*": ["a", *(f"b{i}" for i in range(9))]})}
    data.mask.generalise(ladder, k=5, into="by_k")  # with l = 2 it would suppress them for it: test_generalise
    released = sdc_sql.Microdata(keyed, "by_k", keys=["f"], id="id")
    step = released.mask.distort_sensitive("it's", l=2, chosen=["HIV"], into="r")
    assert step.parameters["groups_failing"] == 1
    assert step.parameters["greatest_share"] <= 1 / 2
    assert keyed.execute("SELECT count(*) FILTER (\"it's\" = 'HIV') FROM r WHERE f = 'a'").fetchone()[0] <= 3
    assert keyed.execute('SELECT count(*) FROM r JOIN by_k b USING (id, f, "Select")').fetchone() == (60,)
    others = "SELECT count(*) FROM r JOIN by_k b USING (id) WHERE r.f <> 'a' AND r.\"it's\" <> b.\"it's\""
    assert keyed.execute(others).fetchone() == (0,)


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_t_of_the_release_is_that_of_the_measure(keyed, distance):
    """In 20 groups, one of which shows one value alone; NULL is a value of its own where no order is asked."""
    keyed.execute(
        "CREATE TABLE k AS SELECT id, id // 20 AS f, CASE WHEN id < 20 THEN 5 WHEN id % 11 = 3 AND id > 40 AND '"
        + distance
        + "' = 'equal' THEN NULL ELSE id * 7 % 13 % 6 END AS s FROM range(400) t(id)"
    )
    data = sdc_sql.Microdata(keyed, "k", keys=["f"], id="id")
    step = data.mask.distort_sensitive("s", l=1.5, t=0.3, distance=distance, into="r")
    assert step.parameters["groups_failing"] >= 1
    after = sdc_sql.Microdata(keyed, "r", keys=["f"], id="id")
    assert after.risk.t_closeness("s", distance=distance).t == pytest.approx(step.parameters["greatest_t"])
    assert after.risk.t_closeness("s", distance=distance).t <= 0.3 + 1e-9
    assert after.risk.likeness("s").alpha <= 1 / 1.5


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "neither l nor t"),
        ({"l": 2}, "the file's records, and l = 2"),
        ({"l": 2, "chosen": ["plague"]}, "not every one is a value"),
        ({"l": 2, "chosen": "HIV"}, "give a list"),
        ({"t": 0.2, "chosen": ["HIV"]}, "it is l that regards them"),
        ({"l": 0.5}, "l is 0.5"),
        ({"l": 2, "groups": ["it's"]}, "among the groups"),
        ({"l": 2, "groups": ["id"], "t": 0.01}, "make the groups larger|the file's records"),
    ],
)
def test_what_cannot_be(keyed, given, message):
    keyed.execute(SIX)
    keyed.execute("CREATE TABLE before AS FROM k")
    data = sdc_sql.Microdata(keyed, "k", keys=["f"], id="id")
    with pytest.raises(InputError, match=message):
        data.mask.distort_sensitive("it's", **given)
    assert keyed.execute("FROM k EXCEPT FROM before").fetchall() == []


def test_with_the_urn_of_the_file_itself_too():
    """Of every table of three groups of three and every release: shares and correlation are here the table's own."""
    n, l, kinds = 3, 2, 2  # noqa: E741
    prior = urn_by_hand([0.7, 0.3], 0.4, n)
    joint: dict[tuple[int, ...], np.ndarray] = {}
    for table in product(range(n + 1), repeat=3):
        if not 0 < sum(table) <= 3 * n / l:  # more is an error, and none needs nothing
            continue
        values = np.array([[1] * x + [0] * (n - x) for x in table]).ravel()
        model, share = make_redraw_urn(make_urn(np.arange(9) // n, values, kinds), conditions(kinds, l, chosen=[1]), n)
        assert share == 0
        to = np.array([urn_by_hand(model.p, model.phi, n)[n - y, y] * max(1 - l * y / n, 0) for y in range(n + 1)])
        chances = [to / to.sum() if l * x > n else np.eye(n + 1)[x] for x in table]
        told = np.prod([prior[n - x, x] for x in table]) * np.array([*table, n]) / n
        for release in product(range(n + 1), repeat=3):
            chance = np.prod([chances[g][y] for g, y in enumerate(release)])
            joint[release] = joint.get(release, 0) + told * chance
    assert max(max(told[:3]) / told[3] for told in joint.values() if told[3] > 0) <= 1 / l


def test_groups_do_not_hang_on_the_values():
    """Every table of two groups of three: the groups are given, and each is as asked afterwards."""
    groups = np.array([0, 0, 0, 1, 1, 1])
    asked = conditions(2, 2, chosen=[1])
    for left, right in combinations_with_replacement(range(4), 2):
        if not 1 <= left + right <= 3:
            continue
        values = np.array([1] * left + [0] * (3 - left) + [1] * right + [0] * (3 - right))
        masked = redraw_groups(groups, values, np.arange(6) + 17, asked)
        assert masked[:3].sum() <= 1
        assert masked[3:].sum() <= 1


def test_the_proof_counts_groups_by_hand(con):
    """x, x, x, y and y, y, z fail where no value may be more than half; the file has 5, 5 and 3 of 13."""
    con.execute("CREATE TABLE t AS SELECT row_number() OVER () AS id, f, unnest(string_split(s, '')) AS s FROM "
                "(VALUES ('a', 'xxxy'), ('b', 'xy'), (NULL, 'yyz'), ('d', 'xyzz')) AS v(f, s)")  # fmt: skip
    con.execute("CREATE OR REPLACE TABLE t AS SELECT * REPLACE (row_number() OVER () AS id) FROM t")
    con.execute("CREATE TABLE r AS SELECT id, CASE id WHEN 3 THEN 'y' WHEN 7 THEN 'x' ELSE s END AS s FROM t")
    columns = "groups_found, groups_failing, greatest_share, greatest_t"

    def proved(l, t, chosen, distance):  # noqa: E741
        call = f"sdc__distortion_proof('t', 'r', 's', ['f'], 'id', {l}, {t}, {chosen}, '{distance}')"
        return execute(con, f"SELECT {columns} FROM {call}").fetchall()

    near = pytest.approx
    assert proved(2, "NULL", "NULL", "equal") == [(4, 2, 0.5, None)]
    # a quarter, a quarter and a half are 7/26 from the shares of the file, before and after; in their order 21/104
    assert proved("NULL", 7 / 26, "NULL", "equal") == [(4, 2, 0.5, near(7 / 26))]
    assert proved("NULL", 0.21, "NULL", "ordered") == [(4, 2, 0.5, near(21 / 104))]
    for l, t in ((2.01, "NULL"), ("NULL", 0.269)):  # noqa: E741
        with pytest.raises(Exception, match="not as was asked"):
            proved(l, t, "NULL", "equal")


def test_values_of_a_file_are_codes_where_their_order_is_not_asked(keyed, tmp_path):
    """As numbers 1.1 and 1.10 are one: as amounts they may be, as values to tell apart they are texts."""
    rows = [f"i{i},{'ab'[i % 2]},{i // 2 % 3}.{i // 6}" for i in range(24)]
    (tmp_path / "k.csv").write_text("\n".join(["id,f,s", *rows]))
    call = f"FROM sdc_distort_sensitive('{tmp_path}/k.csv', 's', ['f'], 'id', t := 0.5"
    assert len(keyed.execute(f"{call}, distance := 'ordered')").fetchall()) == 24
    with pytest.raises(Exception, match=r"type of the column s of .* is guessed \(DOUBLE\)"):
        keyed.execute(f"{call})").fetchall()
