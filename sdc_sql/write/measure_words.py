"""The docstrings of a written measure, in numpydoc's form."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.headers import HeaderError
from sdc_sql.write.dbt_yaml import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.write.measure_arguments import Argument

WIDTH = 120


def docstring(macro: Declaration, text: str, rest: Iterable[str] = ()) -> str:
    """Return a docstring, four blanks in: a first sentence in a line of its own, and paragraphs below it."""
    first, more = split_sentence(text)
    paragraphs = [*([more] if more else []), *rest]
    if len(first) > WIDTH - (7 if paragraphs else 10):
        raise HeaderError(macro.file, 0, f"{macro.name}: as a first line of Python this is too long: {first!r}.")
    if not paragraphs:
        return f'    """{first}"""'
    whole = "\n\n".join(p if "\n" in p else _fill_lines(p, 4) for p in paragraphs)
    raw = "r" if "\\" in whole else ""
    return f'    {raw}"""{first}\n\n{whole}\n    """'


def split_sentence(text: str) -> tuple[str, str]:
    """Return the first sentence of a text, and what follows it.

    Examples
    --------
    >>> split_sentence("The sum, e.g. of x. By Skinner & Elliot (2002).")
    ('The sum, e.g. of x.', 'By Skinner & Elliot (2002).')
    """
    found = re.match(r"(.+?\.)(?: (?=[A-Z`(])(.*))?$", text)
    return (found[1], found[2] or "") if found else (text, "")


def python_words(text: str, columns: Iterable[str] = ()) -> str:
    """Return words of a header as Python says them: double backticks, and None for NULL of a field.

    Examples
    --------
    >>> python_words("`il1` of a constant is none; variable NULL: all of them. NULL in a key counts.", ["variable"])
    '``il1`` of a constant is none; variable None: all of them. NULL in a key counts.'
    """
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)
    names = "|".join(map(re.escape, columns))
    return (
        re.sub(rf"\b((?:{names})(?:``)?(?: is| are)?) NULL\b", r"\1 None", text, flags=re.IGNORECASE) if names else text
    )


def parameters(given: Iterable[Argument]) -> str:
    """Return the section of the parameters: what each means, and what it may be."""
    lines = []
    for argument in given:
        lines += [f"    {argument.name}", _fill_lines(_meaning(argument), 8)]
    return "\n".join(["    Parameters", "    ----------", *lines])


def _meaning(argument: Argument) -> str:
    parameter = argument.parameter
    words = re.sub(r"\bNULL(?=:)|(?<=or )NULL\b", "None", python_words(sentence(parameter.meaning), [argument.name]))
    if parameter.name == "original":
        return f"{words.removesuffix('.')}: a Microdata, or its name on this connection."
    if parameter.type == "table":
        return f"The name of {words[0].lower()}{words[1:]}"
    within = parameter.range.words if parameter.range else ""
    return f"{words.removesuffix('.')}, {within}." if within else words


def section(title: str, paragraphs: Iterable[str]) -> str:
    """Return a section of a docstring whose lines are filled."""
    filled = "\n\n".join(_fill_lines(text, 4) for text in paragraphs)
    return f"    {title}\n    {'-' * len(title)}\n{filled}"


def write_returns(macro: Declaration) -> str:
    """Return the section of what is returned."""
    its = macro.result
    if its.is_relation:
        lines = ["    duckdb.DuckDBPyRelation", _fill_lines(python_words(its.words), 8)]
    elif macro.given.is_one:
        lines = [f"    {its.name}"]
    else:
        order = f", {python_words(macro.given.order, macro.given.by)}" if macro.given.order else ""
        each = f"One for each {' and '.join(macro.given.by)}{order}." if macro.given.by else ""
        lines = [f"    Results of {its.name}", *([_fill_lines(each, 8)] if each else [])]
    return "\n".join(["    Returns", "    -------", *lines])


def write_raises(macro: Declaration, arguments: tuple[Argument, ...]) -> str:
    """Return the section of the errors, '' where none is to be told of."""
    found: dict[str, list[str]] = {}
    roles = [a.name for a in arguments if a.passed.startswith(("data.require_role", "data.checked_weight"))]
    when = [f"the table was described without {' or '.join(_article(role) for role in roles)}"] if roles else []
    if macro.result.refuses_wildcards:
        when.append(
            'it was described with ``nulls="wildcard"``'
            if roles
            else 'the table was described with ``nulls="wildcard"``'
        )
    wrong = [f"``{a.name}``" for a in arguments if a.is_given and a.parameter.range and "require_" in a.passed]
    if wrong:
        when.append(f"{' or '.join(wrong)} is out of its range")
    if when:
        found["ParameterError"] = [f"Where {', or '.join(when)}."]
    for error, said in macro.result.raises:
        found.setdefault(error, []).append(f"{sentence(python_words(said))}")
    lines = [f"    {error}\n{_fill_lines(' '.join(said), 8)}" for error, said in found.items()]
    return "\n".join(["    Raises", "    ------", *lines]) if lines else ""


def _article(role: str) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


def _fill_lines(text: str, indent: int) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
