"""Which tests a mutant meets: first those of its stem and inner macros, then those that name what it is a part of."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from apart import apart

ROOT = Path(__file__).resolve().parents[2]
# the tests of formulas; doors, pages and whole commands are further from them
ROOMS = ("core", "risk", "linkage", "mask", "loss", "between", "frontier", "figures", "udfs", "series", "release")
MOST = 12  # test files that name it, the nearest first
# They name no macro, and ask something of each: of all, and of all masks.
OF_ALL, OF_MASKS = "tests/figures/test_defaults.py", "tests/mask/test_every_mask.py"
_MACRO = re.compile(r"\bsdc_\w+")


@cache
def _files(room: str, ending: str) -> dict[str, str]:
    return {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in sorted((ROOT / room).rglob(f"*{ending}"))}


@cache
def _tests() -> dict[str, str]:
    found = {}
    for room in ROOMS:
        found |= {name: text for name, text in _files(f"tests/{room}", ".py").items() if "/test_" in name}
    return found


@cache
def _defined() -> dict[str, tuple[str, str]]:
    """Return the file and the statement of each macro, by its name."""
    found = {}
    for file, text in _files("sql", ".sql").items():
        for statement in re.split(r"^(?=CREATE OR REPLACE MACRO sdc_)", text, flags=re.MULTILINE)[1:]:
            found[_MACRO.search(statement).group()] = (file, re.sub(r"--.*", "", statement))  # type: ignore[union-attr]
    return found


@cache
def _callers() -> dict[str, set[str]]:
    """Return the macros that call a macro, by its name."""
    found: dict[str, set[str]] = {name: set() for name in _defined()}
    for name, (_, statement) in _defined().items():
        for called in set(_MACRO.findall(statement)) - {name}:
            if called in found:
                found[called].add(name)
    return found


@cache
def list_reached_macros(file: str) -> tuple[str, ...]:
    """Return the public macros that rest on a file, the nearest first."""
    reached = dict.fromkeys(_macros_of(file))
    level = list(reached)
    while level:
        level = sorted({up for name in level for up in _callers()[name]} - {*reached})
        reached |= dict.fromkeys(level)
    return tuple(name for name in reached if not name.startswith("sdc__"))


def _macros_of(file: str) -> list[str]:
    if file.endswith(".sql"):
        return [name for name, (home, _) in _defined().items() if home == file]
    kernels = {f"sdc__kernel_{name}" for name in _functions_on(file)}
    return [name for name in _defined() if name in kernels]


@cache
def _resting_on(file: str) -> set[str]:
    """Return the modules of kernels that rest on one, itself among them, by what imports what."""
    rests, more = set(), {file.removesuffix(".py")}
    while more:
        rests |= more
        more = {module for module, of in _imported_by("udfs").items() if of & rests} - rests
    return rests


def _functions_on(file: str) -> set[str]:
    """Return the functions of DuckDB whose module rests on a module of kernels."""
    return {name for name, home in _homes().items() if home in _resting_on(file)}


@cache
def _homes() -> dict[str, str]:
    """Return the module of each kernel that DuckDB is given, by its name; apart, or no mutant would be imported."""
    ended, homes = apart(_list_homes)
    assert ended == "done", f"the kernels as they are cannot be imported: {ended}"
    return homes


def _list_homes() -> dict[str, str]:
    from importlib import import_module  # noqa: PLC0415

    homes = {}
    for file in _files("udfs", ".py"):
        module = file.removesuffix(".py")
        listed = import_module(f"sdc_sql.{module.replace('/', '.').removesuffix('.__init__')}")
        if module != "udfs/registry":  # it has those of all
            homes |= {function.name: module for function in getattr(listed, "FUNCTIONS", ())}
    return homes


@cache
def _imported_by(room: str) -> dict[str, set[str]]:
    """Return the modules of kernels that each module imports, and what it imports from them as if modules too."""
    return {name.removesuffix(".py"): _imports(text) for name, text in _files(room, ".py").items()}


def _imports(text: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[:2] == ["sdc_sql", "udfs"]:
            home = node.module.removeprefix("sdc_sql.").replace(".", "/")  # type: ignore[union-attr]
            found |= {home, *(f"{home}/{alias.name}" for alias in node.names)}
    return found


def _named_after(stem: str) -> list[str]:
    return [name for name in _tests() if re.fullmatch(rf"test_{stem}(_\w+)?", Path(name).stem)]


@cache
def _calling(macro: str) -> dict[str, int]:
    """Return the test files that call a macro, or the verb of it, with the times that they name it."""
    verb = macro.removeprefix("sdc_")
    called = re.compile(rf"\b(?:sdc_)?{verb}\(")
    return {name: text.count(verb) for name, text in _tests().items() if verb in text and called.search(text)}


def _naming(stems: set[str]) -> list[str]:
    named = re.compile("|".join(rf"\b{stem}\b" for stem in sorted(stems)) or r"(?!)")
    return [name for name, text in _tests().items() if named.search(text)]


def _importing(modules: list[Path]) -> list[str]:
    """Return the test files that import one of some modules."""
    paths = ("|".join(re.escape(".".join(module.with_suffix("").parts)) for module in modules)) or r"(?!)"
    folders = [rf"from {re.escape('.'.join(module.parent.parts))} import .*\b{module.stem}\b" for module in modules]
    named = re.compile("|".join([rf"\b(?:{paths})\b", *folders]))
    return [name for name, text in _tests().items() if named.search(text)]


@cache
def _modules(file: str) -> list[Path]:
    """Return the modules of Python that name a macro of the file, or import what rests on a kernel."""
    named = re.compile("|".join(rf"\b{name}\b" for name in _macros_of(file)) or r"(?!)")
    found = [Path(name) for name, text in _files("sdc_sql", ".py").items() if named.search(text)]
    if file.endswith(".py"):
        rests = _resting_on(file)
        found += [Path(f"{name}.py") for name, of in _imported_by("sdc_sql").items() if of & rests]
    return found


def list_tests(file: str) -> tuple[list[str], list[str]]:
    """Return the test files of a file's stem and inner macros, and others that name what it is a part of."""
    stem = Path(file).stem
    own = _named_after(stem)
    inner = {name for name in _macros_of(file) if name.startswith("sdc__")}
    if file.endswith(".sql") and inner:
        own += [name for name in _naming(inner) if name not in own]
    if file.endswith(".py"):
        folder = Path(file).parent.name
        named = rf"udfs\.{folder}\.{stem}\b|udfs\.{stem}\b|from sdc_sql\.udfs(\.{folder})? import .*\b{stem}\b"
        own += [name for name, text in _tests().items() if re.search(named, text) and name not in own]
    others: dict[str, float] = {
        name: 0.5 for name in _naming({module.stem for module in _modules(file)}) if name not in own
    }
    for name in _importing(_modules(file)):  # many tests have the word of a stem such as "own"
        if name not in own:
            others[name] = others.get(name, 0) + 1
    for nearness, macro in enumerate(list_reached_macros(file)):
        for name, times in _calling(macro).items():
            if name not in own:
                others[name] = others.get(name, 0) + times / (1 + nearness)
    if not own and not others:  # what only Python calls, in a module that no test names: the tests of its room
        rooms = tuple(f"tests/{module.parent.name}/" for module in _modules(file))
        return own, [name for name in _tests() if name.startswith(rooms)]
    nearest = sorted(others, key=lambda name: -others[name])[:MOST]
    nearest += [OF_ALL] * file.endswith(".sql") + [OF_MASKS] * file.startswith("sql/mask/")
    return own, list(dict.fromkeys(nearest))
