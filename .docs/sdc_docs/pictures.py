"""The picture of a result, where Python draws one: of the small tables that the examples read."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from sdc_docs.calls import connect, read_call
from sdc_docs.markdown import escape
from sdc_docs.rooms import find_room
from sdc_sql.errors import ParameterError
from sdc_sql.methods import Methods
from sdc_sql.microdata import Microdata

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration

_ROLES = ("keys", "weight", "household", "id", "sampling_fraction")


def write_pictures(declaration: Declaration) -> tuple[dict[str, str], str]:
    """Return the files of a picture, by their paths below functions/, and the Markdown that shows it."""
    method = getattr(Methods, declaration.verb, None)
    if method is None or not declaration.is_table or "Drawn" not in str(inspect.signature(method).return_annotation):
        return {}, ""
    given = dict(read_call(declaration).given)
    taken = inspect.signature(method).parameters
    roles = {name: given[name] for name in _ROLES if name in given and name not in taken}
    arguments = {name: value for name, value in given.items() if name in taken}
    source, released = str(next(iter(given.values()))), given.get("released")
    data = Microdata(connect(), source, **roles)
    if released is not None:
        arguments["original"] = data
        data = Microdata(connect(), released, **roles)
    call = getattr(getattr(data, declaration.room), declaration.verb)
    try:
        picture = call(**arguments).plot()
    except ParameterError:  # a picture of one variable
        picture = call(**arguments | {"columns": arguments["columns"][-1]}).plot()
    stem = declaration.name.removeprefix("sdc_")
    return {f"{find_room(declaration)}/{stem}.svg": picture.to_svg() + "\n"}, (
        f"`plot()` of the result in Python, of the small table:\n\n![{escape(picture.title)}]({stem}.svg)"
    )
