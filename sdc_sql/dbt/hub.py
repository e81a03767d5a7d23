"""The dbt package as a repository of its own: dbt's hub indexes roots of repositories, by tags that are versions."""

from __future__ import annotations

import shutil
from importlib.metadata import files
from pathlib import Path

from sdc_sql.errors import ParameterError

PACKAGE = Path(__file__).parent / "package"
_IGNORED = {".git", ".github", ".gitignore", ".gitattributes"}  # of the clone
_README = """# sdc

Macros and tests of sdc-sql {version} for dbt: statistical disclosure control for microdata, in DuckDB.

They call macros that the plugin `sdc_sql.dbt` puts on dbt's connections, so sdc-sql is installed beside dbt-duckdb
(`pip install 'sdc-sql[dbt]=={version}'`) and named in `profiles.yml`:

```yaml
      plugins:
        - module: sdc_sql.dbt  # the secret key comes from the environment: SDC_KEY
```

This repository is written from sdc-sql by `python -m sdc_sql.dbt --hub FOLDER`.
"""
_NEXT = """{folder}: the package sdc {version}. Its version is a tag:
git -C {folder} add -A
git -C {folder} commit -m "sdc {version}"
git -C {folder} tag {version}
git -C {folder} push --tags origin HEAD
A pull request that adds the repository to hub.json of dbt-labs/hubcap has dbt's hub index it."""


def write_hub(folder: Path) -> str:
    """Write the package as the root of a repository; what is told next.

    A folder that holds anything but an earlier version of the package is left alone.

    Raises
    ------
    ParameterError
        Where the folder is not empty, and no clone of the package.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     told = write_hub(Path(parent, "sdc"))
    ...     sorted(path.name for path in Path(parent, "sdc").iterdir())
    ['LICENSE', 'README.md', 'dbt_project.yml', 'macros']
    """
    project = (PACKAGE / "dbt_project.yml").read_text(encoding="utf-8")
    version = next(line.partition(":")[2].strip() for line in project.splitlines() if line.startswith("version:"))
    there = {p.name for p in folder.iterdir()} - _IGNORED if folder.exists() else set()
    if there:
        held = folder / "dbt_project.yml"
        if not held.is_file() or not held.read_text(encoding="utf-8").startswith("name: sdc\n"):
            raise ParameterError(
                f"{folder} is not empty, and no clone of the dbt package: give a new folder, or that of an earlier "
                "version."
            )
        shutil.rmtree(folder / "macros", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(PACKAGE, folder, dirs_exist_ok=True)
    (folder / "README.md").write_text(_README.format(version=version), encoding="utf-8", newline="\n")
    (folder / "LICENSE").write_text(_licence(), encoding="utf-8", newline="\n")
    return _NEXT.format(folder=folder, version=version)


def _licence() -> str:
    for path in files("sdc-sql") or ():
        if path.name == "LICENSE":
            return path.read_text(encoding="utf-8")
    return (Path(__file__).resolve().parents[2] / "LICENSE").read_text(encoding="utf-8")  # a clone
