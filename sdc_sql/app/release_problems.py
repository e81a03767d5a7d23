"""What keeps a release file from being run, in the words of the page: the step it is about, and what to do there.

The reader of release files names fields and sections, for who writes such a file. Who clicks knows steps, columns,
scenarios by their names, and buttons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.app.columns import WORDS
from sdc_sql.app.protect_forms import describe_step
from sdc_sql.app.release_fields import DOCUMENT_NAMES, SIGNED, TEXTS
from sdc_sql.app.step import TITLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PLACE = re.compile(r"(?P<part>\w+)(?:\[(?P<row>\d+)\])?(?:\.(?P<field>\w+))?")
# the step of the page in which a part of the release file is changed; all else is in Release
_STEPS = {"roles": "look", "scenarios": "scenarios", "loss": "scenarios", "steps": "protect", "estimates": "compare"}
# what the reader says, by the part and the field and how it begins, and what is to be clicked
_SAID = (
    (
        ("scenarios", "", "the file has no [[scenarios]]"),
        "There is no scenario yet. Click Add a scenario, choose what the intruder knows, and give it a limit.",
    ),
    (
        ("scenarios", "", "none has a limit"),
        (
            "No scenario has a limit: nothing could be refused. Under What must hold choose a figure and a bound, and "
            "click Add."
        ),
    ),
    (
        ("scenarios", "keys", "it is missing"),
        "Nobody knows anything there yet. Under What the intruder knows choose one column or more.",
    ),
    (
        ("roles", "id", "it is missing"),
        "The steps find each record by its id. Choose id in the list of the column that tells all records apart.",
    ),
    (
        ("output", "path", "it is missing"),
        "The released file has no name: write one in the field Released file, and click Keep.",
    ),
)


@dataclass(frozen=True)
class Told:
    """A problem: ``step`` is the name of the step that mends it, ``of`` what in it, ``words`` what is to be done."""

    step: str
    of: str
    words: str


def tell_problem(release: Mapping[str, Any], problem: str) -> Told:
    """Return a problem of the release file, ``place: words``, as who works in the page reads it.

    Examples
    --------
    >>> release = {"steps": [{"mask": "round", "column": "age"}], "scenarios": [{"name": "neighbour"}]}
    >>> told = tell_problem(release, "steps[0].base: it is missing.")
    >>> told.step, told.of[:2], told.of[-6:], told.words
    ('protect', '1.', ': base', 'It is missing.')
    >>> told = tell_problem(release, "scenarios: none has a limit: nothing could be refused. Give limits, as in [].")
    >>> told.step, told.words.partition(". ")[2]
    ('scenarios', 'Under What must hold choose a figure and a bound, and click Add.')
    >>> tell_problem(release, "scenarios[0].keys: it is missing.").of
    'neighbour: keys'
    """
    place, _, words = problem.partition(": ")
    found = _PLACE.fullmatch(place)
    if found is None:
        return Told("release", "", problem)
    part, field = found["part"], found["field"] or ""
    row = None if found["row"] is None else int(found["row"])
    known = next((said for at, said in _SAID if at[:2] == (part, field) and words.startswith(at[2])), None)
    if known is not None and "To a file without one" in words:  # it says how one is made
        known = f"{known} {words[words.index('To a file without one') :]}"
    return Told(_STEPS.get(part, "release"), _name_place(release, part, row, field), known or _speak(words))


def find_step_title(name: str) -> str:
    """Return a step with its number and its title, as the list of steps has them.

    Examples
    --------
    >>> find_step_title("protect")
    'Step 4, Protect'
    """
    return f"Step {[*TITLES].index(name) + 1}, {TITLES[name]}"


def _name_place(release: Mapping[str, Any], part: str, row: int | None, field: str) -> str:
    """Return what of a step is meant: a role, a scenario by its name, a step in words, a field by its label."""
    rows: Sequence[Any] = release.get(part) or []
    its = rows[row] if row is not None and row < len(rows) else {}
    words = field.replace("_", " ")
    found = {
        "roles": WORDS[field].word if field in WORDS else words,
        "scenarios": f"{its.get('name', '')}: {words}".strip(": "),
        "steps": f"{(row or 0) + 1}. {describe_step(its)[0]}{f': {words}' if words else ''}" if its else "",
        "estimates": str(its.get("title") or its.get("name", "")),
        "loss": "limits on what is lost",
        "output": {"path": "Released file", **DOCUMENT_NAMES}.get(field, words),
        "governance": SIGNED.get(field, words),
    }
    return found.get(part, TEXTS.get(part, ""))


def _speak(words: str) -> str:
    """Return a message without the number of a part of the release file, and without lines of one, as a sentence.

    Examples
    --------
    >>> _speak("x.txt must end in .csv."), _speak("it is missing.")
    ('x.txt must end in .csv.', 'It is missing.')
    """
    said = re.sub(r" \((?:scenarios|steps|estimates)\[\d+\]\)(?=\.?$)", "", words)
    listed, decide, _ = said.partition("Decide of each:")
    if decide:  # its lines for a file follow
        said = f"{listed.rstrip()}\nChoose in the list of each column what it is, or let a scenario know it."
    return f"{said[:1].upper()}{said[1:]}" if said.startswith(("it ", "the ", "there ")) else said
