"""What a release is and what was done to it, as DDI Codebook 2.5: for catalogues of data, and archives.

It says what the public report says, from the same functions, and nothing else: no risk, no scenario, no limit, no
record, and no count but that of all records. Elements stand in the order of the schema, whose content models are
sequences (``codebook.xsd`` of DDI Codebook 2.5, DDI Alliance).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.etree import ElementTree as ET

from sdc_sql.errors import ParameterError, TableError
from sdc_sql.release.certifying.released_digest import digest_released_file
from sdc_sql.release.reporting import public_loss, public_steps
from sdc_sql.release.reporting.ddi_elements import add
from sdc_sql.release.reporting.ddi_variables import FILE, add_variables, treatment_id
from sdc_sql.release.reporting.public_corrections import list_correctable_steps
from sdc_sql.release.reporting.public_facts import (
    is_wholly_released,
    list_partial_steps,
    list_uses,
    noise_variances,
    treatments,
)
from sdc_sql.release.reporting.stages import list_output_columns

if TYPE_CHECKING:
    from pathlib import Path

    from sdc_sql.release.running.outcome import Outcome

NAMESPACE = "ddi:codebook:2_5"
SCHEMA = "https://ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/codebook.xsd"
_TYPES = {
    ".parquet": "Apache Parquet", ".csv": "comma-separated values", ".duckdb": "DuckDB database", ".dta": "Stata",
    ".sav": "SPSS",
}  # fmt: skip
_BESIDE = {"public_report": "Report for the users of the file", "public_certificate": "Certificate of the release"}


def write_ddi(outcome: Outcome, path: Path) -> None:
    """Write the metadata of a release as a DDI Codebook.

    Raises
    ------
    ParameterError
        Where the release was refused: there is no file to describe.
    TableError
        Where the file cannot be written.
    """
    root = codebook(outcome)
    ET.indent(root)
    try:
        ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise TableError(f"{path} cannot be written: {error.strerror}.") from None


def codebook(outcome: Outcome) -> ET.Element:
    """Return the metadata of a release as the root of a DDI Codebook."""
    if not outcome.accepted:
        raise ParameterError("The release was refused, so there is no file to describe.")
    plan = outcome.plan
    root = ET.Element(
        "codeBook",
        {
            "version": "2.5",
            "xmlns": NAMESPACE,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": f"{NAMESPACE} {SCHEMA}",
        },
    )
    title = plan.title or plan.output.path.name
    _citation(add(root, "docDscr"), outcome, f"{title}: metadata")
    study = add(root, "stdyDscr")
    _citation(study, outcome, title)
    _scope(study, outcome)
    _write_method(study, outcome)
    _access(study, outcome)
    _file(root, outcome)
    add_variables(add(root, "dataDscr"), outcome)
    for name, what in _BESIDE.items():
        if name in plan.output.documents:
            beside = plan.output.documents[name].name
            other = add(root, "otherMat", type=what.lower(), level="study", URI=quote(beside))
            add(other, "labl", f"{what}: {beside}")
    return root


def _citation(parent: ET.Element, outcome: Outcome, title: str) -> None:
    plan = outcome.plan
    citation = add(parent, "citation")
    add(add(citation, "titlStmt"), "titl", title)
    produced = add(citation, "prodStmt")
    if plan.producer:
        add(produced, "producer", plan.producer)
    add(produced, "prodDate", outcome.date, date=outcome.date)
    add(produced, "software", "sdc-sql", version=outcome.versions["sdc_sql"])
    if plan.version:
        add(add(citation, "verStmt"), "version", plan.version)


def _scope(study: ET.Element, outcome: Outcome) -> None:
    plan = outcome.plan
    if plan.description or plan.population:
        scope = add(study, "stdyInfo")
        if plan.description:
            add(scope, "abstract", plan.description)
        if plan.population:
            add(add(scope, "sumDscr"), "universe", plan.population)


def _write_method(study: ET.Element, outcome: Outcome) -> None:
    roles, there = outcome.plan.roles, {c.lower() for c in list_output_columns(outcome)}
    method = add(study, "method")
    weighted = isinstance(roles.weight, str) and roles.weight.lower() in there
    if weighted or roles.sampling_fraction is not None:
        collected = add(method, "dataColl")
        if roles.sampling_fraction is not None:
            add(collected, "sampProc", "The records are a sample of the population.")
        if weighted:
            add(collected, "weight", f"For estimates of the population each record is weighted by {roles.weight}.")
    add(
        method, "notes",
        "What was done to make the risk that someone is recognised smaller is said by method and by variable. The risk "
        "that is left was measured, and is not zero; its figures are confidential.",
        subject="disclosure control",
    )  # fmt: skip
    told = [*_estimates(outcome), *_list_losses(outcome)]
    if told:
        appraisal = add(method, "anlyInfo")
        for kind, text in told:
            add(appraisal, "dataAppr", text, type=kind)
    for i, done in enumerate(treatments(outcome)):
        said = f"{done.of}: {done.method}: {done.done}"
        said += f" It keeps: {done.keeps}" if done.keeps else ""
        said += f" Parameters: {done.parameters}." if done.parameters else ""
        add(method, "dataProcessing", said, ID=treatment_id(i), type="disclosure control")


def _estimates(outcome: Outcome) -> list[tuple[str, str]]:
    """Return what users need for their estimates; a matrix of PRAM stands in the report for them."""
    advice = [
        line
        for step, part, last in zip(
            outcome.steps, list_partial_steps(outcome), list_correctable_steps(outcome), strict=True
        )
        if is_wholly_released(outcome, step)
        for line in public_steps.advice(step, matrix=False, part=part, masked_again=not last)
    ]
    noise = [
        f"{c}: the variance of the noise that was added is {public_steps.round_told(v):.10g}."
        for c, v in noise_variances(outcome).items()
    ]
    return [("estimates", line) for line in dict.fromkeys([*list_uses(outcome), *advice, *noise])]


def _list_losses(outcome: Outcome) -> list[tuple[str, str]]:
    return [
        ("information loss", f"{r['measure']}, {r['figure']}, {r['variables']}: {r['loss']:g} (rounded; 0 is none).")
        for r in public_loss.list_told_losses(outcome)
    ]


def _access(study: ET.Element, outcome: Outcome) -> None:
    plan = outcome.plan
    there = {c.lower() for c in list_output_columns(outcome)}
    removed = [c for c in (*plan.roles.identifiers, *outcome.columns_before) if c.lower() not in there]
    access = add(study, "dataAccs")
    if removed:
        add(add(access, "setAvail"), "complete", f"Not released: {', '.join(removed)}.")
    use = add(access, "useStmt")
    add(use, "restrctn", "Trying to recognise anyone in the data is not allowed.")
    add(use, "conditions", "The units of this file answered in confidence; it was changed to protect them.")


def _file(root: ET.Element, outcome: Outcome) -> None:
    path = outcome.plan.output.path
    described = add(root, "fileDscr", ID=FILE, URI=quote(path.name))
    text = add(described, "fileTxt")
    add(text, "fileName", path.name)
    printed = add(text, "dataFingerprint", type="data")  # the schema's word for what does not hang on the format
    add(printed, "digitalFingerprintValue", digest_released_file(outcome)["digest"])
    add(printed, "algorithmSpecification", "SHA-256 of the content of the table: sdc_content_digest of sdc-sql")
    add(printed, "algorithmVersion", outcome.versions["sdc_sql"])
    size = add(text, "dimensns")
    add(size, "caseQnty", str(outcome.records_after))
    add(size, "varQnty", str(len(list_output_columns(outcome))))
    add(text, "fileType", _TYPES[path.suffix.lower()])
    add(text, "dataMsng", "A value that is missing, or was suppressed, is NULL; in a text file it is empty.")
    if outcome.plan.version:
        add(add(text, "verStmt"), "version", outcome.plan.version)
