"""The classes whose methods are the measures and the masks: each is a function of the module its SQL file names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.write.dbt_yaml import NOTE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.db.catalogue.functions import Declaration

_TEXT = '''"""The measures and the masks, as methods of a described table: a class for each room of the package.

{note}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.db.catalogue.macros import index_former_names
{imports}
from sdc_sql.roles import bind_mask, bind_measure, bind_method

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


class Room:
    """What a room's functions are methods of: a table with the roles of its columns."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            """Say of a measure or a mask where it is, and what it is called now."""
            told = explain_name(name) or f"The room {{type(self).__name__.lower()}} has no {{name}}."
            raise AttributeError(told, name=name, obj=self)


{rooms}


class Methods({names}):
    """The methods of all rooms, for what calls them by their names."""


def explain_name(name: str) -> str | None:
    """Return how a measure or a mask is called that was looked for elsewhere; None where there is none of the name."""
    for room in Methods.__bases__:
        if name in vars(room) and not name.startswith("_"):
            where = room.__name__.lower()
            return f"{{name}} is a method of the room {{where}}: write data.{{where}}.{{name}}(...)."
    now = index_former_names().get(name)
    return explain_new_name(name, f"data.mask.{{now}}(...)") if now else None
'''

_ROOM = '''class {name}(Room):
    """The functions of ``sdc_sql.{room}`` that the headers of the SQL files name."""

{methods}'''


def generate_methods(declared: Iterable[Declaration], modules: Mapping[str, str]) -> str:
    """Return the text of ``sdc_sql/methods.py``: what is declared and has its function in one of the modules."""
    declared = [*declared]
    homes = {}
    # what is measured beside a risk is of the same table
    of_risk = {d.file for d in declared if any(column.bears == "risk" for column in d.given.columns)}
    of_risk |= {d.file for d in declared if d.file.startswith("risk/")}
    risks = {d.verb for d in declared if d.file in of_risk and d.completed and not d.is_step}
    for declaration in declared:
        room, stem = declaration.room, declaration.file.removesuffix(".sql").partition("/")[2]
        if f"\ndef {declaration.verb}(" in modules.get(f"sdc_sql/{room}/{stem}.py", ""):
            homes[declaration.verb] = (room, stem)
    imports = (f"from sdc_sql.{room} import {stem} as _{stem}" for room, stem in sorted(set(homes.values())))
    by_household = {d.verb for d in declared if d.is_step and d.effect.households.kind != "checked"}
    ways = {v: "bind_measure" if v in risks else "bind_mask" if v in by_household else "bind_method" for v in homes}
    rooms = {room: room.title() for room in sorted({room for room, _ in homes.values()})}
    methods = {
        room: "\n".join(
            f"    {verb} = {ways[verb]}(_{stem}.{verb})" for verb, (its, stem) in sorted(homes.items()) if its == room
        )
        for room in rooms
    }
    classes = (_ROOM.format(name=name, room=room, methods=methods[room]) for room, name in rooms.items())
    return _TEXT.format(
        note=NOTE, imports="\n".join(imports), rooms="\n\n\n".join(classes), names=", ".join(rooms.values())
    )
