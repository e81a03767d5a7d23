"""Every comparison of the book agrees, or differs for the reason that it gives; what is recorded is so today."""

from __future__ import annotations

import doctest
import itertools

import duckdb
import pytest

import sdc_sql
from validation import case as one_case
from validation import exact, lattice
from validation.book import read_cases
from validation.case import Case, printed
from validation.cases import list_modules
from validation.tables import make_tables, read_peer

FAST = {"papers", "survey"}
NAMES = [module.__name__.rpartition(".")[2] for module in list_modules()]


@pytest.fixture(scope="module")
def tables():
    with duckdb.connect() as con:
        sdc_sql.load(con)
        make_tables(con)
        yield con


@pytest.mark.parametrize(
    "name", [n if n in FAST else pytest.param(n, marks=[pytest.mark.slow, pytest.mark.whole]) for n in NAMES]
)
def test_what_the_book_says_is_so(tables, name):
    (module,) = (m for m in list_modules() if m.__name__.endswith(f".{name}"))
    found = list(module.list_cases(tables))
    assert [case for case in found if not case.is_proven] == []
    kept = read_cases()[name]
    assert [(c.function, c.figure, c.source, c.theirs, c.judgement) for c in found] == [
        (c.function, c.figure, c.source, c.theirs, c.judgement) for c in kept
    ]
    assert [c.ours for c in found] == pytest.approx([c.ours for c in kept], rel=1e-6)


def test_the_book_has_each_module_and_the_functions_that_it_names():
    book = read_cases()
    assert list(book) == NAMES
    names = {entry["name"] for entry in _list_functions()}
    assert {case.function for of in book.values() for case in of} <= names


def _list_functions():
    with duckdb.connect() as con:
        sdc_sql.load(con)
        return [{"name": name} for (name,) in con.execute("SELECT name FROM sdc_help()").fetchall()]


def test_a_case_is_proven_only_by_what_proves_it():
    case = Case("f", "x", "d", "s", "c", 1.0, 2.0, 0.1)
    assert not case.is_proven
    said = {"why": "theirs is rounded", "independently": "by hand"}
    assert Case("f", "x", "d", "s", "c", 1.0, 2.0, 0.1, judgement="wrong there", independent=2.05, **said).is_proven
    assert Case("f", "x", "d", "s", "c", 1.0, 2.0, 0.1, judgement="wrong here", independent=1.0, **said).is_proven
    assert not Case("f", "x", "d", "s", "c", 1.0, 2.0, 0.1, judgement="wrong there", independent=1.0, **said).is_proven
    assert not Case("f", "x", "d", "s", "c", 1.0, 2.0, 0.1, judgement="wrong there", independent=2.0).is_proven
    assert not Case("f", "x", "d", "s", "c", 2.0, 2.0, 0.1, judgement="wrong there", independent=2.0, **said).is_proven
    assert printed("0.30") == (0.3, 0.005)
    assert printed("108") == (108.0, 0.5)


def test_mu_argus_adds_eight_terms_and_is_0_61_per_cent_too_low_at_most():
    """Its figures are those of eight terms of p / f 2F1(1, 1; f + 1; 1 - p), which miss most at f = 4 and p to 0."""

    def add_eight(f, p):
        terms = itertools.accumulate(range(1, 8), lambda term, i: term * i * (1 - p) / (f + i), initial=1.0)
        return p / f * sum(terms)

    asked = {
        tuple(map(int, of.split(", "))): x for of, x in read_peer("muargus")["figures"]["BaseIndividualRisk"].items()
    }
    told = {(f, persons): x for (f, persons), x in asked.items() if f >= 4}
    assert len(told) == 5
    assert [add_eight(f, f / persons) for f, persons in told] == pytest.approx([*told.values()], rel=1e-12)
    lacking = {
        (f, p): 1 - add_eight(f, p) / exact.integrate_risk(f, p)
        for f in range(4, 41)
        for p in (1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9)
    }
    assert max(lacking, key=lacking.get) == (4, 1e-6)
    assert 0.006 < max(lacking.values()) < 0.0061


@pytest.mark.parametrize("module", [one_case, exact, lattice], ids=lambda module: module.__name__)
def test_examples_run(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed
