"""Ours: m and u of Fellegi and Sunter by EM, pairs counted by groups."""

from columns import LINKED
from ours import open_table

PACKAGE = "sdc-sql"


def read(path):
    con = open_table(path)
    con.execute("CREATE TABLE a AS FROM plain WHERE person <= 1000")
    con.execute("CREATE TABLE b AS FROM changed WHERE person <= 1000")
    return con


def work(con):
    query = "SELECT variable, m, u FROM sdc_probabilistic_linkage_parameters('a', 'b', ?, 'person')"
    return con.execute(query, [LINKED]).fetchall()


def answer(_, done):
    return {f"m_{name}": m for name, m, _ in done} | {f"u_{name}": u for name, _, u in done}
