"""Run a release file on a copy: measure, mask, measure again, judge, and write all outputs or none."""

from __future__ import annotations

import hashlib
import platform
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.files import released_file, work
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.masking.replaced import place_arguments
from sdc_sql.errors import InputError, ParameterError, SdcError, TableError, translate_errors
from sdc_sql.methods import Methods
from sdc_sql.microdata import Microdata, call_method
from sdc_sql.release.judging import candidates, derived, estimated, measured, rejoined, rules_judged
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED, Plan
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.running import formats, household_columns, one_form, raw, sampled
from sdc_sql.release.running.documents import DOCUMENTS, list_in_order, write_document
from sdc_sql.release.running.engine import locate_source, open_engine
from sdc_sql.release.running.households import renumber_households
from sdc_sql.release.running.ordered import order_by_values
from sdc_sql.release.running.outcome import Outcome, ScenarioOutcome
from sdc_sql.release.running.place import make_folder, place_outputs, refuse_existing_files, refuse_input_files
from sdc_sql.risk.many_uniques import tell_beside
from sdc_sql.roles import read_roles
from sdc_sql.series.given_ids import exchange_ids
from sdc_sql.series.series import Series
from sdc_sql.series.told_counts import list_counts
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from sdc_sql.db.completion import HouseholdColumn
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.release.reading.plan import Source, Step
    from sdc_sql.spark.staged import StagedRelease


@tell_beside()  # the reports say it, of each scenario before and after
def run_release(
    plan: Plan | str | os.PathLike[str],
    con: duckdb.DuckDBPyConnection | None = None,
    *,
    write: bool = True,
    refused_report: str | os.PathLike[str] | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
    replace_outputs: bool = False,
    series: Series | None = None,
) -> Outcome:
    """Run a release file: from the raw file to the released one, or to the reasons why it is refused.

    The source is copied without its direct identifiers; the risks of each scenario are measured, the steps are run in
    their order, the risks and the loss are measured, and each limit is judged: it must hold, and NULL or NaN never
    does. Accepted, the released file and its documents are written, all or none; refused, nothing is.

    Parameters
    ----------
    plan
        The path of a release file, or what :func:`sdc_sql.read_release` gives.
    con
        A connection to work on, which has the tables ``sdc_original`` and ``sdc_release`` afterwards. By default a
        database of its own among the temporary files, encrypted under a key of this process, removed at the end.
    write
        Whether to write anything; without it the outcome alone is returned.
    refused_report
        Where to write the internal report of a release that is refused.
    memory_limit, threads
        How much DuckDB may use, where no connection is given.
    progress
        Called with the name of each stage before it begins.
    replace_outputs
        Whether what is written takes the places of earlier outputs, all or none; else a file that is there is an error.
        They are as they were where the release is refused, and no file that the release file reads is replaced.
    series
        The release of the series, where another door has begun it; by default that of the file, if it is of one.

    Returns
    -------
    Outcome
        ``accepted``, and ``reasons`` where it is not.

    Raises
    ------
    ReleaseFileError
        With every error of the file, each with its place.
    InputError
        Where a step cannot be run (with its place), the key is needed and not there, or a file is there already.

    Notes
    -----
    The released records stand in the order of their own values, without their id unless ``output.ids`` asks for it:
    nothing tells of the order of the source.

    Examples
    --------
    >>> import duckdb, pathlib, sdc_sql, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "release.toml")
    ...     _ = sdc_sql.example().con.execute(f"COPY persons TO '{folder}/persons.csv'")
    ...     _ = file.write_text('''
    ...         [source]
    ...         path = "persons.csv"
    ...         [roles]
    ...         id = "id"
    ...         released_as_collected = ["w", "household"]
    ...         [[scenarios]]
    ...         name = "neighbour"
    ...         keys = ["age", "sex"]
    ...         limits = ["k_anonymity.2.records <= 0"]
    ...         [output]
    ...         path = "released.csv"
    ...     ''')
    ...     run_release(file).reasons[0].partition(" (")[0]
    "scenario 'neighbour': k_anonymity.2.records <= 0 does not hold: k_anonymity.2.records is 1"
    """
    if not isinstance(plan, Plan):
        plan = read_release(plan)
    documents = {plan.path.parent / p: DOCUMENTS[n] for n, p in plan.output.documents.items()}
    if write:
        places = [plan.output.path, *documents, *([Path(refused_report)] if refused_report else [])]
        if replace_outputs:
            refuse_input_files(places, plan.path)
        else:
            refuse_existing_files(places)
    with ExitStack() as stack:
        if plan.output.folder is not None:
            stack.enter_context(make_folder(plan.output.folder))
        if con is None:
            con = stack.enter_context(work.open_work_database(threads=threads, memory_limit=memory_limit))
        set_key(con)
        if plan.draws or (write and any(d.needs_key for d in documents.values())):
            ask_for_key(con)  # the key is asked for before any work
        series = _begin_series(plan, series)
        outcome = _measure_release(con, plan, progress, series)
        if not write:
            _name_head(outcome, series, progress)
            return outcome
        record_release(outcome, series, progress)
        outputs: list[tuple[Path, Callable[[Path], None]]] = []
        if outcome.accepted:
            outputs.append((plan.output.path, partial(_write_first, outcome)))
            placed = list_in_order({n: plan.path.parent / p for n, p in plan.output.documents.items()})
            outputs += [(path, partial(write_document, name, outcome)) for name, path in placed]
        elif refused_report is not None:
            outputs.append((Path(refused_report), partial(write_document, "report", outcome)))
        progress("writing")
        return replace(outcome, written=place_outputs(outputs, replace=replace_outputs))


def _begin_series(plan: Plan, given: Series | None) -> Series | None:
    series = Series(**plan.series) if given is None and plan.series is not None else given
    if series is not None:
        series.gives_ids = False  # the measures find each record by its own id
    return series


def record_release(outcome: Outcome, series: Series | None, progress: Callable[[str], None] = lambda _: None) -> None:
    """Write the ledger durably, before anything leaves, and let the certificate name where it ends."""
    if series is not None and outcome.accepted:
        progress("recording in the ledger")
        series.record()
    _name_head(outcome, series, progress)


def _name_head(outcome: Outcome, series: Series | None, progress: Callable[[str], None]) -> None:
    if series is None:
        return
    outcome.kept["series_counts"], outcome.kept["given_ids"] = series.counts, series.gave_ids
    outcome.kept["series_batches"] = series.batches
    if list_counts(series.counts):  # how many is not said: progress is a log that others may read
        progress("records wait or go on otherwise: the internal report counts them")
    if not series.head:
        return
    waiting = series.counts["waiting"]  # the other counts are not known any more to who runs the release again
    told = {**({"waiting": waiting} if waiting else {}), **({"counted": series.told} if series.told else {})}
    outcome.kept["series"] = {"name": series.name, "release": series.release, "head": series.head, **told}


def ask_for_key(con: duckdb.DuckDBPyConnection) -> None:
    """Say how to set the secret key where there is none that can be used."""
    with translate_errors():
        execute(con, "SELECT length(sdc__secret_key())").fetchall()


def _write_first(outcome: Outcome, path: Path) -> None:
    """Write the released file, and let the certificates digest this very file while it waits for its place."""
    write_released_file(outcome, path)
    outcome.kept["file"] = path


def _measure_release(
    con: duckdb.DuckDBPyConnection, plan: Plan, progress: Callable[[str], None], series: Series | None
) -> Outcome:
    progress("reading the source")
    there = con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE table_name IN (?, ?) AND database_name = current_database()",
        [ORIGINAL, RELEASED],
    ).fetchall()
    if there:
        raise TableError(f"The connection has a table {there[0][0]} already: drop it, or give no connection.")
    try:
        with open_engine(con, plan, progress) as engine:
            return _find_outcome(con, plan, progress, series, engine)
    except BaseException:
        for table in (ORIGINAL, RELEASED):
            con.execute(f"DROP TABLE IF EXISTS {table}")
        raise


def read_original(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    progress: Callable[[str], None] = lambda _: None,
    source: Source | None = None,
) -> tuple[Plan, tuple[HouseholdColumn, ...], dict[str, int]]:
    """Read the source into the table of the original records; return the plan with what is found in it.

    That are the columns of the household, where the plan names none, and the columns in which values were given one
    form, with how many. ``source`` is where the records are, if not where the plan says.
    """
    reformed = raw.read_source(con, source or plan.source, ORIGINAL, plan.columns, _list_number_columns(plan))
    if reformed:
        progress(
            "values given one form (0.0 for -0.0, NaN without a sign, intervals): "
            f"{one_form.describe_unified(reformed)}"
        )
    plan, found = household_columns.find_plan_households(con, plan)
    for column in found:
        progress(f"of the household, and named nowhere: {column}")
    return plan, found, reformed


def begin_released(con: duckdb.DuckDBPyConnection) -> None:
    """Make the table that steps change: it has the original records."""
    execute(con, create_from_rows(RELEASED, "TABLE", exp.select("*").from_(exp.to_table(ORIGINAL))))


def run_steps(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    asked: Iterable[Step],
    progress: Callable[[str], None] = lambda _: None,
    series: Series | None = None,
    *,
    engine: StagedRelease | None = None,
) -> tuple[Plan, list[MaskingStep], list[str]]:
    """Run steps on the released table; return the plan with the roles afterwards, and what each did, with its place.

    ``engine`` is what computes the masked values, if not DuckDB.
    """
    steps, paths = [], []
    for step in asked:
        progress(f"{step.path}: {step}")
        for done in _run_step(con, plan, step, series, engine):
            steps.append(done)
            paths.append(step.path)
            plan = sampled.update_fixed_roles(plan, done) if step.draws_records else plan
    return plan, steps, paths


def _find_outcome(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    progress: Callable[[str], None],
    series: Series | None,
    engine: StagedRelease | None,
) -> Outcome:
    plan, found, reformed = read_original(con, plan, progress, locate_source(plan, engine))
    if engine is not None:
        engine.reformed = reformed
    original = measured.describe_table(con, plan, ORIGINAL)
    columns_before = original.columns
    before = []
    for scenario in plan.scenarios:
        nulls = scenario.nulls or "category"
        told = partial(_report_stage, progress, f"before, {scenario.name}")
        before.append(
            (
                nulls,
                measured.measure_scenario(
                    con, plan, ORIGINAL, scenario, nulls, name=plan.source.path.name, progress=told
                ),
            )
        )
    begin_released(con)
    plan, steps, paths = run_steps(con, plan, plan.steps, progress, series, engine=engine)
    scenarios = []
    for scenario, (nulls, (report, more)) in zip(plan.scenarios, before, strict=True):
        after_nulls = scenario.nulls or _choose_nulls(plan, con, scenario.keys, scenario.path)
        told = partial(_report_stage, progress, f"after, {scenario.name}")
        after, more_after = measured.measure_scenario(
            con, plan, RELEASED, scenario, after_nulls, name=plan.output.path.name, progress=told
        )
        scenarios.append(ScenarioOutcome(scenario, report, after, nulls, after_nulls, more, more_after))
    released = measured.describe_table(con, plan, RELEASED)
    loss = measured.measure_loss_limits(original, released, plan, progress)
    computed = estimated.measure_estimates(original, released, plan, progress)
    if plan.ruleset is not None:
        progress(f"rules: {plan.rules}")
    nulls = _choose_nulls(plan, con, plan.ruleset.keys if plan.ruleset else ())
    ruled = rules_judged.judge_rules(con, plan, (ORIGINAL, RELEASED), nulls)
    progress("what can be worked out")
    worked_out = [*derived.judge_derived(plan, original, released), *rejoined.judge_rejoined(plan, released)]
    frontier = candidates.compare_candidates(original, released, plan, progress)
    lost = loss | {one.estimate.name: one.rows for one in computed}
    limits = (*measured.judge_limits(plan, scenarios, lost), *ruled, *worked_out)
    return Outcome(
        plan, tuple(scenarios), tuple(steps), tuple(paths), loss, limits,
        _count_records(original), _count_records(released), columns_before, released.columns,
        {"sdc_sql": VERSION, "duckdb": duckdb.__version__, "python": platform.python_version()}, original, released,
        _digests(plan), frontier=frontier, household_columns=found, reformed=reformed,
        estimates=computed, date=datetime.now(UTC).date().isoformat(),
    )  # fmt: skip


def _report_stage(progress: Callable[[str], None], stage: str, measure: str) -> None:
    progress(f"{stage}: {measure}")


def _choose_nulls(plan: Plan, con: duckdb.DuckDBPyConnection, keys: tuple[str, ...], path: str = "") -> str:
    """Return how NULL counts: it agrees with every value once values of the keys were suppressed.

    Values that were missing before would agree with every value too, and hide uniques: of a scenario (its path) the
    file must then say what it means; of rules NULL stays a value of its own.
    """
    planned = {column for step in plan.steps if step.suppresses for column in step.columns}
    if not planned & {*keys}:
        return "category"
    counts = [exp.alias_(exp.Count(this=exp.column(c, quoted=True)), f"known_{i}") for i, c in enumerate(keys)]
    counts.append(exp.alias_(exp.Count(this=exp.Star()), "records"))
    before, after = (execute(con, exp.select(*counts).from_(t)).fetchall()[0] for t in (ORIGINAL, RELEASED))
    lost = {key for key, known, left in zip(keys, before, after, strict=False) if left < known}
    if not lost & planned:
        return "category"
    missing = [key for key, known in zip(keys, before, strict=False) if known < before[-1]]
    if missing and path:
        raise ParameterError(
            f"{path}.nulls: values of {', '.join(missing)} are missing in the source, others were suppressed. Say how "
            "NULL counts in the released file: nulls = 'category', a value of its own, or nulls = 'wildcard', agreeing "
            "with every value."
        )
    return "category" if missing else "wildcard"


def _run_step(
    con: duckdb.DuckDBPyConnection, plan: Plan, step: Step, series: Series | None, engine: StagedRelease | None
) -> Iterator[MaskingStep]:
    """Run a step of the file; an error of the step names its place."""
    plan = sampled.remove_fixed_roles(plan, step) if step.draws_records else plan
    several = "columns" in step.arguments or "keys" in step.arguments or not step.columns
    try:
        for arguments in [{}] if several else [{"column": column} for column in step.columns]:
            data = measured.describe_table(con, plan, RELEASED, _find_keys(plan, step))
            data._roles = read_roles(data._roles, series=series, engine=engine)  # noqa: SLF001 - as its methods take them
            part = data if step.where is None else data.where(step.where)
            part = part if step.by_household is None else part.by_household(step.by_household)
            where = place_arguments(getattr(Methods, step.verb), None)
            masked: MaskingStep = call_method(part, step.verb, **arguments, **step.arguments, **where)
            if engine is not None:
                engine.end_step()
            yield replace(masked, remains="")
    except SdcError as error:
        kind = type(error) if isinstance(error, InputError) else SdcError
        raise kind(f"{step.path} ({step.verb}): {error}") from None


def _find_keys(plan: Plan, step: Step) -> tuple[str, ...]:
    """Return the keys of a step: those that it masks, or those of the scenario by which it asks a figure."""
    if "keys" in step.arguments:
        return tuple(step.columns)
    return next((tuple(s.keys) for s in plan.scenarios if s.name == step.scenario), ())


def _list_number_columns(plan: Plan) -> set[str]:
    """Return the columns of a CSV file that are numbers however it writes them: those that are computed with."""
    roles = plan.roles
    found = {n for n in (roles.weight, roles.sampling_fraction, *roles.ordered) if isinstance(n, str)}
    if plan.ruleset is not None and "inhabitants" in plan.ruleset.facts:
        found.add(plan.ruleset.facts["inhabitants"])
    for scenario in plan.scenarios:
        found |= {*(scenario.neighbourhood or {}).get("columns", ())}
    for estimate in plan.estimates:
        found |= estimate.numbers
    for step in plan.steps:
        if step.of_numbers:
            found |= {*step.columns}
    return found


def _count_records(data: Microdata) -> int:
    rows = execute(data.con, exp.select(exp.Count(this=exp.Star())).from_(exp.to_table(data.table)))
    return int(rows.fetchall()[0][0])


def _digests(plan: Plan) -> dict[str, str]:
    found = {"release_file": hashlib.sha256(plan.text.encode()).hexdigest()}
    if plan.ruleset is not None:
        found["ruleset"] = hashlib.sha256(plan.ruleset.ruleset.text.encode()).hexdigest()
    # a pattern names several files, and has no bytes of its own
    if plan.source.path.is_file() and plan.source.kind not in {"duckdb", "relation", "Spark"}:
        with plan.source.path.open("rb") as file:
            found["source"] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def select_released_records(outcome: Outcome) -> exp.Select:
    """Return the query of the released records, in the order of their own values or, with recoded ids, of the key."""
    plan, data = outcome.plan, outcome.released
    ids = plan.output.ids if plan.roles.id is not None else "keep"
    rows = released_file.select_released_rows(data, plan.release if ids == "recode" else "", ids)
    if ids == "keep" and data.id is not None and outcome.kept.get("given_ids"):
        rows = exchange_ids(rows, data.id)
    household = data.household if data.household != data.id else None
    if household is not None and plan.output.households == "recode":
        rows = renumber_households(rows, household)
    elif household is not None and plan.output.households == "drop":
        left = [c.alias_or_name for c in rows.selects if c.alias_or_name != household]
        rows = exp.select(*(exp.column(name, quoted=True) for name in left)).from_(rows.subquery("r"))
    if ids != "recode":
        return order_by_values(data.con, rows)
    return rows.order_by(exp.Ordered(this=exp.column(str(data.id), quoted=True), nulls_first=False), append=False)


def write_released_file(outcome: Outcome, path: Path) -> None:
    """Write the released records to a file that is not there."""
    plan, data, rows = outcome.plan, outcome.released, select_released_records(outcome)
    if path.suffix.lower() in formats.FORMATS:
        formats.write_statistical_file(data.con, rows, path, plan.source.path, measured.list_remaining_codes(outcome))
    else:
        released_file.write_rows(data.con, rows, path, plan.source.table or plan.source.path.stem)
