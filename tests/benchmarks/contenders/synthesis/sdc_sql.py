"""Ours: sdc_synthesise by trees; distance: the largest total variation of five margins, age and income in tenths."""

from ours import ask, open_table

PACKAGE = "sdc-sql"
COLUMNS = ["sex", "marital_status", "ethnic_group", "economic_status", "region", "household_size", "age", "income"]
MARGINS = ["sex", "marital_status", "ethnic_group", "economic_status", "region"]


def read(path):
    con = open_table(path)
    con.execute(f"CREATE TABLE asked AS SELECT person, {', '.join(COLUMNS)} FROM plain")
    return con


def work(con):
    con.execute("CREATE TABLE made AS FROM sdc_synthesise('asked', ?, 'person')", [COLUMNS])


def answer(con, _):
    query = "SELECT max(total_variation) AS distance FROM sdc_margin_distance('asked', 'made', ?)"
    return ask(con, query, MARGINS)
