"""The reference of the command line, from its parsers: a page a command."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from sdc_docs.markdown import capitalise, code, escape, fence, table
from sdc_sql.cli import parser

if TYPE_CHECKING:
    from collections.abc import Iterable

Action = argparse.Action


def write_command_line() -> dict[str, str]:
    """Return the text of each page by its path below reference/command_line/."""
    os.environ["COLUMNS"] = "92"  # how wide a usage is
    commands, meant = _list_commands(parser())
    pages = {f"{name}.md": _write_command(name, commands[name], meant.get(name, "")) for name in commands}
    rows = [[f"[`sdc-sql {name}`]({name}.md)", escape(capitalise(meant.get(name, "")))] for name in commands]
    listed = "\n".join(f"sdc-sql {name} <{name}>" for name in commands)
    pages["index.md"] = (
        "# Command line\n\nThe commands of `sdc-sql` with all their options, as the parsers declare them.\n\n"
        f"{table(['command', 'what it does'], rows)}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return pages


def _list_commands(of: argparse.ArgumentParser) -> tuple[dict[str, argparse.ArgumentParser], dict[str, str]]:
    """Return the commands below a parser, and what each is for."""
    for action in of._actions:  # noqa: SLF001 - argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            meant = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            return dict(action.choices.items()), meant
    return {}, {}


def _write_command(name: str, command: argparse.ArgumentParser, meant: str) -> str:
    parts = [f"# sdc-sql {name}", escape(capitalise(command.description or meant)).rstrip(".") + "."]
    inner, of_inner = _list_commands(command)
    if not inner:
        return "\n\n".join([*parts, *_write_options(command)]) + "\n"
    shared = _find_shared(inner.values())
    first = next(iter(inner.values()))
    if shared:
        common = [a for a in _list_options(first) if _name(a) in shared]
        parts += ["## What all of them take", _write_table(common)]
    for word, below in inner.items():
        parts += [f"## {name} {word}", escape(capitalise(of_inner.get(word, ""))).rstrip(".") + "."]
        parts += _write_options(below, without=shared, epilog=not shared)
    if shared and first.epilog:
        parts += ["## Notes", _write_epilog(first.epilog)]
    return "\n\n".join(parts) + "\n"


def _find_shared(parsers: Iterable[argparse.ArgumentParser]) -> set[str]:
    """Return the options that all commands take in the same words."""
    found = [{(_name(a), a.help) for a in _list_options(p)} for p in parsers]
    return {name for name, _ in set.intersection(*found)} if len(found) > 1 else set()


def _list_options(command: argparse.ArgumentParser) -> list[Action]:
    return [
        a for a in command._actions  # noqa: SLF001
        if not isinstance(a, argparse._HelpAction | argparse._SubParsersAction) and a.help != argparse.SUPPRESS  # noqa: SLF001
    ]  # fmt: skip


def _write_options(
    command: argparse.ArgumentParser, *, without: Iterable[str] = (), epilog: bool = True
) -> list[str]:  # fmt: skip
    left = [a for a in _list_options(command) if _name(a) not in {*without}]
    usage = command.format_usage().removeprefix("usage: ")
    parts = [fence(usage, "text")] if not without else []
    parts += [_write_table(left)] if left else []
    return [*parts, *([_write_epilog(command.epilog)] if epilog and command.epilog else [])]


def _name(action: Action) -> str:
    return ", ".join(action.option_strings) or str(action.metavar or action.dest)


def _write_table(actions: Iterable[Action]) -> str:
    rows = [[_spell(a), escape(" ".join((a.help or "").replace("%%", "%").split()))] for a in actions]
    return table(["option", "what it says"], rows)


def _spell(action: Action) -> str:
    """Return an option with what follows it."""
    names = action.option_strings or [""]
    value = ""
    if action.nargs != 0:
        metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        value = "|".join(map(str, action.choices)) if action.choices else metavar
    return ", ".join(code(f"{name} {value}".strip()) for name in names)


def _write_epilog(text: str) -> str:
    """Return the notes below the options: paragraphs, and what is indented as it stands."""
    parts: list[str] = []
    for block in text.strip("\n").split("\n\n"):
        lines = block.splitlines()
        head = [line for line in lines if not line.startswith(" ")]
        body = [line for line in lines if line.startswith(" ")]
        parts += [escape(capitalise(" ".join(head)))] if head else []
        parts += [fence("\n".join(line.strip() for line in body), "sh")] if body else []
    return "\n\n".join(parts)
