"""The class whose methods are the measures and the masks: each is a function of the module that its SQL file names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.write.dbt_yaml import NOTE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sdc_sql.db.catalogue import Declaration

_TEXT = '''"""The measures and the masks, as methods of a described table.

{note}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

{imports}
from sdc_sql.roles import as_measure, as_method

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


class Methods:
    """The functions of ``sdc_sql.risk``, ``mask`` and ``loss`` that the headers of the SQL files name."""

    _roles: Roles

{methods}
'''


def written(declared: Iterable[Declaration], package: Path) -> str:
    """Return the text of ``sdc_sql/methods.py``: what is declared and has its function in the package."""
    declared = [*declared]
    homes = {}
    # what is measured beside a risk is of the same table
    of_risk = {d.file for d in declared if any(column.bears == "risk" for column in d.given.columns)}
    of_risk |= {d.file for d in declared if d.file.startswith("risk/")}
    # what other columns give back, the number of the household among them, is looked for in the file as it stands
    of_risk -= {d.file for d in declared if d.verb == "derived_values"}
    risks = {d.verb for d in declared if d.file in of_risk and not d.is_step}
    for declaration in declared:
        room, _, stem = declaration.file.removesuffix(".sql").replace("core/", "risk/").partition("/")
        file = package / room / f"{stem}.py"
        if file.is_file() and f"\ndef {declaration.verb}(" in file.read_text(encoding="utf-8"):
            homes[declaration.verb] = (room, stem)
    imports = (f"from sdc_sql.{room} import {stem} as _{stem}" for room, stem in sorted(set(homes.values())))
    ways = {verb: "as_measure" if verb in risks else "as_method" for verb in homes}
    methods = (f"    {verb} = {ways[verb]}(_{stem}.{verb})" for verb, (_, stem) in sorted(homes.items()))
    return _TEXT.format(note=NOTE, imports="\n".join(imports), methods="\n".join(methods))
