"""The pictures of the documentation, drawn from the example files: ``python -m sdc_sql.write.pictures``, in a clone.

Their figures hang on no secret key: keys are recoded and rounded, nothing is drawn at random.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.mask.hierarchy_making import interval_hierarchy
from sdc_sql.microdata import Microdata
from sdc_sql.write import ROOT, find_changed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.pictures.picture import Picture

FOLDER = ".github/pictures"


def draw_pictures() -> dict[str, Picture]:
    """Return each picture by its name."""
    con = duckdb.connect()
    con.execute("CREATE TABLE couples AS FROM read_parquet(?)", [str(ROOT / "fixtures/cps_couples.parquet")])
    con.execute("CREATE TABLE workers AS FROM read_parquet(?)", [str(ROOT / "fixtures/cps_workers.parquet")])
    couples = Microdata(
        con, "couples", keys=["region", "race", "hispanic", "education", "children_under_6"], id="couple"
    )
    workers = Microdata(con, "workers", keys=["age", "sex", "region", "education"], id="person")
    by_age: list[list[tuple[str, Mapping[str, Any]]]] = [
        [("round", {"columns": "age", "base": base})] for base in (2, 5, 10, 20)
    ]
    both = [[*by_age[0], ("round", {"columns": "education", "base": base})] for base in (2, 4)]
    loss = "il1.all.il1", {"columns": ["age", "education"]}
    found = workers.frontier([*by_age, *both], "k_anonymity.3.records", loss, max_risk=200)
    workers.mask.round("age", 5, into="released")
    released = Microdata(con, "released", keys=workers.keys, id="person")
    ages = interval_hierarchy(range(21, 65), [[*range(25, 65, 5)], [*range(30, 65, 10)], [40]])
    return {
        "frontier": found.plot(),
        "keys": couples.risk.key_uniques().plot(),
        "suda": couples.risk.suda_contributions().plot(),
        "shares": released.loss.value_shares(workers, "age", continuous="age").plot(),
        "pairs": released.loss.pair_distance(workers, workers.keys, continuous="age").plot(),
        "hierarchy": ages.plot(2).retitle("age"),
    }


def generate_pictures() -> dict[str, str]:
    """Return the text of each file, by its path in the clone."""
    return {f"{FOLDER}/{name}.svg": picture.to_svg() + "\n" for name, picture in draw_pictures().items()}


if __name__ == "__main__":
    for name, text in find_changed(generate_pictures()).items():
        (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{name}\n")
