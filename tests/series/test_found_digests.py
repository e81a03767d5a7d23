"""Where digests stand among others: as a dictionary finds them, also where first halves are the same."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sdc_sql.series.found_digests import find_digests, point_beside


def make(rows: list[bytes]) -> pa.Array:
    return pa.array(rows, pa.binary(16))


@pytest.mark.parametrize("halves", [1, 3, 10_000])
@pytest.mark.parametrize("known", [0, 40, 395])
def test_it_finds_what_a_dictionary_finds(halves, known):
    """Of few first halves nearly all are shared; where a place is thought of wrongly it is looked for."""
    rng = np.random.default_rng(known)
    rows = list({int(rng.integers(halves)).to_bytes(8, "big") + rng.bytes(8) for _ in range(400)})
    asked = [rows[i] for i in rng.permutation(len(rows))[:300]] + [rows[0][:8] + rng.bytes(8) for _ in range(50)]
    place = {row: i for i, row in enumerate(rows)}
    truth = np.array([place.get(a, -1) for a in asked])
    thought = np.where(np.arange(len(asked)) < known, truth, rng.integers(-1, len(rows), len(asked)))
    assert (find_digests(make(asked), make(rows)) == truth).all()
    assert (find_digests(make(asked), make(rows), thought) == truth).all()
    cut = make([b"x" * 16, *asked]).slice(1)  # an array that begins within its buffer
    assert (find_digests(cut, make([b"y" * 16, *rows]).slice(1), thought) == truth).all()


def test_of_nothing_nothing_is_found():
    some, none = make([b"a" * 16]), make([])
    assert find_digests(some, none).tolist() == [-1]
    assert find_digests(none, some).tolist() == []
    assert find_digests(some, none, np.array([-1])).tolist() == [-1]
    assert point_beside(none, some, np.array([-1])).tolist() == [-1]
    with pytest.raises(ValueError, match="NULL"):
        find_digests(make([None]), some)
