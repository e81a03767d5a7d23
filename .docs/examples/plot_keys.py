"""
Which key makes records unique
==============================

Before anything is masked: which of the keys gives the couples away, and which of them does so in small combinations?
"""

# sphinx_gallery_start_ignore
import os

os.chdir("../..")  # where fixtures/ is
# sphinx_gallery_end_ignore
import duckdb

import sdc_sql

con = duckdb.connect()
con.execute("CREATE TABLE couples AS FROM 'fixtures/cps_couples.parquet'")
couples = sdc_sql.Microdata(
    con,
    "couples",
    keys=["region", "race", "hispanic", "education", "children_under_6"],
    id="couple",
    weight="weight",
)

# %%
# A key is responsible for a unique record if the record is unique no more without it.

uniques = couples.risk.key_uniques().plot()

# %%
# Special uniques: records that are unique on a few keys already. The contribution of a key is its share of the score.

contributions = couples.risk.suda_contributions().plot()

# %%
# What that means for an intruder who takes the sample for what it is:

print(couples.risk.global_risk())
