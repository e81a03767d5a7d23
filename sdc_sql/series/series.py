"""A release of a series: the ledger is opened, each step is masked by what it says, and it is written again."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, require_key, set_key
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError, SeriesError, translate_errors
from sdc_sql.series.boxed_step import BoxedStep, cuts_boxes
from sdc_sql.series.chain import check_chain, check_ids, check_repeated, refuse_changed_file
from sdc_sql.series.coarser import is_coarser
from sdc_sql.series.counted_bounds import CountedBounds
from sdc_sql.series.frozen_design import freeze_design
from sdc_sql.series.kept_step import KeptStep, find_waiting_ids
from sdc_sql.series.ledger import IDS, WAITING, Ledger, digest_shown, read_ledger
from sdc_sql.series.mapped_classes import METHOD, explain_parted, read_classes
from sdc_sql.series.ordered_content import KIND as ORDERED
from sdc_sql.series.records import Distributed, digest_content, digest_ids, name_whole
from sdc_sql.series.release_step import ReleaseStep
from sdc_sql.series.sampled_households import count_moved, draws_households, read_homes, refuse_new_numbers
from sdc_sql.series.sealed_file import hold_lock, identify_file, import_aead
from sdc_sql.series.step_form import describe_step_form, explain_difference, find_rule, name_pass, refuse_method
from sdc_sql.series.suppressed_step import SuppressedStep, suppresses_values
from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    from types import TracebackType

    import duckdb
    from sqlglot import exp

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.series.drawn_batches import DrawnBatches
    from sdc_sql.series.kept_step import Seen
    from sdc_sql.series.persons import Persons

WEAKENED = ("leave_out", "new_id")
MOST_NEW = 0.5  # where more of the ids are new, they were numbered anew


class Series:
    """One release of a series: the same table, changed meanwhile, released again, with a private ledger.

    What was released of a record stays as long as its own value does. A ledger, which is the owner's alone, keeps what
    is needed for that. Methods that cannot be repeated soundly are refused, each with its reason.

    Parameters
    ----------
    ledger
        The file of the ledger. It is made by the first release, and written anew by each.
    name
        The name of the series.
    release
        The name of this release. The name of one that is recorded repeats it: it gives the same bits, from the same
        table only.
    after
        The ``head`` of the release before, as its certificate has it; empty for the first. A ledger that does not end
        there is refused: a copy of an earlier state, or one that went another way.
    disk_encrypted
        True where the disk is encrypted, and the ledger need not be; else the package ``cryptography`` encrypts it
        under a key that is derived from the secret one.
    returning
        True where ids that had left and are back are the same persons; else such an id is refused.
    most_new
        The largest share of ids that may be new: with more of them the ids must have been numbered anew.
    forget_after
        So many releases after it left, a record is erased from the ledger; None: never.
    weakened
        What becomes of a record of which keys are suppressed, where a key that it shows changes, or others leave so
        that it would stand out: it is left out from then on (``"leave_out"``), or given another id in what is released,
        with keys suppressed (``"new_id"``). The new id helps where nothing else that is released links the two.

    Raises
    ------
    SeriesError, ParameterError
        Where the ledger does not fit, or an argument cannot be used.

    Notes
    -----
    The ledger is as confidential as the originals to whoever has the secret key: all values that are possible can be
    tried against its digests.

    Examples
    --------
    >>> import pathlib, sdc_sql, tempfile
    >>> con = sdc_sql.example().con
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = pathlib.Path(folder, "persons.ledger")
    ...     with Series(ledger, "persons", "2026-10") as first:
    ...         data = sdc_sql.Microdata(con, "persons", id="id", series=first)
    ...         _ = data.mask.round("age", 25, at_random=True, into="october")
    ...     _ = con.execute("INSERT INTO persons VALUES (4, 52, 'm', 11.0, 3)")
    ...     with Series(ledger, "persons", "2026-11", after=first.head) as second:
    ...         data = sdc_sql.Microdata(con, "persons", id="id", series=second)
    ...         _ = data.mask.round("age", 25, at_random=True, into="november")
    >>> con.sql("FROM october EXCEPT FROM november").fetchall()
    []
    """

    def __init__(
        self,
        ledger: str | PathLike[str],
        name: str,
        release: str,
        *,
        after: str = "",
        disk_encrypted: bool = False,
        returning: bool = False,
        most_new: float = MOST_NEW,
        forget_after: int | None = None,
        weakened: str = "leave_out",
    ) -> None:
        for what, given in (("name", name), ("release", release)):
            if not isinstance(given, str) or not given.strip():
                raise ParameterError(f"{what} is {text_for_message(given)}: it must be a text, the {what}.")
        if not isinstance(after, str):
            raise ParameterError(f"after is {text_for_message(after)}: it must be the head of the release before.")
        for what, truth in (("disk_encrypted", disk_encrypted), ("returning", returning)):
            if not isinstance(truth, bool):  # a text, "false", would be true
                raise ParameterError(f"{what} is {text_for_message(truth)}: it must be True or False.")
        if not isinstance(ledger, str | PathLike) or not str(ledger).strip():
            raise ParameterError(f"ledger is {text_for_message(ledger)}: it must be the path of a file.")
        folder = Path(ledger).resolve().parent
        if not folder.is_dir():  # found before any work
            raise ParameterError(
                f"There is no folder {text_for_message(str(folder))} for the ledger: make it, or give another path."
            )
        if isinstance(most_new, bool) or not isinstance(most_new, int | float) or not 0 <= most_new <= 1:
            raise ParameterError(f"most_new is {text_for_message(most_new)}: it must lie between 0 and 1.")
        if forget_after is not None and (isinstance(forget_after, bool) or not isinstance(forget_after, int)
                                         or forget_after < 1):  # fmt: skip
            raise ParameterError(f"forget_after is {text_for_message(forget_after)}: it must be a number of releases.")
        self.path, self.name, self.release, self.after = Path(ledger).resolve(), name, release, after.strip().lower()
        self.disk_encrypted, self.returning = disk_encrypted, returning
        self.most_new, self.forget_after = most_new, forget_after
        self.weakened = _require_weakened(weakened)
        self.gives_ids = True  # in the masked table; where a file is written from it later, then
        self.gave_ids = False
        self.recorded = False
        self.head = ""
        self.counts: dict[str, int] = {}
        self.batches: dict[str, DrawnBatches] = {}  # of each column of guaranteed PRAM by itself
        self._ledger: Ledger | None = None
        self._number = 0
        self._repeats = False
        self._content = ""
        self._seen = ""
        self._persons: Persons | None = None
        self._ids: pa.Array = pa.array([], IDS.field("id").type)
        self._waiting: pa.Array = pa.array([], IDS.field("id").type)
        self._looked: dict[int, Seen] = {}
        self._keys: dict[str, bytes] = {}
        self._done: list[dict[str, Any]] = []
        self._turn = False
        self._form: dict[str, Any] = {}
        self._kept: KeptStep | SuppressedStep | BoxedStep | None = None
        self._bounds = CountedBounds()
        self._fixed: dict[str, pa.Table] = {}
        self._values: list[pa.Table] = []

    def __repr__(self) -> str:
        """Return the series by its name and release."""
        return f"Series({self.name!r}, release={self.release!r})"

    def __enter__(self) -> Self:
        """Return the release itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Record the release, unless an error ended it."""
        if kind is None:
            self.record()

    @property
    def has_turn(self) -> bool:
        """Whether a step is being masked that the series has admitted."""
        return self._turn

    def begin_step(self, data: Any, masking: Masking, *, subset: bool = False) -> Masking:  # noqa: ANN401 - a described table
        """Admit a step, or refuse it with its reason, and return how it is masked; the first one opens the ledger.

        Raises
        ------
        SeriesError
            Where the method is not for a series, or the step is another one than in the releases before.
        """
        if self.recorded:
            raise SeriesError(f"Release {self.release!r} of {self.name} is recorded: begin the next one.")
        refuse_method(masking.macro, masking.arguments, data, subset=subset)
        masking = name_pass(masking, self._done)
        if isinstance(data, Distributed) and (
            masking.designed is not None or find_rule(masking.macro, masking.arguments) != "parameters"
        ):
            raise SeriesError(data.explain_unmasked(masking.macro))
        form = describe_step_form(data, masking)
        if self._ledger is None:
            # What keeps values is masked by this engine alone, and its table is digested at a tenth of the time.
            keeps = find_rule(masking.macro, masking.arguments) == "values"
            self._open(data, str(masking.arguments["id"]), ordered=keeps)
        else:
            self._check_same_records(data, str(masking.arguments["id"]))
        assert self._ledger is not None  # noqa: S101 - it was opened
        self._refuse_twice(masking.macro, form)
        self._refuse_boxes_beside_others(masking.macro)
        place = len(self._done)
        labels = self._keep_classes(data, masking, place)
        if self._ledger.releases:
            known = self._ledger.steps
            if place >= len(known):
                raise SeriesError(
                    f"{masking.macro} is step {place + 1} of this release, and the releases before have {len(known)}: "
                    "what one release shows otherwise than another is told by both. Mask alike, or begin another "
                    "series."
                )
            if known[place] != form and (self._repeats or not is_coarser(known[place], form)):
                self._refuse_other_step(place, form, labels)
        if draws_households(masking) and not self._repeats:
            homes = f"homes {place}"
            self._fixed[homes] = read_homes(data, masking, self.name, place)
            self.counts["moved"], stayed = count_moved(self._ledger.fixed.get(homes), self._fixed[homes])
            refuse_new_numbers(self.counts["moved"], stayed, self.most_new)
        self._form = form
        if masking.designed is not None:
            masking = freeze_design(data.con, masking, place, self._ledger.fixed, self._fixed)
        self._kept = None
        if find_rule(masking.macro, masking.arguments) == "values":
            masking = self._begin_kept(self._ledger, data, masking, place)
        self._turn = True  # last: what failed before has no turn
        return masking

    def _keep_classes(self, data: Any, masking: Masking, place: int) -> dict[bytes, str | None]:  # noqa: ANN401
        """Take for the ledger what a mapping makes of each value, as digests; return the labels by their digests."""
        if masking.macro != METHOD or isinstance(data, Distributed):
            return {}
        self._fixed[f"classes {place}"], labels = read_classes(data, masking, self.name, place)
        return labels

    def _refuse_other_step(self, place: int, form: dict[str, Any], labels: dict[bytes, str | None]) -> None:
        """Refuse a step that is not that of the releases before, unless a mapping is made of whole former classes."""
        assert self._ledger is not None  # noqa: S101 - it was opened
        known, name, why = self._ledger.steps[place], f"classes {place}", ""
        kept = known["method"] == form["method"] == METHOD and {name} <= {*self._ledger.fixed} & {*self._fixed}
        if kept and not self._repeats:
            why = explain_parted(known, form, self._ledger.fixed[name], self._fixed[name], labels)
            if not why:
                return
        said = f"{explain_difference(known, form)}{f', and {why}' if why else ''}"
        raise SeriesError(
            f"Step {place + 1} is not that of the releases before: {said}. "
            "Two releases that were masked otherwise tell more than either: mask alike (a recoding may become "
            "coarser, by classes that are made of whole former ones), or begin another series."
        )

    def _begin_kept(self, ledger: Ledger, data: Any, masking: Masking, place: int) -> Masking:  # noqa: ANN401
        """Begin a step of which more than its parameters is kept, and return how it is masked."""
        step = ReleaseStep(
            ledger, data, masking, self.name, self.release, place, self._number, self._repeats, self._waiting,
            self._persons,
        )  # fmt: skip
        if suppresses_values(masking.macro):
            self._refuse_second_ids()
            self._kept = SuppressedStep(step, self.weakened)
        elif cuts_boxes(masking.macro):
            self._kept = BoxedStep(step)
        else:
            self._kept = KeptStep(step, self._looked.pop(place, None))
            masking = self._kept.leave_out(masking)
        return masking

    def find_kept_arguments(self, data: Any, method: str) -> dict[str, Any]:  # noqa: ANN401 - a described table
        """Return the arguments of this step in the releases before, for a method that counts records; none at first.

        Raises
        ------
        SeriesError
            Where records of the table wait, which would be counted and are not released.
        """
        identifier = str(data.require_role("id"))
        if self._ledger is None:
            self._open(data, identifier)
        assert self._ledger is not None  # noqa: S101 - it was opened
        ids = digest_ids(data, identifier, self.name, self._persons).digests
        if pc.any(pc.is_in(ids, value_set=self._waiting)).as_py():
            raise SeriesError(
                f"Records of {data.table} wait for a later release, and {method} would count them: put it "
                "behind the steps by which they wait, which leave them out."
            )
        known = self._ledger.steps[len(self._done) :][:1]
        found: dict[str, Any] = known[0]["arguments"] if known and known[0]["method"] == method else {}
        return found

    def _refuse_twice(self, method: str, form: dict[str, Any]) -> None:
        """Refuse to publish further means of a column in one release: together they are equations of its values."""
        if find_rule(method, form["arguments"]) != "values":
            return
        before = [f for f in self._done if find_rule(f["method"], f["arguments"]) == "values"]
        again = [c for c in form["columns"] if any(c in f["columns"] for f in before)]
        if again:
            raise SeriesError(
                f"{method} of {', '.join(again)} is a second step in this release that keeps what it released: two "
                f"groupings, or swaps, of a column tell more of its values than one. Mask it once."
            )

    def _refuse_boxes_beside_others(self, method: str) -> None:
        """Refuse local recoding beside another step that counts who is alike: each may leave out some of these."""
        methods = [*(form["method"] for form in self._done), method]
        counting = [m for m in methods if cuts_boxes(m) or suppresses_values(m) or m == "generalise"]
        if len(counting) > 1 and any(cuts_boxes(m) for m in counting):
            raise SeriesError(
                f"{' and '.join(counting)} in one release of a series: local recoding leaves out who is alone in a box "
                "and counts in the other step, or that one leaves out whom a box counts. Use one of them, for all keys."
            )

    def _refuse_second_ids(self) -> None:
        if self.weakened == "new_id" and any(suppresses_values(f["method"]) for f in self._done):
            raise SeriesError(
                "A second suppression in a release with weakened='new_id' would give other ids than the first: "
                "suppress all keys in one step, or give weakened='leave_out'."
            )

    def select_kept(self, selected: exp.Select) -> exp.Select:
        """Return the query of the masked values, in which what was released of a value stays."""
        return selected if self._kept is None else self._kept.select(selected)

    def collect_kept(self, masked: exp.Expression) -> None:
        """Take the masked values, in a table, for the ledger."""
        if self._kept is not None:
            self._kept.collect(masked)

    @property
    def waiting(self) -> pa.Array:
        """The digests of the ids that wait for a later release: no step of this one releases them."""
        return self._waiting

    def choose_proof(self, asked: dict[str, exp.Select]) -> dict[str, exp.Select]:
        """Return the queries for the log: of what is released, where that is fewer records than were masked."""
        return self._kept.choose_proof(asked) if isinstance(self._kept, SuppressedStep | BoxedStep) else asked

    def finish_records(self, target: exp.Table) -> int:
        """Take from what was written who is left out of the release, and give new ids; return how many left."""
        return (
            0
            if self._kept is None or isinstance(self._kept, KeptStep)
            else self._kept.finish(target, ids=self.gives_ids)
        )

    def end_step(self, *, done: bool) -> None:
        """Take note of a step that was masked, or forget one that failed."""
        self._turn = False
        self._looked.clear()
        if done:
            self._done.append(self._form)
            if self._kept is not None:
                self._values.append(self._kept.new)
                self._fixed |= self._kept.fixed
                if isinstance(self._kept, SuppressedStep | BoxedStep):
                    for name, number in self._kept.counts.items():
                        self.counts[name] = self.counts.get(name, 0) + number
                    self.gave_ids |= self._kept.gave_ids
                    self._bounds.leave_out(self._kept.absent)
                else:
                    self._bounds.add(self._form["method"], self._kept)
                    if (drawn := self._kept.batches) is not None:
                        self.batches[drawn.column] = drawn
        self._kept = None

    def note_records(self, data: Any, target: exp.Table) -> None:  # noqa: ANN401 - a described table
        """Take note of who is left where a step leaves records out, as a sample does."""
        if self._bounds.has_any:
            asked = query.call_macro("sdc__series_ids", target.sql("duckdb"), str(data.require_role("id")), self.name)
            with translate_errors():
                found = fetch_arrow(data.con, asked)["sdc__digest"].combine_chunks().cast(self._ids.type)
            self._bounds.leave_out(self._ids.filter(pc.invert(pc.is_in(self._ids, value_set=found))))

    @property
    def told(self) -> dict[str, float]:
        """What is counted of a step, by its method and name."""
        return self._bounds.told

    def record(self) -> None:
        """Write the ledger, durably: the release may leave the house from then on.

        Raises
        ------
        SeriesError
            Where nothing was masked, or steps of the releases before are missing.
        """
        if self.recorded:
            return
        ledger = self._ledger
        if ledger is None:
            raise SeriesError(
                f"Nothing was masked in release {self.release!r} of {self.name}: there is nothing to record."
            )
        if len(self._done) < len(ledger.steps):
            missing = ledger.steps[len(self._done)]
            raise SeriesError(
                f"This release lacks step {len(self._done) + 1} of the releases before, {missing['method']} of "
                f"{', '.join(missing['columns'])}: it would show what they masked. Mask alike, or begin another series."
            )
        if self._repeats:
            self.recorded = True
            return
        with hold_lock(self.path):
            refuse_changed_file(self.path, self._seen)
            if ledger.steps and ledger.steps != self._done:  # coarser ones: the former are not kept
                ledger.releases = [{**release, "recoded": True} for release in ledger.releases]
            ledger.steps = self._done
            shown = digest_shown(self._done, self._values, self._fixed)
            ledger.values = pa.concat_tables([ledger.values, *self._values])
            ledger.fixed |= self._fixed
            ledger.count_in(self._ids, self._number)
            self.head = ledger.extend_chain(
                self._keys["chain"], self.release, self._content, records=len(self._ids), shown=shown
            )
            if self.forget_after is not None:
                gone = pc.less(ledger.ids["last"], self._number - self.forget_after + 1)
                self.counts["erased"] = ledger.erase_ids(ledger.ids.filter(gone)["id"].combine_chunks())
            ledger.write(self.path, self._keys["file"], encrypted=not self.disk_encrypted)
        self.recorded = True

    def erase(self, con: duckdb.DuckDBPyConnection, ids: Iterable[Any] | Any) -> int:  # noqa: ANN401 - an id
        """Erase persons from the ledger, by their ids, and return how many were there.

        What was released of them stays released. Whoever is erased and in the table again is new: of him two releases
        tell more than one. The releases that were recorded before he left are not repeated any more. Copies
        of the ledger that somebody made keep him.

        Parameters
        ----------
        con
            A connection that has the secret key.
        ids
            Their ids, as the table has them, or one of them. One that is not there is not counted.

        Raises
        ------
        SeriesError, ParameterError
            Where the ledger does not fit, by ``after`` too where it is given; where an id is NULL.
        """
        listed = list(ids) if isinstance(ids, Iterable) and not isinstance(ids, str | bytes) else [ids]
        if any(one is None for one in listed):
            raise ParameterError("An id is None: give the ids of those who are to be erased.")
        self._read_keys(con)
        select = "SELECT sdc__series_id(sdc__canonical($1), $2)"
        found = [execute(con, select, [one, self.name]).fetchall()[0][0] for one in listed]
        with hold_lock(self.path):
            ledger, encrypted = self._read_file()
            if self.after:
                check_chain(self, ledger)
            erased = ledger.erase_ids(pa.array(found, IDS.field("id").type))
            ledger.write(self.path, self._keys["file"], encrypted=encrypted)
        return erased

    def _read_keys(self, con: duckdb.DuckDBPyConnection) -> None:
        set_key(con)
        with translate_errors():
            require_key(con)
            for purpose in ("file", "chain"):
                ((key,),) = execute(con, "SELECT sdc__series_key($1, $2)", [self.name, purpose]).fetchall()
                self._keys[purpose] = bytes.fromhex(key)

    def _read_file(self) -> tuple[Ledger, bool]:
        ledger, encrypted = read_ledger(self.path, self._keys["file"])
        if ledger.series != self.name:
            raise SeriesError(f"The ledger {self.path} is of the series {ledger.series!r}, not {self.name!r}.")
        return ledger, encrypted

    def _open(self, data: Any, identifier: str, *, ordered: bool = False) -> None:  # noqa: ANN401 - a described table
        """Read the ledger and the table; the digest of a new release is taken in the order of the ids, or by record."""
        if not self.disk_encrypted:
            import_aead()  # before any work
        self._read_keys(data.con)
        self._seen = identify_file(self.path)
        ledger = self._read_file()[0] if self.path.exists() else Ledger(self.name)
        self._persons = digest_ids(data, identifier, self.name)
        self._ids = self._persons.digests
        names = [release["name"] for release in ledger.releases]
        if self.release in names:
            place = names.index(self.release)
            ordered = ledger.releases[place]["content"].startswith(ORDERED)
            self._content = digest_content(data, identifier if ordered else "")
            check_repeated(self, ledger, place, self._content)
            self._number, self._repeats, self.head = place + 1, True, ledger.releases[place]["head"]
            if (waited := ledger.fixed.get(f"{WAITING}{self._number}")) is not None:
                self._waiting = waited["id"].combine_chunks()
        else:
            check_chain(self, ledger)
            self._number = len(ledger.releases) + 1
            self._content = digest_content(data, identifier if ordered else "")
            check_ids(self, ledger, self._ids, self._number)
            if not isinstance(data, Distributed):  # there no value is kept, and nobody waits
                with translate_errors():
                    whole = name_whole(data)
                    self._waiting = find_waiting_ids(
                        ledger, data, whole, identifier, self.name, self._looked, self._persons
                    )
            if len(self._waiting):
                self._fixed[f"{WAITING}{self._number}"] = pa.table({"id": self._waiting})
        self.counts["waiting"] = len(self._waiting)
        self._ledger = ledger

    def _check_same_records(self, data: Any, identifier: str) -> None:  # noqa: ANN401 - a described table
        """Refuse a further step on records that the first one did not see: a sample may have fewer, never others."""
        ids = digest_ids(data, identifier, self.name, self._persons).digests
        if ids is not self._ids and not pc.all(pc.is_in(ids, value_set=self._ids)).as_py():
            raise SeriesError(
                f"Records of {data.table} were not in the table of the first step: all steps of a release "
                "are of one table. Another table is another series. (Suppression that gives new ids comes last.)"
            )


def _require_weakened(given: str) -> str:
    if given not in WEAKENED:
        raise ParameterError(f"weakened is {text_for_message(given)}: it must be one of {', '.join(WEAKENED)}.")
    return given
