"""The certificate of a release: which content was made of which, by what methods, and which limits it keeps.

The internal one says everything but the key. The public one says nothing that an intruder could use: the digests of the
input and of the release file are keyed, since what has few possible values (a parameter, a small table) could be found
by trying.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib.metadata
import json
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.catalogue.macros import find_effect, read_catalogue
from sdc_sql.errors import translate_errors
from sdc_sql.release.certifying.content import digest_table
from sdc_sql.release.certifying.released_digest import digest_released_file
from sdc_sql.release.certifying.sealed import seal_fields
from sdc_sql.release.reporting.public_facts import (
    SUPPRESSION,
    list_columns_as_collected,
    list_suppressed_columns,
    list_untouched_columns,
    suppresses_values,
)
from sdc_sql.release.running.documents import DOCUMENTS
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.figures.asked import Asked
    from sdc_sql.release.reading.plan import Plan, Step
    from sdc_sql.release.running.outcome import Outcome

TEXT = (
    "A digest of a release, not a signature: it shows that a file, its figures and the release file belong together and"
    " are as they were. It does not show who wrote it: whoever changes them can write another certificate. "
    "`sdc-sql verify` computes anew what it says."
)
FORMAT = 3
FORMER = (2,)  # certificates of these formats lack some fields, and the others mean the same
_KEYED = 1  # what is digested under the key still has this form


def write_internal_certificate(outcome: Outcome, path: Path) -> None:
    """Write the internal certificate of a release."""
    _write_certificate(build_internal(outcome), path)


def write_public_certificate(outcome: Outcome, path: Path) -> None:
    """Write the certificate for the users of the released file."""
    _write_certificate(build_public(outcome), path)


def _write_certificate(certificate: dict[str, Any], path: Path) -> None:
    text = json.dumps(certificate, indent=2) + "\n"  # the text is ASCII: an editor changes nothing
    path.write_text(text, encoding="utf-8", newline="\n")


def build_internal(outcome: Outcome) -> dict[str, Any]:
    """Return the internal certificate; where no file is written, one is to be read, and is removed."""
    plan = outcome.plan
    steps = {step.path: step for step in plan.steps}
    return seal_fields(
        {
            "certificate": "internal", "text": TEXT, "format": FORMAT, **_list_release_names(outcome),
            "date": outcome.date,
            **({"series": outcome.kept["series"]} if "series" in outcome.kept else {}),
            "versions": {**_list_versions(plan), "platform": f"{platform.system()} {platform.machine()}"},
            "input": _input(outcome),
            "release_file": _release_file(plan),
            "output": digest_released_file(outcome),
            "documents": _list_documents(outcome, public=False),
            "released_as_collected": list_untouched_columns(outcome),
            "roles": {
                "weight": plan.released_roles.weight, "sampling_fraction": plan.released_roles.sampling_fraction,
                "small_weights": plan.roles.small_weights, "household": plan.roles.household,
                **({"household_columns": [*plan.roles.household_columns]} if plan.roles.household_columns else {}),
                "strata": [*plan.roles.strata],
                "sensitive": [*plan.roles.sensitive], "ordered": [*plan.roles.ordered],
            },
            "figures": {label: _describe_figure(asked) for label, asked in plan.asked.items() if label in plan.figures},
            "scenarios": [
                {
                    "path": found.scenario.path, "name": found.scenario.name, "keys": [*found.scenario.keys],
                    "nulls": found.nulls_after, "k": found.scenario.k,
                    "threshold": convert_figure(found.scenario.threshold),
                    **(
                        {"neighbourhood": convert_figure({**found.scenario.neighbourhood})}
                        if found.scenario.neighbourhood else {}
                    ),
                }
                for found in outcome.scenarios
            ],
            "steps": [
                {
                    "path": at, "method": steps[at].verb, "columns": [*done.columns], "records": done.records,
                    "changed": done.changed, **_list_promises(steps[at]),
                    "differs_by_processor": _depends_on_processor(done.method),
                }
                for at, done in zip(outcome.step_paths, outcome.steps, strict=True)
            ],
            "limits": [
                {
                    "path": found.limit.path, "scenario": found.limit.scenario, "limit": found.limit.text,
                    "figures": convert_figure(dict(found.figures)), "holds": found.holds,
                    **({"found": found.found} if found.found else {}),
                }
                for found in outcome.limits
            ],
        }
    )  # fmt: skip


def build_public(outcome: Outcome, bound_to: str | None = None, *, former: bool = False) -> dict[str, Any]:
    """Return the certificate for the users of the file: methods without their parameters, no figure, keyed digests.

    The keyed digests are bound to the digest of the output, or to another one. ``former``: in the form of earlier
    formats, which named the columns of each suppression, and so the keys of its scenario.
    """
    plan, con = outcome.plan, outcome.original.con
    output = digest_released_file(outcome)
    digests = {
        "input": _input(outcome)["digest"],
        "release_file": hashlib.sha256("\0".join([plan.text, *_ruleset(plan)]).encode()).hexdigest(),
    }
    return seal_fields(
        {
            "certificate": "public", "text": TEXT, "format": FORMAT, **_list_release_names(outcome),
            "date": outcome.date, "versions": _list_versions(plan),
            "output": output, "documents": _list_documents(outcome, public=True),
            "released_as_collected": list_untouched_columns(outcome) if former else list_columns_as_collected(outcome),
            "methods": _list_methods(outcome, former=former),
            "keyed_digests": {what: _key_digest(con, what, bound_to or output["digest"], d) for what,
            d in digests.items()},
        }
    )  # fmt: skip


def _list_methods(outcome: Outcome, *, former: bool) -> list[dict[str, Any]]:
    """Return the methods with the columns that they masked; all suppressions as one, of what lost a value."""
    released = {column["name"] for column in digest_released_file(outcome)["columns"]}
    verbs = {step.path: step.verb for step in outcome.plan.steps}
    found: list[dict[str, Any]] = []
    gone: list[str] | None = None
    for at, done in zip(outcome.step_paths, outcome.steps, strict=True):
        verb, columns = verbs[at], list(done.columns)
        if suppresses_values(done) and not former:
            if gone is not None:
                continue
            gone = list_suppressed_columns(outcome)
            verb, columns = SUPPRESSION, gone
        if columns or not suppresses_values(done):
            found.append(
                {
                    "method": verb, "columns": [c for c in columns if c in released],
                    "differs_by_processor": _depends_on_processor(done.method),
                }
            )  # fmt: skip
    return found


def _list_documents(outcome: Outcome, *, public: bool) -> list[dict[str, str]]:
    """Return the digests of the reports and metadata that were written; users are told of their own alone."""
    written = outcome.kept.get("documents", {})
    return [{**written[name]} for name, kind in DOCUMENTS.items() if name in written and (kind.public or not public)]


def _describe_figure(asked: Asked) -> dict[str, Any]:
    """Return a figure with its arguments; of a file, which may stand elsewhere tomorrow, the digest of its bytes."""
    told = {n: _digest_of_files(v) if n in asked.tables else convert_figure(v) for n, v in asked.arguments.items()}
    return {"measure": asked.measure.name, "arguments": told}


def _digest_of_files(value: Any) -> Any:  # noqa: ANN401 - a path, or several by their keys or places
    if isinstance(value, dict):
        return {str(name): _digest_of_files(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_digest_of_files(one) for one in value]
    return {"sha256": hashlib.sha256(Path(value).read_bytes()).hexdigest()}


def _input(outcome: Outcome) -> dict[str, Any]:
    if "input" not in outcome.kept:
        outcome.kept["input"] = digest_table(outcome.original.con, outcome.original.table)
    return {**outcome.kept["input"]}


def _release_file(plan: Plan) -> dict[str, Any]:
    found: dict[str, Any] = {"digest": hashlib.sha256(plan.text.encode()).hexdigest(), "text": plan.text}
    for text in _ruleset(plan):  # the ruleset may be a file of its own
        digest = hashlib.sha256(text.encode()).hexdigest()
        found["ruleset"] = {"name": plan.rules, "digest": digest, "text": text}
    return found


def _ruleset(plan: Plan) -> list[str]:
    return [plan.ruleset.ruleset.text] if plan.ruleset is not None else []


def _key_digest(con: duckdb.DuckDBPyConnection, what: str, output: str, digest: str) -> str:
    """Return a digest under the secret key: another one for each output, so that two certificates do not link."""
    with translate_errors():
        ((key,),) = execute(con, "SELECT sdc__secret_key()").fetchall()
    message = f"sdc-sql certificate {_KEYED};{what};{output};{digest}"
    return hmac.new(str(key).encode(), message.encode(), hashlib.sha256).hexdigest()


def _list_release_names(outcome: Outcome) -> dict[str, str]:
    return {name: getattr(outcome.plan, name) for name in ("title", "producer", "version")}


def _list_versions(plan: Plan) -> dict[str, str]:
    used = ("duckdb", "numpy", "pyarrow", "sqlglot", *(["pyspark"] if plan.engine == "spark" else []))
    found = {name: importlib.metadata.version(name) for name in used}
    return {"sdc_sql": VERSION, **found, "python": platform.python_version()}


def _depends_on_processor(method: str) -> bool:
    """Return whether its last digits are the processor's and the library's, as of sums, roots and logarithms."""
    return find_effect(method).bits.kind != "exact"


def _list_promises(step: Step) -> dict[str, Any]:
    """Return what the method promises, with the numbers that it was given."""
    masks = [d for d in read_catalogue() if d.masks and d.verb == step.verb]
    texts = dict.fromkeys(d.guarantees for d in masks if d.guarantees)
    given = {n: v for n, v in step.arguments.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    return {"guarantees": [*texts], "given": convert_figure(given)}


def convert_figure(value: Any) -> Any:  # noqa: ANN401 - any figure
    """Return a figure as JSON has it: what it cannot write becomes text."""
    if isinstance(value, dict):
        return {str(name): convert_figure(v) for name, v in value.items()}
    if isinstance(value, list | tuple):
        return [convert_figure(v) for v in value]
    if isinstance(value, float) and not -1e300 < value < 1e300:  # noqa: PLR2004 - infinite, or NaN
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
