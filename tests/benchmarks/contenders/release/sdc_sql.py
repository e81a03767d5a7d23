"""Ours: a release file: recoding, suppression, noise; risk and loss, two reports, and the file as CSV.

Below: records of the released keys that fewer than three agree with; the spread is that of the noise.
"""

import os

import duckdb
from columns import KEY

import sdc_sql

PACKAGE = "sdc-sql"
KEYS = ["age", "sex", "marital_status", "region"]
FILE = """
release = "head to head"
[source]
path = "given.parquet"
[roles]
id = "person"
household = "household"
weight = "weight"
released_as_collected = ["household_size", "ethnic_group", "economic_status", "country_of_birth"]
[[scenarios]]
name = "register"
keys = ["age", "sex", "marital_status", "region"]
nulls = "wildcard"
limits = ["k_anonymity.3.records <= 0"]
[[steps]]
mask = "recode"
column = "age"
breaks = [0, 18, 35, 50, 65]
ends = "open_above"
[[steps]]
mask = "local_suppression"
scenario = "register"
k = 3
guarantee = "wildcard"
[[steps]]
mask = "noise"
columns = ["income"]
alpha = 0.01
[output]
path = "released.csv"
ids = "keep"
report = "internal.html"
public_report = "public.html"
"""


def read(path):
    os.environ["SDC_KEY"] = KEY
    duckdb.sql(f"SELECT * REPLACE (coalesce(income, 0) AS income) FROM '{path}'").write_parquet(
        str(path.parent / "given.parquet")
    )
    (path.parent / "release.toml").write_text(FILE, encoding="utf-8")
    return path.parent


def work(folder):
    return sdc_sql.run_release(folder / "release.toml", replace_outputs=True)


def answer(folder, outcome):
    if not outcome.accepted:
        raise ValueError(outcome.reasons)
    con = duckdb.connect()
    sdc_sql.load(con)
    con.execute(f"CREATE TABLE released AS FROM read_csv('{folder / 'released.csv'}')")
    con.execute(f"CREATE TABLE given AS FROM '{folder / 'given.parquet'}'")
    below = "SELECT count(*) FILTER (sample_frequency < 3) FROM sdc_frequencies('released', ?, nulls := 'wildcard')"
    ((unsafe,),) = con.execute(below, [KEYS]).fetchall()
    moved = "SELECT stddev(r.income - g.income) / stddev(g.income) FROM released AS r JOIN given AS g USING (person)"
    ((spread,),) = con.execute(moved).fetchall()
    return {"below": unsafe, "spread": spread}
