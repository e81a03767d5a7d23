"""What a notebook shows, and data frames: every result, lists of them, relations, the report; nothing unescaped."""

from __future__ import annotations

import sys
from html.parser import HTMLParser

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.showing.notebook import relation_html, show_relations
from sdc_sql.db.showing.results import Results

HOSTILE = "<script>alert('&')</script>"


class Table(HTMLParser):
    """The cells of an HTML table, row by row, as a browser reads them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - the parser calls it so
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def data():
    """Return a described table, with a hostile value and a hostile name, NULLs and a name that wants quotes."""
    con = duckdb.connect()
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    con.execute(
        """CREATE TABLE k AS SELECT range AS id, ['a', ?, NULL][1 + range % 3] AS f, range % 4 AS "Sel<b>ect",
           range::DOUBLE AS x, 25.0::DOUBLE AS w FROM range(30)""",
        [HOSTILE],
    )
    with con:
        yield sdc_sql.Microdata(con, "k", keys=["f", "Sel<b>ect"], weight="w", id="id", sampling_fraction=0.04)


def test_a_list_of_results_is_a_table(data):
    violations = data.risk.k_anonymity(3)
    table = Table(violations._repr_html_())
    assert table.rows[0] == ["k", "records", "cells"]
    assert [[int(c) for c in row] for row in table.rows[1:]] == [[v.k, v.records, v.cells] for v in violations]
    assert violations == list(violations)
    assert Results([])._repr_html_()


def test_a_list_of_results_prints_as_a_table():
    """A title, a head, and a line for each result: texts to the left, numbers to the right, NULL said."""
    data = sdc_sql.example()
    data.con.execute("CREATE TABLE changed AS SELECT * REPLACE ('x' AS sex) FROM persons")
    assert str(data.risk.k_anonymity(3)).splitlines() == ["KViolations", "  k  records  cells", "  2        1      1",
                                                     "  3        3      2"]  # fmt: skip
    found = sdc_sql.Microdata(data.con, "changed", id="id").loss.direct_distance(data, ["sex", "age"])
    assert str(found).splitlines() == [
        "DirectDistance", "  variable  records  changed  distance", "  NULL            3        3       0.5",
        "  age             3        0         0", "  sex             3        3         1",
    ]  # fmt: skip
    assert str(Results([])) == "no results"
    assert repr(data.risk.k_anonymity(2)) == "[KViolations(k=2, records=1, cells=1)]"


def test_a_described_table_shows_its_roles():
    """In a notebook a line for each role that it has, escaped; as text all of them."""
    data = sdc_sql.example()
    data.con.execute('CREATE TABLE "<b>" AS SELECT id, sex AS "<i>" FROM persons')
    shown = sdc_sql.Microdata(data.con, '"<b>"', keys=["<i>"], id="id")
    assert Table(shown._repr_html_()).rows == [["keys", "<i>"], ["id", "id"], ["nulls", "category"]]
    assert "&lt;b&gt;" in shown._repr_html_()
    assert [row[0] for row in Table(data._repr_html_()).rows] == ["keys", "id", "weight", "household", "nulls"]
    assert "keys=('age', 'sex'), weight='w'" in repr(data)


def test_captions_keep_to_one_line():
    """A narrow table does not break its caption at every word."""
    data = sdc_sql.example()
    for found in (data, data.risk.theta(0.1), data.risk.k_anonymity(2)):
        assert "<caption style='white-space:nowrap;" in found._repr_html_()


def test_theta_by_strata_with_hostile_names(data):
    strata = sdc_sql.Microdata(data.con, "k", keys=["Sel<b>ect"]).risk.theta_by("f", 0.04)
    table = Table(strata._repr_html_())
    assert HOSTILE in {row[0] for row in table.rows}
    assert "NULL" in {row[0] for row in table.rows}
    assert "script" not in table.tags


def test_a_relation(data):
    table = Table(relation_html(data.risk.individual_risk()))
    assert "Sel<b>ect (BIGINT)" in table.rows[0]
    assert len(table.rows) == 1 + 20
    assert any(HOSTILE in row for row in table.rows)
    assert not {"script", "b"} & set(table.tags)
    assert "rows: 12" in relation_html(data.risk.cells())


def test_an_empty_relation(data):
    assert "rows: 0" in relation_html(data.con.sql("FROM k WHERE false"))


def test_the_report(data):
    html = sdc_sql.risk_report(data)._repr_html_()
    table = Table(html)
    assert table.tags.count("table") == 5
    assert "script" not in table.tags
    assert ["2", "0", "0"] in table.rows
    assert "Disclosure risk of k" in html


def test_a_masking_step(data):
    step = data.mask.noise("x", 0.1, into="noisy")
    table = Table(step._repr_html_())
    assert dict(table.rows)["changed"] == "30"


def test_data_frames(data):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    violations = data.risk.k_anonymity(4)
    assert violations.to_pandas()["k"].tolist() == violations.to_polars()["k"].to_list() == [2, 3, 4]
    theta = data.risk.theta()
    assert theta.to_pandas().to_dict("records") == theta.to_polars().to_dicts() == [theta.to_dict()]
    step = data.mask.noise("x", 0.1, into="noisier")  # with a tuple and a dict
    assert step.to_pandas().loc[0, "changed"] == 30
    assert step.to_polars()["columns"].to_list() == [["x"]]
    assert data.risk.cells().df().shape == data.risk.cells().pl().shape == (12, 3)


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_package_that_is_absent_is_named(data, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(sdc_sql.MissingPackageError, match=f"needs the package {package}.*pip install {package}"):
        getattr(data.risk.theta(), f"to_{package}")()
    with pytest.raises(ImportError):
        getattr(data.risk.k_anonymity(2), f"to_{package}")()


@pytest.mark.slow
def test_ipython_draws_relations(data, monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)  # IPython warns of one that is active and not its own
    pytest.importorskip("IPython", reason="no notebook here: pip install ipython")
    from IPython.core.interactiveshell import InteractiveShell  # noqa: PLC0415 - where it is installed

    shell = InteractiveShell.instance()
    try:
        show_relations()
        drawn, _ = shell.display_formatter.format(data.risk.cells())
        assert Table(drawn["text/html"]).rows[0][0].startswith("f (")
        failing = data.con.sql("SELECT error('<b>no</b>') AS x")
        assert "&lt;b&gt;no" in shell.display_formatter.format(failing)[0]["text/html"]
        drawn, _ = shell.display_formatter.format(data.risk.k_anonymity(2))
        assert "<table>" in drawn["text/html"]
    finally:
        InteractiveShell.clear_instance()


def test_without_a_notebook_nothing_is_done():
    show_relations()
