"""How the page looks: the type and the colours of the reports, and what a page to work in has besides."""

from __future__ import annotations

from sdc_sql.document.style import DARK, LIGHT, RULES

OWN = """\
:root { --good: #1b6b3a; --bad: #a32020; --badsoft: #fbeeee; }
body { display: block; min-height: 100vh; }
main { max-width: 76rem; padding: 1.5rem 1.25rem 5rem; }
main:focus { outline: none; }
header.frame { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--line); }
"""


def write_style() -> str:
    """Return the style sheet: light and dark as the system has it, or as the page was told.

    Examples
    --------
    >>> "data-look=dark" in write_style()
    True
    """
    colours = (
        f":root {{ color-scheme: light; {LIGHT} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-look=light]) {{ color-scheme: dark; {DARK} }} }}\n"
        f":root[data-look=dark] {{ color-scheme: dark; {DARK} }}\n"
    )
    return colours + RULES + OWN
