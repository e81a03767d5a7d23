"""Certificates of format 1, of before version 0.2.0, whose figures had other names: brought into the form of today.

It is frozen: it says what was, and nothing new is added here.
"""

from __future__ import annotations

import re
from typing import Any

from sdc_sql.figures.renamed import find_new_name

FORMAT = 1
WITHOUT = {"figures", "released_as_collected"}  # this format lacks these fields of later certificates

_FIGURE = re.compile(r"\b(?P<measure>[A-Za-z_]\w*)(?P<row>\.\d+)?\.(?P<figure>[A-Za-z_]\w*)")


def convert_format(said: dict[str, Any]) -> dict[str, Any]:
    """Return an internal certificate of format 1 with the figures of its limits under their names of today.

    Examples
    --------
    >>> limit = {"limit": "NOT suda.records > 2", "figures": {"suda.records": 1}}
    >>> convert_format({"limits": [limit]})["limits"]
    [{'limit': 'NOT suda_summary.records > 2', 'figures': {'suda_summary.records': 1}}]
    """
    limits = [
        {
            **row,
            "limit": _FIGURE.sub(_convert_old_fields, row["limit"]),
            "figures": {_FIGURE.sub(_convert_old_fields, name): value for name, value in row["figures"].items()},
        }
        for row in said["limits"]
    ]
    return {**said, "figures": {}, "limits": limits}


def _convert_old_fields(found: re.Match[str]) -> str:
    return find_new_name(found["measure"], found["figure"]) or found[0]
