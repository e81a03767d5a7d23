"""The same task by this package and by its peers: a table, and a chart of seconds by records, both logarithmic."""

from __future__ import annotations

import html
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_docs.markdown import escape, table
from sdc_sql.pictures.colours import CLASS, write_style

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT = Path(__file__).resolve().parents[2] / "fixtures" / "validation" / "headtohead.json"
OURS = "sdc-sql"
_ABOUT = (
    "The same task on the same table (`fixtures/population.sql`), each in a process of its own: first the same answer, "
    "or of a random method the same property, is asserted, then time and memory are compared. What we lose is in it. "
    "`python tests/benchmarks/headtohead.py` makes it anew, with what is installed; sizes were measured on different "
    "days. A contender is stopped where its process, reading the file included, takes longer than the seconds that "
    "stand there. In the chart our line is bold; a triangle is a contender that was stopped."
)
_SIDE, _LEFT, _TOP, _ACROSS = 190, 52, 34, 3
_WIDE, _NAMES, _APART = 270, 92, 11  # of a chart, of the names beside its lines, and between two of these
_LEAST, _MOST = 0.001, 1000.0  # seconds
_TICKS = (0.001, 0.01, 0.1, 1, 10, 100, 1000)


def write_head_to_head() -> dict[str, str]:
    """Return the page with its chart, by their paths below validation/; none where nothing was measured."""
    if not KEPT.is_file():
        return {}
    lines: list[dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8"))
    rows = [
        (
            line["task"].replace("_", " "),
            f"{line['records']:,}",
            escape(line["contender"]),
            _say_seconds(line),
            f"{line['processor']:.2f}" if "processor" in line else "",
            f"{line['memory'] / 1e6:,.0f} MB" if "memory" in line else "",
        )
        for line in lines
        if "missing" not in line
    ]
    absent = sorted({line["contender"] for line in lines if "missing" in line})
    parts = [
        "# Beside other tools",
        _ABOUT,
        "![Seconds by records](head_to_head.svg)",
        table(["task", "records", "contender", "seconds", "of all processors", "memory"], rows),
        f"Not installed when this was measured: {', '.join(absent)}." if absent else "",
    ]
    return {"head_to_head.md": "\n\n".join(p for p in parts if p) + "\n", "head_to_head.svg": draw_chart(lines)}


def _say_seconds(line: dict[str, Any]) -> str:
    return f"stopped after {line['stopped']}" if "stopped" in line else f"{line['seconds']:.2f}"


def draw_chart(lines: Sequence[dict[str, Any]]) -> str:
    """Return small charts, one a task: seconds by records, ours bold, peers broken; a triangle: stopped there."""
    tasks = list(dict.fromkeys(line["task"] for line in lines))
    sizes = sorted({line["records"] for line in lines})
    height = _TOP + math.ceil(len(tasks) / _ACROSS) * (_SIDE + 30)
    width = _ACROSS * (_WIDE + 10)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="{CLASS}" viewBox="0 0 {width} {height}" role="img">'
    parts = [
        head,
        f"<title>Seconds by records</title><style>{write_style()}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
    ]
    for i, task in enumerate(tasks):
        x, y = i % _ACROSS * (_WIDE + 10), _TOP + i // _ACROSS * (_SIDE + 30)
        parts.append(f'<g transform="translate({x} {y})">{_draw_task(task, lines, sizes)}</g>')
    return "\n".join([*parts, "</svg>", ""])


def _draw_task(task: str, lines: Sequence[dict[str, Any]], sizes: Sequence[int]) -> str:
    within = _WIDE - _LEFT - _NAMES
    low, high = math.log(sizes[0]), math.log(sizes[-1])

    def across(records: int) -> float:
        return _LEFT + 6 + (within - 12) * ((math.log(records) - low) / (high - low) if high > low else 0.5)

    def down(seconds: float) -> float:
        share = math.log(min(max(seconds, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
        return _SIDE - 30 - share * (_SIDE - 60)

    drawn = [f'<text class="caption" x="{_LEFT}" y="12">{html.escape(task.replace("_", " "))}</text>']
    for tick in _TICKS:
        y = f"{down(tick):.1f}"
        drawn += [
            f'<line x1="{_LEFT}" x2="{_LEFT + within}" y1="{y}" y2="{y}" stroke="currentColor" stroke-opacity="0.12"/>',
            f'<text x="{_LEFT - 4}" y="{down(tick) + 4:.1f}" text-anchor="end" font-size="10">{tick:g}</text>',
        ]
    foot = f'y="{_SIDE - 14}" text-anchor="middle" font-size="10"'
    drawn += [f'<text x="{across(size):.1f}" {foot}>1e{math.log10(size):.3g}</text>' for size in sizes]
    of_task = [line for line in lines if line["task"] == task and "missing" not in line]
    ends: list[tuple[float, str]] = []
    for name in dict.fromkeys(line["contender"].split()[0] for line in of_task):
        own = [line for line in of_task if line["contender"].split()[0] == name]
        points = [(across(n["records"]), down(n.get("seconds", n.get("stopped"))), "stopped" in n) for n in own]
        drawn += _draw_contender(name, points)
        ends.append((points[-1][1], name))
    drawn += [
        f'<text x="{_LEFT + within + 4}" y="{y + 3:.1f}" font-size="10"{_weight(name)}>{html.escape(name)}</text>'
        for y, name in _spread(ends)
    ]
    return "".join(drawn)


def _weight(name: str) -> str:
    return ' font-weight="bold"' if name == OURS else ""


def _spread(ends: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return names beside the ends of their lines, in their order and far enough apart to be read.

    Examples
    --------
    >>> _spread([(50.0, "b"), (48.0, "a"), (90.0, "c")])
    [(48.0, 'a'), (59.0, 'b'), (90.0, 'c')]
    """
    placed: list[tuple[float, str]] = []
    for y, name in sorted(ends):
        placed.append((max(y, placed[-1][0] + _APART) if placed else y, name))
    over = max(placed[-1][0] - (_SIDE - 22), 0) if placed else 0
    return [(y - over, name) for y, name in placed]


def _draw_contender(name: str, points: Sequence[tuple[float, float, bool]]) -> list[str]:
    """Return a line through the points; ours is bold, a peer's is broken. Where one was stopped, it points upwards."""
    ours = name == OURS
    width, dash, fill = (2.5, "", "currentColor") if ours else (1, ' stroke-dasharray="3 3"', "none")
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    drawn = [f'<polyline points="{joined}" fill="none" stroke="currentColor" stroke-width="{width}"{dash}/>']
    for x, y, stopped in points:
        shape = (
            f'<path d="M{x - 4:.1f} {y + 3:.1f}h8l-4 -8z"' if stopped else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"'
        )
        drawn.append(f'{shape} fill="{fill}" stroke="currentColor"/>')
    return drawn
