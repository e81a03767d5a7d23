"""The pages that are written: without Sphinx, from the headers, the parsers and the chapters."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from sdc_docs import chapters, command_line, formula, limits, markdown, release_file, rooms, sources
from sdc_docs.api import write_api
from sdc_docs.function_page import write_page
from sdc_docs.markdown import escape, table
from sdc_docs.prose import read_prose
from sdc_docs.written import write_pages

import sdc_sql
from sdc_sql.cli import COMMANDS
from sdc_sql.db.catalogue.macros import index_catalogue, read_catalogue
from sdc_sql.methods import Methods
from sdc_sql.release.reading.schema import NAME

ROOT = Path(__file__).resolve().parents[2]


def test_a_page_has_what_the_header_says():
    page = write_page(index_catalogue()["sdc_theta"])
    assert r"\hat{\theta} &= \pi \, n_{1} / ( \pi \, n_{1} + 2 \, ( 1 - \pi ) n_{2} ) \qquad \text{(7)}" in page
    assert "| a | 1 |" in page  # its small table
    assert "| 8 | 5 | 3 | 1 | 1 | 0.142857 | 0.195748 | 0.598236 |" in page  # what its example gives
    assert "`confidence` | number in (0, 1) | `0.99`" in page
    assert "[Skinner & Elliot (2002)](#source-skinner-elliot-2002)" in page
    doors = re.findall(r"^:::\{tab-item\} (.+)$", page, re.MULTILINE)
    assert doors == ["SQL", "Python", "Command line", "dbt", "Release file", "Spark"]
    for word in ("Scope:", "Parameters:", "Gives:", "Words:"):  # tags are no prose
        assert f"\n{word}" not in page


def test_the_prose_of_a_header_is_there_in_its_order():
    for declaration in read_catalogue():
        said = iter(" ".join(line.split()) for line in declaration.description.splitlines())
        blocks = read_prose(declaration)
        assert blocks or not declaration.description
        for line in (line for block in blocks for line in block.text.splitlines()):
            assert " ".join(line.split()) in said, (declaration.name, line)  # of those that are left


def list_formulas():
    return {block.text: block.write() for d in read_catalogue() for block in read_prose(d) if block.kind == "formula"}


def test_a_formula_is_typeset_with_each_of_its_letters_and_numbers():
    """In their order, so that none is left out or added; what cannot be read for certain stays as it is."""
    drawn = {text: tex for text, tex in list_formulas().items() if tex.startswith("```{math}")}
    assert len(drawn) >= 35
    words = {"in": "in", "int": "integral", "Pr": "Pr"}
    for text, tex in drawn.items():
        body = tex.partition("\\begin{aligned}")[2].partition("\\end{aligned}")[0]
        for name in (
            "text",
            "mathrm",
            "operatorname",
            "hat",
            "tilde",
            "qquad",
            "le",
            "ge",
            "to",
            "mp",
            "ldots",
            "cdot",
            "sim",
        ):
            body = re.sub(rf"\\{name}(?![A-Za-z])", " ", body)
        body = re.sub(r"\\([A-Za-z]+)", lambda found: words.get(found[1], found[1]), body)
        assert re.findall(r"[A-Za-z0-9]", body) == re.findall(r"[A-Za-z0-9]", text), text


def test_every_function_has_its_place_in_a_room():
    listed = [d.name for its in rooms.list_by_room().values() for d in its]
    assert sorted(listed) == sorted(index_catalogue())
    for room, its in rooms.list_by_room().items():
        page = rooms.write_room(room)
        assert all(f"(#{d.name})" in page for d in its)


def test_a_source_leads_to_its_functions():
    page = sources.write_page()
    part = page.partition("### SDC handbook 3.3.6\n")[2].partition("\n### ")[0]
    assert {*re.findall(r"\(#(sdc_\w+)\)", part)} == {
        d.name for d in read_catalogue() if re.search(r"handbook[^;]*3\.3\.6(?!\.)", d.source)
    }
    anchors = re.findall(r"^\(([\w-]+)\)=$", page, re.MULTILINE)
    assert len(anchors) == len({*anchors})
    assert {c.anchor for d in read_catalogue() for c in sources.list_cited(d.source)} == {*anchors}
    assert all(f"(#{d.name})" in page for d in read_catalogue() if d.source)


@pytest.mark.parametrize(
    ("source", "titles"),
    [
        ("Kolmogorov (1933) and Smirnov (1948), in any textbook", ["Kolmogorov (1933)", "Smirnov (1948)"]),
        ("the kernel: Silverman & Young (1987), The bootstrap", ["Silverman & Young (1987)"]),
        ("Willenborg & de Waal (2001), ch. 5", ["Willenborg & de Waal (2001)"]),
        ("Skinner & Shlomo (2008), sections 3.3 and 3.4", ["Skinner & Shlomo (2008)"]),  # not the handbook's sections
        ("SDC handbook, section 3.5.1, (3.6)", ["SDC handbook 3.5.1", "SDC handbook (3.6)"]),
        ("Gouweleeuw et al. (1998), section 4", ["Gouweleeuw et al. (1998)"]),
    ],
)
def test_a_source_is_read(source, titles):
    assert [c.title for c in sources.list_cited(source)] == titles


def test_every_public_name_and_method_is_in_the_reference():
    pages = write_api()
    shown = re.findall(r"^\.\. auto\w+:: (\S+)$", "\n".join(pages.values()), re.MULTILINE)
    assert {f"sdc_sql.{name}" for name in sdc_sql.__all__} <= {*shown}
    methods = {name.rpartition(".")[2] for name in shown if ".methods." in name}
    assert methods == {n for n in dir(Methods) if not n.startswith("_")}
    assert len(shown) == len({*shown})


def test_every_command_and_every_option_is_in_the_reference():
    pages = command_line.write_command_line()
    assert {f"{name}.md" for name in COMMANDS} | {"index.md"} == pages.keys()
    assert "`--fail-if LIMIT`" in pages["measure.md"] or "--fail-if" in pages["measure.md"]
    assert "## mask noise" in pages["mask.md"]
    assert "--alpha" in pages["mask.md"]


def test_every_field_of_a_release_file_is_in_the_reference():
    pages = release_file.write_release_file()
    schema = (ROOT / "sdc_sql" / "release" / "reading" / NAME).read_text(encoding="utf-8")
    for name in re.findall(r'"step_(\w+)"', schema):
        assert f'`mask = "{name}"`' in pages["steps.md"] or name == "of_candidate"
    for section in ("roles", "scenarios", "loss", "governance", "series", "output"):
        assert re.search(rf"^## `\[+{section}\]+`$", pages["index.md"], re.MULTILINE), section


def test_every_readme_is_a_chapter_and_its_links_hold():
    found = chapters.list_chapters()
    readmes = {
        p for folder in ("sdc_sql", "sql", "udfs", "fixtures", "tests") for p in (ROOT / folder).rglob("README.md")
    }
    assert readmes <= found.keys()
    for name, text in chapters.write_chapters().items():
        outside = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[\w-]*)?\)", outside):
            if not re.match(r"[a-z]+:", target):
                page = (ROOT / ".docs" / "chapters" / target).resolve()
                written = {(ROOT / ".docs" / "chapters" / f"{n}.md") for n in found.values()}
                assert page in written or page.is_file() or page == ROOT / ".docs" / "index.md", (name, target)


@pytest.mark.parametrize("module", [formula, limits, markdown, sources], ids=lambda m: m.__name__)
def test_the_examples_of_the_modules_hold(module):
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed


def test_prose_is_shown_as_it_stands():
    assert escape("1 < 2, a*b*c and $x$ [1] `a | b`") == r"1 \< 2, a\*b\*c and \$x\$ \[1\] `a | b`"
    assert table(["a"], [["x | y"]]).splitlines()[-1] == r"| x \| y |"


def test_a_page_that_is_written_no_more_is_removed(tmp_path):
    write_pages(tmp_path, {"a.md": "1", "b/c.md": "2"})
    before = (tmp_path / "a.md").stat().st_mtime_ns
    write_pages(tmp_path, {"a.md": "1", "b/d.md": "3"})
    assert (tmp_path / "a.md").stat().st_mtime_ns == before  # Sphinx reads it no second time
    assert sorted(p.name for p in tmp_path.rglob("*.md")) == ["a.md", "d.md"]
