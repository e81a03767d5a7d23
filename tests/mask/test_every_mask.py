"""What must hold of every mask, by the example of its header: a new one is held to it as it is declared."""

from __future__ import annotations

import duckdb
import pytest
from every_mask import MASKS, arguments, call, masked_columns

import sdc_sql
from sdc_sql.db.catalogue.macros import example_tables

EVERY = pytest.mark.parametrize("name", MASKS)
RETYPED = {"recode", "generalise", "calibrate"}  # verbs that may give a column another type: labels for numbers


@pytest.fixture(scope="module")
def db(connect):
    """Return a connection with the macros, the tables of the examples and wrong ones of the same columns."""
    with connect() as con:
        con.execute(example_tables())
        con.execute("CREATE TABLE backwards AS FROM persons ORDER BY id DESC")
        con.execute("CREATE TABLE nobody AS FROM persons LIMIT 0")
        con.execute("CREATE TABLE twice AS FROM persons UNION ALL FROM persons WHERE id = 3")
        con.execute("CREATE TABLE lacking AS SELECT * REPLACE (nullif(id, 3) AS id) FROM persons")
        con.execute("CREATE TABLE reserved AS SELECT *, 1 AS sdc__x FROM persons")
        yield con


@pytest.mark.one_in(3)
@EVERY
def test_the_columns_keep_their_names_types_and_order(db, name):
    before, after = (db.execute(f"DESCRIBE {sql}").fetchall() for sql in ("FROM persons", call(name, "persons")))
    free = masked_columns(name) if MASKS[name].verb in RETYPED else []
    before, after = ([(n, None if n in free else kind) for n, kind, *_ in rows] for rows in (before, after))
    assert after == before


@pytest.mark.one_in(6)
@EVERY
def test_other_columns_are_not_changed(db, name):
    chosen = masked_columns(name)
    query = "SELECT * EXCLUDE ({}) FROM ({}) ORDER BY id"
    before, after = (
        db.execute(query.format(", ".join(chosen), sql)).fetchall() for sql in ("FROM persons", call(name, "persons"))
    )
    assert after == before


@pytest.mark.one_in(12)
@EVERY
def test_the_order_of_the_records_changes_nothing(db, name):
    one, other = (
        db.execute(f"FROM ({call(name, table)}) ORDER BY id").fetchall() for table in ("persons", "backwards")
    )
    assert one == other


@pytest.mark.one_in(14)
@EVERY
@pytest.mark.parametrize(
    ("table", "words"),
    [("nobody", "no rows"), ("twice", "unique|repeated|several"), ("lacking", "NULL"), ("reserved", "sdc__")],
)
def test_a_table_that_cannot_be_masked_is_refused(db, name, table, words):
    with pytest.raises(duckdb.Error, match=words):
        db.execute(call(name, table)).fetchall()


@pytest.mark.one_in(6)
@EVERY
def test_a_column_that_is_not_there_and_the_id_are_refused(db, name):
    (first, *_) = masked_columns(name)
    for wrong, words in (("nowhere", "nowhere"), ("id", "is the id")):
        with pytest.raises(duckdb.Error, match=words):
            db.execute(call(name, "persons").replace(f"'{first}'", f"'{wrong}'", 1)).fetchall()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", [n for n, mask in MASKS.items() if "stratum" in {p.name for p in mask.parameters}])
def test_a_stratum_that_is_no_name_of_a_column_is_refused(db, name):
    plain = call(name, "persons").split(", stratum :=")[0].removesuffix(")")
    if name == "sdc_multiplicative_noise":  # plain noise asks for no stratum
        plain += ", method := 'hoehne'"
    for wrong in ("['sex']", "2"):  # (the first column stood in their place)
        with pytest.raises(duckdb.Error, match=r"is not a column|\[\]"):
            db.execute(f"{plain}, stratum := {wrong})").fetchall()


@pytest.mark.one_in(16)
@EVERY
def test_the_method_of_microdata_releases_what_the_macro_releases(db, name):
    mask, given = MASKS[name], arguments(name)
    columns = masked_columns(name)
    verb = getattr(sdc_sql.Microdata(db, "persons", id="id").mask, mask.verb)
    rest = {key: value for key, value in given.items() if key not in {"columns", "column_name", "keys"}}
    rest |= {"keys": columns} if "keys" in given else {}
    rest |= {mask.switch: True} if mask.switch else {}
    by_position = () if "keys" in given else (columns if len(columns) > 1 else columns[0],)
    db.execute("DROP TABLE IF EXISTS released_by_python")
    verb(*by_position, into="released_by_python", **rest)
    found = db.execute("FROM released_by_python ORDER BY id").fetchall()
    assert found == db.execute(f"FROM ({call(name, 'persons')}) ORDER BY id").fetchall()
