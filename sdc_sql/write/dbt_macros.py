"""The macros of the dbt package: one for each public table macro, in a file a stem of sql/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.write.dbt_yaml import NOTE, document, sentence, write_entry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Word

ROOMS = ("linkage", "loss", "mask", "risk")
MASKS = "mask/masks.sql"
WITH_PARAMETER = 4  # a mask takes its table, columns, most a parameter, and the id


def generate_macros(declared: Iterable[Declaration]) -> dict[str, str]:
    """Return the files, by their path in the folder of macros; none for sdc_help, which is for a prompt."""
    files: dict[str, list[Declaration]] = {}
    for declaration in declared:
        if declaration.is_table and declaration.name != "sdc_help":
            files.setdefault(declaration.file.replace("core/", "risk/"), []).append(declaration)
    found = {name: f"{{#- {NOTE} -#}}\n\n" + "\n".join(map(_write_macro, listed)) for name, listed in files.items()}
    every = [declaration for listed in files.values() for declaration in listed]
    found[MASKS] = _masks([d for d in every if d.masks], [d for d in every if d.is_step])
    for room in ROOMS:
        found[f"{room}/{room}.yml"] = document(
            write_entry(d.name[4:], _describe_mask(d), d.parameters)
            for name in sorted(files)
            if name.startswith(f"{room}/")
            for d in files[name]
        )
    return found


def _write_macro(declaration: Declaration) -> str:
    required, named = [p.name for p in declaration.required], [p.name for p in declaration.optional]
    signature = ", ".join([*required, *(f"{name}=none" for name in named)])
    options = ", ".join(f"'{name}': {name}" for name in named)
    how, called = "measure", f"'{declaration.name}'"
    if declaration.masks:
        how, called = "mask", f"{called}, id"
    elif _draws(declaration):
        how, called = "replace", f"{called}, {'keys' if 'keys' in required else '[]'}"
    call = f"sdc.sdc__{how}({called}, [{', '.join(required)}], {{{options}}})"
    only = f"sdc.sdc__only('{declaration.name[4:]}', kwargs, {[*required, *named]})"
    return (
        f"{{%- macro {declaration.name[4:]}({signature}) -%}}\n    {{{{ {only} }}}}\n    {{{{ return({call}) }}}}\n"
        "{%- endmacro -%}\n"
        + "".join(_write_former_name(before, declaration) for before in declaration.before if before.startswith("sdc_"))
    )


def _write_former_name(before: str, declaration: Declaration) -> str:
    """Return a macro by its name of an earlier version, which says what it is called now."""
    refused = f"sdc.sdc__refuse('{explain_new_name(before[4:], declaration.name[4:])}')"
    ignored = "{%- set ignored = [varargs, kwargs] -%}"
    return f"\n{{%- macro {before[4:]}() -%}}\n    {ignored}\n    {{{{ {refused} }}}}\n{{%- endmacro -%}}\n"


def _draws(step: Declaration) -> bool:
    """Return whether a step draws at random; one that is no mask draws whole records."""
    return step.is_step and any(p.name == "stream" for p in step.parameters)


def _masks(masks: Iterable[Declaration], steps: Iterable[Declaration]) -> str:
    masks, steps = list(masks), list(steps)
    once = "".join(f"        '{d.name[4:]}': {_list_choices(d, d.effect.repeated)},\n" for d in steps if _is_once(d))
    drawing = "".join(f"        '{m.name[4:]}',\n" for m in steps if _draws(m))
    of_one = "".join(f"        '{m.name[4:]}',\n" for m in masks if any(p.name == "column_name" for p in m.parameters))
    alone = "".join(f"        '{m.name[4:]}',\n" for m in masks if len(m.required) < WITH_PARAMETER)
    rows = "".join(f"        '{mask.name[4:]}': {_list_record_choices(mask)},\n" for mask in masks)
    return (
        f"{{#- {NOTE}\n\n"
        "    Each mask, with the values of arguments by which it masks a record by itself; none where it never does.\n"
        f"-#}}\n{{%- macro sdc__masks() -%}}\n    {{{{ return({{\n{rows}    }}) }}}}\n{{%- endmacro -%}}\n"
        "\n{#- The methods for one release of a table that changes, but with these values of arguments. -#}\n"
        f"{{%- macro sdc__once() -%}}\n    {{{{ return({{\n{once}    }}) }}}}\n{{%- endmacro -%}}\n"
        "\n{#- The methods that draw at random. -#}\n"
        f"{{%- macro sdc__drawing() -%}}\n    {{{{ return([\n{drawing}    ]) }}}}\n{{%- endmacro -%}}\n"
        "\n{#- The masks of one column, which is a name; the others take a list. -#}\n"
        f"{{%- macro sdc__of_one_column() -%}}\n    {{{{ return([\n{of_one}    ]) }}}}\n{{%- endmacro -%}}\n"
        "\n{#- The masks of columns without a parameter. -#}\n"
        f"{{%- macro sdc__without_parameter() -%}}\n    {{{{ return([\n{alone}    ]) }}}}\n{{%- endmacro -%}}\n"
    )


def _list_record_choices(mask: Declaration) -> str:
    scope = mask.scope
    if scope is None or scope.kind != "record":
        return "none"
    return _list_choices(mask, scope)


def _list_choices(declaration: Declaration, word: Word) -> str:
    """Return the argument and its values that a word hangs on, none among them where one is the default."""
    if not word.parameter:
        return "{}"
    (default,) = (p.default for p in declaration.parameters if p.name == word.parameter)
    left_out = ["none"] if str(default).strip("'") in word.choices else []
    return f"{{'{word.parameter}': [{', '.join([*left_out, *map(repr, word.choices)])}]}}"


def _is_once(step: Declaration) -> bool:
    """Return whether a step is for one release, but for some values of its arguments."""
    word = step.effect.repeated
    return "once" in {word.kind, word.otherwise}


def _describe_mask(declaration: Declaration) -> str:
    said, scope = sentence(declaration.summary), declaration.scope
    if not declaration.masks or scope is None:
        return said
    kept = f"{said} Keeps: {declaration.keeps}"
    if declaration.guarantees:
        kept += f" Guarantees: {declaration.guarantees}"
    if scope.kind != "record":
        return f"{kept} Needs the whole table."
    if not scope.parameter:
        return f"{kept} Masks a record by itself."
    where = f"where {scope.parameter} is {' or '.join(scope.choices)}"
    return f"{kept} Masks a record by itself {where}; else needs the whole table."
