"""Limits in words: each figure that a header words is one of its measure, and no comparison is told as another."""

from __future__ import annotations

import re

import pytest

from sdc_sql.db.catalogue.headers import HeaderError, read_comment, read_words
from sdc_sql.document.blocks import Gauge
from sdc_sql.figures.asked import list_measures
from sdc_sql.figures.words import describe_limit
from sdc_sql.release.reporting.internal.closest import tell_row


def test_the_words_of_headers_are_those_of_figures():
    worded = 0
    for asked in list_measures().values():
        measure = asked.measure
        for figure, words in measure.declaration.words.items():
            assert figure in measure.figures, measure.name
            assert words[0].islower() or words[0].isupper()
            assert not words.endswith((".", ":")), measure.name
            worded += 1
    assert worded > 100


@pytest.mark.parametrize(
    ("limit", "must", "at_most"),
    [
        ("theta.theta <= 0.1", "at most", True),
        ("theta.theta < 0.1", "less than", True),
        ("NOT theta.theta > 0.1", "at most", True),
        ("l_diversity.distinct_l >= 2", "at least", False),
        ("l_diversity.distinct_l > 2", "more than", False),
        ("k_anonymity.3.records = 0", "exactly", True),
        ("l_diversity.distinct_l = 2", "exactly", False),
    ],
)
def test_what_a_limit_asks_is_said_as_it_is(limit, must, at_most):
    found = describe_limit(limit, list_measures())
    assert (found.must, found.at_most) == (must, at_most)


def test_a_limit_of_several_figures_has_no_words():
    assert describe_limit("theta.theta < 0.1 AND theta.n1 <= 3", list_measures()) is None
    assert describe_limit("theta.theta <> 0.1", list_measures()) is None


@pytest.mark.parametrize(
    ("gauge", "words"),
    [
        (Gauge(2, 74, 3, at_most=False), "before 0.667 of the limit, after 24.7 times it"),
        (Gauge(None, 74, 85, at_most=False), "before not known, after 0.871 of it"),
        (Gauge(0, 0, 85, at_most=False), "before 0 of the limit, after 0 of it"),
        (Gauge(30, 3, 10), "before 3 times the limit, after 0.3 of it"),
        (Gauge(30, 0, 0), "before beyond the limit, after exactly at it"),
        (Gauge(0, 0.5, 0, at_most=False), "before exactly at the limit, after within it"),
    ],
)
def test_a_gauge_says_what_it_is_on_either_side(gauge, words):
    assert str(gauge) == words


def test_the_row_of_a_figure_is_told():
    assert tell_row({"il1.il1 (a (b))": 1.0}) == " (a (b))"
    assert tell_row({}) == ""


@pytest.mark.parametrize("said", ["theta", "nothing: words.", "theta: of {k}.", "theta: words"])
def test_wrong_words_are_an_error_that_names_the_file(said):
    read = read_comment("risk/x.sql", 1, [f"-- Words: {said}"])
    with pytest.raises(HeaderError, match=re.escape("sql/risk/x.sql:1: Words is to be")):
        read_words(read, ["theta"], [])
