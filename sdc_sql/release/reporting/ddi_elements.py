"""Elements of an XML document: every text becomes one that XML can hold."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

# no XML 1.0 document can hold these characters, however they are escaped
_UNHOLDABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def replace_forbidden(text: str) -> str:
    r"""Return a text with what XML cannot hold replaced.

    Examples
    --------
    >>> replace_forbidden("a\x00<b>\ud800").encode("unicode_escape")
    b'a\\ufffd<b>\\ufffd'
    """
    return _UNHOLDABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def add(parent: ET.Element, tag: str, text: str | None = None, /, **attributes: str | None) -> ET.Element:
    """Add an element with a text and attributes; an attribute that is None is left out, `_` in its name is `-`.

    Examples
    --------
    >>> root = ET.Element("var")
    >>> _ = add(root, "labl", "a < b", level="variable", vendor=None)
    >>> ET.tostring(root)
    b'<var><labl level="variable">a &lt; b</labl></var>'
    """
    given = {
        name.replace("_", "-"): replace_forbidden(value) for name, value in attributes.items() if value is not None
    }
    found = ET.SubElement(parent, tag, given)
    found.text = None if text is None else replace_forbidden(text)
    return found
