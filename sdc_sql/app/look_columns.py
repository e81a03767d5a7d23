"""The columns of the file: how their values lie, whom they tell apart by themselves, and what each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import duckdb
from htmltools import HTML, Tag, TagList, tags

from sdc_sql.app.columns import ROLES, WORDS, list_roles, list_undecided, set_role
from sdc_sql.app.show import act, button, show_blocks, show_job, show_problem
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.db import query
from sdc_sql.document.blocks import format_readable
from sdc_sql.document.distribution import draw_small_distribution
from sdc_sql.errors import ParameterError, SdcError
from sdc_sql.microdata import Microdata
from sdc_sql.release.proposing.facts import find_row_facts
from sdc_sql.release.proposing.propose import ProposedRole, propose_roles
from sdc_sql.release.reporting.internal.values import summarise_values
from sdc_sql.release.running import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.state import State
    from sdc_sql.document.blocks import Distribution

HEADS = (
    Head("column"),
    Head("values"),
    Head("different", number=True, meaning="How many different values it has"),
    Head("missing", number=True, meaning="Records without a value"),
    Head("alone", number=True, meaning="Records whose value no other record has: unique by themselves"),
    Head("what it is"),
    Head("proposed, and why"),
)
SHOWN = (("all", "all columns"), ("undecided", "those undecided"))
_NUMBER = count(1)


@dataclass(frozen=True)
class Look:
    """What was found about a column: facts and a proposal, its values as a picture, its label."""

    proposed: ProposedRole
    values: Distribution | None
    label: str


def find_looks(state: State, cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> list[Look]:
    """Return what is found about each column."""
    tell("what the columns may be")
    try:
        proposed = propose_roles(cursor, state.table, state.source.kind)
    except SdcError:  # no column can be a key: a person still decides what they are
        rows = query.call_macro("query_table", state.table)
        proposed = [ProposedRole(its, "", "") for its in find_row_facts(cursor, rows)]
    labels, _ = formats.labels(state.source.path, {*state.columns}, set())
    data = Microdata(cursor, state.table)
    found = []
    for its in proposed:
        name = its.facts.name
        tell(name)
        try:
            values = None if its.facts.alone == its.facts.records else summarise_values(data, name)
        except duckdb.Error:  # of a type whose values are in no order
            values = None
        found.append(Look(its, values, labels.get(name) or ""))
    return found


def serve(desk: Desk) -> None:
    """Register the table of the columns, and what is done in it."""
    state = desk.state

    def find_job() -> Any:  # noqa: ANN401 - of a list of looks
        return desk.find_job("look_columns", (), lambda cursor, tell: find_looks(state, cursor, tell))

    @desk.part("look_columns")
    def _() -> Tag | TagList:
        release = desk.release()
        shown, opened = desk.read_choice("look_shown", "all"), desk.read_choice("look_open", "")
        return TagList(
            show_problem(desk, "columns"),
            show_job(find_job(), lambda looks: _write_columns(state, release, looks, shown, opened), what="Columns"),
        )

    @desk.on("look_role")
    def _(sent: dict[str, Any]) -> None:
        name, field = _require_column(state, sent["column"]), str(sent["value"])
        if field and field not in WORDS:
            raise ParameterError(f"There is no role {field}.")
        word = WORDS[field].word if field else "undecided"
        state.change(f"{name}: {word}", lambda release: set_role(release, name, field))

    @desk.on("look_accept")
    def _(sent: dict[str, Any]) -> None:
        looks: Sequence[Look] = find_job().result or ()
        wanted = sent.get("column")
        left = {*list_undecided(state.release, state.columns)} if wanted is None else {wanted}
        chosen = {
            look.proposed.facts.name: look.proposed.role
            for look in looks
            if look.proposed.role and look.proposed.facts.name in left
        }

        def edit(release: dict[str, Any]) -> None:
            for name, field in chosen.items():
                set_role(release, name, field)

        state.change("the proposals" if wanted is None else f"{wanted}: the proposal", edit)

    desk.on("look_shown")(lambda sent: desk.choose("look_shown", sent["value"]))

    @desk.on("look_open")
    def _(sent: dict[str, Any]) -> None:
        name = _require_column(state, sent["column"])
        desk.choose("look_open", "" if desk.read_choice("look_open", "") == name else name)


def _require_column(state: State, name: object) -> str:
    if name not in state.columns:
        raise ParameterError(f"There is no column {name}.")
    return str(name)


def _write_columns(state: State, release: Mapping[str, Any], looks: Sequence[Look], shown: str, opened: str) -> TagList:
    roles = list_roles(release, state.columns)
    left = [name for name, its in roles.items() if not its]
    to_accept = [look for look in looks if look.proposed.role and look.proposed.facts.name in left]
    rows: list[Tag] = []
    for i, look in enumerate(looks):
        name = look.proposed.facts.name
        if shown == "all" or not roles[name] or name == opened:
            rows += _write_column(i, look, roles[name], is_open=name == opened)
    options = [tags.option(words, value=value, selected="" if value == shown else None) for value, words in SHOWN]
    said = f"{len(left)} of {len(roles)} columns are undecided." if left else f"All {len(roles)} columns are decided."
    more = " Each has to be something before the file can be released: none leaves by oversight." if left else ""
    return TagList(
        tags.div(
            tags.p(tags.strong(said), more, role="status"),
            tags.div(
                tags.label("Show ", tags.select(*options, act("look_shown"), id="look-shown")),
                button(
                    f"Accept {len(to_accept)} proposals" if len(to_accept) > 1 else "Accept 1 proposal",
                    "look_accept", primary=True, id="look-accept", place="columns",
                ) if to_accept else None,
                class_="tools",
            ),
            class_="bar-of-tools",
        ),
        write_table("look-table", f"The columns of {state.name}", HEADS, rows, kind="columns"),
    )  # fmt: skip


def _write_column(number: int, look: Look, roles: Sequence[str], *, is_open: bool) -> Iterator[Tag]:
    facts = look.proposed.facts
    name = facts.name
    chosen = next((role for role in roles if role in WORDS), "")
    # what a step or a limit names is accounted for, and has no role of its own
    nothing = "no role" if roles and not chosen else "undecided"
    options = [tags.option(nothing, value="", selected="" if not chosen else None)]
    options += [
        tags.option(role.word, value=role.field, selected="" if role.field == chosen else None) for role in ROLES
    ]
    select = tags.select(
        *options, act("look_role", column=name, place="columns"), id=f"look-role-{number}",
        aria_label=f"What {name} is", class_=None if roles else "undecided",
    )  # fmt: skip
    others = [WORDS[role].word if role in WORDS else f"in {role}" for role in roles if role != chosen]
    yield write_row(
        (
            tags.div(
                tags.button(
                    *break_name(name), act("look_open", column=name), type="button", class_="plain",
                    id=f"look-open-{number}", aria_expanded=str(is_open).lower(),
                ),
                tags.span(look.label or facts.type.lower(), class_="quiet"), class_="name",
            ),
            HTML(draw_small_distribution(look.values, f"look{next(_NUMBER)}")) if look.values else "",
            facts.values, facts.missing, facts.alone,
            tags.div(select, tags.span(_say_others(others, chosen), class_="quiet") if others else None, class_="role"),
            _write_proposal(number, look, chosen),
        ),
        HEADS,
    )  # fmt: skip
    if is_open:
        drawn = show_blocks(look.values) if look.values else tags.p("Every record has a value of its own.")
        shown = tags.div(drawn, tags.p(str(facts), class_="hint"), class_="opened")
        yield tags.tr(tags.td(shown, colspan=str(len(HEADS))))


def _say_others(others: Sequence[str], chosen: str) -> str:
    return f"{'also ' if chosen else ''}{', '.join(others)}"


def break_name(name: str) -> list[Tag | str]:
    """Return a name that may be broken after each of its parts: ``children_under_6``."""
    first, *others = format_readable(name).split("_")
    return [first, *(part for other in others for part in ("_", tags.wbr(), other))]


def _write_proposal(number: int, look: Look, chosen: str) -> Tag | str:
    proposed = look.proposed
    if not proposed.role:
        return tags.span("nothing: look", class_="quiet")
    word = WORDS[proposed.role].word
    if chosen == proposed.role:
        return tags.span(f"{word}: {proposed.why}", class_="quiet")
    name = proposed.facts.name
    return tags.div(
        tags.span(tags.strong(word), f": {proposed.why} "),
        button(
            "Accept", "look_accept", column=name, place="columns", id=f"look-accept-{number}",
            spoken=f"Accept for {name}: {word}",
        ),
        class_="proposal",
    )  # fmt: skip
