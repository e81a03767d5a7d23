"""The R-U map as PNG and PDF: candidate releases by their loss and risk, the frontier, the bound and the choice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sdc_sql.db.files.released_file import open_replacement
from sdc_sql.errors import MissingPackageError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import TypeAlias

    # the loss, the risk, whether it is undominated, and whether it is chosen
    Point: TypeAlias = "tuple[float, float, bool, bool]"

_MISSING = "The picture needs the package matplotlib, which is not installed: pip install 'sdc-sql[plot]'."
# without a date, the same picture has the same bytes
_KEPT = {".png": {}, ".pdf": {"CreationDate": None}}
_HIGHER = 2  # times the highest risk of the frontier: dominated candidates above it are shown at the edge


def draw_frontier(
    points: Iterable[Point],
    names: tuple[str, str],
    bound: float | None,
    path: str | PathLike[str],
    readable: str = "owner",
) -> None:
    """Draw the map; shapes and strokes, not colours, tell candidates apart. `names`: of the loss and of the risk."""
    from pathlib import Path  # noqa: PLC0415 - as the package below

    ending = Path(path).suffix.lower()
    points = [point for point in points if all(map(math.isfinite, point[:2]))]
    if not points:
        raise ParameterError("No candidate has both a risk and a loss: there is nothing to draw.")
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ModuleNotFoundError:
        raise MissingPackageError(_MISSING) from None
    style = {"font.size": 11, "axes.spines.top": False,
             "axes.spines.right": False}  # fmt: skip
    with mpl.rc_context(style):
        figure = Figure(figsize=(7, 5.2), layout="constrained")
        axes = figure.subplots()
        _draw_candidates(axes, points, bound or 0)
        if bound is not None:
            axes.axhline(bound, color="black", linestyle=(0, (6, 4)), linewidth=1, label="bound on the risk")
        axes.set_xlabel(f"loss ({names[0]})")
        axes.set_ylabel(f"disclosure risk ({names[1]})")
        axes.set_title("Risk-utility map", loc="left")
        axes.margins(0.06)
        axes.grid(visible=True, color="0.9", linewidth=0.6)
        axes.set_axisbelow(True)
        figure.legend(frameon=False, loc="outside lower center", ncols=3)
        with open_replacement(Path(path), readable) as part:
            figure.savefig(part, dpi=150, metadata=_KEPT[ending])


def _draw_candidates(axes: Any, points: list[Point], bound: float) -> None:  # noqa: ANN401 - of an extra
    beaten = [(x, y) for x, y, undominated, _ in points if not undominated]
    # a few candidates of a far higher risk would press the others together at the bottom
    top = _HIGHER * max(bound, *(y for _, y, undominated, _ in points if undominated))
    above = [(x, top) for x, y in beaten if y > top > 0]
    beaten = [(x, y) for x, y in beaten if not y > top > 0]
    frontier = sorted({(x, y) for x, y, undominated, _ in points if undominated})
    chosen = [(x, y) for x, y, _, chosen in points if chosen][:1]
    if beaten:
        axes.plot(*zip(*beaten, strict=True), "x", color="0.45", markersize=6, label="dominated")
    if above:
        axes.plot(*zip(*above, strict=True), "^", color="0.45", markersize=7, label="dominated, higher", clip_on=False)
    axes.plot(
        *zip(*frontier, strict=True), "-o", color="black", linewidth=1.2, markersize=7, drawstyle="steps-post",
        markerfacecolor="white", label="frontier",
    )  # fmt: skip
    if chosen:
        axes.plot(*zip(*chosen, strict=True), "*", color="black", markersize=17, label="chosen", zorder=4)
