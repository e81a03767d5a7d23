"""``sdc-sql completion``: completion of commands, methods, options and their choices, for bash, zsh or fish."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EPILOG = """what is printed is read by the shell:
  source <(sdc-sql completion bash)                                   # in ~/.bashrc
  source <(sdc-sql completion zsh)                                    # in ~/.zshrc, after compinit
  sdc-sql completion fish > ~/.config/fish/completions/sdc-sql.fish
"""


@dataclass(frozen=True)
class Option:
    """An option: its spellings, what it means, whether a value follows it, and which there are."""

    names: tuple[str, ...]
    meaning: str
    takes_value: bool
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Node:
    """What can follow a command (``mask``, ``mask noise``): commands or words, each with its meaning, and options."""

    path: str
    words: tuple[tuple[str, str], ...]
    options: tuple[Option, ...]


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    command = commands.add_parser(
        "completion", help="print what completes commands and options in bash, zsh or fish", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("shell", choices=tuple(WRITERS), help="the shell")
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script; return the exit code."""
    from sdc_sql.cli import parser  # noqa: PLC0415 - which imports the commands

    print(WRITERS[arguments.shell](list(nodes(parser()))))
    return 0


def nodes(parser: argparse.ArgumentParser, path: str = "") -> Iterator[Node]:
    """Yield a parser and those of its commands, as it declares them."""
    words: list[tuple[str, str]] = []
    options, inner = [], []
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            meant = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            words += [(name, meant.get(name, "")) for name in action.choices]
            inner += [(f"{path} {name}".strip(), below) for name, below in action.choices.items()]
        elif action.option_strings:
            choices = tuple(map(str, action.choices or ()))
            meaning = "" if action.help == argparse.SUPPRESS else action.help or ""
            options.append(Option(tuple(action.option_strings), meaning.replace("%%", "%"), action.nargs != 0, choices))
        elif action.choices:
            words += [(str(choice), action.help or "") for choice in action.choices]
    yield Node(path, tuple(words), tuple(options))
    for name, below in inner:
        yield from nodes(below, name)


def _list_names(node: Node) -> list[str]:
    return [name for option in node.options for name in option.names]


def _cases(found: Iterable[Node]) -> str:
    """Return the branches by which bash and zsh set the words, the options and the choices of where they are."""
    lines = []
    for node in found:
        values = [o for o in node.options if o.takes_value]
        chosen = "".join(
            f"\n            {'|'.join(o.names)}) choices={_quote_word(' '.join(o.choices))}; value=1 ;;" for o in values
        )
        lines.append(
            f"    {_quote_word(node.path)})\n        options={_quote_word(' '.join(_list_names(node)))}\n"
            f"        names={_quote_word(' '.join(word for word, _ in node.words))}\n"
            f'        case "$before" in{chosen or " *) ;;"}\n        esac ;;'
        )
    return "\n".join(lines)


def _path(found: Iterable[Node]) -> str:
    """Return the names of all commands and methods, between blanks: what a word must be to lead further."""
    return _quote_word("|" + "|".join(node.path for node in found if node.path) + "|")


_SHARED = """    local at='' options='' names='' choices='' value='' word
    for word in "${words_before[@]}"; do
        case %(paths)s in *"|${at:+$at }$word|"*) at="${at:+$at }$word" ;; esac
    done
    case "$at" in
%(cases)s
    esac
"""


def bash(found: list[Node]) -> str:
    """Return the script for bash."""
    shared = _SHARED % {"paths": _path(found), "cases": _cases(found)}
    return f"""# completion of sdc-sql in bash: source <(sdc-sql completion bash)
_sdc_sql() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    local words_before=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
{shared}    COMPREPLY=()
    if [ -n "$value" ]; then
        [ -n "$choices" ] && COMPREPLY=($(compgen -W "$choices" -- "$current"))
    elif [ "${{current:0:1}}" = - ]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    else
        COMPREPLY=($(compgen -W "$names" -- "$current"))
    fi
}}
complete -o default -F _sdc_sql sdc-sql"""


def zsh(found: list[Node]) -> str:
    """Return the script for zsh."""
    shared = _SHARED % {"paths": _path(found), "cases": _cases(found)}
    return f"""#compdef sdc-sql
# completion of sdc-sql in zsh: source <(sdc-sql completion zsh), after compinit
_sdc_sql() {{
    local current="${{words[CURRENT]}}" before="${{words[CURRENT-1]}}"
    local -a words_before=("${{(@)words[2,CURRENT-1]}}")
{shared}    if [[ -n "$value" ]]; then
        if [[ -n "$choices" ]]; then compadd -- ${{=choices}}; else _files; fi
    elif [[ "$current" = -* ]]; then
        compadd -- ${{=options}}
    elif [[ -n "$names" ]]; then
        compadd -- ${{=names}}
    else
        _files
    fi
}}
compdef _sdc_sql sdc-sql"""


def fish(found: list[Node]) -> str:
    """Return the script for fish."""
    lines = [
        "# completion of sdc-sql in fish: sdc-sql completion fish > ~/.config/fish/completions/sdc-sql.fish",
        "function __sdc_sql_at",
        "    set -l at",
        "    for word in (commandline -opc)[2..-1]",
        f'        if string match -q -- "*|"(string trim -- "$at $word")"|*" {_path(found)}',
        "            set -a at $word",
        "        end",
        "    end",
        '    test "$at" = "$argv"',
        "end",
    ]
    for node in found:
        start = f'complete -c sdc-sql -n "__sdc_sql_at {node.path}"'
        lines += [f"{start} -f -a {_fish(word)} -d {_fish(meaning)}" for word, meaning in node.words]
        for option in node.options:
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
            given = " -r" if option.takes_value else ""
            given = f" -x -a {_fish(' '.join(option.choices))}" if option.choices else given
            lines.append(f"{start} {names}{given} -d {_fish(option.meaning)}")
    return "\n".join(lines)


def _quote_word(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish(text: str) -> str:
    return "'" + " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'") + "'"


WRITERS = {"bash": bash, "zsh": zsh, "fish": fish}
