"""Macros compiled to one query: the expansion itself, in DuckDB. Other engines run them in tests/integration."""

from __future__ import annotations

import re

import duckdb
import masked_elsewhere
import pytest
import sqlglot
from compiled import ENGINES, EVERY, STORED, TABLES, answer, call, filtered, golden, reference, stored_text
from every_macro import rounded_rows
from sqlglot import exp

import sdc_sql
from sdc_sql import cli
from sdc_sql.compiler.constants import fold
from sdc_sql.compiler.definitions import Definition, load_definitions, parse_sql
from sdc_sql.db.catalogue.macros import read_catalogue

COLUMNS = ["id", "age", "sex", "region", "weight", "household"]


def tree(text: str) -> exp.Expression:
    return sqlglot.parse_one(text, read="duckdb")


@pytest.mark.one_in(64)
@pytest.mark.parametrize("name", EVERY)
def test_the_written_query_answers_as_the_macro(name):
    made, sql = call(name), answer(name, "duckdb")
    assert rounded_rows(reference(), sql) == rounded_rows(reference(), made.sql)
    with reference().cursor() as written:
        columns = [column for column, *_ in written.execute(sql).description]
    expected = reference().execute(made.sql)
    assert columns == [column for column, *_ in expected.description]
    expected.fetchall()


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", EVERY)
def test_a_plain_duckdb_runs_it(name):
    """No macro, no COLUMNS, no query_table is left: it binds where there are none."""
    sql = answer(name, "duckdb")
    with duckdb.connect() as con:
        for table in ("persons", "persons_masked"):
            con.execute(f"CREATE TABLE {table} AS {TABLES[table]}")
        assert con.execute(sql).fetchall()
    assert "COLUMNS(" not in sql
    assert "GROUP BY\n  ALL" not in sql


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", EVERY)
def test_an_empty_table_is_an_error(name):
    for sql in [sql for table in ("nobody", "none") for sql in filtered(name, table, "duckdb")]:
        with pytest.raises(
            duckdb.Error, match=r"The table (nobody|none)(_masked)? has no rows: there is nothing to meas"
        ):
            reference().execute(sql).fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ENGINES)
def test_golden_sql_is_what_is_compiled(dialect):
    """(Written anew by `python tests/integration/compiled.py`.)"""
    stored = {golden(name, dialect): stored_text(name, dialect) for name in STORED}
    assert {file: file.read_text(encoding="utf-8") for file in golden("", dialect).parent.iterdir()} == stored


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ENGINES)
def test_a_mask_that_says_it_is_compiled_is(dialect):
    """(With `Compiled:` in its header: the example of its header.)"""
    wrong = []
    for name in masked_elsewhere.CALLS.keys() - masked_elsewhere.ODD:
        try:
            masked_elsewhere.compiled(name, dialect)
        except sdc_sql.Unsupported as error:
            wrong.append(f"{name}: {str(error)[:200]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_every_table_macro_is_written_or_there_is_a_reason():
    written = {name.split()[0] for name in EVERY} | {macro for macro, *_ in masked_elsewhere.CALLS.values()}
    for name in {n for n, d in load_definitions().items() if d.is_table and not n.startswith("sdc__")} - written:
        with pytest.raises(sdc_sql.Unsupported, match=rf"^{name} cannot be compiled: .{{40}}"):
            sdc_sql.compile(name, "persons", ["age"], dialect="spark", columns=COLUMNS)
    assert not written & {d.name for d in read_catalogue() if d.not_compiled}


@pytest.mark.slow
@pytest.mark.whole
def test_every_macro_of_the_files_is_parsed():
    """Each macro's text is cut into name, parameters, defaults and body as DuckDB itself reads it."""
    known = reference().execute(
        "SELECT function_name, parameters, function_type FROM duckdb_functions()"
        " WHERE starts_with(function_name, 'sdc_') AND function_type IN ('macro', 'table_macro')"
    )
    for name, parameters, kind in known.fetchall():
        if name in load_definitions():
            assert list(load_definitions()[name].parameters) == parameters, name
            assert load_definitions()[name].is_table == (kind == "table_macro")


@pytest.mark.one_in(8)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("arguments", "named", "error", "words"),
    [
        (("theta", "persons", ["age", "sexx"], 0.1), {}, sdc_sql.ColumnError, '"sexx" is not a column of the table'),
        (("theta", "persons", [], 0.1), {}, sdc_sql.ColumnError, "the list of columns is empty"),
        (("theta", "persons", ["age", "AGE"], 0.1), {}, sdc_sql.ColumnError, "a column is named twice"),
        (("theta", "persons", ["age"], 1.5), {}, sdc_sql.ParameterError, "sampling fraction is 1.5"),
        (("theta", "persons", ["age"], 0.1), {"confidence": 1.0}, sdc_sql.ParameterError, "confidence is 1.0"),
        (("k_anonymity", "persons", ["age"], 1), {}, sdc_sql.ParameterError, "must be a whole number of at least 2"),
        (("cells", "persons", ["age"]), {"nulls": "no"}, sdc_sql.ParameterError, "nulls is no"),
        (("global_risk", "persons", ["age"], "wt"), {}, sdc_sql.ColumnError, '"wt" is not a column'),
        (("theta", "persons", ["age"]), {}, sdc_sql.ParameterError, "needs sampling_fraction"),
        (("theta", "persons", ["age"], 0.1), {"k": 3}, sdc_sql.ParameterError, "k is not an argument"),
        (("thetta", "persons", ["age"], 0.1), {}, sdc_sql.ParameterError, "There is no macro thetta"),
        (("cells", "sdc__t", ["age"]), {}, sdc_sql.ParameterError, "which is reserved"),
    ],
)
@pytest.mark.parametrize("dialect", ["duckdb", "spark", "postgres"])
def test_what_can_be_checked_is_checked_when_the_query_is_written(arguments, named, error, words, dialect):
    with pytest.raises(error, match=words):
        sdc_sql.compile(*arguments, dialect=dialect, columns=COLUMNS, **named)


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("dialect", "said"), [("spark", "createOrReplaceTempView('sdc_key')"), ("postgres", "sdc.key")]
)
def test_compiled_noise_says_how_to_give_the_key(dialect, said, monkeypatch):
    monkeypatch.setenv("SDC_KEY", masked_elsewhere.KEY)
    sql = masked_elsewhere.compiled("strata", dialect)
    comment = sql.partition("*/")[0]
    assert said in " ".join(comment.split())
    assert masked_elsewhere.KEY not in sql


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("arguments", "named", "words"),
    [
        (("noise", "t", ["age"], -1, "id"), {}, "alpha is -1"),
        (("noise", "t", ["age"], 1, "id"), {"method": "linear"}, "cannot be compiled with method := 'linear'"),
        (("noise", "t", ["age"], 1, "id"), {"method": "x"}, "cannot be compiled with method := 'x'"),
        (("noise_absolute", "t", ["age"], -1, "id"), {}, "standard_deviation is -1"),
        (("noise_absolute", "t", ["age"], [1, 2], "id"), {}, "must be one value, or one for each"),
        (("noise_absolute", "t", ["id"], 1, "id"), {}, '"id" is the id'),
        (("noise_absolute", "t", ["agee"], 1, "id"), {}, '"agee" is not a column'),
        (("noise_absolute", "t", ["age"], 1, "id"), {"lower": 3, "upper": 1}, "lower is 3.0 and upper 1.0"),
        (("pram", "t", ["age"], 0.1, "id"), {}, "sdc_pram cannot be compiled: it masks records"),
    ],
)
def test_noise_that_cannot_be_is_refused_when_the_query_is_written(arguments, named, words):
    for dialect in ("spark", "postgres"):
        with pytest.raises(sdc_sql.SdcError, match=re.escape(words)):
            sdc_sql.compile(*arguments, dialect=dialect, columns=masked_elsewhere.COLUMNS, **named)


def test_in_duckdb_the_mask_itself_is_called():
    with pytest.raises(sdc_sql.Unsupported, match="in DuckDB call the macro itself"):
        masked_elsewhere.compiled("absolute", "duckdb")


def test_a_list_is_indexed_by_what_takes_the_place_of_a_parameter(monkeypatch):
    """(sqlglot counts literal places from 0, so a parameter that becomes a literal would be off by one.)"""
    body = parse_sql("SELECT (['a', 'b', 'c'])[p] AS v")
    monkeypatch.setitem(load_definitions(), "sdc_place", Definition("sdc_place", ("p",), {}, is_table=True, body=body))
    sql = sdc_sql.compile("place", 2, columns=COLUMNS)
    assert duckdb.sql(sql).fetchall() == [("b",)]


def test_an_empty_first_side_of_a_union_must_name_its_columns_alike(monkeypatch):
    for name, error in (("a", None), ("b", sdc_sql.Unsupported)):
        body = tree(
            f"SELECT 1 AS a FROM query_table(tbl) WHERE false UNION ALL SELECT age AS {name} FROM query_table(tbl)"
        )
        monkeypatch.setitem(
            load_definitions(), "sdc_union", Definition("sdc_union", ("tbl",), {}, is_table=True, body=body)
        )
        if error is None:
            assert "age" in sdc_sql.compile("union", "persons", columns=COLUMNS)
        else:
            with pytest.raises(error, match="name their columns differently"):
                sdc_sql.compile("union", "persons", columns=COLUMNS)


@pytest.mark.slow
def test_a_threshold_that_is_no_number():
    with pytest.raises(sdc_sql.ParameterError, match="threshold is x"):
        sdc_sql.compile("threshold_rule", "t", ["age"], "x", dialect="spark", columns=COLUMNS)


def test_a_reserved_or_result_column_is_refused():
    with pytest.raises(sdc_sql.ColumnError, match="reserved"):
        sdc_sql.compile("cells", "t", ["age"], columns=["age", "sdc__f"])
    with pytest.raises(sdc_sql.ColumnError, match="also the name of a result column"):
        sdc_sql.compile("cells", "t", ["sample_frequency"], columns=["age", "sample_frequency"])


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["threshold_rule", "threshold_rule_summary", "threshold_rule_records"])
def test_wildcards_in_many_sets_of_keys_are_one_query(name):
    """Seven keys make 63 sets of up to three, three keys 7: what an engine plans stays as it is."""
    keys = [f"k{i}" for i in range(7)]
    joins = [
        len(list(tree(sdc_sql.compile(name, "t", keys[:n], 2, nulls="wildcard", columns=keys)).find_all(exp.Join)))
        for n in (3, 7)
    ]
    assert joins[0] == joins[1] < 10


def test_the_columns_must_be_known():
    with pytest.raises(sdc_sql.TableError, match="columns of the table persons are not known"):
        sdc_sql.compile("cells", "persons", ["age"])
    with pytest.raises(sdc_sql.TableError, match="population"):
        sdc_sql.compile("population_risk", "sample", "population", ["age"], columns={"sample": ["age"]})


def test_an_unknown_dialect():
    with pytest.raises(sdc_sql.ParameterError, match="duckdb, spark, postgres"):
        sdc_sql.compile("cells", "t", ["a"], dialect="oracle", columns=["a"])


@pytest.mark.parametrize("dialect", ["spark", "postgres"])
@pytest.mark.parametrize(
    ("body", "construct"),
    [
        ("SELECT hash(age) AS h FROM query_table(tbl)", "hash"),
        ("SELECT array_agg(age ORDER BY sex) AS l FROM query_table(tbl)", "ARRAY_AGG"),
        ("SELECT age::INTEGER AS a FROM query_table(tbl)", "CAST AS INT"),
        ("SELECT age // 2 AS a FROM query_table(tbl)", "INTDIV"),
        ("SELECT age % 2 AS a FROM query_table(tbl)", "MOD"),
        ("SELECT quantile_cont(age, 0.5) AS q FROM query_table(tbl)", "PERCENTILE_CONT"),
        ("SELECT random() AS r FROM query_table(tbl)", "RAND"),
        ("SELECT regexp_replace(sex, 'f', 'm') AS s FROM query_table(tbl)", "REGEXP_REPLACE"),
        ("SELECT age FROM query_table(tbl) QUALIFY row_number() OVER () = 1", "qualify"),
        ("SELECT age FROM query_table(tbl) USING SAMPLE 3", "sample"),
    ],
)
def test_an_unknown_construct_is_an_error_that_names_it(monkeypatch, dialect, body, construct):
    monkeypatch.setitem(
        load_definitions(), "sdc_made", Definition("sdc_made", ("tbl",), {}, is_table=True, body=tree(body))
    )
    with pytest.raises(sdc_sql.Unsupported, match=construct):
        sdc_sql.compile("made", "persons", dialect=dialect, columns=COLUMNS)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("CASE WHEN 'w' IS NULL THEN error('no') ELSE x END", "x"),
        ("CASE WHEN x > 0 THEN 1 WHEN 1 = 1 THEN 2 ELSE error('no') END", "CASE WHEN x > 0 THEN 1 ELSE 2 END"),
        ("CASE 'a' WHEN 'b' THEN x WHEN 'a' THEN y END", "y"),
        ("x AND 1 = 2", "FALSE"),
        ("x OR 1 = 2", "x"),
        ("coalesce(NULL, x, 3, y)", "COALESCE(x, 3)"),
        ("x + list_sum([1, 2])", "x + 3"),
        ("list_filter(l, lambda v: v > 1)", "LIST_FILTER(l, LAMBDA v : v > 1)"),
        ("row_number() OVER (ORDER BY x)", "ROW_NUMBER() OVER (ORDER BY x)"),
    ],
)
def test_constants(text, folded):
    assert fold(tree(text)).sql("duckdb") == folded


def test_numbers_keep_every_digit():
    sql = sdc_sql.compile("theta", "t", ["a"], 0.1 + 0.2, dialect="postgres", columns=["a"])
    assert "3.0000000000000004" not in sql
    assert "0.30000000000000004e0" in sql


def test_names_are_quoted_whatever_they_are():
    odd = ['we"ird', "Select", "`"]
    for dialect, quoted in (("spark", "```"), ("postgres", '"we""ird"')):
        sql = sdc_sql.compile("cells", 'my."ta ble"', odd, dialect=dialect, columns=odd)
        assert quoted in sql


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name", ["*/ SELECT 1; --", "/*", "/*/", "*/*", "a\nb", "a\r*/b", "\u2028*/", "\u202e", "\\", "'"]
)
def test_no_argument_breaks_out_of_the_comment(name):
    sql = sdc_sql.compile("sample_uniques", name, [name], columns=[name])
    head, _, rest = sql.partition(" */\n")
    assert head.startswith("/* sdc_sample_uniques(")
    assert not {"*/", "/*"} & {head[n : n + 2] for n in range(2, len(head))}
    assert all(c.isprintable() or c == "\n" for c in head)
    assert rest.startswith(("SELECT", "WITH"))
    with duckdb.connect() as con:
        quoted = exp.to_identifier(name, quoted=True).sql("duckdb")
        con.execute(f"CREATE TABLE {quoted} AS SELECT unnest([1, 1, 2]) AS {quoted}")
        assert con.execute(sql).fetchall() == [(2,)]


@pytest.mark.parametrize("dialect", ["duckdb", *ENGINES])
def test_the_comment_says_what_the_query_is(dialect):
    sql = sdc_sql.compile("theta", "persons", ["age"], 0.1, confidence=0.95, dialect=dialect, columns=COLUMNS)
    assert sql.splitlines()[:2] == [
        "/* sdc_theta('persons', ['age'], 0.1, confidence := 0.95)",
        f"   Compiled by sdc-sql {sdc_sql.__version__} for {dialect}.",
    ]
    assert sql.splitlines()[2].startswith("   Source: Skinner & Elliot (2002)")


@pytest.mark.one_in(16)
@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize("name", list(EVERY)[::2])
def test_lines_are_short_but_for_what_cannot_be_cut(name, dialect):
    long = [line for line in answer(name, dialect).splitlines() if len(line) > 120]
    assert all("'" in line for line in long)  # a text
    assert "FILTER(WHERE\n" not in answer(name, dialect)


def test_command_line(capsys):
    arguments = ["theta", "persons", "age,sex", "0.1", "confidence=0.95", "--dialect", "spark"]
    assert cli.main(["compile", *arguments, "--columns", ",".join(COLUMNS)]) == 0
    expected = sdc_sql.compile(
        "theta", "persons", ["age", "sex"], 0.1, confidence=0.95, dialect="spark", columns=COLUMNS
    )
    assert capsys.readouterr().out == f"{expected};\n"
    assert cli.main(["compile", "nope", "persons", "--dialect", "spark", "--columns", "age"]) == cli.BAD_INPUT
    assert "There is no macro sdc_nope" in capsys.readouterr().err
    assert (
        cli.main(["compile", "theta", "t", "age", "1", "2", "3", "--dialect", "spark", "--columns", "a"])
        == cli.BAD_INPUT
    )
    assert "has no place for '3'" in capsys.readouterr().err


def test_default_values_are_read():
    assert {n: v.sql("duckdb") for n, v in load_definitions()["sdc_frequencies"].defaults.items()} == {
        "weight": "NULL",
        "nulls": "'category'",
    }
