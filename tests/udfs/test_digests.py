"""Draws from digests by the formula of Box and Muller, word by word; digests of contents that differ."""

from __future__ import annotations

import math
from hashlib import sha256

import numpy as np
import pytest
from sdc_sql.udfs import digests


@pytest.fixture
def drawn():
    """Return five digests as bytes, and their words of 32 bits."""
    each = [sha256(str(i).encode()).digest() for i in range(5)]
    words = [[int.from_bytes(d[4 * j : 4 * j + 4], "big") for j in range(8)] for d in each]
    return np.array([list(d) for d in each], dtype=np.uint8), words


@pytest.mark.parametrize("p", [1, 2, 3, 8])
def test_normal_draws_are_those_of_two_words_each(drawn, p, monkeypatch):
    """The radius sqrt(-2 ln u) of one word, the angle of the next, the middles of their intervals; two at a time."""
    monkeypatch.setattr(digests, "RECORDS", 2)
    given, words = drawn
    expected = []
    for word in words:
        draws = []
        for j in range(0, p, 2):
            radius = math.sqrt(-2 * math.log((word[j] + 0.5) / 2**32))
            angle = 2 * math.pi * (word[j + 1] + 0.5) / 2**32
            draws += [radius * math.cos(angle), radius * math.sin(angle)]
        expected.append(draws[:p])
    assert digests.draw_normals(given, p).tolist() == pytest.approx(np.array(expected), rel=1e-12)


def test_uniform_draws_are_words_by_their_range(drawn):
    given, words = drawn
    assert digests.draw_uniforms(given, 3).tolist() == [[w / 2**32 for w in word[:3]] for word in words]


def test_other_contents_have_other_digests():
    """Values, their shape and place, and which of them are beside the others; but not the sign of 0."""
    y, x = np.array([[1.0, 2], [3, 0]]), np.array([[5.0], [6]])
    contents = [
        (y, None), (y + 1, None), (y.T, None), (y.reshape(1, 4), None), (y, x), (y, x + 1), (x, y), (y[::-1], x),
    ]  # fmt: skip
    assert len({digests.content(*of) for of in contents}) == len(contents)
    assert digests.content(np.array([[1.0, 2], [3, -0.0]]), x) == digests.content(y, x)
