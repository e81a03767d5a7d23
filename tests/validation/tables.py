"""The tables of the comparisons: the public files of fixtures/, as views of one connection."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
KEYS = ["region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"]
# of the couples some lack the region or the education
BLANKED = """CREATE TABLE blanked AS SELECT * REPLACE (CASE WHEN couple % 17 <> 0 THEN region END AS region,
                                                          CASE WHEN couple % 23 <> 0 THEN education END AS education)
             FROM couples"""

# the couples after made-up masking by formula, the same in every program: categories moved, numbers shifted
MOVED = """CREATE TABLE moved AS
           SELECT couple, CASE WHEN couple % 7 = 0 THEN 'west' ELSE region END AS region, race, hispanic,
               CASE WHEN couple % 11 = 0 THEN '12years' ELSE education END AS education,
               children_under_6, children_6_to_18,
               experience,
               (CASE WHEN hours + couple % 3 < 1 THEN 0 ELSE hours + couple % 3 - 1 END)::INTEGER AS hours,
               own_insurance, husband_income + 2.5 * (couple % 5 - 2) AS husband_income, weight
           FROM couples"""

# of each value of a key its labels, level by level, as ARX and sdc_sql.Hierarchy read them
HIERARCHIES = {
    "region": [("midwest", "north", "*"), ("northeast", "north", "*"), ("south", "south or west", "*"),
               ("west", "south or west", "*")],
    "race": [("black", "not white", "*"), ("other", "not white", "*"), ("white", "white", "*")],
    "education": [(value, "school", "*") for value in ("<9years", "9-11years", "12years")]
    + [(value, "college", "*") for value in ("13-15years", "16years", ">16years")],
    "children_under_6": [("0", "0", "0", "*"), ("1", "1", "1 or more", "*")]
    + [(str(number), "2 or more", "1 or more", "*") for number in range(2, 6)],
    "children_6_to_18": [(str(number), str(number), "1 or more" if number else "0", "*") for number in range(3)]
    + [(str(number), "3 or more", "1 or more", "*") for number in range(3, 9)],
}  # fmt: skip
# who of the couple is insured by the employer: a sensitive variable of four values
INSURED = """SELECT couple, region, race, education, children_under_6, children_6_to_18,
                    own_insurance || husband_insurance AS insured FROM couples"""

# what mu-ARGUS is given besides the couples: the members of each household one after the other; a number of one in ten
HOMES = "SELECT household, sex, marital_status, country_of_birth, weight FROM lfs"
TENTH = "SELECT couple, husband_income FROM couples WHERE couple % 10 = 0"

# three files of the same size for attacks: the source, others like it, and what is released: a fifth of the source, and
# couples of neither of the two with values moved
_SOME = "SELECT couple, region, education, experience, own_insurance, husband_income, weight FROM {} WHERE {}"
ATTACKED = {
    "source": _SOME.format("couples", "couple % 40 = 0"),
    "others": _SOME.format("couples", "couple % 40 = 1 AND couple > 1"),
    "released": _SOME.format("couples", "couple % 200 = 0") + " UNION ALL "
    + _SOME.format("moved", "couple % 40 = 2 AND couple % 200 <> 2"),
}  # fmt: skip


def make_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Make couples, workers, lfs, cis; blanked and moved: couples with some keys missing, and with values changed."""
    for name, file in (("couples", "cps_couples"), ("workers", "cps_workers"), ("lfs", "lfs"), ("cis", "cis")):
        con.execute(f"CREATE TABLE {name} AS FROM read_parquet('{FIXTURES / file}.parquet')")
    con.execute(BLANKED)
    con.execute(MOVED)


def write_for_arx(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write couples.csv, and a hierarchy for each key, as ARX reads them."""
    con.execute(f"COPY ({INSURED} ORDER BY couple) TO '{folder / 'couples.csv'}'")
    (folder / "hierarchies").mkdir()
    for key, rows in HIERARCHIES.items():
        text = "".join(";".join(row) + "\n" for row in rows)
        (folder / "hierarchies" / f"{key}.csv").write_text(text, encoding="utf-8")


def write_for_muargus(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write couples.csv, homes.csv and husband_income.txt, as mu-ARGUS reads them."""
    con.execute(f"COPY (FROM couples ORDER BY couple) TO '{folder / 'couples.csv'}'")
    con.execute(f"COPY ({HOMES} ORDER BY household, person) TO '{folder / 'homes.csv'}'")
    values = con.execute(f"SELECT husband_income FROM ({TENTH}) ORDER BY couple").fetchall()
    # without a last end of line, which it reads as one record more
    (folder / "husband_income.txt").write_text("\n".join(repr(x) for (x,) in values), encoding="utf-8")


@cache
def read_paper(name: str) -> list[dict[str, str]]:
    """Return the rows of a table that a paper prints, each figure as the text that is printed."""
    with (FIXTURES / "papers" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def read_peer(name: str) -> dict[str, Any]:
    """Return what a peer answered: who made it, and its figures."""
    folder = FIXTURES if name == "sdcmicro" else FIXTURES / "validation"
    found: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return found


def ask(con: duckdb.DuckDBPyConnection, query: str, *given: object) -> float:
    """Return the one figure that a query answers."""
    ((figure,),) = con.execute(query, list(given)).fetchall()
    return float(figure)
