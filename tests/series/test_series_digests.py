"""What a ledger holds of ids and values, computed anew: a later version has to find them again."""

from __future__ import annotations

import base64
import hashlib

import pytest

from sdc_sql.db.catalogue.load import execute

KEY, SERIES, STEP = "n7Rk2vQx9Lw4-TgHs8_pZmYc3JbUe5aFd1iOKXtV6ws", "it's monthly", "steps[0]"


@pytest.fixture
def keyed(con):
    con.execute("SET VARIABLE sdc_key = $key", {"key": KEY})
    yield con
    con.execute("RESET VARIABLE sdc_key")


def part(text):
    return f"{len(text)}:{text}"


def digest(step, purpose, id_, value):
    """Return the first half of a digest by the subkey of a series, a step, and a column or a purpose."""
    parts = "".join(part(t) for t in (KEY, SERIES, step, "series", "", purpose))
    subkey = base64.b64encode(hashlib.sha256(parts.encode()).digest()[:16]).decode()[:22]
    return hashlib.sha256(f"{subkey}{len(id_)}:{id_}{value}".encode()).digest()[:16]


def read(con, sql, *given):
    (found,) = execute(con, f"SELECT {sql}", [*given]).fetchone()
    return found


def test_ids_values_strata_and_classes(keyed):
    found = read(keyed, "sdc__series_id($1, $2)", "17", SERIES)
    assert found == digest("", "id", "17", "")
    found = read(keyed, "sdc__series_value($1::INTEGER, 1.50::DOUBLE, $2, $3, 'It''s')", 17, SERIES, STEP)
    assert found == digest(STEP, "it's", "17", part("1.5"))
    found = read(keyed, "sdc__series_stratum(NULL::VARCHAR, $1, $2)", SERIES, STEP)
    assert found == digest(STEP, "stratum", "", "-").hex()
    found = read(keyed, "sdc__series_stratum('north', $1, $2)", SERIES, STEP)
    assert found == digest(STEP, "stratum", "", part("north")).hex()
    found = read(keyed, "sdc__series_class('north', $1, $2)", SERIES, STEP)
    assert found == digest(STEP, "mapping", "", part("north"))


def test_the_keys_of_a_ledger(keyed):
    found = read(keyed, "sdc__series_key($1, 'chain')", SERIES)
    text = "".join(part(t) for t in (KEY, "sdc-sql series", SERIES, "chain"))
    assert found == hashlib.sha256(text.encode()).hexdigest()
