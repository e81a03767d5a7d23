"""Frequencies of what PRAM released in batches are right where each batch is corrected by its own matrix."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

BATCHES = """SELECT category, sum(estimate) FROM (
    FROM sdc_pram_estimate('first', 'region', 'first_matrix')
    UNION ALL FROM sdc_pram_estimate('second', 'region', 'second_matrix')) GROUP BY category ORDER BY category"""
LAST = "SELECT category, estimate FROM sdc_pram_estimate('whole', 'region', 'second_matrix') ORDER BY category"


def retain(m: int, stays: float) -> np.ndarray:
    return np.full((m, m), (1 - stays) / (m - 1)) + np.eye(m) * (stays - (1 - stays) / (m - 1))


def test_each_batch_is_corrected_by_the_matrix_that_it_was_drawn_with(connect):
    """The released counts are the expected ones, P^t T of each batch: nothing is drawn, and the truth is known."""
    batches = {"first": ([9000, 600, 400], retain(3, 0.7)), "second": ([100, 200, 300, 400], retain(4, 0.85))}
    with connect() as con:
        for name, (truth, matrix) in batches.items():
            labels = [f"r{i}" for i in range(len(truth))]
            released = np.rint(matrix.T @ np.array(truth)).astype(int)
            con.register("given", pa.table({"region": np.repeat(labels, released)}))
            con.execute(f"CREATE TABLE {name} AS FROM given")
            rows = [(a, b, float(matrix[i, j])) for i, a in enumerate(labels) for j, b in enumerate(labels)]
            con.execute(f'CREATE TABLE {name}_matrix ("from" VARCHAR, "to" VARCHAR, probability DOUBLE)')
            con.executemany(f"INSERT INTO {name}_matrix VALUES (?, ?, ?)", rows)
            con.unregister("given")
        con.execute("CREATE TABLE whole AS FROM first UNION ALL FROM second")
        by_batch = [estimate for _, estimate in con.execute(BATCHES).fetchall()]
        by_last = [estimate for _, estimate in con.execute(LAST).fetchall()]
    truth = np.array([9100, 800, 700, 400])
    assert by_batch == pytest.approx(truth, abs=3)  # counts are whole numbers
    assert max(abs(np.array(by_last) - truth) / truth) > 0.15
