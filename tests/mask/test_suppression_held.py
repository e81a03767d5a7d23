"""What suppression by household promises, counted from the records and what is released of them."""

from __future__ import annotations

import pytest

from sdc_sql import InputError
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import translate_errors

KEYS = "['region', 'Select', 'f']"
# homes of two to four, whose region is one but in one of them; keys as odd as their names
TABLE = """CREATE TABLE k AS
    SELECT i AS id, i // 3 AS home,
           CASE WHEN i = 7 THEN 'x' WHEN i // 3 % 11 = 0 THEN NULL ELSE 'r' || (i // 3 % 5) END AS region,
           ['f', 'm', 'it''s'][1 + i * i % 3] AS "Select", (i * 7 % 11)::INTEGER AS f, 1.5 + i % 4 AS w
    FROM range(1, 181) AS t(i)"""
LOCAL = "{keys}, 4, 'id', '{guarantee}', NULL, 'equal', NULL, NULL, NULL, NULL, {households}"
CASES = {
    "identical": ("local_suppression", LOCAL, {"guarantee": "identical", "households": "'home', ['region'], 'record'"}),
    "strong": ("local_suppression", LOCAL, {"guarantee": "strong", "households": "'home', ['region'], 'record'"}),
    "wildcard": ("local_suppression", LOCAL, {"guarantee": "wildcard", "households": "'home', ['region'], 'record'"}),
    "families": ("local_suppression", LOCAL, {"guarantee": "identical", "households": "'home', NULL, 'household'"}),
    "both": ("local_suppression", LOCAL, {"guarantee": "identical", "households": "'home', ['region'], 'household'"}),
    "combinations": (
        "suppress_combinations",
        "{keys}, 9, 'id', NULL, 2, NULL, true, 'strong', NULL, NULL, 'equal', 'error', 'home', ['region']",
        {},
    ),
    "risk": ("suppress_risky", "{keys}, 0.1, 'id', 'w', 'home', NULL, NULL, 'equal', 'error', 'home', ['region']", {}),
}


def hold(con, case, released):
    verb, given, named = CASES[case]
    with translate_errors():
        return execute(con, f"FROM sdc__{verb}_held('k', '{released}', {given.format(keys=KEYS, **named)})").fetchall()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES)
def test_what_is_masked_holds_and_what_is_not_is_found_out(con, case):
    con.execute(TABLE)
    verb, given, named = CASES[case]
    call = f"sdc__{verb}('k', {given.format(keys=KEYS, **named)})"
    execute(con, f"CREATE TABLE released AS SELECT sdc__id AS id, * EXCLUDE (sdc__id) FROM {call}")
    same = '(r.region, r."Select", r.f) IS NOT DISTINCT FROM (k.region, k."Select", k.f)'
    assert con.execute(f"SELECT bool_or(NOT ({same})) FROM released AS r JOIN k USING (id)").fetchone() == (True,)
    assert hold(con, case, "released")
    with pytest.raises(InputError, match="nothing was written"):
        hold(con, case, "k")


def test_families_are_asked_of_beside_the_records(con):
    """Rows of four records that are those of two homes hold by record, and not by home."""
    con.execute(
        """CREATE TABLE k AS SELECT i AS id, i // 2 AS home, i // 4 AS region, 1 AS "Select", 1 AS f
           FROM range(16) AS t(i)"""
    )
    con.execute('CREATE TABLE released AS SELECT id, region, "Select", f FROM k')
    assert hold(con, "identical", "released") == [(0, 0)]
    with pytest.raises(InputError, match="in households"):
        hold(con, "both", "released")
    with pytest.raises(InputError, match="in households"):
        hold(con, "families", "released")


def test_a_key_that_is_counted_is_not_suppressed(con):
    """The size is known while the number of the home stands: a suppression of it is no protection."""
    con.execute(
        """CREATE TABLE k AS SELECT i AS id, home, count(*) OVER (PARTITION BY home) AS region,
                  i % 2 AS "Select", 1 AS f
           FROM (SELECT i, CASE WHEN i < 40 THEN i // 2 ELSE 100 + i // 4 END AS home FROM range(80) AS t(i))"""
    )
    con.execute('CREATE TABLE released AS SELECT id, CASE WHEN id > 1 THEN region END AS region, "Select", f FROM k')
    with pytest.raises(InputError, match="can be counted"):
        hold(con, "combinations", "released")
