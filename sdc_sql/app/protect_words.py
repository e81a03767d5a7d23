"""What methods, their fields and steps are called in the page: names of the field, and sentences.

A method has the title that its header gives (``Title:``), for who could not choose by the name of its macro, else that
name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.headers import NUMBERS
from sdc_sql.document.blocks import format_readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter


# which of several methods of one kind to choose, for who has never chosen: by the word that their names begin with
CHOICES = {
    "PRAM": (
        "Which PRAM to choose",
        (
            "PRAM (post-randomisation) exchanges the category of a record for another one by chance, with "
            "probabilities that are known, so that tables can be corrected for it. Give a probability to stay "
            "where one number is to say how much changes: the first choice. Give a transition matrix where some "
            "changes must never happen, or are to be likelier than others: a file with a row for each change, "
            "with its probability. Give a bound on the probability of a right match where the risk is what you "
            "can say, and the changes are to follow from it."
        ),
    ),
    "Recode": (
        "Which recoding to choose",
        (
            "For categories: merge or rename them. For numbers: intervals by cut points, or classes of equal "
            "width or count. For codes with a hierarchy in them, as of places or occupations: keep their first "
            "characters, or go to a level of a hierarchy that a file holds. For dates: their periods."
        ),
    ),
    "Local suppression": (
        "Which suppression to choose",
        (
            "Until k records are alike: each record shares its keys with k - 1 others at the least (k-anonymity)."
            " Rare combinations: only sets of a few keys that few records share (the threshold rule). In risky "
            "records: until no individual risk, as it is estimated with the weights, is above a limit."
        ),
    ),
}

_ENDS = {
    "closed": "closed at both ends", "open": "open at both ends", "open_below": "open below",
    "open_above": "open above",
}  # fmt: skip
_SAID = {"true": "yes", "false": "no", **_ENDS}
_SHOWN = 6  # merged groups of a mapping that are named


def name_method(mask: Declaration) -> str:
    """Return what a method is called in the list.

    Examples
    --------
    >>> from sdc_sql.app.protect_forms import find_method
    >>> name_method(find_method("sdc_pram_retention")), name_method(find_method("sdc_data_swap"))
    ('PRAM by a probability to stay', 'Data swap')
    """
    if mask.title is not None:
        return mask.title.method
    words = mask.name.removeprefix("sdc_").replace("_", " ")
    return words[0].upper() + words[1:]


def name_step(mask: Declaration, of: str) -> str:
    """Return what a step by a method is called, by what it masks.

    Examples
    --------
    >>> from sdc_sql.app.protect_forms import find_method
    >>> name_step(find_method("sdc_local_suppression"), "the keys of nosy neighbour")
    'Local suppression of the keys of nosy neighbour'
    >>> name_step(find_method("sdc_noise"), "age, income"), name_step(find_method("sdc_sample"), "")
    ('Noise: age, income', 'Sample')
    """
    if not of:
        return name_method(mask)
    said = mask.title.step if mask.title is not None else f"{name_method(mask)}: {{}}"
    return said.replace("{}", of)


def find_choice(mask: Declaration) -> tuple[str, str] | None:
    """Return how one chooses among methods that are alike, as a heading and a text, where there are several."""
    return next((said for word, said in CHOICES.items() if name_method(mask).startswith(word)), None)


def name_field(parameter: Parameter) -> str:
    """Return the label of a field: a letter says what it stands for.

    Examples
    --------
    >>> from sdc_sql.app.protect_forms import find_method, list_fields
    >>> [name_field(field) for field in list_fields(find_method("sdc_local_suppression"))][:2]
    ['k: the least number of records', 'Guarantee']
    """
    words = parameter.name.replace("_", " ")
    if _is_letter(parameter):
        return f"{words}: {parameter.meaning.partition(';')[0]}"
    return words[0].upper() + words[1:]


def describe_field(parameter: Parameter) -> str:
    """Return what a header says of a field and what is written there, for who has no header before him.

    Examples
    --------
    >>> from sdc_sql.app.protect_forms import find_method, list_fields
    >>> [describe_field(field) for field in list_fields(find_method("sdc_local_suppression"))][0]
    'A whole number of at least 2.'
    >>> [describe_field(field) for field in list_fields(find_method("sdc_pram_retention"))][0]
    'The probability to stay. A number from 0 to 1.'
    """
    _, _, rest = parameter.meaning.partition(";")
    told = rest.strip() if _is_letter(parameter) else parameter.meaning  # the label of a letter says the first part
    told = re.sub(r"\bNULL( or an empty list)?(?=:)|(?<=or )NULL(?=,)", "empty", told)
    return " ".join(_begin(part) for part in (told.replace("`", ""), _describe_kind(parameter)) if part)


def _is_letter(parameter: Parameter) -> bool:
    """Return whether a field is called by a letter of a formula: k, l, t, xi."""
    return len(parameter.name) <= 2  # noqa: PLR2004 - of one letter, or of one in Greek


def _begin(text: str) -> str:
    """Return a sentence; a letter that it begins with stays as formulas have it."""
    return f"{text if re.match(r'[^a][ :;]', text) else text[0].upper() + text[1:]}."


_WRITTEN = {
    "table": "the path of a file", "columns": "columns, with commas between", "names": "words, with commas between",
    "values": "values, with commas between",
}  # fmt: skip


def _describe_kind(parameter: Parameter) -> str:
    if parameter.choices or parameter.type in {"column", "truth value", "text"}:
        return ""  # its field is a list, or whatever is typed
    if parameter.type not in NUMBERS:
        return _WRITTEN.get(parameter.type, "")
    words = parameter.range.words if parameter.range else ""
    if parameter.type == "whole number":
        return f"a whole number{parameter.range.words_of_whole if parameter.range else ''}"
    one = f"a number{', ' if words.startswith('at ') else ' '}{words}".rstrip()
    if parameter.type == "numbers":
        return f"numbers with commas between{f', each {words}' if words else ''}"
    several = {"number or numbers": ", or several with commas between", "column or number": ", or a column"}
    return f"{one}{several.get(parameter.type, '')}"


def say_choice(choice: str) -> str:
    """Return a choice of a list in words.

    Examples
    --------
    >>> say_choice("open_above"), say_choice("true"), say_choice("equal_width")
    ('open above', 'yes', 'equal width')
    """
    return _SAID.get(choice, choice.replace("_", " "))


def describe_argument(name: str, value: Any) -> str:  # noqa: ANN401 - of a release file
    """Return an argument of a step in words.

    Examples
    --------
    >>> describe_argument("breaks", [0, 1, 2]), describe_argument("ends", "open_above"), describe_argument("k", 3)
    ('cut points 0, 1 and 2', 'open above', 'k: 3')
    >>> describe_argument("mapping", {"n": "coast", "s": "coast", "w": "west", "e": "e"})
    'n and s become coast; w becomes west; what is left stays'
    """
    if name == "breaks" and isinstance(value, list):
        return f"cut points {_join([_describe(one) for one in value])}"
    if name == "ends" and value in _ENDS:
        return _ENDS[value]
    if name == "mapping" and isinstance(value, Mapping):
        return _describe_mapping(value)
    if name == "where":
        return f"only where {value}"
    if name == "by_household":
        return f"by the household {value}"
    return f"{name.replace('_', ' ')}: {_describe(value)}"


def _describe_mapping(mapping: Mapping[Any, Any]) -> str:
    """Return what merges, and what stays, of the values that a mapping lists."""
    groups: dict[str, list[str]] = {}
    for value, becomes in mapping.items():
        groups.setdefault(str(becomes), []).append(str(value))
    changed = [(to, values) for to, values in groups.items() if values != [to]]
    said = [
        f"{_join([_show(one) for one in values])} {'become' if len(values) > 1 else 'becomes'} {_show(to)}"
        for to, values in changed[:_SHOWN]
    ]
    if len(changed) > _SHOWN:
        said.append(f"and {len(changed) - _SHOWN} more")
    if len(changed) < len(groups):
        said.append("what is left stays" if changed else "every category stays")
    return "; ".join(said)


def _show(value: str) -> str:
    return format_readable(value) if value.strip() else f'"{format_readable(value)}"'


def _join(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _describe(value: Any) -> str:  # noqa: ANN401 - of a release file
    if isinstance(value, list):
        return ", ".join(map(_describe, value))
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_describe(one)}" for name, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return say_choice(value) if isinstance(value, str) else str(value)
