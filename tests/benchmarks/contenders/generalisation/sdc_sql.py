"""Ours: the exact optimum of the lattice, nothing suppressed."""

from pathlib import Path

from ours import ask, open_table

import sdc_sql

PACKAGE = "sdc-sql"


def read(path):
    con = open_table(path)
    values = {key: [v for (v,) in con.execute(f"SELECT DISTINCT {key} FROM t ORDER BY 1").fetchall()]
              for key in ("age", "marital_status", "region")}  # fmt: skip
    levels = {
        "age": {str(v): [str(v), f"{v // 5 * 5}+", f"{v // 20 * 20}+", "*"] for v in values["age"]},
        "marital_status": {v: [v, "*"] for v in values["marital_status"]},
        "region": {v: [v, v[:1], "*"] for v in values["region"]},
    }
    for key, of in levels.items():
        Path(path.parent, f"{key}.csv").write_text(
            "\n".join(";".join(row) for row in of.values()) + "\n", encoding="utf-8"
        )
    return con, {key: Path(path.parent, f"{key}.csv") for key in levels}


def work(read):
    con, hierarchies = read
    data = sdc_sql.Microdata(con, "t", keys=["age", "marital_status", "region"], id="person")
    return data.mask.generalise(hierarchies, k=5, suppression=0, into="released")


def answer(read, _):
    return ask(
        read[0],
        """SELECT count(*) FILTER (sample_frequency < 5) AS below
                            FROM sdc_frequencies('released', ['age', 'marital_status', 'region'])""",
    )
