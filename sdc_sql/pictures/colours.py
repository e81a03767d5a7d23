"""How a picture by itself looks: what the style of a page says of shapes, light and dark, for this picture alone."""

from __future__ import annotations

import re
from functools import cache

from sdc_sql.document.style import STYLE

CLASS = "sdc-picture"
_RULE = re.compile(r"^\s*([^{}@]+?)\s*\{([^{}]*)\}", re.MULTILINE)
_SHAPE = re.compile(r"^(svg|text|rect|circle|line|path)(\.[a-z]+)*$")
_COLOUR = re.compile(r"--([a-z]+):\s*(#[0-9a-f]{3,6})")
_NARROW = "@media (max-width"


@cache
def write_style() -> str:
    r"""Return the style of a picture, in which nothing is left to look up and nothing reaches another's shapes.

    A notebook puts the picture into its own page, whose shapes stay as they are; and not every program that shows SVG
    knows variables.

    Examples
    --------
    >>> style = write_style()
    >>> ".sdc-picture rect.share { fill: #8db9de;" in style, "var(" in style, "prefers-color-scheme: dark" in style
    (True, False, True)
    """
    light, dark = read_colours()
    rules = [("", "font-family: " + _find_font() + "; background: var(--paper)"), ("rect.paper", "fill: var(--paper)")]
    rules = [*_list_rules(), *rules, ("rect.paper", "stroke: none"), ("text.caption", "font-weight: 600")]
    plain = "\n".join(_write_rule(names, body, light) for names, body in rules)
    coloured = ((names, _keep_colours(body)) for names, body in rules)
    darker = "\n".join(_write_rule(names, body, dark) for names, body in coloured if body)
    return f"{plain}\n@media (prefers-color-scheme: dark) {{\n{darker}\n}}\n"


def read_colours() -> tuple[dict[str, str], dict[str, str]]:
    """Return the colours of a light and of a dark screen by their names.

    Examples
    --------
    >>> light, dark = read_colours()
    >>> light.keys() == dark.keys(), light["paper"], dark["paper"]
    (True, '#ffffff', '#15171a')
    """
    light, dark, *_ = (dict(_COLOUR.findall(body)) for names, body in _RULE.findall(STYLE) if names == ":root")
    return light, light | dark


def _list_rules() -> list[tuple[str, str]]:
    """Return what the page says of the shapes of pictures, in its order."""
    found = []
    for names, body in _RULE.findall(STYLE.partition(_NARROW)[0]):
        shapes = [name.strip() for name in names.split(",") if _SHAPE.match(name.strip())]
        found += [(", ".join(shapes), body)] if shapes else []
    return found


def _write_rule(names: str, body: str, colours: dict[str, str]) -> str:
    within = ", ".join(f".{CLASS} {name}".strip() for name in (names.split(", ") if names else [""]))
    text = re.sub(r"var\(--([a-z]+)\)", lambda m: colours[m.group(1)], body.strip())
    return f"{within} {{ {text} }}"


def _keep_colours(body: str) -> str:
    return "; ".join(part.strip() for part in body.split(";") if "var(" in part)


def _find_font() -> str:
    found = re.search(r"font: [^;]*?(system-ui[^;]*);", STYLE)
    return found.group(1) if found else "sans-serif"
