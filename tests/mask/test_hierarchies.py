"""Generalisation hierarchies: read, made, checked."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sdc_sql import ParameterError
from sdc_sql.mask.hierarchies import Hierarchy, hierarchy_table, read_hierarchy
from sdc_sql.mask.hierarchy_making import code_hierarchy, interval_hierarchy, tree_hierarchy

REGIONS = (("11", "1", "*"), ("12", "1", "*"), ("21", "2", "*"))


def test_levels_by_name_and_number():
    regions = Hierarchy(REGIONS, ("district", "region", "country"))
    assert regions.height == 2
    assert [regions.level(x) for x in ("district", "region", 2, 0)] == [0, 1, 2, 0]
    assert regions.generalised([21, "11", 12], "region") == ["2", "1", "1"]  # a number is found by its text
    for wrong in ("town", 3, -1, True, 1.0, None):
        with pytest.raises(ParameterError, match="has the levels district, region, country"):
            regions.level(wrong)


@pytest.mark.parametrize(
    ("rows", "names", "complaint"),
    [
        ((), (), "is empty"),
        (((),), (), "is empty"),
        ((("Ann", "*"), ("b",)), (), "Row 2 of the hierarchy has 1 levels and the first row 2"),
        ((("Ann", "*"), ("b", "*"), ("Ann", "*")), (), "Rows 1 and 3 of the hierarchy are of the same value"),
        ((("a", "*"), (None, "*"), (None, "*")), (), "Rows 2 and 3"),
        (
            (("a", "Ann", "x"), ("b", "Ann", "y")), ("town", "region", "country"),
            "Rows 1 and 2 of the hierarchy have one label at level region and two at level country",
        ),
        (REGIONS, ("district", "region"), "3 levels and the names"),
        (REGIONS, ("a", "b", "a"), "a name of its own"),
    ],
)  # fmt: skip
def test_what_is_no_hierarchy(rows, names, complaint):
    with pytest.raises(ParameterError, match=complaint) as caught:
        Hierarchy(rows, names)
    assert "Ann" not in str(caught.value)  # a message shows no value


def test_every_value_has_a_row():
    regions = Hierarchy(REGIONS)
    assert regions.absent(["Ann", 11, None, "Ann"]) == ["Ann", None]
    with pytest.raises(ParameterError, match=r"no row for 2 of the values and the missing value \(NULL") as caught:
        regions.places(["Ann", "Eve", None, "Ann", 11])
    assert "Ann" not in str(caught.value)
    with_missing = Hierarchy((*REGIONS, (None, None, "*")))
    assert with_missing.generalised([None, "12"], 1) == [None, "1"]
    assert with_missing.generalised([None, "12"], 2) == ["*", "*"]


def test_a_file_of_arx(tmp_path):
    file = tmp_path / "regions.csv"
    file.write_text('\ufeff11;1;*\r\n12;1;*\r\n"2;1";2;*\r\n;;*\r\n', encoding="utf-8")
    assert read_hierarchy(file).rows == (("11", "1", "*"), ("12", "1", "*"), ("2;1", "2", "*"), (None, None, "*"))
    file.write_text("district,region\n11,1\n", encoding="utf-8")
    assert read_hierarchy(file, delimiter=",", names=True) == Hierarchy((("11", "1"),), ("district", "region"))
    file.write_text("11;1\n", encoding="utf-8")
    assert read_hierarchy(file, names=["district", "region"]).names == ("district", "region")


def test_files_that_cannot_be_read(tmp_path):
    file = tmp_path / "regions.csv"
    with pytest.raises(ParameterError, match="cannot be read as CSV in UTF-8: No such file"):
        read_hierarchy(file)
    file.write_bytes(b"")
    with pytest.raises(ParameterError, match=r"regions.csv: The hierarchy is empty"):
        read_hierarchy(file, names=True)
    file.write_bytes(b"\xff\xfe;1")
    with pytest.raises(ParameterError, match="it is no UTF-8"):
        read_hierarchy(file)
    file.write_text("11;1\n12\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"regions.csv: Row 2 of the hierarchy has 1 levels"):
        read_hierarchy(file)
    file.write_text("11;1\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="delimiter"):
        read_hierarchy(file, delimiter="")
    file.write_text("11,1\n12,1\n")
    with pytest.raises(ParameterError, match=r"read with ';' .* each line has one level, and ',' .* delimiter=','"):
        read_hierarchy(file)
    for one_level in ('"a,b"\n"c,d"\n', "[0,10)\n[10,20)\n"):  # quoted, and intervals
        file.write_text(one_level)
        assert read_hierarchy(file, delimiter="," if one_level[0] == '"' else ";").height == 0
    file.write_text("a, b\nc\n")  # texts of one level, one of which has a comma
    assert read_hierarchy(file).rows == (("a, b",), ("c",))


def test_a_table_in_any_order(con):
    con.execute('CREATE TABLE "the regions" AS FROM (VALUES (21, 2), (11, 1), (NULL, NULL), (12, 1)) AS t(district, r)')
    found = hierarchy_table(con.table('"the regions"'))
    assert found == Hierarchy(((None, None), ("11", "1"), ("12", "1"), ("21", "2")), ("district", "r"))
    con.execute('CREATE TABLE turned AS FROM "the regions" ORDER BY district')
    assert hierarchy_table(con.table("turned")) == found


def test_the_texts_are_those_of_the_database(con):
    table = con.sql("SELECT 1e16::DOUBLE AS x, true AS y, DATE '2020-01-02' AS z")
    assert hierarchy_table(table).rows == (("1e+16", "true", "2020-01-02"),)


def test_intervals():
    made = interval_hierarchy([20, 9, None, 10, 35, 10], [[10, 20, 30], [20]])
    assert made.rows == (
        ("9", "below 10", "below 20", "*"), ("10", "[10, 20)", "below 20", "*"), ("20", "[20, 30)", "20 and over", "*"),
        ("35", "30 and over", "20 and over", "*"), (None, None, None, "*"),
    )  # fmt: skip
    assert interval_hierarchy([Decimal("1.50"), 2.5], [[2]]).rows[0] == ("1.50", "below 2", "*")
    for breaks, complaint in (
        ([[]], "level 1"),
        ([[20, 10]], "level 1"),
        ([["a"]], "level 1"),
        ([[10], [11]], "cut in"),
    ):
        with pytest.raises(ParameterError, match=complaint):
            interval_hierarchy([1], breaks)
    for wrong in ("a", float("nan"), float("inf"), True):
        with pytest.raises(ParameterError, match="not all finite numbers"):
            interval_hierarchy([5, wrong], [[10]])


def test_codes():
    made = code_hierarchy(["012", "011", None, "1", "012"], [2, 1])
    assert made.rows == (
        ("011", "01*", "0**", "*"),
        ("012", "01*", "0**", "*"),
        ("1", "1", "1", "*"),
        (None, None, None, "*"),
    )
    for wrong in ([1, 2], [2, 2], [1, 0], [True], ["1"]):
        with pytest.raises(ParameterError, match="do not descend"):
            code_hierarchy(["01"], wrong)


def test_trees():
    made = tree_hierarchy({"*": {"Europe": {"north": ["SE"], "south": ["IT"]}, "Asia": ["JP"]}})
    assert made.rows == (("SE", "north", "Europe", "*"), ("IT", "south", "Europe", "*"), ("JP", "JP", "Asia", "*"))
    with pytest.raises(ParameterError, match="a text: give its values as a list"):
        tree_hierarchy({"*": "SE"})
    with pytest.raises(ParameterError, match="is empty"):
        tree_hierarchy({"*": []})
    with pytest.raises(ParameterError, match="Rows 1 and 2"):
        tree_hierarchy({"*": {"north": ["SE"], "south": ["SE"]}})


def test_those_of_adult(shared):
    """Their heights give the 12,960 nodes of ARX's lattice."""
    nodes = 1
    for file in sorted((shared / "data" / "adult_hierarchies").glob("*.csv")):
        nodes *= read_hierarchy(file).height + 1
    assert nodes == 12_960
