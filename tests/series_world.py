"""A table that changes night by night, and each mask of the catalogue over it: the world in which a series is attacked.

Persons come, leave, change, change back, return, move; what is masked each night is attacked by
``sdc_series_disclosure``, which tests hold to an intruder written apart, and to one of the method itself.
"""

from __future__ import annotations

import sys
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Iterable

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
EVERY = {
    "churn": "1 % leave and 1 % come each night",
    "change": "besides, 1 % change, and two in five of these change back the night after",
    "newcomer": "one comes, after the first night; two nights",
    "leaver": "one leaves after the first night; two nights",
    "pair": "two come each night, fewer than k",
    "column": "everybody's second amount changes each night",
    "drift": "each amount drifts by 1 to 5 % a night",
    "return": "1 % leave, and come again two nights later",
    "move": "1 % move to another region each night",
    "back": "1 % change each other night, and all of them change back the night after",
    "placed": "five come each night, of whom an intruder placed all but one",
}
# what each mask is called with; `columns` of the attack, and the call with the table of the night as {0}
CALLS = {
    "microaggregate, one column": (["income"], "sdc_microaggregate('{0}', ['income'], 3, 'id')"),
    "microaggregate, k = 5": (["income"], "sdc_microaggregate('{0}', ['income'], 5, 'id')"),
    "microaggregate, two columns": (["income", "rent"], "sdc_microaggregate('{0}', ['income', 'rent'], 3, 'id')"),
    "microaggregate, univariate": (
        ["income"], "sdc_microaggregate('{0}', ['income'], 3, 'id', method := 'univariate')",
    ),
    "microaggregate_categorical": (
        ["sex", "region"], "sdc_microaggregate_categorical('{0}', ['sex', 'region'], 3, 'id', scale := 'nominal')",
    ),
    "noise, alpha": (["income"], "sdc_noise('{0}', ['income'], 0.1, 'id')"),
    "noise, correlated": (
        ["income", "rent"], "sdc_noise('{0}', ['income', 'rent'], 0.1, 'id', method := 'correlated')",
    ),
    "noise, linear": (["income"], "sdc_noise('{0}', ['income'], 0.1, 'id', method := 'linear')"),
    "noise_absolute": (["income"], "sdc_noise_absolute('{0}', ['income'], 700, 'id')"),
    "multiplicative_noise, plain": (["income"], "sdc_multiplicative_noise('{0}', ['income'], 0.1, 'id')"),
    "multiplicative_noise, hoehne_sum": (
        ["income"],
        "sdc_multiplicative_noise('{0}', ['income'], 0.1, 'id', method := 'hoehne_sum', spread := 0.02)",
    ),
    "round_at_random": (["income"], "sdc_round_at_random('{0}', ['income'], 500, 'id')"),
    "round": (["income"], "sdc_round('{0}', ['income'], 500, 'id')"),
    "top_bottom_code, value": (["income"], "sdc_top_bottom_code('{0}', 'income', 'value', 'id', top := 15000)"),
    "top_bottom_code, mean": (
        ["income"], "sdc_top_bottom_code('{0}', 'income', 'value', 'id', top := 15000, replacement := 'mean')",
    ),
    "recode_classes, equal count": (
        ["income"], "sdc_recode_classes('{0}', 'income', 40, 'id', method := 'equal_count')",
    ),
    "recode_intervals": (["age"], "sdc_recode_intervals('{0}', 'age', [18, 30, 45, 60, 75, 91], 'id')"),
    "recode_keep_first": (["region"], "sdc_recode_keep_first('{0}', 'region', 2, 'id')"),
    "recode_date": (["born"], "sdc_recode_date('{0}', 'born', 'year', 'id')"),
    "rank_swap": (["income"], "sdc_rank_swap('{0}', 'income', 5, 'id')"),
    "rank_swap_correlated": (["income"], "sdc_rank_swap_correlated('{0}', 'income', 0.95, 'id')"),
    "data_swap": (["region"], "sdc_data_swap('{0}', ['region'], 0.1, 'id', different := ['region'])"),
    "record_swap": (["region"], "sdc_record_swap('{0}', ['region'], 0.1, 'id', household := 'id')"),
    "data_shuffling": (["income"], "sdc_data_shuffling('{0}', ['income'], ['rent'], 'id')"),
    "resample": (["income"], "sdc_resample('{0}', 'income', 10, 'id')"),
    "pram_retention": (["region"], "sdc_pram_retention('{0}', ['region'], 0.8, 'id')"),
    "pram_guaranteed": (["region", "occupation"], "sdc_pram_guaranteed('{0}', ['region', 'occupation'], 0.8, 'id')"),
    "pram": (["sex"], "sdc_pram('{0}', 'sex', 'sexes', 'id')"),
    "local_suppression": (
        ["age", "sex", "region"], "sdc_local_suppression('{0}', ['age', 'sex', 'region'], 3, 'id')",
    ),
    "local_suppression, strong": (
        ["age", "sex", "region"],
        "sdc_local_suppression('{0}', ['age', 'sex', 'region'], 3, 'id', guarantee := 'strong')",
    ),
    "suppress_combinations": (
        ["sex", "region", "occupation"],
        "sdc_suppress_combinations('{0}', ['sex', 'region', 'occupation'], [NULL, NULL, 3], 'id')",
    ),
    "suppress_risky": (
        ["sex", "region", "occupation"],
        "sdc_suppress_risky('{0}', ['sex', 'region', 'occupation'], 0.05, 'id', weight := 'w')",
    ),
    "mondrian": (["age", "region"], "sdc_mondrian('{0}', ['age', 'region'], 5, 'id')"),
    "generalise": (["age", "region"], "sdc_generalise('{0}', ['age', 'region'], 'ladders', 'id', k := 8)"),
    "distort_sensitive": (["occupation"], "sdc_distort_sensitive('{0}', 'occupation', ['age'], 'id', l := 3)"),
    "hybrid": (["income"], "sdc_hybrid('{0}', ['income'], 0.5, 'id')"),
    "hybrid_masking": (
        ["income", "rent"],
        "sdc_hybrid_masking('{0}', ['income', 'rent'], 0, 'id', k := 40, size := 3, tolerance := 0.5)",
    ),
    "microhybrid": (["income"], "sdc_microhybrid('{0}', ['income'], 4, 'id')"),
    "bootstrap": (["income"], "sdc_bootstrap('{0}', ['income'], NULL, 'id')"),
    "data_distortion": (["income"], "sdc_data_distortion('{0}', ['income'], NULL, 'id')"),
    "ipso": (["rent"], "sdc_ipso('{0}', ['rent'], ['income'], 'id')"),
    "synthesise": (["region", "income"], "sdc_synthesise('{0}', ['region', 'income'], 'id', k := 5)"),
    "restore_moments": (["income"], "sdc_restore_moments('{0} noisy', ['income'], '{0}', 'id')"),
    "calibrate": (["w"], "sdc_calibrate('{0}', 'w', 'sums', 'id', margins := ['sex'])"),
}  # fmt: skip
# a mask that another one stands for: of the same kind, by the same file
ALIKE = {
    "sdc_pram_crossing": "pram", "sdc_recode": "recode_keep_first", "sdc_recode_drop_last": "recode_keep_first",
    "sdc_recode_level": "recode_keep_first", "sdc_recode_relative": "recode_keep_first", "sdc_round_points": "round",
    "sdc_latin_hypercube": "data_distortion",
}  # fmt: skip


class World:
    """The persons of a table, and what happens to them: the same for the same seed."""

    def __init__(self, records: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.next = 0
        self.people = self._draw(records)
        self.away: list[tuple[int, dict[str, np.ndarray]]] = []
        self.former: dict[int, float] = {}
        self.changed: tuple[np.ndarray, dict[str, np.ndarray]] | None = None

    def _draw(self, n: int) -> dict[str, np.ndarray]:
        rng = self.rng
        income = rng.lognormal(8.6, 0.6, n).round(2)
        age = rng.integers(18, 91, n)
        found = {
            "id": np.arange(self.next, self.next + n), "income": income, "age": age,
            "rent": (0.3 * income * rng.lognormal(0, 0.3, n)).round(2), "sex": rng.integers(0, 2, n),
            "region": rng.geometric(0.08, n).clip(1, 40), "occupation": rng.geometric(0.2, n).clip(1, 15),
            "w": rng.uniform(5, 30, n).round(1), "day": rng.integers(1, 29, n),
        }  # fmt: skip
        self.next += n
        return found

    def count(self) -> int:
        return len(self.people["id"])

    def leave(self, n: int) -> dict[str, np.ndarray]:
        gone = np.isin(np.arange(self.count()), self.rng.choice(self.count(), n, replace=False))
        left = {c: v[gone] for c, v in self.people.items()}
        self.people = {c: v[~gone] for c, v in self.people.items()}
        return left

    def come(self, those: dict[str, np.ndarray] | int) -> None:
        new = self._draw(those) if isinstance(those, int) else those
        self.people = {c: np.concatenate([v, new[c]]) for c, v in self.people.items()}

    def change(self, n: int) -> None:
        """Let some change their income, and two in five of those that changed the night before change back."""
        at = {int(i): place for place, i in enumerate(self.people["id"])}
        back = [i for i in self.former if i in at and self.rng.random() < 0.4]
        for i in back:
            self.people["income"][at[i]] = self.former[i]
        others = self.rng.choice([i for i in at if i not in self.former], n, replace=False)
        self.former = {int(i): float(self.people["income"][at[int(i)]]) for i in others}
        places = [at[int(i)] for i in others]
        self.people["income"][places] = self.rng.lognormal(8.6, 0.6, n).round(2)

    def _change_and_back(self, n: int) -> None:
        """Let some change in all that is known of them, or those who did change back."""
        columns = [column for column in self.people if column != "id"]
        if self.changed is not None:
            for column in columns:
                self.people[column][self.changed[0]] = self.changed[1][column]
            self.changed = None
            return
        places = self.rng.choice(self.count(), n, replace=False)
        self.changed = places, {column: self.people[column][places] for column in columns}
        other = self._draw(n)
        for column in columns:
            self.people[column][places] = other[column]

    def pass_night(self, scenario: str, night: int) -> None:
        """Let a night pass, after which the table is released again."""
        some = max(self.count() // 100, 1)
        leaving = {"churn": some, "change": some, "leaver": 1}.get(scenario, 0)
        coming = {"churn": some, "change": some, "newcomer": 1, "pair": 2, "placed": 5}.get(scenario, 0)
        if leaving:
            self.leave(leaving)
        if coming:
            self.come(coming)
        if scenario == "change":
            self.change(some)
        if scenario == "back":
            self._change_and_back(some)
        if scenario == "return":
            for _, those in [away for away in self.away if away[0] == night]:
                self.come(those)
            self.away.append((night + 2, self.leave(some)))
        self._change_all(scenario, some)

    def _change_all(self, scenario: str, some: int) -> None:
        rng, n = self.rng, self.count()
        if scenario == "column":
            self.people["rent"] = (0.3 * self.people["income"] * rng.lognormal(0, 0.3, n)).round(2)
        if scenario == "drift":
            moved = rng.uniform(0.01, 0.05, n) * rng.choice([-1, 1], n)
            self.people["income"] = (self.people["income"] * (1 + moved)).round(2)
        if scenario == "move":
            self.people["region"][rng.choice(n, some, replace=False)] = rng.integers(1, 41, some)

    def table(self) -> pa.Table:
        return pa.table(self.people)


def make_nights(
    con: duckdb.DuckDBPyConnection, scenario: str, records: int = 4000, nights: int = 10, seed: int = 1
) -> list[str]:
    """Make the tables of a scenario on a connection, one a night, and return their names."""
    world = World(records, seed)
    names = []
    for night in range(2 if scenario in {"newcomer", "leaver"} else nights):
        if night:
            world.pass_night(scenario, night)
        made = world.table()
        con.register("sdc_made", made)
        names.append(f"{scenario} {night}")
        con.execute(f"""
            CREATE OR REPLACE TABLE "{names[-1]}" AS SELECT id, income, age, rent, ['f', 'm'][1 + sex] AS sex, w,
                format('r{{:02d}}', region) AS region, format('o{{:02d}}', occupation) AS occupation,
                make_date(2026 - age::INTEGER, 1 + day::INTEGER % 12, day::INTEGER) AS born
            FROM sdc_made ORDER BY id""")
        con.unregister("sdc_made")
    con.execute("""
        CREATE OR REPLACE TABLE sexes AS FROM (VALUES
            ('f', 'f', 0.8), ('f', 'm', 0.2), ('m', 'f', 0.2), ('m', 'm', 0.8)) AS t("from", "to", probability);
        CREATE OR REPLACE TABLE sums AS
            FROM (VALUES ('sex', 'f', 40000), ('sex', 'm', 41000)) AS t(variable, value, total);
        CREATE OR REPLACE TABLE ladders AS
            SELECT 'age' AS variable, age::VARCHAR AS value, unnest([0, 1, 2, 3]) AS level,
                unnest(['one', 'five', 'fifteen', 'all']) AS level_name,
                unnest([age::VARCHAR, 'five from ' || age // 5 * 5, 'fifteen from ' || age // 15 * 15, '*']) AS label
            FROM range(18, 91) AS t(age)
            UNION ALL
            SELECT 'region', format('r{:02d}', r), unnest([0, 1, 2, 3]), unnest(['one', 'five', 'ten', 'all']),
                unnest([format('r{:02d}', r), 'five from ' || r // 5 * 5, 'ten from ' || r // 10 * 10, '*'])
            FROM range(1, 41) AS t(r)""")
    con.execute(f"SET VARIABLE sdc_key = '{KEY}'")
    return names


def release_nights(con: duckdb.DuckDBPyConnection, names: Iterable[str], call: str) -> list[str]:
    """Mask the table of each night by a call, and return the names of what is released."""
    released = []
    for name in names:
        if "noisy" in call:
            con.execute(f"CREATE OR REPLACE TABLE \"{name} noisy\" AS FROM sdc_noise('{name}', ['income'], 0.3, 'id')")
        released.append(f"{name} released")
        con.execute(f'CREATE OR REPLACE TABLE "{released[-1]}" AS FROM {call.format(name)}')
    return released


def measure(
    con: duckdb.DuckDBPyConnection, originals: list[str], released: list[str], columns: list[str],
    name: str = "sdc_series_disclosure",
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the rows of a measure of a series."""
    given = [originals[-1], released[-1], columns, "id", originals[:-1], released[:-1]]
    found = con.execute(f"FROM {name}(?, ?, ?, ?, ?, ?)", given)
    names = [d[0] for d in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def wilson(found: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval of a share, at 95 %."""
    if of == 0:
        return 0.0, 1.0
    z, share = 1.96, found / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(middle - half, 0.0), min(middle + half, 1.0)


README = Path(__file__).parents[1] / "sdc_sql" / "mask" / "README.md"
FIRST, LAST = "<!-- series: written by python tests/series_world.py -->", "<!-- series: end -->"
HEAD = """| mask | one release | ten, 1 % churn | ten, 1 % change too | suppressed, then shown | the newcomers |
|---|---|---|---|---|---|"""


def write_row(con: duckdb.DuckDBPyConnection, label: str) -> str:
    """Return the row of a mask: what is known of its first column that bears most, by one release and by ten."""
    columns, call = CALLS[label]
    found = {}
    for scenario in ("churn", "change", "newcomer"):
        names = make_nights(con, scenario)
        found[scenario] = measure(con, names, release_nights(con, names, call), columns)
    worst = max(range(len(columns)), key=lambda i: found["churn"][i]["together"] - found["churn"][i]["one"])
    churn, change = (found[scenario][worst] for scenario in ("churn", "change"))
    alone = "found" if any(row["given_alone"] for row in found["newcomer"]) else "-"
    others = "all others known" if alone == "-" and any(row["given"] > 0 for row in found["churn"]) else alone
    shown = f"{100 * churn['shown'] / churn['suppressed']:.0f}" if churn["suppressed"] else "-"
    shares = [_write_share(churn, "one"), _write_share(churn, "together"), _write_share(change, "together")]
    return f"| {label}: {columns[worst]} | {' | '.join(shares)} | {shown} | {others} |"


def _write_share(row: dict[str, Any], name: str) -> str:
    low, high = wilson(row[name], row["values"])
    return f"{100 * row[name] / row['values']:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def read_table(path: Path) -> dict[str, str]:
    """Return the rows of the table in the chapter, by the mask."""
    inside = path.read_text(encoding="utf-8").partition(FIRST)[2].partition(LAST)[0]
    rows = [line for line in inside.splitlines() if line.startswith("| ")][1:]
    return {row[2:].partition(": ")[0]: row for row in rows}


def write_table(labels: Iterable[str] = ()) -> None:
    """Write the table of the chapter, or the rows of some masks anew."""
    rows = read_table(README)
    asked = [*labels] or [*CALLS]
    with duckdb.connect() as con:
        sdc_sql.load(con)
        for label in asked:
            rows[label] = write_row(con, label)
            print(rows[label], flush=True)
    before, _, rest = README.read_text(encoding="utf-8").partition(FIRST)
    listed = "\n".join(rows[label] for label in CALLS if label in rows)
    README.write_text(f"{before}{FIRST}\n\n{HEAD}\n{listed}\n\n{LAST}{rest.partition(LAST)[2]}", encoding="utf-8")


if __name__ == "__main__":
    write_table(sys.argv[1:])
