"""The report as HTML and as Markdown: well-formed, escaped, alone, the same figures in both; and its distributions."""

from __future__ import annotations

import random
import re
from collections import Counter
from xml.etree import ElementTree as ET

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import intrusion, main, suda
from sdc_sql.document.blocks import Chart, Page, Points, Section, Table, Text, format_readable
from sdc_sql.document.markdown import escape_markdown, markdown
from sdc_sql.document.page import page_html
from sdc_sql.report.distribution import FREQUENCIES, LEVELS, RISKS, SIZES

HOSTILE = "<script>alert('&\"')</script>]]> ![x](http://evil.example/x.png) | `a` *b* \x00\n\u202e"
SVG_OR_HTML = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p", "nav", "ul", "li", "a",
    "section", "figure", "figcaption", "div", "table", "thead", "tbody", "tr", "th", "td",
    "svg", "desc", "rect", "circle", "line", "text",
}  # fmt: skip


@pytest.fixture(scope="module")
def db():
    """Return a connection with a table of random keys and weights, and one whose names and labels are hostile."""
    with duckdb.connect() as con:
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        draw = random.Random(7)  # noqa: S311
        con.execute("CREATE TABLE drawn (a INTEGER, b VARCHAR, w DOUBLE)")
        rows = [(int(draw.expovariate(0.3)), draw.choice(["x", "y", None]), draw.uniform(1, 40)) for _ in range(400)]
        con.executemany("INSERT INTO drawn VALUES (?, ?, ?)", rows)
        con.execute(
            """CREATE TABLE "k" AS SELECT ['a', ?, NULL][1 + range % 3] AS f, range % 4 AS "Sel<b>|ect",
               range AS id, range % 2 AS stratum FROM range(30)""",
            [HOSTILE],
        )
        yield con


@pytest.fixture(scope="module")
def pages(db):
    data = sdc_sql.Microdata(db, "k", keys=["f", "Sel<b>|ect"], id="id", sampling_fraction=0.04, stratum="stratum")
    report = sdc_sql.risk_report(data, sensitive=["stratum"])
    return report, report.to_html(), report.to_markdown()


def tree(html: str) -> ET.Element:
    return ET.fromstring(html.replace("<!DOCTYPE html>", ""))  # noqa: S314 - a page of our own


def figures(cells) -> Counter:
    """Return the numbers as they are shown, each as often as it occurs."""
    return Counter(c for cell in cells for c in re.findall(r"-?\d[\d,]*\.?\d*(?:e[+-]\d+)?", cell))


@pytest.mark.slow
def test_the_page_is_well_formed_and_has_plain_elements_only(pages):
    found = tree(pages[1])
    assert {element.tag for element in found.iter()} <= SVG_OR_HTML
    assert not any(name.startswith("on") for element in found.iter() for name in element.attrib)
    ids = [element.attrib["id"] for element in found.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))


def test_the_page_needs_nothing_from_outside(pages):
    found = tree(pages[1])
    links = [e.attrib[n] for e in found.iter() for n in ("href", "src") if n in e.attrib]
    assert links
    assert all(link.startswith("#s") for link in links)
    assert not re.search(r"url\(|@import", found.find("head/style").text)
    policy = next(e for e in found.iter("meta") if e.get("http-equiv"))
    assert policy.attrib["content"].startswith("default-src 'none'")


def test_hostile_names_and_labels_are_shown_as_they_are(pages):
    report, html, text = pages
    everything = list(tree(html).itertext())
    assert "Sel<b>|ect" in everything
    assert format_readable(HOSTILE) in everything  # its control characters as escapes
    assert not set("\x00\u202e") & set(html + text)
    # in Markdown no mark of theirs is one
    assert escape_markdown(HOSTILE) in text
    assert not re.search(r"(?<!\\)[\[\]`]|<|(?<!\\):(?=//)", text)
    riskiest = text.partition("## The riskiest keys")[2]
    assert len(re.findall(r"(?m)^\| .* \|$", riskiest)) == 1 + len(report.riskiest_keys)


def test_every_picture_says_what_it_shows(pages):
    pictures = list(tree(pages[1]).iter("svg"))
    assert len(pictures) == 2
    for picture in pictures:
        named = {e.attrib["id"] for e in picture if e.tag in {"title", "desc"} and e.text}
        assert set(picture.attrib["aria-labelledby"].split()) == named
        numbers = [e.text for e in picture.iter("text") if e.attrib["class"] == "number"]
        assert numbers == re.findall(r"records ([\d,]+)", picture.find("desc").text)


def test_both_hold_the_same_figures(pages):
    _, html, text = pages
    found = tree(html)
    of_tables = ["".join(e.itertext()) for tag in ("td", "th") for e in found.iter(tag)]
    of_pictures = [e.text for e in found.iter("text")]
    rows = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    cells = [cell for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    of_markdown = figures(re.sub(r"\\([^\w])", r"\1", c).replace("&lt;", "<") for c in cells)
    # the label that stands for a picture's only series is in the tables of Markdown only: it has no digit
    assert of_markdown == figures(of_tables) + figures(of_pictures)
    assert sum(of_markdown.values()) > 100


@pytest.mark.parametrize("nulls", ["category", "wildcard"])
def test_distributions_count_every_record_once(db, nulls):
    data = sdc_sql.Microdata(db, "drawn", keys=["a", "b"], weight="w", nulls=nulls)
    report = sdc_sql.risk_report(data)
    # counted record by record, by another macro
    records = data.risk.individual_risk().select("sample_frequency, individual_risk").fetchall()
    size = Counter(SIZES[sum(f >= least for least in FREQUENCIES[1:])] for f, _ in records)
    risk = Counter(LEVELS[sum(r > limit for limit in RISKS)] for _, r in records)
    assert {row["frequency"]: row["records"] for row in report.frequency_distribution if row["records"]} == size
    assert {row["individual_risk"]: row["records"] for row in report.risk_distribution if row["records"]} == risk
    assert [row["frequency"] for row in report.frequency_distribution] == list(SIZES)
    assert len(size) > 3
    assert len(risk) > 3


def test_without_a_weight_there_is_no_distribution_of_risk(db):
    report = sdc_sql.risk_report(sdc_sql.Microdata(db, "drawn", keys=["a"]))
    assert report.risk_distribution == ()
    assert report.to_html().count("<svg") == 1


def test_figures_that_are_not_numbers_are_drawn_nowhere():
    chart = Chart("x", ("a" * 300, "b"), (("before", (None, float("nan"))), ("after", (-3.0, float("inf")))), "dots")
    page = Page(
        "x", (), (Section("y", (chart, Chart("z", (), ()), Table("", (), ()), Points(()), Text("1. no list"))),)
    )
    found = tree(page_html(page))
    assert [e.attrib["cx"] for e in found.iter("circle")] == ["2.00%"]
    assert "nan%" not in page_html(page)
    assert "inf%" not in page_html(page)
    assert "\n1\\. no list\n" in markdown(page)


def test_on_the_command_line(tmp_path, capsys):
    source = tmp_path / "k.csv"
    source.write_text("f,w\na,10\na,20\nb,30\n", encoding="utf-8")
    options = ["risk", str(source), "--keys", "f", "--weight", "w", "--no-progress"]
    html, text = tmp_path / "r.html", tmp_path / "r.md"
    html.write_text("an older one", encoding="utf-8")
    limit = ["--fail-if", "k_anonymity.2.records > 0"]
    assert main([*options, *limit, "--html", str(html), "--markdown", str(text)]) == 3
    assert "Disclosure risk" in capsys.readouterr().out  # printed as well
    rows = [[c.text for c in row] for row in tree(html.read_text(encoding="utf-8")).iter("tr")]
    assert ["k_anonymity.2.records > 0", "exceeded"] in rows
    assert "k\\_anonymity" not in text.read_text(encoding="utf-8")  # an underscore within a word is no mark
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.csv", "r.html", "r.md"]


def test_what_else_was_asked_for_is_on_the_page():
    keys = [{"variable": "1990", "msus": 1, "contribution": 100.0}]
    values = [{"variable": "1990", "value": 1990, "msus": 1, "contribution": 25.0}]
    (section,) = suda.list_suda_sections({"suda_contributions": keys, "suda_value_contributions": values})
    assert [block.rows for block in section.blocks] == [(("1990", 1, 100.0),), (("1990", "1990", 1, 25.0),)]
    assert suda.list_suda_sections({}) == []
    (section,) = intrusion.list_intrusion_sections({"k_map": sdc_sql.KViolations(2, 3, 4)})
    assert section.title.startswith("k-map")
    assert section.blocks[0].rows == (("k", 2), ("records", 3), ("cells", 4))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--html", "r.parquet"], "must end in .html or .htm"),
        (["--markdown", "r.html"], "must end in .md or .markdown"),
        (["--html", "nowhere/r.html"], "no folder"),
        (["--markdown", "source.md"], "give another name"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch, capsys, option, message):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "source.md"
    source.write_text("f\na\n", encoding="utf-8")
    assert main(["risk", "source.md", "--keys", "f", "--progress", *option]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "k-anonymity" not in told
    assert source.read_text(encoding="utf-8") == "f\na\n"
