"""``python -m sdc_sql.dbt`` prints the folder of the dbt package, for packages.yml."""

from sdc_sql.dbt import PACKAGE

print(PACKAGE)  # noqa: T201 - what it is for
