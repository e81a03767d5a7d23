"""Shares: they add up, each is uniform whatever the value is, and none is ever drawn again."""

from __future__ import annotations

import random
import secrets
from collections import Counter

import pytest
from houses import CHI_SQUARE_255, chi_square

from sdc_sql.between.errors import ExchangeError
from sdc_sql.between.modular import (
    MODULUS,
    OWN_LIMIT,
    add_entries,
    decode_entry,
    encode_entry,
    pack_entries,
    split_value,
    unpack_entries,
)


def test_the_bound_of_chi_square_is_that_of_one_in_a_thousand_million():
    mpmath = pytest.importorskip("mpmath")
    assert float(mpmath.gammainc(127.5, CHI_SQUARE_255 / 2, mpmath.inf, regularized=True)) < 1e-9


@pytest.mark.parametrize("value", [0, 1, -1, OWN_LIMIT - 1, 1 - OWN_LIMIT])
@pytest.mark.parametrize("parts", [3, 4])
def test_shares_add_up_and_each_is_uniform(value, parts):
    drawn = [split_value(value, parts) for _ in range(500)]
    assert {sum(shares) % MODULUS for shares in drawn} == {value % MODULUS}
    for place in range(parts):  # also the one that is kept, which is computed
        taken = [shares[place] for shares in drawn]
        assert len(set(taken)) == len(taken)
        # every byte, and the place on the line by Kolmogorov and Smirnov: above 3.3 / sqrt(n) with a chance of 1e-9
        assert chi_square(Counter(b"".join(t.to_bytes(20, "big") for t in taken)), 256) < CHI_SQUARE_255
        ordered = sorted(t / MODULUS for t in taken)
        furthest = max(max((i + 1) / 500 - u, u - i / 500) for i, u in enumerate(ordered))
        assert furthest < 3.3 / 500**0.5


def test_all_shares_but_one_are_independent_of_the_value():
    """Of two parts the first two of three add up to a uniform number too: who has all but one has nothing."""
    sums = [sum(split_value(7, 3)[1:]) % MODULUS for _ in range(500)]
    counts = Counter(b"".join(s.to_bytes(20, "big") for s in sums))
    assert chi_square(counts, 256) < CHI_SQUARE_255


def test_the_draws_are_no_ones_to_repeat(monkeypatch):
    monkeypatch.setenv("SDC_KEY", "k" * 40)
    random.seed(1)
    first = split_value(5, 3)
    random.seed(1)
    assert not set(first) & set(split_value(5, 3))


def test_values_come_back_and_what_is_out_of_range_is_an_error():
    for value in (0, 1, -1, OWN_LIMIT - 1, 1 - OWN_LIMIT):
        assert decode_entry(add_entries([[encode_entry(value)]] * 3)[0], 3) == 3 * value
    for value in (OWN_LIMIT, -OWN_LIMIT, MODULUS):
        with pytest.raises(ExchangeError, match="does not lie within 127 bits: nothing was sent"):
            encode_entry(value)
    with pytest.raises(ExchangeError, match="beyond what the parties' sums can come to"):
        decode_entry(3 * OWN_LIMIT, 3)
    with pytest.raises(ExchangeError, match="beyond what the parties' sums can come to"):
        decode_entry(MODULUS // 2, 1000)


def test_entries_have_one_width_and_their_number_is_agreed():
    packed = pack_entries([0, MODULUS - 1])
    assert len(packed) == 40
    assert unpack_entries(packed, 2, "b") == [0, MODULUS - 1]
    with pytest.raises(ExchangeError, match="b has sent 40 bytes where 3 numbers"):
        unpack_entries(packed, 3, "b")


def test_masks_that_are_too_short_would_be_seen():
    """The bound is no idle one: of masks below 2^152 one byte of twenty is always nothing."""
    short = b"".join(secrets.randbelow(1 << 152).to_bytes(20, "big") for _ in range(500))
    assert chi_square(Counter(short), 256) > CHI_SQUARE_255
