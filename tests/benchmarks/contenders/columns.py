"""The columns of the population that the tasks ask for."""

from __future__ import annotations

EIGHT = [
    "age",
    "sex",
    "marital_status",
    "ethnic_group",
    "economic_status",
    "country_of_birth",
    "region",
    "household_size",
]
FIVE = ["age", "sex", "marital_status", "ethnic_group", "region"]
FOUR = ["sex", "marital_status", "ethnic_group", "region"]
SIX = ["sex", "marital_status", "region", "economic_status", "age", "income"]
NUMBERS = ["age", "income"]
LINKED = ["age", "sex", "marital_status", "economic_status", "region"]
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
# the same changes by every program: region of every seventh, economic status of every eleventh, age and income moved
CHANGED = """SELECT * REPLACE (
        CASE WHEN person % 7 = 0 THEN 'South' ELSE region END AS region,
        CASE WHEN person % 11 = 0 THEN 'retired' ELSE economic_status END AS economic_status,
        age + person % 3 - 1 AS age, coalesce(income, 0) * (1 + (person % 5 - 2) / 20.0) AS income)
    FROM (SELECT * REPLACE (coalesce(income, 0) AS income) FROM t)"""
