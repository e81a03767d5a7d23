"""``python -m sdc_sql.dbt`` prints the folder of the dbt package; ``--hub FOLDER`` writes it as a repository."""

from __future__ import annotations

import argparse
from pathlib import Path

from sdc_sql.dbt import PACKAGE
from sdc_sql.dbt.hub import write_hub
from sdc_sql.errors import SdcError

parser = argparse.ArgumentParser(
    prog="python -m sdc_sql.dbt", description="Print the folder of the dbt package, for packages.yml."
)
parser.add_argument(
    "--hub",
    metavar="FOLDER",
    type=Path,
    help="write the package there as the root of a repository, as dbt's hub indexes them: a new folder, an empty one, "
    "or the clone of an earlier version",
)
given = parser.parse_args()
if given.hub is None:
    print(PACKAGE)  # noqa: T201 - what it is for
else:
    try:
        print(write_hub(given.hub))  # noqa: T201
    except (SdcError, OSError) as error:
        parser.exit(1, f"sdc-sql: {error}\n")
