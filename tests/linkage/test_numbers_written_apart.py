"""One number written in two ways, part of them alike: '017' and 17, 1.50 and 1.5. Unseen, half of the risk is lost."""

from __future__ import annotations

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import InputError

FORMS = {  # of i from 1 to 40: some values are written alike
    "a text with zeros, a number": ("printf('%03d', i * 5)", "i * 5"),
    "a decimal, a float": ("(i / 4)::DECIMAL(10, 2)", "(i / 4)::DOUBLE"),
    "a float, a text": ("(i / 4)::DOUBLE", "printf('%.2f', i / 4)"),
}
MEASURES = {
    "distance": "sdc_distance_linkage('k', 'f', ['Select'], 'id')",
    "probabilistic": "sdc_probabilistic_linkage('k', 'f', ['Select', 's', 'r'], 'id')",
    "in a block": "sdc_probabilistic_linkage('k', 'f', ['x', 's', 'r'], 'id', block := ['Select'])",
    "true links": "sdc_true_reidentification('k', 'f', ['s', 'Select'], 'id')",
    "uniques": "sdc_replicated_uniques('k', 'f', ['s', 'Select'])",
}


@pytest.fixture
def written(con, request):
    before, after = FORMS[request.param]
    for name, form in (("k", before), ("f", after)):
        con.execute(
            f'CREATE TABLE {name} AS SELECT i AS id, {form} AS "Select", i % 2 AS s, i % 3 AS r, i % 11 AS x '
            "FROM range(1, 41) t(i)"
        )
    return con


@pytest.mark.one_in(3)
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("written", FORMS, indirect=True)
def test_refused(written, measure):
    # '005' for 5: as other values in the same order, which is how the true links see it, or as numbers
    words = "written in one way in one table, and in another way in the other|released as other ones in the same order"
    with pytest.raises(duckdb.Error, match=words):
        written.execute("FROM " + MEASURES[measure]).fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("written", ["a decimal, a float"], indirect=True)
def test_by_its_verb_and_alike_it_is_measured(written):
    data = Microdata(written, "f", id="id")
    with pytest.raises(InputError, match="Give both columns one type and form"):
        data.linkage.distance_linkage("k", ["Select"])
    written.execute('ALTER TABLE k ALTER "Select" TYPE DOUBLE')
    assert data.linkage.distance_linkage("k", ["Select"]).rate == 1


def test_texts_that_are_no_numbers_are_as_they_are(con):
    """'A10.0' and 'A10', 'x0' and '0x' are other values; so are numbers that both tables have in both forms."""
    con.execute("CREATE TABLE k AS SELECT unnest(range(6)) AS id, unnest(['A10.0', 'x0', '017', '17', '', 'b']) AS c")
    con.execute("CREATE TABLE f AS SELECT unnest(range(6)) AS id, unnest(['A10', '0x', '17', '017', '0', 'b']) AS c")
    assert Microdata(con, "f", id="id").linkage.true_reidentification("k", ["c"]).unique_wrong == 2
