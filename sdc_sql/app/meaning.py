"""What a measure means, from the header of its SQL file: at hand where its figures stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from htmltools import Tag, tags

from sdc_sql.db.catalogue.macros import read_catalogue

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration


def find_declaration(name: str) -> Declaration:
    """Return the declaration of a measure.

    Examples
    --------
    >>> find_declaration("k_anonymity").summary
    'the records and the cells that violate 2-, 3-, up to k-anonymity.'
    """
    return next(one for one in read_catalogue() if one.name == f"sdc_{name}")


def explain_measures(*names: str, key: str) -> Tag:
    """Return what some measures are, with their figures and their sources, to be opened.

    Parameters
    ----------
    names
        The measures.
    key
        The id of what is opened.
    """
    parts: list[Tag] = []
    for name in names:
        its = find_declaration(name)
        words = [f"{figure.replace('_', ' ')}: {said}" for figure, said in its.words.items()]
        parts += [
            tags.dt(name.replace("_", " ")),
            tags.dd(
                tags.p(_begin(its.summary)),
                tags.ul(*(tags.li(said.format(**{by: by for by in its.given.by})) for said in words))
                if words
                else None,
                tags.p(f"Source: {its.source}", class_="hint") if its.source else None,
            ),
        ]
    return tags.details(tags.summary("What these figures mean"), tags.dl(*parts), class_="help", id=key)


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]
