# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""A user's script, for type checkers: what is said of a type holds, and what is wrong is an error of theirs."""

from typing import assert_type

import duckdb

import sdc_sql

con = duckdb.connect()
con.execute("SET VARIABLE sdc_key = 'a sentence of many words that nobody guesses, 417 times'")
con.execute(
    "CREATE TABLE persons AS SELECT range AS id, range % 7 AS age, 'f' AS sex, 3.5 * range AS income FROM range(60)"
)
data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"], id="id", sampling_fraction=0.1)

theta = data.risk.theta()
assert_type(theta, sdc_sql.Theta)
assert_type(theta.theta, float)
contributions = data.risk.suda_contributions()
listed: sdc_sql.Results[sdc_sql.SudaContribution] = contributions
assert_type(contributions.plot(), sdc_sql.Picture)
assert_type(data.risk.frequencies(), duckdb.DuckDBPyRelation)

step = data.mask.noise("income", 0.1, into="noisy")
assert_type(step, sdc_sql.MaskingStep)
released = sdc_sql.Microdata(con, "noisy", keys=["age", "sex"], id="id")
assert_type(released.loss.il1(data, "income"), sdc_sql.Results[sdc_sql.Il1])
assert_type(released.linkage.distance_linkage(data, ["income"]), sdc_sql.DistanceLinkage)

data.mask.microaggregate("income", 3, method="mdav", into="grouped")
try:
    data.mask.microaggregate("income", 3, method="nearest", into="grouped")  # type: ignore[arg-type]
except sdc_sql.ParameterError as error:
    assert_type(error, sdc_sql.ParameterError)
try:
    released.loss.il1(data, "income", max_term="1")  # type: ignore[arg-type]
except sdc_sql.ParameterError:
    print("typed")
