"""The headers are read by one grammar: what is wrong or missing in one is an error that names its file and line."""

from __future__ import annotations

import pytest

from sdc_sql.db.catalogue.functions import read_declarations
from sdc_sql.db.catalogue.headers import HeaderError

HEADER = """-- A measure.
-- Source: A (2002), (7);
--   B (2003).
-- Scope: cells.
-- Parameters:
--   tbl    table                     the table
--   k      whole number              at least 2, which
--                                    is the least
--   nulls  'category' or 'wildcard'  how NULL counts

"""
OWN = """-- sdc_x: the x.
-- Gives: k BIGINT, x DOUBLE (more risk).
-- Rows: each k.
-- Limit: x. The x of the file.
-- Example: FROM sdc_x('t', 3);
"""
MACRO = "CREATE OR REPLACE MACRO sdc_x(tbl, k, nulls := 'category') AS TABLE FROM t;\n"
MASK = MACRO.replace("FROM t;", "FROM sdc__released(tbl);")


def declared(text: str):
    return read_declarations([("risk/x.sql", text)])


def test_what_is_declared():
    (x,) = declared(HEADER + OWN + MACRO)
    assert (x.name, x.summary, x.gives, x.source) == (
        "sdc_x", "the x.", "k BIGINT, x DOUBLE (more risk).", "A (2002), (7); B (2003).",
    )  # fmt: skip
    assert [(p.name, p.kind, p.default) for p in x.parameters] == [
        ("tbl", "table", None),
        ("k", "whole number", None),
        ("nulls", "'category' or 'wildcard'", "'category'"),
    ]
    assert x.parameters[1].meaning == "at least 2, which is the least"
    assert (x.given.by, [c.name for c in x.given.figures]) == (("k",), ["x"])
    assert (x.limit.figure, x.limit.test, x.limit.meaning) == ("x", "sdc_x_below", "The x of the file")
    assert (x.verb, x.masks, x.is_table, x.needs_python, x.needs_key) == ("x", False, True, False, False)


def test_a_macro_may_say_otherwise_than_its_file():
    own = "-- Source: C (2004).\n-- Verb: y, at_random\n-- Parameters:\n--   k  number  another k\n" + OWN
    (x,) = declared(HEADER + own + MACRO)
    assert (x.source, x.verb, x.switch, x.parameters[1].type) == ("C (2004).", "y", "at_random", "number")


def test_a_scope_may_depend_on_a_choice():
    header = HEADER.replace("cells.", "record where nulls is 'category', else table.")
    (x,) = declared(header + OWN + MACRO)
    assert (x.scope.find_word({"nulls": "category"}), x.scope.find_word({"nulls": "wildcard"})) == ("record", "table")
    assert str(x.scope) == "record where nulls is 'category', else table"


def test_a_number_has_its_range():
    number = "--   k      number or numbers in (0, 1] or NULL  the share"
    (x,) = declared(HEADER.replace("--   k      whole number              at least 2, which", number) + OWN + MACRO)
    k = x.parameters[1]
    assert (k.type, k.kind, k.or_null) == ("number or numbers", "number or numbers in (0, 1] or NULL", True)
    assert (1 in k.range, 0 in k.range, k.range.words) == (True, False, "above 0 and at most 1")


def test_what_is_told_may_depend_on_a_choice():
    tags = (
        "-- Loss: published where nulls is 'category', else withheld (why).\n"
        "-- Told: nulls; k where nulls is 'category'.\n"
    )
    (x,) = declared(HEADER + tags + OWN + MACRO)
    for nulls, loss, told in (("category", "published", ("nulls", "k")), ("wildcard", "withheld", ("nulls",))):
        given = {"nulls": nulls}
        assert (x.effect.loss.find_word(given), x.effect.list_told(given)) == (loss, told)
    assert x.effect.loss.reason == "why"


def test_a_mask_that_does_not_say_is_the_safe_case():
    (x,) = declared(HEADER + OWN + MACRO)
    safe = (x.effect.values.kind, x.effect.bits.kind, x.effect.loss.kind, x.effect.told)
    assert safe == ("codes", "last digits", "withheld", ())


WRONG = {
    "no summary": (HEADER + OWN.replace("sdc_x: the", "sdc_y: the") + MACRO, 16, "sdc_x: ..."),
    "no example": (HEADER + OWN.replace("Example:", "For example:") + MACRO, 16, "Example"),
    "no result": (HEADER + OWN.replace("Gives: ", "") + MACRO, 16, "Gives"),
    "no source": (HEADER.replace("Source: ", "") + OWN + MACRO, 16, "Source"),
    "no scope": (HEADER.replace("Scope: ", "") + OWN + MACRO, 16, "Scope"),
    "a mask that does not say what it keeps": (HEADER + OWN + MASK, 16, "Keeps"),
    "a scope there is not": (HEADER.replace("cells.", "sells."), 4, "Scope"),
    "a scope by a choice there is not": (HEADER.replace("cells.", "record where k is 'a', else table."), 4, "k is no"),
    "an argument that is not declared": (HEADER.replace("--   tbl ", "--   table "), 16, "takes tbl"),
    "a declared argument that nothing takes": (HEADER.replace("--   tbl ", "--   at  table  t\n--   tbl "), 6, "at is"),
    "a type there is not": (HEADER.replace("whole number", "while number"), 7, "while number"),
    "a range there is not": (HEADER.replace("whole number", "number in (1, 0]"), 7, "number in (1, 0]"),
    "a range of no number": (HEADER.replace("whole number", "text in [0, 1]"), 7, "text in [0, 1]"),
    "a word there is not": (
        HEADER.replace("-- Scope", "-- Values: texts.\n-- Scope"),
        4,
        "Values is to be one of codes",
    ),
    "told what there is not": (HEADER.replace("-- Scope", "-- Told: tbl, kay.\n-- Scope"), 4, "kay is none of"),
    "no meaning": (HEADER.replace("  the table\n", "\n"), 6, "two blanks"),
    "declared twice": (HEADER.replace("--   k ", "--   tbl"), 7, "twice"),
    "a tag twice": (HEADER.replace("-- Scope", "-- Source: b\n-- Scope"), 4, "twice"),
    "a default that is no choice": (HEADER.replace("'category'", "'categories'"), 9, "by default"),
    "no rows": (HEADER + OWN.replace("Rows: each k.", "rows") + MACRO, 16, "Rows"),
    "rows of what it does not give": (HEADER + OWN.replace("each k", "each y") + MACRO, 13, "y is none"),
    "rows that cannot be read": (HEADER + OWN.replace("each k", "2") + MACRO, 13, "Rows is to be"),
    "a column without a type": (HEADER + OWN.replace("k BIGINT", "k") + MACRO, 12, "is to be a name and a type"),
    "a direction there is not": (HEADER + OWN.replace("more risk", "higher risk") + MACRO, 12, "x DOUBLE"),
    "a limit that cannot be read": (HEADER + OWN.replace("x. The x of the file.", "x") + MACRO, 14, "Limit"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_names_its_file_and_line(case):
    text, line, words = WRONG[case]
    with pytest.raises(HeaderError, match=rf"^sql/risk/x\.sql:{line}: ") as raised:
        declared(text if MACRO in text or MASK in text else text + OWN + MACRO)
    assert words in str(raised.value)
