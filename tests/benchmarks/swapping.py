"""What swapping costs: households by risk in two levels of areas, called as sdcMicro's recordSwap is, and persons.

    python tests/benchmarks/swapping.py              100,000 and a million households
    python tests/benchmarks/swapping.py 10000        fewer

Households of 1 to 6 persons in 20 areas of 5 regions; cells of age group and nationality, k = 3, rate 0.05, partners of
the same size, two finer codes carried along. Processor time beside the time, since the machine may be shared: with two
threads the time on a machine of one's own is half of it at the least.
"""

from __future__ import annotations

import argparse
import time

import duckdb

import sdc_sql

AREAS = "['nuts1', 'nuts2'], 0.05, 'id', household := 'hid'"
AT_RISK = "risk_keys := ['age', 'national'], k := 3, shortfall := 'report'"
CASES = {
    "households, by risk": f"sdc_record_swap('p', {AREAS}, {AT_RISK}, carry_along := ['nuts3', 'lau2'])",
    "households, by risk, of one type": f"sdc_record_swap('p', {AREAS}, {AT_RISK}, profiles := [['type']])",
    "persons, one column": "sdc_data_swap('p', ['national'], 0.05, 'id', equal := ['nuts1'])",
}


def table(households: int) -> str:
    """Return the statement that makes the persons."""
    return f"""
        CREATE TABLE p AS
        WITH h AS (SELECT range AS hid, 1 + hash(range, 's') % 6 AS size, hash(range, 'a') % 20 AS area,
                          hash(range, 'l') % 200 AS place, hash(range, 't') % 4 AS type FROM range({households}))
        SELECT row_number() OVER () AS id, hid, (area // 4)::INTEGER AS nuts1, area::INTEGER AS nuts2, (area * 4 + place % 4)::INTEGER AS nuts3,
               (area * 200 + place)::INTEGER AS lau2, type::INTEGER AS type,
               (hash(hid, m, 'g') % 7)::INTEGER AS age, ((hash(hid, m, 'n') % 30) // 7 + (hash(hid, m, 'o') % 5000 = 0)::INTEGER)::INTEGER AS national
        FROM h, LATERAL (SELECT unnest(range(size::BIGINT)) AS m)
    """  # noqa: E501


def main() -> None:
    """Run every case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("households", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    print("| households | persons | swapped | changed | time | processor time |\n|---|---|---|---|---|---|")
    for households in arguments.households:
        with duckdb.connect() as con:
            sdc_sql.load(con).execute(f"SET threads = {arguments.threads}")
            con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
            con.execute(table(households))
            for case, call in CASES.items():
                started, worked = time.perf_counter(), time.process_time()
                con.execute(f"CREATE OR REPLACE TABLE released AS FROM {call}").fetchall()
                took, work = time.perf_counter() - started, time.process_time() - worked
                ((persons, changed),) = con.execute(
                    "SELECT count(*), count(*) FILTER ((p.nuts2, p.national) <> (r.nuts2, r.national)) FROM p JOIN released r USING (id)"  # noqa: E501
                ).fetchall()
                print(
                    f"| {households:,} | {persons:,} | {case} | {changed:,} | {took:.2f} s | {work:.2f} s |", flush=True
                )


if __name__ == "__main__":
    main()
