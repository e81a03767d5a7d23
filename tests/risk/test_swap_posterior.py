"""The addendum's swap chain: the printed figures, and the chain by the records themselves."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import sdc_sql
from sdc_sql.errors import ParameterError


def chain(rows: list[int], columns: list[int]) -> tuple[list[int], np.ndarray]:
    """Return the possible first cells, and P: two of the records, with replacement, exchange their column."""
    total = sum(rows)
    cells = [a for a in range(total) if all(c >= 0 for c in (rows[0] - a, columns[0] - a, rows[1] - columns[0] + a))]
    p = np.zeros((len(cells), len(cells)))
    for k, a in enumerate(cells):
        records = [(0, 0)] * a + [(0, 1)] * (rows[0] - a) + [(1, 0)] * (columns[0] - a)
        records += [(1, 1)] * (total - len(records))
        for one, other in product(records, records):
            # one of row 0 takes the other's column
            gained = (one[0] == 0) * ((other[1] == 0) - (one[1] == 0)) + (other[0] == 0) * (
                (one[1] == 0) - (other[1] == 0)
            )
            p[k, cells.index(a + gained)] += 1 / total**2
    return cells, p


def test_the_chain_is_that_of_the_slides():
    """Slide 40, rows 10 and 5, columns 9 and 6: P(a to a-1) = 2a(a-4)/225, P(a to a+1) = 2(10-a)(9-a)/225."""
    cells, p = chain([10, 5], [9, 6])
    assert cells == [4, 5, 6, 7, 8, 9]  # "p(a) = 1/6, a = 4, ..., 9"
    assert np.diag(p, -1) == pytest.approx([2 * a * (a - 4) / 225 for a in cells[1:]])
    assert np.diag(p, 1) == pytest.approx([2 * (10 - a) * (9 - a) / 225 for a in cells[:-1]])


def test_the_printed_posteriors():
    """Slide 40: P32(8|8) = .0471406, p32(8) = .04551803, their ratio 1.03564554, and (39/60, 21/60).

    p32(8) is 0.0455180809: the last printed digit (3) is not that of the chain (8). The ratio of the printed ones is
    1.0356467, not what stands beside them; the chain's is 1.0356465.
    """
    tables = sdc_sql.swap_posterior([10, 5], [9, 6], released=8, swaps=32)
    found = {t.a: t for t in tables}
    assert round(found[8].likelihood, 7) == 0.0471406
    whole = sum(t.prior * t.likelihood for t in tables)
    assert whole == pytest.approx(0.04551803, abs=1e-7)
    assert found[8].posterior * 6 == pytest.approx(1.03564554, abs=2e-6)
    assert [t.prior for t in tables] == [1 / 6] * 6
    # "the six tables are almost equally likely", so the first row is nearly (39/60, 21/60), twice as likely 0 as 1
    assert sum(t.prior * t.a / 10 for t in tables) == pytest.approx(39 / 60)
    share = sum(t.posterior * t.a / 10 for t in tables)
    assert (share, 1 - share) == pytest.approx((39 / 60, 21 / 60), abs=0.008)
    # "quite a bit of difference between P32(a'|a) and p32(a'|a)": 0.05 beside 0.17
    assert found[8].posterior > 3 * found[8].likelihood


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("rows", "columns"), [([10, 5], [9, 6]), ([3, 4], [5, 2]), ([2, 2], [1, 3]), ([4, 0], [1, 3])])
@pytest.mark.parametrize("swaps", [0, 1, 7])
def test_against_powers_of_the_chain(con, rows, columns, swaps):
    cells, p = chain(rows, columns)
    power = np.linalg.matrix_power(p, swaps)
    priors = [("uniform", np.ones(len(cells)) / len(cells))]
    values, vectors = np.linalg.eig(p.T)
    rest = np.real(vectors[:, np.argmax(np.real(values))])
    priors.append(("equilibrium", rest / rest.sum()))
    priors.append(([(k + 1) / sum(range(1, len(cells) + 1)) for k in range(len(cells))], None))
    for (prior, numbers), seen in product(priors, range(len(cells))):
        given = np.array(prior) if numbers is None else numbers
        posterior = given * power[:, seen] / (given @ power[:, seen])
        found = con.execute(
            "FROM sdc_swap_posterior(?, ?, ?, ?, prior := ?)", [rows, columns, cells[seen], swaps, prior]
        ).fetchall()
        expected = np.column_stack([cells, given, power[:, seen], posterior])
        assert np.array(found, dtype=float) == pytest.approx(expected, abs=1e-12)
        if prior == "equilibrium":  # reversible: P_n(a|a') is the posterior of the equilibrium prior
            assert [row[3] for row in found] == pytest.approx(power[seen], abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([10, 5], [9, 7], 8, 3), "row_totals must be two whole numbers"),
        (([10, 5], [9, 6], 3, 3), "released is 3: it must be a whole number of at least 4"),
        (([10, 5], [9, 6], 8, -1), "swaps is -1"),
        (([10, 5], [9, 6], 8, 1.5), "swaps is 1.5"),
        (([10, 5], [9, 6], 8, 3, "flat"), "prior must be 'uniform', 'equilibrium' or a list of 6"),
        (([10, 5], [9, 6], 8, 3, [0.5, 0.5]), "prior must be"),
        (([10, 5], [9, 6], 8, 3, None), "prior must be"),
        (([10, 5], [9, 6], 9, 2, [1.0, 0, 0, 0, 0, 0]), "No table of the prior can become"),
        (([10, 5, 1], [9, 6], 8, 3), "row_totals is a list of 3"),
        (("ab", [9, 6], 8, 3), "row_totals is 'ab'"),
        (([10, 5], [9, 6], 8, 40_000_000), "too many steps"),
    ],
)
def test_wrong_input(arguments, said):
    with pytest.raises(ParameterError, match=said):
        sdc_sql.swap_posterior(*arguments)


def test_wrong_input_in_sql(con):
    for call in (
        "['a', 'b'], [1, 2], 1, 1",
        "NULL, [1, 2], 1, 1",
        "[1, 2], [1, NULL], 1, 1",
        "[1.5, 2], [1.5, 2], 1, 1",
        "[-1, 3], [1, 1], 1, 1",
        "[0, 0], [0, 0], 0, 1",
        "[1, 2], [2, 2], 1, 1",
        "[1000000, 1], [1000000, 1], 1, 1",
    ):
        with pytest.raises(Exception, match="ParameterError: row_totals must be"):
            con.execute(f"FROM sdc_swap_posterior({call})").fetchall()


def test_a_table_of_unlike_totals_after_some_swaps(con):
    """By the chain of the records themselves: rows 3 and 4, columns 5 and 2, seven swaps, each prior."""
    cells, p = chain([3, 4], [5, 2])
    power = np.linalg.matrix_power(p, 7)
    rest = np.array([3, 12, 6]) / 21  # C(3, a) C(4, 5 - a), the hypergeometric distribution
    priors = [("'uniform'", np.full(3, 1 / 3)), ("'equilibrium'", rest), ("[0.5, 0.2, 0.3]", np.array([0.5, 0.2, 0.3]))]
    for prior, given in priors:
        found = con.execute(f"FROM sdc_swap_posterior([3, 4], [5, 2], 2, 7, prior := {prior})").fetchall()
        posterior = given * power[:, 1] / (given @ power[:, 1])
        assert np.array(found) == pytest.approx(np.column_stack([cells, given, power[:, 1], posterior]), abs=1e-12)
    # without a prior they are alike, and without a swap the released table is the true one
    found = con.execute("FROM sdc_swap_posterior([3, 4], [5, 2], 1, 0)").fetchall()
    assert found == [(1, 1 / 3, 1, 1), (2, 1 / 3, 0, 0), (3, 1 / 3, 0, 0)]
    assert con.execute("FROM sdc_swap_posterior([0, 4], [1, 3], 0, 9)").fetchall() == [(0, 1, 1, 1)]
