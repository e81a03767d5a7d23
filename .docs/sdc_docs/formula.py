r"""A formula of a header as MathJax draws it, where each sign can be read in one way only; else it stays as text.

What is written is typeset token by token, none is left out and none is added: a slash stays a slash, brackets stay.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_GREEK = frozenset(
    re.findall(
        r"\w+",
        "alpha beta gamma delta epsilon zeta eta theta lambda mu nu xi pi rho sigma tau phi chi psi omega "
        "Gamma Delta Theta Lambda Sigma Phi Psi Omega",
    )
)
_FUNCTIONS = {"sum": r"\sum", "prod": r"\prod", "integral": r"\int", "min": r"\min", "max": r"\max", "exp": r"\exp",
              "ln": r"\ln", "log": r"\log", "det": r"\det", "var": r"\operatorname{var}",
              "cov": r"\operatorname{cov}", "mean": r"\operatorname{mean}", "rank": r"\operatorname{rank}",
              "Pr": r"\Pr", "floor": r"\operatorname{floor}", "logit": r"\operatorname{logit}",
              "tr": r"\operatorname{tr}", "Poisson": r"\operatorname{Poisson}"}  # fmt: skip
_SIGNS = {"<=": r"\le", ">=": r"\ge", "->": r"\to", "...": r"\ldots", "..": r"\ldots", "<": "<", ">": ">", "=": "=",
          "+": "+", "-": "-", "-+": r"\mp", "/": "/", ",": ",", ";": ";", ":": ":", "|": "|", "(": "(", ")": ")",
          "[": "[", "]": "]", "!": "!", "*": r"\cdot", "~": r"\sim"}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?![\d.]*[A-Za-z]))|(?P<named>(?:[A-Za-z]{2,}\d?)(?:_[A-Za-z]{2,}[A-Za-z0-9]*)+(?![\w^~]))"
    r"|(?P<name>[A-Za-z]+\d?)|(?P<sign><=|>=|->|-\+|\.\.\.|\.\.|[-<>=+/,;:|()\[\]!*]|~(?= ))"
)
_HAT = re.compile(r"\^(?=$|[ _^),;|*/])")
_SUBSCRIPT = re.compile(r"_(\{[^{}]*\}|\([A-Za-z0-9+-]+\)|\|[A-Z]\||[A-Za-z0-9]+[~*]?[A-Za-z0-9]*)(?!'[a-z])")
_POWER = re.compile(r"\^(\{[^{}]*\}|\([^()]*\)|-?[A-Za-z0-9]+\*?)")
_WORD = re.compile(r"\b[a-z]{2,}\b")
_MANY = 12  # words of a remark
_LONG = 78
_APART = {",", ";", ":"}
_TIGHT = {*_SIGNS.values()} - {"(", "["}
# words, and the brackets and signs between them; an article stands before one
_PROSE = (
    rf"(?<![\w_^'~])(?!(?:{'|'.join((*_GREEK, *_FUNCTIONS))})\b)"
    r"(?:(?:of|in|is|to|as|at|by|it|or|no|on|be|if|an|[a-z]{3,})(?:-[a-z]+)*(?![\w_^(])"
    r"|[A-Z][a-z]{2,}(?![\w_^(])|'[a-z]+'|&|a(?= [a-z]{2,}))"
)
_WORDS = re.compile(rf"( ?\((?:{_PROSE}|[ ,;:.\d])*{_PROSE}(?:{_PROSE}|[ ,;:.\d])*\)|(?: ?{_PROSE}[.:]? ?)+)")
_GAP = re.compile(r" {2,}")
_NUMBER = re.compile(r"(?:(?:, )?(?:\(\d[\d.]*\)|\d+(?:\.\d+){2,}))+")  # of an equation, or a section
_DRAWN = re.compile(r"^ |\d\.\d{3}", re.MULTILINE)  # lines that hang together by their columns; a worked example
_PRIMED = re.compile(r"sum_[a-z]'|_[a-z]'[a-z]")  # the prime is the index's
_DEFINED = re.compile(r"(?:^|  |, |; )([A-Za-z]{2,}\d?) +=", re.MULTILINE)  # a word that is given a meaning


class _Unread(Exception):  # noqa: N818 - no error: the formula stays as it is
    """A sign that could mean more than one thing."""


def write_tex(text: str, words: Collection[str] = ()) -> str | None:
    r"""Return lines of a header as LaTeX, None where they cannot be read for certain.

    ``words``: names of results, which may stand in a formula.

    Examples
    --------
    >>> print(write_tex("theta^  = pi n_1 / (pi n_1 + 2 n_2)    (7)"))
    \begin{aligned}
    \hat{\theta} &= \pi \, n_{1} / ( \pi \, n_{1} + 2 \, n_{2} ) \qquad \text{(7)}
    \end{aligned}
    >>> write_tex("T_k' = sum_k' p_k'l") is None  # the prime of T_k or of k?
    True
    """
    if _DRAWN.search(text) or _PRIMED.search(text):
        return None
    words = {*words, *_DEFINED.findall(text)}
    try:
        lines = [_write_line(line, words) for line in text.splitlines()]
    except _Unread:
        return None
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _write_line(line: str, words: Collection[str]) -> str:
    line = line.replace(" , ", " ,  ").strip()
    left, sign, right = _part(line)
    if not sign or _GAP.search(left.strip()):  # a label stands before, or there is no equation
        return f"& {_write_cells(line, line, words)}"
    return f"{_write_math(left.strip(), words)} &= {_write_cells(right.strip(), line, words)}"


def _write_cells(text: str, line: str, words: Collection[str]) -> str:
    """Return what stands in a line beside one another; of a long one below one another, but for the numbers."""
    first, *others = _GAP.split(text)
    between = " \\\\\n& \\qquad " if len(_GAP.sub("  ", line)) > _LONG else r" \qquad "
    written = _write_cell(first, words)
    for cell in others:
        written += (r" \qquad " if _NUMBER.fullmatch(cell) else between) + _write_cell(cell, words)
    return written


def _part(line: str) -> tuple[str, str, str]:
    """Return what stands on either side of the first sign of equality that is in no bracket."""
    for found in re.finditer(" = ", line):
        before = line[: found.start()]
        if all(before.count(a) == before.count(b) for a, b in ("()", "{}", "[]")):
            return before, "=", line[found.end() :]
    return line, "", ""


def _write_cell(cell: str, words: Collection[str]) -> str:
    """Return a formula, its number, a remark, or a few words with symbols between them."""
    if _NUMBER.fullmatch(cell):
        return rf"\text{{{cell}}}"
    try:
        return _write_math(cell, words)
    except _Unread:
        if len(_WORD.findall(cell)) > _MANY:  # a sentence, which is to be broken into lines
            raise
    parts = _WORDS.split(cell)
    said = [
        rf"\text{{{part}}}".replace("&", r"\&") if i % 2 else _write_math(part, words) for i, part in enumerate(parts)
    ]
    return " ".join(part for part in said if part)


def _write_math(text: str, words: Collection[str]) -> str:
    at, written, loose = 0, [], False
    while at < len(text):
        if text[at] == " ":
            at += 1
            loose = bool(written)
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            raise _Unread
        at = found.end()
        if found[0] == "sqrt" and text[at : at + 1] == "(":
            closed = _close(text, at)
            tex, at = rf"\sqrt{{{_write_math(text[at + 1 : closed], words)}}}", closed + 1
        else:
            tex = _write_token(found, words)
        if found["name"] or found[0] in {")", "]", "|", "!"} or found["number"]:
            tex, at = _decorate(tex, text, at, words)
        if loose and (written[-1] in _APART or (tex not in _TIGHT and written[-1] not in _TIGHT)):
            written.append(r"\,")  # two factors, or two terms of a list
        written.append(tex)
        loose = False
    return " ".join(written)


def _close(text: str, at: int) -> int:
    """Return where the bracket that opens there is closed."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return place
    raise _Unread


def _write_token(found: re.Match[str], words: Collection[str]) -> str:
    said = found[0]
    if found["number"]:
        return said
    if found["sign"]:
        return _SIGNS[said]
    if said in _GREEK:
        return rf"\{said}"
    if said in _FUNCTIONS:
        return _FUNCTIONS[said]
    if len(said) == 1:
        return said
    if found["named"] or said in words or (said.isupper() and said.isalpha()):
        return rf"\mathrm{{{said.replace('_', '{_}')}}}".replace("{_}", r"\_")
    raise _Unread


def _decorate(tex: str, text: str, at: int, words: Collection[str]) -> tuple[str, int]:
    """Return a symbol with the hat, tilde, prime, star, index and power that follow it at once."""
    if _HAT.match(text, at):
        tex, at = rf"\hat{{{tex}}}", at + 1
    elif text[at : at + 1] == "~" and tex[-1] != ")":
        tex, at = rf"\tilde{{{tex}}}", at + 1
    while at < len(text):
        index, power = _SUBSCRIPT.match(text, at), _POWER.match(text, at)
        if index:
            tex, at = f"{tex}_{{{_write_index(index[1], words)}}}", index.end()
        elif power:
            tex, at = f"{tex}^{{{_write_math(power[1].strip('{}'), words)}}}", power.end()
        elif text[at] == "'":
            tex, at = f"{tex}'", at + 1
        elif text[at] == "*":
            tex, at = f"{tex}^{{*}}", at + 1
        else:
            break
    if at < len(text) and text[at] in "^_~{}":
        raise _Unread
    return tex, at


def _write_index(text: str, words: Collection[str]) -> str:
    """Return an index: its letters as they stand, or a condition in braces."""
    if not text.startswith("{"):
        return rf"\mathrm{{{text}}}" if re.fullmatch("[a-z]{4,}", text) else text.replace("~", r"{\sim}")
    parts = re.split(r"\b(in)\b", text.strip("{}"))
    return " ".join(r"\in" if part == "in" else _write_math(part, words) for part in parts)
