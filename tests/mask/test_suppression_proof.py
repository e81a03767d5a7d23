"""What a suppression of a subset promises, counted by the database: who is safe, and that nobody else has changed."""

from __future__ import annotations

import pytest

from sdc_sql import InputError
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import translate_errors


@pytest.fixture
def k(con):
    con.execute("""CREATE TABLE k AS FROM (VALUES
        (1, 'a', 'x', true), (2, 'a', 'x', true), (3, 'b', 'x', true), (4, 'd', 'x', true),
        (5, 'b', 'y', false), (6, 'c', 'y', false), (7, 'c', 'z', NULL)) AS t(id, "Select", f, s)""")
    return con


def prove(con, released, guarantee="identical"):
    con.execute(f"CREATE OR REPLACE TABLE r AS {released}")
    call = f"FROM sdc__suppression_proof_of_subset('k', 'r', ['Select', 'f'], 2, '{guarantee}', 'id', 's')"
    with translate_errors():
        return execute(con, call).fetchall()


SAFE = """SELECT * REPLACE (CASE WHEN id IN (3, 4) THEN NULL ELSE "Select" END AS "Select") FROM k"""


def test_two_values_of_four_records_and_none_of_others(k):
    (row,) = prove(k, SAFE)
    assert (row[0], row[-1]) == ({"Select": 2, "f": 0}, 4)
    assert prove(k, f"{SAFE} ORDER BY id DESC") == [row]


@pytest.mark.one_in(4)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("released", "records"),
    [
        (SAFE.replace("(3, 4)", "(3)"), 2),  # one is alone with a NULL, the other with a value
        (f"SELECT * REPLACE (CASE id WHEN 7 THEN NULL ELSE f END AS f) FROM ({SAFE})", 1),
        (f'SELECT * REPLACE (CASE id WHEN 6 THEN \'b\' ELSE "Select" END AS "Select") FROM ({SAFE})', 1),
        (SAFE.replace("(3, 4)", "(3, 4, 5, 6)"), 2),
    ],
    ids=["too few alike", "suppressed beside it", "changed beside it", "two beside it"],
)
def test_records_that_are_not_safe_and_others_that_changed_are_counted(k, released, records):
    with pytest.raises(InputError, match=f"^{records} released records are without"):
        prove(k, released)
