"""A session as a release file: its source, the roles of its columns, and the steps of the log."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.db.checks import SMALL_WEIGHTS, text_for_message
from sdc_sql.db.files.released_file import FORMATS
from sdc_sql.db.masking.steps import find_next_pass, name_next_pass
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.errors import InputError, ParameterError, SeriesError, TableError
from sdc_sql.session import toml
from sdc_sql.session.calls import name_step, parse_step
from sdc_sql.session.original import TO_DO, find_original
from sdc_sql.session.undo import steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb
    from sqlglot import exp

    from sdc_sql.db.masking.steps import LoggedStep
    from sdc_sql.roles import Roles

_FILES = (
    "matrix",
    "mapping",
    "hierarchy",
    "geography",
    "hierarchies",
    "population",
    "totals",
    "points",
)  # these are given by name: a table or a file
LIMITS = ("k_anonymity.3.records <= 0",)


def to_release_file(
    data: Roles,
    path: str | os.PathLike[str],
    *,
    source: str | os.PathLike[str] | None = None,
    table: str | None = None,
    output: str | os.PathLike[str] | None = None,
    limits: Iterable[str] = LIMITS,
    scenario: str = "intruder",
    title: str | None = None,
    released_as_collected: Iterable[str] = (),
) -> Path:
    """Write a release file that does what was done to this table: run, its steps give the same content.

    It has the source that the first step has read, the roles of the table, one scenario with its keys, and the steps of
    the log with their parameters. The file is for its owner alone: its parameters are not for publication. Nothing is
    run.

    Parameters
    ----------
    path
        The release file, in a folder that is there; a file that is there is not replaced.
    source
        The original: a Parquet or CSV file, or a DuckDB database. By default that of the first step, where it is a file
        or a table of a database file.
    table
        The table of a database.
    output
        The released file; by default beside the release file, ``<its name>-released.parquet``.
    limits
        What must hold before the file is released, as in a release file.
    scenario
        The name of the scenario.
    title
        The title of the release.
    released_as_collected
        The columns that are no key, have no role and were not masked, and may leave as they are. The file is not run
        while one is in none of these: the error says what is known of it.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        Where the source cannot be told, the table has no keys, or a step cannot be written, with every reason.

    Examples
    --------
    >>> import pathlib, sdc_sql, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     con, raw = sdc_sql.example().con, f"{folder}/raw.parquet"
    ...     _ = con.execute(f"COPY persons TO '{raw}'")
    ...     _ = sdc_sql.Microdata(con, raw, id="id").mask.round("age", 25, into="masked")
    ...     masked = sdc_sql.Microdata(con, "masked", keys=["age", "sex"], id="id")
    ...     file = masked.to_release_file(f"{folder}/release.toml")
    ...     print(file.read_text().partition("[[steps]]")[2].split("[output]")[0].strip())
    mask = "round"
    columns = ["age"]
    base = 25
    """
    if data.series is not None:
        raise SeriesError("The release file of a series is written by hand: its [series] names the ledger.")
    file = Path(path).absolute()
    if not file.parent.is_dir():
        raise TableError(f"There is no folder {file.parent}.")
    if not data.keys:
        raise ParameterError(
            "The table was described without keys, and a release file says what an intruder may know: "
            "Microdata(con, table, keys=[...]).to_release_file(...)."
        )
    whole = data if data.part is None else data.part.whole
    if data.part is not None:
        raise ParameterError(f"This is a part of {whole.table}: write the release file of the whole table.")
    done = steps(data)
    limits = [limits] if isinstance(limits, str) else list(limits)
    released = Path(output) if output is not None else file.with_name(f"{file.stem}-released.parquet")
    if released.suffix.lower() not in FORMATS:
        raise ParameterError(f"output is {text_for_message(str(output))}: it must end in {', '.join(FORMATS)}.")
    lines = [toml.format_line("title", title)] if title is not None else []
    release = _release(done)
    if release:
        lines.append(toml.format_line("release", release))
    lines += ["", "[source]", *_write_source(data, done, file, source, table)]
    unchanged = _resolve_names(data, released_as_collected)
    roles = _list_roles(data, done) | ({"released_as_collected": unchanged} if unchanged else {})
    lines += ["", "[roles]", *(toml.format_line(name, value) for name, value in roles.items())]
    lines += ["", "[[scenarios]]", toml.format_line("name", scenario), toml.format_line("keys", list(data.keys))]
    lines.append(toml.format_line("nulls", data.nulls))
    lines.append(toml.format_line("limits", limits))
    lines += _write_steps(done, release)
    lines += ["", "[output]", toml.format_line("path", relate_path(released, file))]
    write_new(file, "\n".join(lines).lstrip("\n") + "\n")
    return file


def write_new(file: Path, text: str) -> None:
    """Write a text to a file that is not there, for its owner alone.

    Raises
    ------
    TableError
        Where there is one, which is left as it is, or the folder cannot be written.
    """
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise TableError(f"There is a file {file} already: remove it first, or give another name.") from None
    except OSError as error:
        raise TableError(f"{file} cannot be written: {error.strerror}.") from None
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as opened:
        opened.write(text)


def relate_path(path: str | os.PathLike[str], file: Path) -> str:
    """Return a path as a release file says it: relative where it is in its folder, or below."""
    given = Path(path).absolute()
    return given.relative_to(file.parent).as_posix() if given.is_relative_to(file.parent) else str(given)


def _release(done: Sequence[LoggedStep]) -> str:
    """Return the release that all steps that draw have, '' where they differ: each then says its own."""
    names = {step.release for step in done if step.drew}
    return (names.pop() or "") if len(names) == 1 else ""


def _write_source(
    data: Roles, done: Sequence[LoggedStep], file: Path, source: str | os.PathLike[str] | None, table: str | None
) -> list[str]:
    if source is None:
        source, table = _find_original_file(data, done)
    where = Path(source)
    if any(sign in str(source) for sign in "*?["):
        raise ParameterError(f"{source} is a pattern of several files: give source=, one file.")
    if not where.is_file():
        raise TableError(f"There is no file {source}: give source=, the original file.")
    with where.open("rb") as opened:
        database = opened.read(12)[8:] == b"DUCK"
    if database and table is None:
        raise ParameterError(f"{source} is a database: give table=, the name of the original table.")
    if not database:
        return [toml.format_line("path", relate_path(where, file))]
    return [toml.format_line("database", relate_path(where, file)), toml.format_line("table", table)]


def _find_original_file(data: Roles, done: Sequence[LoggedStep]) -> tuple[str, str | None]:
    """Return the file of the original, and the table in it where it is a database."""
    say = "Give source=, the file of the original records (and table= where it is a database)."
    if done:
        try:
            original = find_original(data.con, done)
        except TableError as error:
            raise TableError(f"{str(error).removesuffix(TO_DO)}{say}") from None
        place = original.table
        if original.path is not None:
            return str(original.path), None
    else:
        place = find_known_table(data, data.table)
        if data.file is not None or (place is None and Path(data.table.strip('"')).is_file()):
            return data.file or data.table.strip('"'), None
    found = _database(data.con, place)
    if found is None:
        raise TableError(f"The original ({place.sql('duckdb') if place else data.table}) is in no database file. {say}")
    assert place is not None  # noqa: S101 - it was found
    return found, place.name if place.db == "main" else f"{place.db}.{place.name}"


def _database(con: duckdb.DuckDBPyConnection, table: exp.Table | None) -> str | None:
    """Return the file of the database in which a table is."""
    if table is None:
        return None
    rows = con.execute("SELECT path FROM duckdb_databases() WHERE database_name = ?", [table.catalog]).fetchall()
    return next((str(path) for (path,) in rows if path), None)


def _list_roles(data: Roles, done: Sequence[LoggedStep]) -> dict[str, Any]:
    identifiers = {str(step.id).lower(): str(step.id) for step in done}
    if len(identifiers) > 1:
        raise ParameterError(f"The steps have several ids ({', '.join(identifiers.values())}): a release file has one.")
    found = {
        "id": data.id or next(iter(identifiers.values()), None), "weight": data.weight,
        "small_weights": data.small_weights if data.small_weights != SMALL_WEIGHTS[0] else None,
        "sampling_fraction": data.sampling_fraction, "household": data.household,
        "household_columns": list(data.household_columns or ()) or None,
        "strata": [data.stratum] if data.stratum else None,
    }  # fmt: skip
    if data.id is not None and identifiers and data.id.lower() not in identifiers:
        raise ParameterError(
            f"The table was described with the id {data.id}, and masked by the id {next(iter(identifiers.values()))}: "
            "describe it with this one."
        )
    return {name: value for name, value in found.items() if value is not None}


def _resolve_names(data: Roles, names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise ParameterError(f"released_as_collected is {text_for_message(names)}: it must be a list of columns.")
    return [data.spell_column("column", name) for name in names]


def _write_steps(done: Sequence[LoggedStep], release: str) -> list[str]:
    """Return the lines of all steps.

    Raises
    ------
    ParameterError
        With all steps that cannot be written.
    """
    lines, wrong = [], []
    for i, step in enumerate(done):
        try:
            lines += ["", "[[steps]]", *_write_step(step, done[:i], release)]
        except InputError as error:
            wrong.append(str(error))
    if wrong:
        raise ParameterError(f"The release file cannot be written. {' '.join(wrong)}")
    return lines


def _write_step(step: LoggedStep, before: Sequence[LoggedStep], release: str) -> list[str]:
    call = parse_step(step)
    fields: dict[str, Any] = {"mask": call.verb}
    if call.target is not None:
        fields[call.target] = call.columns[0] if call.target == "column" else list(call.columns)
    for name, value in call.arguments.items():
        fields[name] = _convert_argument(step, call.columns, name, value)
    if call.where is not None:
        fields["where"] = call.where
    if call.by_household is not None:
        fields["by_household"] = call.by_household
    stays = find_effect(step.method).records.kind == "stay"
    following = find_next_pass(before, call.columns) if stays else name_next_pass(before, step.method)
    if step.drew and step.stream != following:
        fields["stream"] = step.stream
    if step.drew and (step.release or "") != release:
        fields["release"] = step.release or ""
    lines = []
    for name, value in fields.items():
        try:
            lines.append(toml.format_line(name, value))
        except ParameterError as error:
            raise ParameterError(f"{name_step(step)}, its {name}: {error}") from None
    return lines


def _convert_argument(step: LoggedStep, columns: Sequence[str], name: str, value: Any) -> Any:  # noqa: ANN401 - of the log
    """Return an argument as a release file takes it."""
    if name in _FILES and isinstance(value, str):
        if not Path(value).exists():
            raise ParameterError(
                f"{name_step(step)}: its {name} is {value}, a table of the session, and a release file takes a file: "
                "write "
                "it as one (COPY ... TO 'x.csv'), and mask with that."
            )
        return str(Path(value).absolute())
    if name == "max_share" and isinstance(value, list) and None in value:
        return {column: share for column, share in zip(columns, value, strict=True) if share is not None}
    if name == "mapping" and isinstance(value, dict):  # a mapping finds a value by its text
        return {n if n is None else n if isinstance(n, str) else json.dumps(n): to for n, to in value.items()}
    return value
