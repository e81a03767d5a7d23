"""The validation book: every formula beside its source and its peers, where they differ, and where each method errs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from validation.book import read_cases, read_simulations
from validation.simulations.region import HIGH, LOW

from sdc_docs import forest
from sdc_docs.head_to_head import KEPT, write_head_to_head
from sdc_docs.markdown import capitalise, code, dropdown, escape, table
from sdc_sql.db.catalogue.macros import read_catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from validation.case import Case
    from validation.simulations.region import Region

_PLACE = ("population", "sample", "sample uniques", "draws")
_SAID = {
    "wrong there": "theirs is wrong",
    "wrong here": "**ours is wrong**",
    "another question": "another question is asked",
}


def write_validation() -> dict[str, str]:
    """Return the pages of the book, by their paths below validation/."""
    cases = [case for of in read_cases().values() for case in of]
    made, regions = read_simulations()
    pages = {"index.md": _write_index(cases, regions), "disagreements.md": _write_disagreements(cases)}
    pages |= _write_regions(made, regions)
    pages |= write_head_to_head()
    for source, of in _group(cases, lambda case: case.source).items():
        pages[f"{_stem(source)}.md"] = _write_source(source, of)
    return pages


def _write_index(cases: Sequence[Case], regions: Sequence[Region]) -> str:
    sources, measured = _group(cases, lambda case: case.source), KEPT.is_file()
    rows = [
        (
            f"[{escape(source)}]({_stem(source)}.md)",
            str(len({case.function for case in of})),
            str(len(of)),
            str(sum(case.agrees for case in of)),
            str(sum(bool(case.judgement) for case in of)),
        )
        for source, of in sources.items()
    ]
    compared = {case.function for case in cases}
    others = [d.name for d in read_catalogue() if d.name not in compared and d.room != "mask"]
    verdicts = Counter(region.verdict for region in regions)
    agree, differ = sum(case.agrees for case in cases), sum(bool(case.judgement) for case in cases)
    return _join(
        "# Validation",
        f"Nobody needs our word: {len(cases)} figures of {len(compared)} functions stand here beside what a paper "
        f"prints or another program answers. {agree} agree within the digits that are given, {differ} "
        "[differ](disagreements.md), each with an independent computation that says who is right. Then methods are "
        "tried on populations that are drawn anew and whose truth is known: [where each one errs](regions.md), in "
        f"{len(regions)} regions.",
        "All of it is public: the tables are those of `fixtures/`, the peers' figures stand in `fixtures/validation/` "
        "with version and call, the scripts that asked them in `tests/validation/peers/`. `python tests/validation` "
        "makes it all anew; the tests hold that every comparison answers today what stands here.",
        table(["source", "functions", "figures", "agree", "differ"], rows),
        *(
            ["Time and memory of the same tasks by other tools stand [beside ours](head_to_head.md)."]
            if measured
            else []
        ),
        table(["simulations", "regions"], [(verdict, str(n)) for verdict, n in sorted(verdicts.items())]),
        "Measures of risk, linkage and loss that are not in these pages (other tests compare many of them with closed "
        "forms and brute force):",
        dropdown("Not in this book", ", ".join(code(name) for name in others) or "none"),
        "\n".join(
            [
                "```{toctree}",
                ":hidden:",
                "",
                "disagreements",
                "regions",
                *(["head_to_head"] if measured else []),
                *map(_stem, sources),
                "```",
            ]
        ),
    )


def _write_source(source: str, cases: Sequence[Case]) -> str:
    parts = [f"# {escape(source)}"]
    head = ["figure", "data", "source or call", "theirs", "ours", "tolerance", "verdict"]
    for function, of in _group(cases, lambda case: case.function).items():
        rows = [
            (
                escape(c.figure),
                escape(c.data),
                code(c.call),
                _number(c.theirs),
                _number(c.ours),
                _number(c.tolerance, 2),
                _SAID.get(c.judgement, "agrees") + (f": {escape(c.why)}" if c.why else ""),
            )
            for c in of
        ]
        parts += [f"## Figures of {_link(function)}", table(head, rows)]
    return _join(*parts)


def _write_disagreements(cases: Sequence[Case]) -> str:
    parts = [
        "# Where answers differ",
        "Each stands with a computation by another way: it says whose figure is wrong, or what else is asked.",
    ]
    differing = [case for case in cases if case.judgement]
    for (source, why), of in _group(differing, lambda case: (case.source, case.why)).items():
        rows = [(_link(c.function), escape(c.figure), *map(_number, (c.theirs, c.ours, c.independent))) for c in of]
        parts += [
            f"## {escape(source)}: {_SAID[of[0].judgement].strip('*')}",
            f"{escape(capitalise(why))}.",
            f"{code(of[0].call)}; independently: {escape(of[0].independently)}.",
            table(["function", "figure", "theirs", "ours", "independently"], rows),
        ]
    return _join(*parts)


def _write_regions(made: dict[str, object], regions: Sequence[Region]) -> dict[str, str]:
    bad = [region for region in regions if region.verdict not in {"sound", "too high"}]
    versions = ", ".join(f"{name} {value}" for name, value in made.items())
    said = (
        f"Each region is a kind of population and of sample, drawn anew so many times ({versions}). The ratio is "
        "estimate by truth: a point is that of the means, its line goes from the 5th to the 95th percentile of single "
        f"draws; between {LOW} and {HIGH} an estimate is called sound."
    )
    parts = [
        "# Where each method errs",
        said,
        "## Must not be used",
        table(
            ["function", "figure", *_PLACE, "ratio", "coverage"],
            [(_link(r.function), escape(r.figure), *_place(r), f"{r.ratio:.2f}", _cover(r)) for r in bad],
        ),
    ]
    pictures = {}
    for (function, figure), of in _group(regions, lambda r: (r.function, r.figure)).items():
        name = f"{function.removeprefix('sdc_')}_{_stem(figure)}.svg"
        pictures[name] = forest.draw_forest(f"{figure}: estimate by truth", of, LOW, HIGH)
        rows = [
            (
                *_place(r),
                f"{r.truth:,.4g}",
                f"{r.ratio:.2f}",
                f"{r.lower:.2f} to {r.upper:.2f}",
                _cover(r),
                r.verdict,
            )
            for r in of
        ]
        head = [
            *_PLACE,
            "truth",
            "ratio",
            "5 % to 95 %",
            "coverage",
            "verdict",
        ]
        parts += [
            f"## {escape(capitalise(figure))}, {_link(function)}",
            f"![{escape(figure)}]({name})",
            dropdown("Figures", table(head, rows)),
        ]
    return {"regions.md": _join(*parts), **pictures}


def _place(region: Region) -> tuple[str, ...]:
    uniques = "" if region.uniques is None else f"{region.uniques:.0%}"
    return escape(region.population), escape(region.sample), uniques, str(region.repetitions)


def _cover(region: Region) -> str:
    return "" if region.coverage is None else f"{region.coverage:.1%} of {region.nominal:.0%}"


def _link(function: str) -> str:
    return f"[`{function}`](#{function})"


def _join(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"


def _group(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def _stem(text: str) -> str:
    return "_".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def _number(value: float | None, digits: int = 8) -> str:
    return "" if value is None else f"{value:.{digits}g}".replace("inf", "infinite")
