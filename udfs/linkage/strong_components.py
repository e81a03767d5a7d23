"""Strong components of a directed graph: nodes of which each can be reached from each other.

What nothing enters or leaves is alone. The largest component is found by whole layers, of what is left the
rest by a search in depth (Tarjan 1972), node by node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.linkage.flow import find_edge_starts, list_adjacent

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Integers, Truths

_WORTH_IT = 0.01  # the share of the nodes that another round must find alone


def find_components(tails: Integers, heads: Integers, number: int) -> Integers:
    """Return the component of each node, by the number of one of its nodes.

    Examples
    --------
    >>> found = find_components(np.array([0, 1, 1, 3]), np.array([1, 0, 2, 2]), 4)
    >>> bool(found[0] == found[1]), len(set(found.tolist()))
    (True, 3)
    """
    found = np.arange(number)
    other = tails != heads
    tails, heads = _drop_lone_edges(tails[other], heads[other], np.ones(number, dtype=np.bool_))
    for _ in range(2):
        if not len(tails):
            return found
        both = np.minimum(np.bincount(tails, minlength=number), np.bincount(heads, minlength=number))
        pivot = int(both.argmax())
        largest = _find_reached_nodes(tails, heads, pivot, number) & _find_reached_nodes(heads, tails, pivot, number)
        found[largest] = pivot
        tails, heads = _drop_lone_edges(tails, heads, ~largest)
    return _search_depth_first(tails, heads, found)


def _drop_lone_edges(tails: Integers, heads: Integers, here: Truths) -> tuple[Integers, Integers]:
    """Return the edges among nodes that are here, without those that end at a node that is surely alone."""
    while True:
        stays = here[tails] & here[heads]
        tails, heads = tails[stays], heads[stays]
        enters, leaves = np.zeros_like(here), np.zeros_like(here)
        enters[heads], leaves[tails] = True, True
        left = enters & leaves
        if (enters | leaves).sum() - left.sum() <= _WORTH_IT * left.sum():
            return tails, heads
        here = left


def _find_reached_nodes(tails: Integers, heads: Integers, node: int, number: int) -> Truths:
    order = np.argsort(tails, kind="stable")
    heads, starts = heads[order], find_edge_starts(tails, number)
    reached = np.zeros(number, dtype=np.bool_)
    layer = np.array([node])
    while len(layer):
        reached[layer] = True
        layer = np.unique(heads[list_adjacent(starts, layer)])
        layer = layer[~reached[layer]]
    return reached


def _search_depth_first(tails: Integers, heads: Integers, found: Integers) -> Integers:
    """Tarjan's algorithm without recursion, among the nodes that have edges."""
    nodes, ends = np.unique(np.concatenate([tails, heads]), return_inverse=True)
    sources, number = ends[: len(tails)], len(nodes)
    order = np.argsort(sources, kind="stable")
    nexts, places = ends[len(tails) :][order].tolist(), find_edge_starts(sources, number).tolist()
    upto, place = places[1:], places[:-1]
    seen, low = [0] * number, [0] * number
    stacked = [False] * number
    component = [-1] * number
    stack: list[int] = []
    time = 0
    for root in range(number):
        if seen[root]:
            continue
        time += 1
        seen[root] = low[root] = time
        stack.append(root)
        stacked[root] = True
        path = [root]
        while path:
            node = path[-1]
            if place[node] < upto[node]:
                following = nexts[place[node]]
                place[node] += 1
                if not seen[following]:
                    time += 1
                    seen[following] = low[following] = time
                    stack.append(following)
                    stacked[following] = True
                    path.append(following)
                elif stacked[following]:
                    low[node] = min(low[node], seen[following])
                continue
            path.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[node])
            if low[node] == seen[node]:
                while component[node] < 0:
                    member = stack.pop()
                    stacked[member] = False
                    component[member] = node
    found[nodes] = nodes[np.array(component, dtype=np.int64)] if number else nodes
    return found
