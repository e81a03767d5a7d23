"""What a released category tells that only newcomers have: counted by hand, and of PRAM with declared ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
NEWCOMERS = "FROM sdc_series_newcomers('now', 'now out', ['x'], 'id', ['before'], ['before out'])"


def load(con, name: str, ids, x) -> None:
    con.register("given", pa.table({"id": pa.array(ids), "x": pa.array(x, pa.string())}))
    con.execute(f'CREATE OR REPLACE TABLE "{name}" AS FROM given')
    con.unregister("given")


def test_it_is_what_a_count_by_hand_gives(connect):
    rng = np.random.default_rng(4)
    with connect() as con:
        for _ in range(3):
            tables = []
            for ids, values in ((range(30), 5), (range(10, 60), 8)):
                own = {int(i): f"c{rng.integers(values)}" for i in ids}
                out = {i: None if rng.random() < 0.1 else v if rng.random() < 0.6 else f"c{rng.integers(values)}"
                       for i, v in own.items()}  # fmt: skip
                tables.append((own, out))
            for name, (own, out) in zip(("before", "now"), tables, strict=True):
                load(con, name, [*own], [*own.values()])
                load(con, f"{name} out", [*out], [*out.values()])
            (before, before_out), (now, out) = tables
            known = {v for v in before_out.values() if v is not None}
            new = [i for i in now if i not in before]
            fresh = [i for i in new if out[i] is not None and out[i] not in known]
            others = [i for i in new if out[i] is not None and out[i] in known]
            right = sum(out[i] == now[i] for i in fresh)
            usual = sum(out[i] == now[i] for i in others) / len(others)
            certainty = right / len(fresh) if fresh else None
            (row,) = con.execute(NEWCOMERS).fetchall()
            assert row[:5] == ("x", len(new), len({out[i] for i in fresh}), len(fresh), right)
            assert row[5:7] == (pytest.approx(certainty), pytest.approx(usual))
            assert row[7] == pytest.approx(max((certainty or 0) - usual, 0) if fresh else 0)


@pytest.mark.slow
def test_pram_moves_nobody_to_a_category_that_it_does_not_have_unless_it_is_declared(connect):
    """A hundred come with a category each of their own: by the matrix of the file they show it, or one of another's."""
    rng = np.random.default_rng(5)
    names = [f"c{i:03d}" for i in range(120)]
    before, after = [names[i] for i in rng.integers(0, 20, 2000)], names[20:120]
    gains = []
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        load(con, "before", range(2000), before)
        load(con, "now", range(2100), before + after)
        for declared in ("", f", categories := {names!r}"):
            for table in ("before", "now"):
                call = f"sdc_pram_retention('{table}', ['x'], 0.8, 'id'{declared})"
                con.execute(f'CREATE OR REPLACE TABLE "{table} out" AS FROM {call}')
            gains.append(con.execute(NEWCOMERS).fetchall()[0])
    (of_file, of_declared) = gains
    assert of_file[2] > 60  # categories that nobody had
    assert of_file[5] > 0.7
    assert of_declared[3] < of_file[3]  # most have been shown before, by others whose they are not
