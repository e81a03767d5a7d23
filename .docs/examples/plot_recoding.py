"""
What rounding does to a variable
================================

A variable before and after, and what is lost of its relations with the others.
"""

# sphinx_gallery_start_ignore
import os

os.chdir("../..")  # where fixtures/ is
# sphinx_gallery_end_ignore
import duckdb

import sdc_sql

con = duckdb.connect()
con.execute("CREATE TABLE workers AS FROM 'fixtures/cps_workers.parquet'")
workers = sdc_sql.Microdata(con, "workers", keys=["age", "sex", "region", "education"], id="person")
workers.mask.round("age", 5, into="released")
released = sdc_sql.Microdata(con, "released", keys=workers.keys, id="person")

# %%
# The ages of the workers, in years and rounded to fives.

shares = released.loss.value_shares(workers, "age", continuous="age").plot()

# %%
# Pairs of variables: those with age have moved, the others are as they were.

pairs = released.loss.pair_distance(workers, workers.keys, continuous="age").plot()
