"""Singling out, linkability and inference: by hand, by every pair, for fresh samples and for files that copy."""

from __future__ import annotations

import math
from itertools import product

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.linkage.attacks import infer, link, single_out

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError

N = 400
COLUMNS = ["f", "Select", "it's", "k"]
NUMBERS = ["it's", "k"]


def draw_sample(rng, n):
    """Return a sample of a population of two categories and two numbers that depend on one another."""
    f = rng.choice(list("abcd"), n, p=[0.5, 0.3, 0.15, 0.05]).astype(object)
    region = rng.choice(list("uvw"), n).astype(object)
    region[rng.random(n) < 0.05] = None
    wage = np.round(np.exp(rng.normal(7, 0.6, n) + 0.4 * (f == "a")))
    age = np.round(rng.uniform(15, 90, n))
    return {"f": f, "Select": region, "it's": wage, "k": age}


def select(file, rows):
    return {name: values[rows] for name, values in file.items()}


def join(first, second):
    return {name: np.concatenate([first[name], second[name]]) for name in first}


def keep(con, name, file):
    con.register("made", pa.table({n: pa.array(v.tolist()) for n, v in file.items()}))
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM made")
    con.unregister("made")


@pytest.fixture(scope="module")
def tables(connect):
    """Return a connection with an original `k`, its holdout `held`, and released tables of several makers."""
    rng = np.random.default_rng(20)
    original, held, fresh = (draw_sample(rng, N) for _ in range(3))
    copied = rng.permutation(N)
    far = np.argsort(-np.abs(np.log(original["it's"]) - 7))[: N // 10]
    independent = {name: rng.permutation(values) for name, values in original.items()}
    made = {
        "k": original,
        "held": held,
        "fresh": fresh,
        "copies": select(original, copied),
        "one_in_ten": join(select(fresh, np.arange(N - N // 10)), select(original, copied[: N // 10])),
        "extremes": join(select(fresh, np.arange(N - N // 10)), select(original, far)),
        "independent": independent,
    }
    with connect() as con:
        for name, file in made.items():
            keep(con, name, file)
        yield con, made


def wilson(successes, guesses, z):
    middle = (successes + z * z / 2) / (guesses + z * z)
    return middle, z / (guesses + z * z) * math.sqrt(successes * (guesses - successes) / guesses + z * z / 4)


def distance(one, other, columns, spans):
    """Return Gower's distance of two records."""
    return sum(
        abs(one[c] - other[c]) / spans[c] if c in NUMBERS else float(one[c] != other[c]) for c in columns
    )  # fmt: skip


def records_of(file):
    return [dict(zip(file, values, strict=True)) for values in zip(*file.values(), strict=True)]


def find_nearest(record, released, columns, spans):
    apart = [distance(record, other, columns, spans) for other in released]
    return {i for i, d in enumerate(apart) if d <= min(apart) + 1e-9}


@pytest.fixture(scope="module")
def few(tables):
    """Return forty records of the original, the holdout and a fresh sample, and the ranges of numbers in them."""
    con, made = tables
    files = {name: select(made[name], np.arange(40)) for name in ("k", "held", "one_in_ten")}
    files["one_in_ten"] = join(select(made["fresh"], np.arange(25)), select(made["k"], np.arange(15)))
    for name, file in files.items():
        keep(con, f"few_{name}", file)
    spans = {c: np.ptp(np.concatenate([f[c] for f in files.values()])) for c in NUMBERS}
    return con, {name: records_of(file) for name, file in files.items()}, spans


def test_inference_by_every_pair(few):
    con, files, spans = few
    found = Microdata(con, "few_one_in_ten").linkage.attribute_inference(
        "few_k", "few_held", ["f", "Select", "k"], "it's", continuous=NUMBERS, tolerance=0.2
    )
    for which, guesses, successes in (
        ("k", found.guesses, found.successes),
        ("held", found.control_guesses, found.control_successes),
    ):
        expected = 0.0
        for record in files[which]:
            near = find_nearest(record, files["one_in_ten"], ["f", "Select", "k"], spans)
            right = [abs(files["one_in_ten"][i]["it's"] - record["it's"]) <= 0.2 * record["it's"] for i in near]
            expected += sum(right) / len(near)
        assert guesses == 40
        assert successes == pytest.approx(expected)
    assert found.successes > found.control_successes


def test_linkability_by_every_pair(few):
    con, files, spans = few
    found = Microdata(con, "few_one_in_ten").linkage.linkability(
        "few_k", "few_held", ["f", "k"], ["Select", "it's"], continuous=NUMBERS
    )
    for which, successes in (("k", found.successes), ("held", found.control_successes)):
        expected = 0.0
        for record in files[which]:
            a, b = (find_nearest(record, files["one_in_ten"], part, spans) for part in (["f", "k"], ["Select", "it's"]))
            expected += len(a & b) / len(a) / len(b)
        assert successes == pytest.approx(expected)


def test_figures_are_those_of_the_paper(few):
    """Wilson's middle and half width, the risk beside the control, and its error by propagation."""
    con, *_ = few
    found = Microdata(con, "few_one_in_ten").linkage.linkability(
        "few_k", "few_held", ["f", "k"], ["Select", "it's"], continuous=NUMBERS, confidence=0.9
    )
    z = 1.6448536269514722
    rate, error = wilson(found.successes, found.guesses, z)
    control, off = wilson(found.control_successes, found.control_guesses, z)
    assert (found.rate, found.error) == pytest.approx((rate, error))
    assert (found.control_rate, found.control_error) == pytest.approx((control, off))
    risk = (rate - control) / (1 - control)
    spread = math.hypot(error / (1 - control), (rate - 1) / (1 - control) ** 2 * off)
    assert found.risk == pytest.approx(risk)
    assert (found.risk_lower, found.risk_upper) == pytest.approx((max(risk - spread, 0), min(risk + spread, 1)))


def count_univariate(released, others):
    """Return the guesses of one variable, and their successes in some files, from the definition."""
    guesses = []
    for c in COLUMNS:
        values = [r[c] for r in released]
        guesses += [(c, "=", v) for v in set(values) if values.count(v) == 1]
        if c in NUMBERS:
            guesses += [(c, "<", v) for v in (min(values),) if values.count(v) == 1]
            guesses += [(c, ">", v) for v in (max(values),) if values.count(v) == 1]
    true = {"=": lambda x, v: x == v, "<": lambda x, v: x <= v, ">": lambda x, v: x >= v}
    return len(guesses), [
        sum(sum(true[how](r[c], v) for r in file) == 1 for c, how, v in guesses) for file in others
    ]  # fmt: skip


def test_singling_out_by_one_value(few):
    con, files, _ = few
    alone, together = Microdata(con, "few_one_in_ten").linkage.singling_out(
        "few_k", "few_held", COLUMNS, continuous=NUMBERS, width=2
    )
    guesses, (mine, other) = count_univariate(files["one_in_ten"], [files["k"], files["held"]])
    assert (alone.attack, together.attack) == ("univariate", "multivariate")
    assert (alone.guesses, alone.successes, alone.control_successes) == (guesses, mine, other)
    assert together.successes > together.control_successes


def test_figures_are_those_of_anonymeter():
    """anonymeter 1.1.0 makes 956 univariate guesses with these records: 219 are true of one original, 66 of one held.

    Of 500 wages it infers 100 exactly, none of those held, and links 97 records: it takes the first of those as near.
    """
    rng = np.random.default_rng(5)

    def draw(n):
        f, g = rng.choice(list("abcd"), n, p=[0.5, 0.3, 0.15, 0.05]), rng.choice(list("uvw"), n)
        wage = np.round(np.exp(rng.normal(7, 0.6, n) + 0.4 * (f == "a")))
        return np.array([[ord(c) for c in f], [ord(c) for c in g], wage, np.round(rng.uniform(15, 90, n), 3)])

    original, held, fresh = draw(500), draw(500), draw(500)
    released = np.hstack([fresh[:, :400], original[:, :100]])
    columns, file = np.hstack([original, held, released]), np.repeat([0.0, 1, 2], 500)
    assert single_out(columns, 2, file, 3, 5000)[0].tolist() == [956, 219, 66]
    assert infer(columns, 2, file, 2, 0, 500).tolist() == [500, 100, 500, 0]
    assert link(columns, 2, file, np.array([0.0, 1, 1, 0]), 500) == pytest.approx([500, 97, 500, 0], abs=2)


def test_every_multivariate_guess_of_a_small_file_is_made():
    """Of three records with two variables there are as many guesses as records whose pair no other has."""
    x = np.array([[1.0, 1, 2, 1, 1, 2, 1, 2, 2], [1, 2, 1, 5, 6, 7, 1, 2, 2]])
    file = np.repeat([0.0, 1, 2], 3)
    _, together = single_out(x, 2, file, 2, 100)
    assert together.tolist() == [1, 1, 0]  # (1, 1), which is there once in the released file and in the original


@pytest.mark.one_in(3)
@pytest.mark.parametrize("released", ["copies", "one_in_ten", "extremes"])
def test_a_maker_that_copies_is_found_out(tables, released):
    con, _ = tables
    together = Microdata(con, released).linkage.singling_out("k", "held", COLUMNS, continuous=NUMBERS)[1]
    linked = Microdata(con, released).linkage.linkability(
        "k", "held", ["f", "k"], ["Select", "it's"], continuous=NUMBERS
    )
    inferred = Microdata(con, released).linkage.attribute_inference(
        "k", "held", ["f", "Select", "k"], "it's", continuous=NUMBERS
    )
    assert max(f.risk_lower for f in (together, linked, inferred)) > 0
    if released == "copies":
        assert together.risk_lower > 0.5
        assert together.successes == together.guesses
        assert linked.risk_lower > 0.3
        assert inferred.risk_lower > 0.5


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("released", ["fresh", "independent"])
def test_what_the_population_tells_is_no_risk(tables, released):
    con, _ = tables
    data = Microdata(con, released)
    found = [
        data.linkage.singling_out("k", "held", COLUMNS, continuous=NUMBERS)[1],
        data.linkage.linkability("k", "held", ["f", "k"], ["Select", "it's"], continuous=NUMBERS),
        data.linkage.attribute_inference("k", "held", ["f", "Select", "k"], "it's", continuous=NUMBERS),
    ]
    assert [f.risk_lower for f in found] == [0, 0, 0]
    assert max(f.risk for f in found) < 0.1


@pytest.mark.slow
@pytest.mark.whole
def test_order_of_records_and_threads_do_not_matter(tables):
    con, _ = tables
    con.execute('CREATE OR REPLACE TABLE mixed AS SELECT K, "it\'s", F, "select" FROM one_in_ten ORDER BY hash(f, k)')
    kinds = [
        lambda d: d.linkage.singling_out("k", "held", COLUMNS, continuous=NUMBERS, max_guesses=50),
        lambda d: d.linkage.linkability(
            "k", "held", ["f", "k"], ["Select", "it's"], continuous=NUMBERS, max_guesses=50
        ),
    ]
    for measure, name in product(kinds, ["mixed"]):
        assert measure(Microdata(con, name)) == measure(Microdata(con, "one_in_ten"))


@pytest.mark.slow
@pytest.mark.whole
def test_wrong_input_is_an_error(tables):
    con, _ = tables
    con.execute("CREATE OR REPLACE TABLE half AS FROM held LIMIT 200")
    con.execute("CREATE OR REPLACE TABLE recoded AS SELECT * REPLACE ('z' || f AS f) FROM fresh")
    con.execute("CREATE OR REPLACE TABLE none AS FROM held LIMIT 0")
    fresh = Microdata(con, "fresh").linkage
    with pytest.raises(InputError, match="the very records"):
        fresh.singling_out("k", "k", COLUMNS, continuous=NUMBERS)
    with pytest.raises(InputError, match="of about as many"):
        fresh.singling_out("k", "half", COLUMNS, continuous=NUMBERS)
    with pytest.raises(TableError, match="No value of f occurs in both"):
        Microdata(con, "recoded").linkage.singling_out("k", "held", COLUMNS, continuous=NUMBERS)
    with pytest.raises(TableError, match=r"empty|no rows|no records"):
        fresh.singling_out("k", "none", COLUMNS, continuous=NUMBERS)
    with pytest.raises(ColumnError, match="twice"):
        fresh.linkability("k", "held", ["f"], ["F"])
    with pytest.raises(duckdb.Error, match="one of the two parts has no column"):
        con.execute("FROM sdc_linkability('k', 'fresh', 'held', ['f'], NULL)")
    with pytest.raises(ColumnError, match="not among"):
        fresh.attribute_inference("k", "held", ["f"], "k", continuous=["it's"])
    with pytest.raises(ParameterError, match="tolerance"):
        fresh.attribute_inference("k", "held", ["f"], "k", tolerance=-1)
    exact = fresh.attribute_inference("k", "held", ["f", "Select"], "it's", continuous=["it's"], tolerance=0)
    near = fresh.attribute_inference("k", "held", ["f", "Select"], "it's", continuous=["it's"], tolerance=1.5)
    assert exact.successes < near.successes  # both ends of the range and beyond 1


# anonymeter 1.1.0 of the couples: 300 queries of 3 or 4 variables asked, as many made, and the rates with their errors
ANONYMETER = {
    ("other", 3): (89, 0.2992, 0.0514, 0.2632, 0.0494), ("other", 4): (72, 0.2433, 0.0481, 0.2171, 0.0462),
    ("half", 3): (152, 0.5066, 0.0562, 0.2434, 0.0481), ("half", 4): (128, 0.4276, 0.0556, 0.2434, 0.0481),
    ("own", 3): (300, 0.9937, 0.0063, 0.1908, 0.0440), ("own", 4): (300, 0.9937, 0.0063, 0.2434, 0.0481),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("released", "width"), ANONYMETER)
def test_multivariate_rates_agree_with_anonymeter(connect, fixtures, released, width):
    """Its queries are drawn, those here are not: rates differ by chance, less than 2.6 standard errors of both.

    Of 1,500 couples their own file is released, half of it, or as many others; 1,500 are held. It divides by the
    queries that were asked where fewer could be made, so those of two variables are not compared.
    """
    with connect() as con:
        con.execute(f"""
            CREATE TABLE halves AS
            SELECT * EXCLUDE (weight), row_number() OVER (ORDER BY md5(couple::VARCHAR)) % 2 AS half
            FROM '{fixtures}/cps_couples.parquet';
            CREATE TABLE own AS SELECT * EXCLUDE (half) FROM halves WHERE half = 0 ORDER BY couple LIMIT 1500;
            CREATE TABLE held AS SELECT * EXCLUDE (half) FROM halves WHERE half = 1 ORDER BY couple LIMIT 1500;
            CREATE TABLE other AS
            SELECT * EXCLUDE (half) FROM halves WHERE half = 0 ORDER BY couple LIMIT 1500 OFFSET 1500;
            CREATE TABLE half AS
            (FROM own ORDER BY couple LIMIT 750) UNION ALL (FROM other ORDER BY couple LIMIT 750)""")
        types = {name: kind for name, kind, *_ in con.execute("DESCRIBE own").fetchall() if name != "couple"}
        numbers = [name for name, kind in types.items() if kind != "VARCHAR"]
        attacks = Microdata(con, released).linkage
        _, found = attacks.singling_out("own", "held", [*types], continuous=numbers, width=width)
    _, rate, error, control, control_error = ANONYMETER[released, width]
    for ours, its in (
        ((found.rate, found.error), (rate, error)),
        ((found.control_rate, found.control_error), (control, control_error)),
    ):
        assert abs(ours[0] - its[0]) <= 2.6 / 1.96 * math.hypot(ours[1], its[1]), (ours, its)


def test_every_figure_of_inference_by_hand(con):
    """The released file is the original: all five are right, of the four that are held b. Of two each, a and c.

    A number is right to a twentieth of the true one, just so too: 95 and 105 for 100, and not 94 or 106.
    """
    con.execute("""
        CREATE TABLE k AS FROM (VALUES ('a', 100), ('b', 106), ('c', 130), ('d', 100), ('e', 106)) AS t("it's", y);
        CREATE TABLE f AS SELECT y, "it's" FROM k ORDER BY y DESC, "it's";
        CREATE TABLE held AS FROM (VALUES (106, 'a'), (106, 'b'), (106, 'c'), (130, 'e')) AS t(y, "it's")""")
    call = "FROM sdc_attribute_inference('k', 'f', 'held', ['it''s'], 'Y', continuous := ['y']{})"
    for given, (n, s, m, t), z in (
        ("", (5, 5, 4, 1), 1.959963984540054),
        (", max_guesses := 2, confidence := 0.9", (2, 2, 2, 0), 1.6448536269514722),
    ):  # fmt: skip
        (rate, error), (control, off) = wilson(s, n, z), wilson(t, m, z)
        risk = (rate - control) / (1 - control)
        spread = math.hypot(error / (1 - control), (rate - 1) / (1 - control) ** 2 * off)
        (row,) = con.execute(call.format(given)).fetchall()
        assert row == (n, s, m, t, *map(pytest.approx, (
            rate, error, control, off, risk, max(risk - spread, 0), min(risk + spread, 1))))  # fmt: skip
    x, y = [0.0, 1, 2, 3, 0, 1, 0, 1, 2, 3], [100.0] * 4 + [0, 0, 95, 105, 94, 106]
    found = infer(np.array([x, y]), 1, np.repeat([0.0, 1, 2], [4, 2, 4]), 1, 0.05, 9)
    assert found.tolist() == [4, 2, 2, 0]


def test_inference_from_categories_alone_by_hand(con):
    """Nobody's columns are numbers: the most like record is the one that agrees, and is right where its secret is."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES ('a', 'x', 1), ('b', 'x', 1), ('c', 'y', 2)) AS t("it's", f, y);
        CREATE TABLE g AS FROM (VALUES ('x', 'a', 1), ('x', 'b', 1), ('y', 'c', 1)) AS t(f, "it's", y);
        CREATE TABLE held AS FROM (VALUES (2, 'y', 'a'), (1, 'y', 'c')) AS t(y, f, "it's")""")
    rows = con.execute("FROM sdc_attribute_inference('k', 'g', 'held', ['it''s', 'f'], 'y')").fetchall()
    assert [row[:2] for row in rows] == [(3, 2)]
    assert rows[0][2] == 2
    # of the held (a, y) the released a and c agree in one of two columns, and both are wrong; (c, y) is right
    assert rows[0][3] == 1


def test_a_success_of_linkability_is_the_chance_that_two_draws_are_one_record(con):
    """By x a is one of two, by y u is: 1/4, one of them both; of six records the first, the third and the fifth."""
    con.execute("""
        CREATE TABLE f AS FROM (VALUES ('a', 'u'), ('a', 'v'), ('b', 'u'), ('c', 'w')) AS t(x, y);
        CREATE TABLE k AS FROM (VALUES ('a', 'u'), ('a', 'v'), ('b', 'u'), ('b', 'v'), ('c', 'w'), ('c', 'w'))
                              AS t(x, y);
        CREATE TABLE held AS FROM (VALUES ('a', 'u'), ('c', 'u')) AS t(x, y)""")
    names = "guesses, successes, control_guesses, control_successes"
    call = f"SELECT {names} FROM sdc_linkability('k', 'f', 'held', ['x'], ['y']{{}})"
    # a u: one of 2 * 2; a v: one of 2 * 1; b u: one of 1 * 2; b v: none; c w: one
    assert con.execute(call.format("")).fetchall() == [(6, 1 / 4 + 1 / 2 + 1 / 2 + 0 + 1 + 1, 2, 1 / 4)]
    assert con.execute(call.format(", max_guesses := 3")).fetchall() == [(3, 1 / 4 + 1 / 2 + 1, 2, 1 / 4)]


def test_singling_out_by_hand():
    """One number is missing, 1 is the least and alone, 2 is there twice: of three guesses one and two are right.

    Of two variables: category 1 and at most 1, 1 and at least 5, 2 and at most 3, which is the median.
    """
    nan, file = np.nan, np.repeat([0.0, 1, 2], 4)
    x = np.array([[nan, 0.5, 1, 1, nan, nan, 1, 5, nan, 1, 2, 2]])
    assert single_out(x, 0, file, 1, 100)[0].tolist() == [3, 1, 2]
    both = np.array([[1.0, 1, 1, 2, 1, 2, 2, 1, 1, 1, 2], [0, 1, 7, 3, 1, 9, 4, 4, 1, 5, 3]])
    of_three = np.repeat([0.0, 1, 2], [4, 4, 3])
    assert single_out(both, 1, of_three, 2, 100)[1].tolist() == [3, 2, 1]
    assert single_out(both, 1, of_three, 2, 2)[1].tolist() == [2, 1, 1]
    assert single_out(both, 1, of_three, 9, 100)[1].tolist() == [3, 2, 1]  # there are no more variables than two


def test_a_holdout_has_about_as_many_records():
    """A tenth less of ten is nine, which is about as many; eight are too few, and twelve too many."""
    for held in (9, 11):
        file = np.repeat([0.0, 1, 2], [10, held, 3])
        single_out(np.arange(float(len(file)))[None], 0, file, 1, 5)
    for held in (8, 12):
        file = np.repeat([0.0, 1, 2], [10, held, 3])
        with pytest.raises(ValueError, match="of about as many"):
            single_out(np.arange(float(len(file)))[None], 0, file, 1, 5)


def test_every_figure_of_singling_out_by_hand(con):
    """Four columns of two values: eight guesses of one, and eight of three, which are those that are not told how many.

    Of those held one record has the first three values of another, and the last of its neighbour.
    """
    con.execute("""
        CREATE TABLE k AS FROM (VALUES (1, 1, 1, 1), (2, 2, 2, 2)) AS t(a, b, "it's", d);
        CREATE TABLE f AS FROM (VALUES (2, 2, 2, 2), (1, 1, 1, 1)) AS t(d, "it's", b, a);
        CREATE TABLE held AS FROM (VALUES (1, 1, 1, 2), (3, 3, 3, 3)) AS t(a, b, "it's", d)""")
    rows = con.execute("FROM sdc_singling_out('k', 'f', 'held', ['d', 'IT''S', 'a', 'b'])").fetchall()
    for row, attack, held in zip(rows, ("univariate", "multivariate"), (4, 1), strict=True):
        (rate, error), (control, off) = wilson(8, 8, 1.959963984540054), wilson(held, 8, 1.959963984540054)
        risk = (rate - control) / (1 - control)
        spread = math.hypot(error / (1 - control), (rate - 1) / (1 - control) ** 2 * off)
        assert row == (attack, 8, 8, 8, held, *map(pytest.approx, (
            rate, error, control, off, risk, max(risk - spread, 0), min(risk + spread, 1))))  # fmt: skip
