"""
Six ways to round, by risk and loss
===================================

Which of several releases loses least, of those that are safe enough? Each candidate is masked, measured and compared
with the original; nothing is written.
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

# %%
# Age is rounded to 2, 5, 10 or 20 years, by itself or with education. The risk is the number of records of which fewer
# than three are alike; the loss is IL1, the mean distance from the original.

by_age = [[("round", {"columns": "age", "base": base})] for base in (2, 5, 10, 20)]
with_education = [[*by_age[0], ("round", {"columns": "education", "base": base})] for base in (2, 4)]
loss = ("il1.all.il1", {"columns": ["age", "education"]})
found = workers.frontier([*by_age, *with_education], "k_anonymity.3.records", loss, max_risk=200)
picture = found.plot()

# %%
# Of those with at most 200 such records the one that loses least is chosen.

print(found)
