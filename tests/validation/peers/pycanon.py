"""pycanon on the couples and the workers: k, l, t and the likeness of a sensitive variable."""

from __future__ import annotations

from importlib.metadata import version

import duckdb
from pycanon import anonymity

from validation.peers.written import write
from validation.tables import make_tables

FILES = {"couples": ["region", "race", "hispanic"], "workers": ["region", "sex"]}
SENSITIVE = {"couples": "education", "workers": "education"}


def main() -> None:
    """Write its figures."""
    con = duckdb.connect()
    make_tables(con)
    figures = {}
    for table, keys in FILES.items():
        data, sensitive = con.sql(f"FROM {table}").df(), [SENSITIVE[table]]
        alpha, k = anonymity.alpha_k_anonymity(data, keys, sensitive)
        figures[table] = {
            "k_anonymity(data, keys)": float(anonymity.k_anonymity(data, keys)),
            "l_diversity(data, keys, sensitive)": float(anonymity.l_diversity(data, keys, sensitive)),
            "entropy_l_diversity(data, keys, sensitive)": float(anonymity.entropy_l_diversity(data, keys, sensitive)),
            "t_closeness(data, keys, sensitive)": float(anonymity.t_closeness(data, keys, sensitive)),
            "alpha_k_anonymity(data, keys, sensitive)[0]": float(alpha),
            "alpha_k_anonymity(data, keys, sensitive)[1]": float(k),
            "basic_beta_likeness(data, keys, sensitive)": float(anonymity.basic_beta_likeness(data, keys, sensitive)),
            "enhanced_beta_likeness(data, keys, sensitive)": float(
                anonymity.enhanced_beta_likeness(data, keys, sensitive)
            ),
            "delta_disclosure(data, keys, sensitive)": float(anonymity.delta_disclosure(data, keys, sensitive)),
        }
    write("pycanon", {"pycanon": version("pycanon"), "pandas": version("pandas")}, figures)


if __name__ == "__main__":
    main()
