"""
How the risk is spread over the records
=======================================

The risk report of a file, drawn: how many records have which individual risk.
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
    keys=["region", "race", "hispanic", "education"],
    id="couple",
    weight="weight",
    sampling_fraction=0.0006,
)
report = sdc_sql.risk_report(couples)

# %%
# Each bar counts records by their individual risk, the probability that they are re-identified.

risk = report.plot()

# %%
# And by how many records are alike on the keys.

frequency = report.plot("frequency")
