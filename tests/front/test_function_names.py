"""A function is called by a verb and a noun: no participle, preposition or adjective stands alone for one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What is no verb, and stood for one; the nouns of the field (theta, noise) are names of measures and masks.
NEVER = {
    "about", "absent", "accepted", "added", "alike", "apart", "around", "asked", "at", "augmented", "before",
    "below", "beside", "beyond", "bound", "broken", "changed", "crossed", "declared", "described", "different",
    "distinct", "done", "drawn", "each", "enough", "every", "expected", "failed", "failing", "few", "fewest",
    "filled", "first", "fitted", "former", "found", "free", "further", "given", "held", "helped", "hidden",
    "inlined", "judged", "keeping", "kept", "known", "lacking", "like", "linked", "lower", "lowest", "made",
    "measured", "merged", "moved", "named", "nearest", "needed", "new", "next", "none", "of", "off", "once", "one",
    "only", "other", "outside", "paired", "passed", "present", "printed", "raised", "reaching", "remains",
    "renamed", "replaced", "required", "rest", "scaled", "seen", "several", "spelled", "standing", "still",
    "summed", "suppressed", "tightened", "told", "tried", "under", "unseen", "unsettled", "usable", "where", "with",
    "withheld", "within", "without", "worst",
}  # fmt: skip
PUBLIC = {"Microdata.where", "Hierarchy.absent"}  # read at the place of the call: data.where("age > 60")


def functions(tree: ast.Module) -> list[str]:
    """Return the functions of a module and of its classes by their names, but for properties."""
    return [
        f"{node.name}.{inner.name}" if isinstance(node, ast.ClassDef) else inner.name
        for node in ast.walk(tree)
        for inner in ast.iter_child_nodes(node)
        if isinstance(inner, ast.FunctionDef) and not any("property" in ast.unparse(d) for d in inner.decorator_list)
    ]


@pytest.mark.slow
@pytest.mark.whole
def test_no_function_is_called_by_a_participle_or_a_preposition():
    sources = (path for room in ("sdc_sql", "udfs") for path in sorted((ROOT / room).rglob("*.py")))
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources
        for name in functions(ast.parse(path.read_text(encoding="utf-8")))
        if name.rpartition(".")[2].strip("_") in NEVER and name not in PUBLIC
    }
    assert found == set()
