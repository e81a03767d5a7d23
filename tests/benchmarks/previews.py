"""How long it takes to see what a recoding would do, from the cells, beside measuring the records of the masked table.

    python tests/benchmarks/previews.py            a million records by six keys
    python tests/benchmarks/previews.py 20000      fewer

The first candidate makes the macros of its connection; the others are what a person waits for who moves a cut point.
"""

from __future__ import annotations

import argparse
import time

import duckdb

import sdc_sql
from sdc_sql.figures.asked import list_measures
from sdc_sql.figures.measured import Beside, measure_rows
from sdc_sql.frontier.counted import CountedCells
from sdc_sql.microdata import call_method

KEYS = {"age": 90, "sex": 2, "region": 40, "education": 8, "status": 6, "occupation": 12}
FIGURES = ("k_anonymity", "theta", "global_risk", "frequency_summary", "class_sizes")
STEPS = {
    "recode by cut points": ("recode", {"column": "age", "breaks": [*range(5, 90, 5)], "ends": "open"}),
    "round": ("round", {"columns": ["age"], "base": 10}),
    "top and bottom coding": ("top_bottom_code", {"column": "age", "unit": "value", "top": 75, "bottom": 15}),
    "top coding at a quantile": ("top_bottom_code", {"column": "age", "unit": "quantile", "top": 0.95}),
}


def timed(task):
    start = time.perf_counter()
    found = task()
    return time.perf_counter() - start, found


def measure(one):
    return {name: one(list_measures()[name]) for name in FIGURES}


def preview(cells, verb, arguments):
    with cells.recode(verb, arguments) as candidate:
        found = measure(candidate.measure)
        return candidate.number, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", type=int, nargs="?", default=1_000_000)
    records = parser.parse_args().records
    con = duckdb.connect()
    columns = ", ".join(
        f"(hash(i * 31 + {n}) % {size})::INTEGER AS {key}" for n, (key, size) in enumerate(KEYS.items())
    )
    con.execute(
        f"CREATE TABLE persons AS SELECT i AS id, {columns}, 10.0 + hash(i) % 50 AS w FROM range({records}) t(i)"
    )
    data = sdc_sql.Microdata(con, "persons", keys=[*KEYS], weight="w", id="id", sampling_fraction=0.02)
    counting, cells = timed(lambda: CountedCells(data._roles))
    print(f"{records:,} records, {cells.number:,} cells, counted in {counting:.2f} s\n")
    print("| step | cells then | first, s | again, s | masked and measured, s |\n|---|---|---|---|---|")
    for words, (verb, arguments) in STEPS.items():
        first, _ = timed(lambda verb=verb, arguments=arguments: preview(cells, verb, arguments))
        again, (number, _) = timed(lambda verb=verb, arguments=arguments: preview(cells, verb, arguments))
        whole, _ = timed(lambda verb=verb, arguments=arguments: mask_and_measure(data, verb, arguments))
        print(f"| {words} | {number:,} | {first:.2f} | {again:.2f} | {whole:.2f} |")


def mask_and_measure(data, verb, arguments):
    call_method(data.mask, verb, **arguments, into="masked")
    masked = sdc_sql.Microdata(data.con, "masked", keys=data.keys, weight="w", id="id", sampling_fraction=0.02)
    found = measure(lambda asked: measure_rows(asked, masked._roles, Beside()))
    data.con.execute("DROP TABLE masked")
    return found


if __name__ == "__main__":
    main()
