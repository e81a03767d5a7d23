"""Runs of dbt, in one process each: starting dbt takes seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"

# Runs dbt's commands one after the other in one process; after each, what came of every node, and what a query gives.
DRIVER = """
import json, sys
import duckdb
from dbt.cli.main import dbtRunner

runner, told = dbtRunner(), []
for arguments, queries in json.load(sys.stdin):
    done = runner.invoke([*arguments, "--no-use-colors"])
    nodes = {}
    for r in getattr(done.result, "results", None) or []:
        nodes[getattr(r.node, "name", "")] = {"status": str(r.status), "message": r.message, "failures": r.failures}
    rows = []
    with duckdb.connect("release.duckdb") as con:
        for query in queries:
            try:
                rows.append(con.execute(query).fetchall())
            except duckdb.Error as error:
                rows.append(str(error))
    told.append({"success": done.success, "exception": str(done.exception), "nodes": nodes, "rows": rows})
with open("told.json", "w") as file:
    json.dump(told, file, default=str)
"""


def dbt(folder: Path, *runs: tuple[list[str], list[str]], key: str | None = KEY) -> list[dict]:
    """Run dbt's commands in a folder, and return what came of each. A warning of dbt is an error."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("DBT_", "SDC_"))}
    environment |= {"SDC_KEY": key} if key else {}
    environment |= {"DBT_WARN_ERROR": "true"}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], input=json.dumps(runs), cwd=folder, env=environment, capture_output=True,
        text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (folder / "printed.txt").write_text(done.stdout + done.stderr)
    return json.loads((folder / "told.json").read_text())


def failed(told: dict) -> dict[str, str]:
    return {n: r["status"] for n, r in told["nodes"].items() if r["status"] not in {"success", "pass"}}
