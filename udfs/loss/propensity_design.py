"""The terms of a logistic regression on categories, numbers and their products, and the sums of them.

The design, mostly 0, is never made as a whole: of rows the sums by kinds are taken, for each product of numbers that
there is, and of kinds the counts in the slots of terms, once for all rows.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sdc_sql.udfs.loss.propensity_rows import ROWS, compose

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.loss.propensity_rows import Piece, Rows

    Places = tuple[int, ...]

MOST = 1_000  # parameters
_DOUBLES = 1 << 21  # of a design that is made, at a time


class Table(NamedTuple):
    """Sums by the slots of some variables, of rows or of a table with one more, whose axis is summed."""

    variables: Places
    product: Places
    of: int  # the number of the table, or -1: of the kinds
    axis: int


class Block(NamedTuple):
    """Where the cells of a table are in the information: the products of two terms."""

    table: int
    places: Integers


class Design:
    """The terms of the model: an intercept, those of each variable, and the products of every two variables'.

    Of each variable a record has one slot with a value: of a category its indicator and 1; of a number the number,
    standardised, or the indicator that it is missing. So a term has one slot and value too. The most frequent category
    has a slot without a parameter. The value of a term is a product of numbers, which several terms share (sex x income
    and age x income the same), and so is that of two terms (1 and x y, x and y): each is summed once. The products of
    several pairs of terms are in the same table (age x sex and region, age and sex x region), which is made once.
    """

    def __init__(self, rows: Rows, *, pairs: bool) -> None:
        self._rows, self._categories = rows, rows.categories
        variables = range(len(rows.slots))
        kept = [np.ones(size, dtype=bool) for size in rows.sizes]
        for i in range(rows.categories):
            kept[i][np.argmax(np.bincount(rows.slots[i], rows.counts_of_kinds))] = False
        self._terms: list[Places] = [(), *((i,) for i in variables)]
        self._terms += combinations(variables, 2) if pairs else []
        self.number = sum(prod(int(kept[i].sum()) for i in term) for term in self._terms)
        if self.number > MOST:
            raise ValueError(
                f"the model of the propensity score has {self.number:,} parameters, and {MOST:,} is the most: name "
                "fewer columns or recode them, say which are continuous, or set pairs to false"
            )
        masks = [
            reduce(np.logical_and.outer, [kept[i] for i in term], np.array([True])).ravel() for term in self._terms
        ]
        # the place of the parameter of each slot of each term; slots without one share the last
        places = np.cumsum(np.concatenate(masks)) - 1
        places[~np.concatenate(masks)] = self.number
        self._places = np.split(places, np.cumsum([len(mask) for mask in masks])[:-1])
        self._products = list(dict.fromkeys(self._numbers(term) for term in self._terms))
        self._product_of = [self._products.index(self._numbers(term)) for term in self._terms]
        self.counted = self._is_counting_faster(4 if pairs else 2)
        self._tables: list[Table] = []
        self._blocks: list[Block] = []
        if self.counted:
            self._plan()
        self._squares = list(dict.fromkeys(table.product for table in self._tables))
        self._batches = self._make_batches()

    def _numbers(self, variables: Places) -> Places:
        return tuple(i for i in variables if i >= self._categories)

    def _is_counting_faster(self, degree: int) -> bool:
        """Return whether sums by slots cost less than products of the design, in nanoseconds."""
        numbers, rows, terms = len(self._rows.numbers), len(self._rows.before), len(self._terms)
        # d of them squared and s - 2 d others
        products = sum(
            comb(numbers, d) * comb(max(numbers - d, 0), s - 2 * d)
            for s in range(degree + 1)
            for d in range(s // 2 + 1)
        )
        tables = comb(len(self._rows.slots), degree) + 1
        counted = 3 * products * rows + 3 * tables * self._rows.kinds + 5_000 * terms**2 / 2
        return counted <= rows * (4 * self.number + 0.03 * float(self.number) ** 2)

    def _plan(self) -> None:
        """Find the tables of which the information is made: the large ones of kinds, others of those."""
        wanted: dict[tuple[Places, Places], list[tuple[int, int]]] = {}
        for a, term in enumerate(self._terms):
            for b, other in enumerate(self._terms[a:], a):
                key = tuple(sorted({*term, *other})), self._numbers(tuple(sorted(term + other)))
                wanted.setdefault(key, []).append((a, b))
        made: dict[tuple[Places, Places], int] = {}
        for key in sorted(wanted, key=lambda key: (-len(key[0]), key)):
            variables, product = key
            for a, b in wanted[key]:
                self._blocks.append(Block(len(made), self._find_places(variables, a, b)))
            larger = [tuple(sorted((*variables, i))) for i in range(self._categories) if i not in variables]
            larger = [of for of in larger if (of, product) in made and self._cells(of) < self._rows.kinds]
            of = min(larger, key=self._cells, default=None)
            axis = next(iter({*of} - {*variables})) if of else 0
            self._tables.append(
                Table(variables, product, made[of, product], of.index(axis)) if of else Table(variables, product, -1, 0)
            )
            made[key] = len(made)

    def _make_batches(self) -> list[list[Piece]]:
        """Return pieces of so many kinds that the sums of these are not too many to keep at a time."""
        most = _DOUBLES // max(len(self._squares), 1)
        batches: list[list[Piece]] = []
        for piece in self._rows.pieces:
            if batches and piece.kinds.stop - batches[-1][0].kinds.start <= most:
                batches[-1].append(piece)
            else:
                batches.append([piece])
        return batches

    def _cells(self, variables: Places) -> int:
        return prod(self._rows.sizes[i] for i in variables)

    def _find_places(self, variables: Places, a: int, b: int) -> Integers:
        """Return where the cells of a table are in the information's block of two terms."""
        sizes = [self._rows.sizes[i] for i in variables]
        slots = dict(zip(variables, np.indices(sizes).reshape(len(sizes), prod(sizes)), strict=True))
        row, column = (self._places[term][self._compose(self._terms[term], slots, prod(sizes))] for term in (a, b))
        places: Integers = (row * (self.number + 1) + column).astype(np.int32)
        return places

    def _find_slots(self, variables: Places, kinds: slice = slice(None)) -> Integers:
        """Return the slot of each kind in the combination of some variables."""
        slots = {i: self._rows.slots[i][kinds] for i in variables}
        return self._compose(variables, slots, len(self._rows.counts_of_kinds[kinds]))

    def _compose(self, variables: Places, slots: dict[int, Integers], length: int) -> Integers:
        return compose([slots[i] for i in variables], [self._rows.sizes[i] for i in variables], length)

    def _weigh(self, piece: Piece, weights: Floats, products: list[Places]) -> dict[Places, Floats]:
        """Return the weights times each product of numbers."""
        found: dict[Places, Floats] = {(): weights}

        def find(product: Places) -> Floats:
            if product not in found:
                found[product] = find(product[:-1]) * self._rows.numbers[product[-1] - self._categories][piece.rows]
            return found[product]

        return {product: find(product) for product in products}

    def coefficients_of_kinds(self, beta: Floats) -> Floats:
        """Return of each product of numbers the coefficient that the rows of each kind have."""
        padded = np.append(beta, 0.0)
        found = np.zeros((len(self._products), self._rows.kinds))
        for term, places, product in zip(self._terms, self._places, self._product_of, strict=True):
            found[product] += padded[places][self._find_slots(term)] if term else padded[places]
        return found

    def predict(self, piece: Piece, of_kinds: Floats) -> Floats:
        """Return the sum of the terms times their coefficients."""
        total = np.zeros(piece.number)
        for product, part in zip(self._products, of_kinds, strict=True):
            total += self._weigh(piece, piece.spread(part), [product])[product]
        return total

    def zeros(self) -> Floats:
        """Return sums by kinds of nothing, for each product of numbers."""
        return np.zeros((len(self._products), self._rows.kinds))

    def add_slopes(self, sums: Floats, piece: Piece, weights: Floats) -> None:
        """Add the weights of some rows, times each product of numbers, to the sums of their kinds."""
        for own, values in zip(sums, self._weigh(piece, weights, self._products).values(), strict=True):
            own[piece.kinds] += piece.sum(values)

    def score(self, sums: Floats) -> Floats:
        """Return the sums of the terms, of those by kinds."""
        total = np.zeros(self.number + 1)
        for term, places, product in zip(self._terms, self._places, self._product_of, strict=True):
            # the last place, which several have, is not used
            total[places] = np.bincount(self._find_slots(term), sums[product], minlength=len(places))
        return total[:-1]

    def information(self, weights: Floats) -> Floats:
        """Return the sums of the products of two terms, weighted."""
        total = self._count(weights) if self.counted else self._multiply(weights)
        return total + np.triu(total, 1).T

    def _count(self, weights: Floats) -> Floats:
        """Return the upper triangle of the information: the cells of tables, each where it belongs."""
        tables = [np.zeros([self._rows.sizes[i] for i in table.variables]) for table in self._tables]
        for pieces in self._batches:
            kinds = slice(pieces[0].kinds.start, pieces[-1].kinds.stop)
            sums = self._sum_squares(pieces, kinds, weights)
            for table, cells in zip(self._tables, tables, strict=True):
                if table.of < 0:
                    slots = self._find_slots(table.variables, kinds)
                    added = np.bincount(slots, sums[table.product], cells.size)
                    np.add(cells, added.reshape(cells.shape), out=cells)
        for i, table in enumerate(self._tables):
            if table.of >= 0:
                tables[i] = tables[table.of].sum(axis=table.axis)
        total = np.zeros((self.number + 1) ** 2)
        for block in self._blocks:
            total[block.places] = tables[block.table].ravel()
        return total.reshape(self.number + 1, -1)[:-1, :-1]

    def _sum_squares(self, pieces: list[Piece], kinds: slice, weights: Floats) -> dict[Places, Floats]:
        """Return the weights times each product of the numbers of two terms, summed for some kinds."""
        sums = dict(zip(self._squares, np.zeros((len(self._squares), kinds.stop - kinds.start)), strict=True))
        for piece in pieces:
            own = slice(piece.kinds.start - kinds.start, piece.kinds.stop - kinds.start)
            for product, values in self._weigh(piece, weights[piece.rows], self._squares).items():
                sums[product][own] += piece.sum(values)
        return sums

    def _multiply(self, weights: Floats) -> Floats:
        """Return the upper triangle of the information: a product of the design, made for some rows at a time."""
        total = np.zeros((self.number + 1, self.number + 1))
        for piece in self._rows.cut(min(ROWS, _DOUBLES // (self.number + 1))):
            values = self._weigh(piece, np.sqrt(weights[piece.rows]), self._products)
            x = np.zeros((piece.number, self.number + 1))
            along = np.arange(piece.number)
            for term, places, product in zip(self._terms, self._places, self._product_of, strict=True):
                at = places[self._find_slots(term, piece.kinds)]
                x[along, np.repeat(at, piece.lengths)] = values[self._products[product]]
            total += x.T @ x
        return np.triu(total[:-1, :-1])
