"""Which released records an original one can be, once all others are to be somebody too.

The graph of compatible cells has a greatest flow, the file itself: each released record is somebody's. A pair is in
some greatest flow where both stand in one strong component of that graph, with the flow turned round (Dulmage &
Mendelsohn 1958). Records that were left out are one more released cell, compatible with all; released ones that fit
nobody an original one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arrow_function import WHOLES
from sdc_sql.udfs.linkage.flow import Flow
from sdc_sql.udfs.linkage.strong_components import find_components

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Integers


def certain_matches(olds: Integers, news: Integers, before: Integers, after: Integers) -> Integers:
    """Return two numbers for each original cell: the released records that one of its records can be, and certainty.

    Certain (1) is who can be one released record only, and cannot have been left out.

    Parameters
    ----------
    olds, news
        The pairs of compatible cells, by their numbers from 0.
    before, after
        The records of each original and of each released cell.

    Examples
    --------
    Of (0, 2), (1, 0), (0, 0) the second and third are released as (NULL, 0), the first whole.

    >>> certain_matches(np.array([0, 1, 2]), np.array([0, 1, 1]), np.array([1, 1, 1]), np.array([1, 2])).tolist()
    [1, 1, 2, 0, 2, 0]
    """
    flow = Flow(olds, news, before, after)
    # nodes: original cells, released cells, what was left out, what fits nobody
    first, nobody, strange = len(before), len(before) + len(after), len(before) + len(after) + 1
    unreleased, unexplained = np.flatnonzero(flow.unreleased), np.flatnonzero(flow.strange)
    tails, heads = [olds], [news + first]
    back = flow.along > 0
    tails.append(news[back] + first)
    heads.append(olds[back])
    if len(unreleased):
        everyone = np.arange(first)
        tails += [everyone, np.full(len(unreleased), nobody)]
        heads += [np.full(first, nobody), unreleased]
    if len(unexplained):
        everything = np.arange(first, nobody)
        tails += [np.full(len(everything), strange), unexplained + first]
        heads += [everything, np.full(len(unexplained), strange)]
    together = _join_nodes(olds[back], news[back] + first, strange + 1)
    of = find_components(*_find_group_edges(together, np.concatenate(tails), np.concatenate(heads)), strange + 1)[
        together
    ]
    possible = of[olds] == of[news + first]
    matches = np.bincount(olds[possible], weights=after[news[possible]], minlength=first).astype(np.int64)
    certain = (matches == 1) & (of[:first] != of[nobody])
    return np.stack([matches, certain.astype(np.int64)], axis=1).ravel()


def _find_group_edges(together: Integers, tails: Integers, heads: Integers) -> tuple[Integers, Integers]:
    """Return the edges between groups of nodes, each once."""
    tails, heads = together[tails], together[heads]
    pairs = np.sort((tails * (together.max() + 1) + heads)[tails != heads])  # in a third of the time of np.unique
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    return pairs // (together.max() + 1), pairs % (together.max() + 1)


def _join_nodes(one: Integers, other: Integers, number: int) -> Integers:
    """Return for each node the least one that it is joined with."""
    group = np.arange(number)
    while True:
        least = np.minimum(group[one], group[other])
        if (group[one] == group[other]).all():
            return group
        for ends in (group[one], group[other]):
            np.minimum.at(group, ends, least)
        while (group[group] != group).any():
            group = group[group]


FUNCTIONS = (
    declare_function(
        "certain_matches", certain_matches, WHOLES, by_stratum=False,
        olds=WHOLES, news=WHOLES, before=WHOLES, after=WHOLES,
    ),
)  # fmt: skip
