"""What a certificate says, computed anew: from the released file alone, or from everything by running it again."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.db.files.source import detect_kind
from sdc_sql.errors import InputError, TableError
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.figures.given import name_figures
from sdc_sql.release.certifying import format_1, sealed
from sdc_sql.release.certifying.certificate import FORMAT, TEXT, convert_figure
from sdc_sql.release.certifying.content import digest_table, open_content
from sdc_sql.release.certifying.documents_checked import check_documents
from sdc_sql.release.certifying.rerun import rerun_release
from sdc_sql.release.certifying.verification import (
    OPTIONAL,
    Check,
    Verification,
    check_field,
    list_fields,
    read_certificate,
)
from sdc_sql.release.judging import measured, rejoined
from sdc_sql.release.reading.plan import Limit, Loss, Output, Plan, RolesOfColumns, Scenario, Source
from sdc_sql.release.running.outcome import ScenarioOutcome

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    import duckdb


def verify(
    certificate: str | os.PathLike[str],
    released: str | os.PathLike[str],
    *,
    release: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    table: str | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Verification:
    """Compute anew what a certificate says, and say which field does not hold.

    From the released file alone: the digest of its content, its records and columns; of an internal certificate also
    the figures of the limits on risk that it names. The reports and metadata that it digests are checked where they
    stand beside it. All else is only read, and said to be (``only_read``): whoever
    writes a certificate may leave a scenario out, loosen a limit or say that nothing was lost. With the release file,
    its source and the secret key: everything, by running it again.
    Versions may be others than those of the certificate, and are told.

    Parameters
    ----------
    certificate
        The JSON file, internal or public.
    released
        The released file, in the format it was written in.
    release
        The release file; its source is where it says.
    documents
        The folder of the reports and metadata, where they stand neither beside the certificate nor beside the released
        file.
    table
        The table of a released database, where it has several.
    memory_limit, threads
        How much memory and how many threads DuckDB may use.
    progress
        Called with the name of each stage before it begins.

    Returns
    -------
    Verification
        ``holds``, ``failed``, ``only_read`` and each check.

    Raises
    ------
    ParameterError
        Where the certificate is no certificate.
    InputError
        Where a file is not there, or the release cannot be run.

    Notes
    -----
    A certificate is no signature: who changes the file can write another certificate for it. The methods whose last
    digits are the processor's (`differs_by_processor`) are compared by values, to 1e-9, where the digests differ; a
    record that a kernel puts into another group there is a difference.

    Examples
    --------
    >>> import pathlib, sdc_sql, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "release.toml")
    ...     _ = sdc_sql.example().con.execute(f"COPY persons TO '{folder}/persons.csv'")
    ...     _ = file.write_text('''
    ...         [source]
    ...         path = "persons.csv"
    ...         [roles]
    ...         released_as_collected = ["id", "age", "w", "household"]
    ...         [[scenarios]]
    ...         name = "neighbour"
    ...         keys = ["sex"]
    ...         limits = ["k_anonymity.2.records <= 1"]
    ...         [output]
    ...         path = "released.csv"
    ...         certificate = "certificate.json"
    ...     ''')
    ...     outcome = sdc_sql.run_release(file)
    ...     found = [verify(f"{folder}/certificate.json", f"{folder}/released.csv")]
    ...     changed = file.with_name("released.csv").read_text().replace("30,f", "31,f", 1)
    ...     _ = file.with_name("released.csv").write_text(changed)
    ...     found.append(verify(f"{folder}/certificate.json", f"{folder}/released.csv"))
    >>> found[0].holds, found[1].failed
    (True, ('output.digest',))
    """
    path, file = Path(certificate), Path(released)
    limits: dict[str, Any] = {"memory_limit": memory_limit, "threads": threads}
    detect_kind(str(file))  # the file is there: this looks what it is
    said = read_certificate(path)
    kind = str(said["certificate"])
    fields = list_fields(kind, said.get("format")) | ({*said} & OPTIONAL[kind])
    wrong = sealed.find_changed_fields(said) if set(said) == fields else sorted(set(said) ^ fields)
    if wrong:
        return Verification(
            kind, tuple(Check(field, holds=False, told=_explain_change(field, said, fields)) for field in wrong)
        )
    checks = [Check("digest", holds=True, told="the certificate is as it was sealed")]
    checks += [_format(said), check_field("text", said["text"], TEXT)]
    progress("the released file")
    with ExitStack() as stack:
        try:
            types = {column["name"]: column["type"] for column in said["output"]["columns"]}
            con, name = stack.enter_context(open_content(file, types, table, **limits))
        except TableError as error:  # a CSV file has other columns or types
            return Verification(kind, (*checks, Check("output", holds=False, told=str(error))))
        except _MALFORMED as error:
            return Verification(kind, (*checks, _report_malformed(error)))
        try:
            checks += _check_output(said, digest_table(con, name))
            checks += _check_as_collected(said)
            folders = [Path(documents)] if documents is not None else [path.parent, file.parent]
            checks += check_documents(said, folders)
            if kind == "internal":
                progress("limits on risk")
                its = _check_limits(said, con, name)  # what the file does not tell comes of running it again
                checks += its if release is None else [check for check in its if check.holds is not None]
            if release is not None:
                progress("running the release")
                checks += rerun_release(said, Path(release), (con, name), limits=limits, progress=progress)
        except InputError:  # an InputError is a ValueError too: the release file or the key is wrong
            raise
        except _MALFORMED as error:
            checks.append(_report_malformed(error))
    if release is None:
        checks += _list_fields_only_read(said)
    return Verification(kind, tuple(checks))


def _explain_change(field: str, said: dict[str, Any], fields: set[str]) -> str:
    """Return what became of a field after the certificate was sealed."""
    if field not in fields:
        return "is no field of such a certificate: it was added" if field in said else "is not as it was sealed"
    return "is not as it was sealed" if field in said else "was taken away"


# these fields are computed anew from the certificate and the released file
_ANEW = {"certificate", "text", "format", "output", "released_as_collected", "digest"}
_LISTS = {"limits", "scenarios", "documents"}  # what there is of these may hold, and some may be left out


def _list_fields_only_read(said: dict[str, Any]) -> list[Check]:
    """Return the fields that the released file says nothing of: whoever seals a certificate may change them."""
    told = "the released file does not tell; the release file, its source and the key do (--release)"
    of_limits = "which ones there were the released file does not tell; the release file does (--release)"
    return [
        Check(field, holds=None, told=of_limits if field in _LISTS else told) for field in said if field not in _ANEW
    ]


def _format(said: dict[str, Any]) -> Check:
    known = said["format"] in range(format_1.FORMAT, FORMAT + 1) and type(said["format"]) is int
    told = "is read by this version" if known else f"is {said['format']}, which this version does not read"
    return Check("format", holds=known, told=told)


_MALFORMED = (AttributeError, KeyError, TypeError, ValueError)  # whoever wrote the certificate has sealed it anew


def _report_malformed(error: Exception) -> Check:
    told = f"has no field {error.args[0]!r}" if isinstance(error, KeyError) else type(error).__name__
    return Check("certificate", holds=False, told=f"is not of the form of this package ({told})")


def _check_output(said: dict[str, Any], found: dict[str, Any]) -> list[Check]:
    return [
        check_field(f"output.{name}", said["output"][name], found[name]) for name in ("columns", "records", "digest")
    ]


def _check_as_collected(said: dict[str, Any]) -> list[Check]:
    """Return the check of the columns that are said to be as collected: released, and of no method."""
    if "released_as_collected" not in said:
        return []
    there = {column["name"] for column in said["output"]["columns"]}
    masked = {column for step in said.get("steps", said.get("methods", [])) for column in step["columns"]}
    wrong = [name for name in said["released_as_collected"] if name not in there or name in masked]
    told = f"{', '.join(wrong)} is not released, or was masked" if wrong else "are released, and no method masked them"
    return [Check("released_as_collected", holds=not wrong, told=told)]


def _check_limits(said: dict[str, Any], con: duckdb.DuckDBPyConnection, table: str) -> list[Check]:
    """Return the checks of the limits on risk, measured in the released file."""
    said = said if said["format"] != format_1.FORMAT else format_1.convert_format(said)
    roles, checks, reports = said["roles"], [], []
    limits = [Limit(row["path"], row["limit"], row["scenario"]) for row in said["limits"]]
    places = {limit.path: i for i, limit in enumerate(limits)}
    for row in said["scenarios"]:
        own = tuple(
            limit for limit in limits if limit.scenario == row["name"] and not _explain_missing_input(limit, said)
        )
        threshold = tuple(row["threshold"]) if isinstance(row["threshold"], list) else row["threshold"]
        scenario = Scenario(
            row["path"], row["name"], tuple(row["keys"]), row["nulls"], row["k"], threshold, own,
            row.get("neighbourhood"),
        )  # fmt: skip
        try:
            try:
                plan, (report, more) = _remeasure_scenario(said, roles, scenario, (con, table), row["nulls"])
            except InputError as error:
                if said["format"] != format_1.FORMAT or _UNBREAKABLE not in str(error):
                    raise
                scenario, left = _remove_threshold(scenario)
                checks += left
                plan, (report, more) = _remeasure_scenario(said, roles, scenario, (con, table), row["nulls"])
        except InputError as error:
            checks.append(Check(row["path"], holds=False, told=str(error)))
            continue
        reports.append(ScenarioOutcome(scenario, report, report, row["nulls"], row["nulls"], more, more))
        for found in measured.judge_limits(plan, reports[-1:], {}):
            i = places[found.limit.path]
            figures, given = convert_figure(dict(found.figures)), said["limits"][i]["figures"]
            if said["format"] == format_1.FORMAT:  # this format had other names of rows
                given = {name.partition(" (")[0]: value for name, value in given.items()}
                figures = {name.partition(" (")[0]: value for name, value in figures.items()}
            checks += [
                check_field(f"limits[{i}].figures.{name}", given.get(name), value) for name, value in figures.items()
            ]
            checks.append(check_field(f"limits[{i}].holds", said["limits"][i]["holds"], found.holds))
    for i, limit in enumerate(limits):
        if limit.scenario is None or (apart := _explain_missing_input(limit, said)):
            what = _explain_release_limit(limit) if limit.scenario is None else apart
            checks.append(Check(f"limits[{i}]", holds=None, told=f"{limit.text}: needs {what}"))
    return checks


def _remeasure_scenario(
    said: dict[str, Any], roles: dict[str, Any], scenario: Scenario, released: tuple[Any, str], nulls: str
) -> tuple[Plan, Any]:
    con, table = released
    plan = _make_measuring_plan(said, roles, scenario)
    return plan, measured.measure_scenario(con, plan, table, scenario, nulls, name="released", progress=lambda _: None)


def _explain_release_limit(limit: Limit) -> str:
    """Return what a limit of the whole release needs."""
    return "the numbers of the households, which are not released" if limit.path == rejoined.PATH else "the original"


_UNBREAKABLE = "nothing could break it"  # the error of threshold_rule.sql says this of such a threshold


def _remove_threshold(scenario: Scenario) -> tuple[Scenario, list[Check]]:
    """Return a scenario without a threshold that was counted then, and is refused now; and the limits not checked."""
    kept: list[Limit] = []
    left: list[Limit] = []
    for limit in scenario.limits:
        ruled = any(name.label.startswith("threshold_rule") for name in list_named_figures(limit.text))
        (left if ruled else kept).append(limit)
    told = "a threshold that no record can break was counted then, and is an error now"
    checks = [Check(limit.path, holds=None, told=f"{limit.text}: {told}") for limit in left]
    return replace(scenario, threshold=None, limits=tuple(kept)), checks


def _explain_missing_input(limit: Limit, said: dict[str, Any]) -> str:
    """Return what a limit needs that is not in the released file: the original, or a table that a figure names."""
    asked = name_figures(_read_figures(said))
    of_limit = [asked[name.label] for name in list_named_figures(limit.text) if name.label in asked]
    if any(its.measure.compares for its in of_limit):
        return "the original"
    if any(its.of_steps for its in of_limit):
        return "the steps of the release"
    if any("household" in its.measure.needs for its in of_limit) and not _household(said):
        return "the numbers of the households, which are not released"
    return "the tables of its figures" if any(its.tables for its in of_limit) else ""


def _read_figures(said: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    return {label: (row["measure"], row["arguments"]) for label, row in said["figures"].items()}


def _list_released_columns(columns: list[str] | None, said: dict[str, Any]) -> tuple[str, ...] | None:
    """Return the columns of the household that are released."""
    released = {column["name"] for column in said["output"]["columns"]}
    return None if columns is None else tuple(name for name in columns if name in released)


def _household(said: dict[str, Any]) -> str | None:
    """Return the column of household numbers, where it is released."""
    household = said["roles"]["household"]
    return household if household in {column["name"] for column in said["output"]["columns"]} else None


def _make_measuring_plan(said: dict[str, Any], roles: dict[str, Any], scenario: Scenario) -> Plan:
    """Return as much of a plan as the measures of a scenario ask for."""
    its = RolesOfColumns(
        weight=roles["weight"], small_weights=roles.get("small_weights", "error"),
        sampling_fraction=roles["sampling_fraction"], household=_household(said),
        household_columns=_list_released_columns(roles.get("household_columns"), said) if _household(said) else None,
        strata=tuple(roles["strata"]), sensitive=tuple(roles["sensitive"]), ordered=tuple(roles["ordered"]),
    )  # fmt: skip
    types = {column["name"]: column["type"] for column in said["output"]["columns"]}
    nowhere = Path("released")
    return Plan(
        nowhere, "", Source(nowhere), its, (scenario,), (), Loss(), Output(nowhere), types, figures=_read_figures(said)
    )  # fmt: skip
