"""The candidates of a frontier with their risk and loss, and which of them to choose."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result, Results, make_optional_field
from sdc_sql.errors import ParameterError
from sdc_sql.pictures.picture import ENDINGS
from sdc_sql.pictures.risk_utility_map import draw_map

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from sdc_sql.pictures.picture import Picture

PRINTED = (".png", ".pdf")


@dataclass(frozen=True)
class FrontierCandidate(Result):
    """A candidate release, its place among those given (from 0), its risk and its loss: the lower the better.

    ``undominated``: no other candidate has less of one and no more of the other; None where risk or loss is not known.
    """

    candidate: str
    place: int
    risk: float | None
    loss: float | None
    undominated: bool | None
    chosen: bool
    utility: float | None = make_optional_field()


class Frontier(Results[FrontierCandidate]):
    """Candidate releases in the order in which they were given, and the one that is chosen.

    ``risk`` and ``loss`` are the names of their figures, ``max_risk`` the bound.
    """

    def __init__(
        self,
        found: Iterable[FrontierCandidate],
        *,
        risk: str = "risk",
        loss: str = "loss",
        max_risk: float | None = None,
    ) -> None:
        super().__init__(found)
        self.risk, self.loss, self.max_risk = risk, loss, max_risk

    @property
    def undominated(self) -> list[FrontierCandidate]:
        """The frontier, from the least risk to the least loss."""
        return sorted((found for found in self if found.undominated), key=lambda found: (found.risk, found.place))

    @property
    def chosen(self) -> FrontierCandidate | None:
        """The candidate that is chosen: the first of several equal ones, None where no candidate is chosen."""
        return next((found for found in self if found.chosen), None)

    def plot(self, path: str | PathLike[str] | None = None, *, readable: str = "owner") -> Picture:
        """Draw the R-U map: all candidates by their names, the frontier, the bound and the choice.

        Parameters
        ----------
        path
            Of a file that is written besides: .svg, .html or .md, or .png or .pdf, which need the extra ``plot``.
        readable
            Who may read it besides its owner: ``"owner"`` (nobody), ``"group"`` or ``"all"``.

        Returns
        -------
        Picture
            A notebook shows it; ``write`` makes a file of it.

        Raises
        ------
        MissingPackageError
            Where it is to be written as PNG or PDF, and matplotlib is not installed (the extra ``plot``).
        ParameterError
            Where no candidate has both a risk and a loss, or the path has another ending.
        """
        picture = draw_map([c.to_dict() for c in self], self.risk, self.loss, self.max_risk)
        if path is None:
            return picture
        ending = Path(path).suffix.lower()
        if ending not in (*ENDINGS, *PRINTED):
            raise ParameterError(
                f"The map is to be written as {text_for_message(ending)}: give a path that ends in "
                f"{', '.join((*ENDINGS, *PRINTED))}."
            )
        if ending in ENDINGS:
            picture.write(path, readable=readable)
            return picture
        from sdc_sql.frontier.picture import draw_frontier  # noqa: PLC0415 - a package that need not be there

        points = [
            (c.loss, c.risk, bool(c.undominated), c.chosen) for c in self if c.loss is not None and c.risk is not None
        ]
        draw_frontier(points, (self.loss, self.risk), self.max_risk, path, readable)
        return picture
