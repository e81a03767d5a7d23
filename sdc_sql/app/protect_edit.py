"""A step that is being made or edited: its method, its fields, its cut points, and what it would do."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from htmltools import Tag, TagList, tags

from sdc_sql.app import protect_list
from sdc_sql.app.figures_shown import format_seconds, write_figures
from sdc_sql.app.preview import SIZE, find_cells, preview_by_records, preview_exactly
from sdc_sql.app.protect_forms import (
    METHOD,
    NUMBERS,
    SCENARIO,
    TARGET,
    WHERE,
    describe_step,
    fill_form,
    find_method,
    list_fields,
    list_kinds,
    make_step,
    name_method,
    order_columns,
    takes_keys,
    takes_several,
)
from sdc_sql.app.show import act, button, show_blocks, show_job, show_problem
from sdc_sql.app.worked import describe_work, find_worked, read_plan
from sdc_sql.db.showing.results import format_value
from sdc_sql.errors import ParameterError
from sdc_sql.release.reading.plan import RELEASED
from sdc_sql.release.reading.step_fields import find_target
from sdc_sql.release.reporting.internal.values import summarise_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.preview import Preview
    from sdc_sql.app.state import State
    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter
    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.release.reading.plan import Step as PlannedStep

FIRST = "sdc_recode_intervals"  # the handbook begins with coarser keys (3.8.1)
BREAKS, OPEN = "breaks", "open"
SIDES = ("now", "then")
_NUMERIC = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL")
_FORMS: WeakKeyDictionary[State, dict[str, Any]] = WeakKeyDictionary()  # a reload finds the form as it was


def read_form(desk: Desk) -> dict[str, Any]:
    """Return the form of the step that is being made."""
    kept = _FORMS.get(desk.state, {METHOD: FIRST})
    found: dict[str, Any] = desk.read_choice("protect_form", kept)
    return begin_form(found)


def begin_form(form: dict[str, Any]) -> dict[str, Any]:
    """Return a form in which what is needed for a first look is filled in.

    Examples
    --------
    >>> begin_form({"mask": "sdc_recode_intervals"})["ends"]
    'open'
    """
    mask = find_method(form[METHOD])
    begun = {p.name: OPEN for p in list_fields(mask) if OPEN in p.choices}  # else a value beyond the cuts is refused
    for parameter in list_fields(mask):  # a choice that has no default shows its first word
        if parameter.choices and parameter.default is None:
            begun[parameter.name] = parameter.choices[0]
    return {**begun, **form}


def keep_form(desk: Desk, form: dict[str, Any]) -> None:
    """Keep the form: what is drawn from it is drawn anew."""
    _FORMS[desk.state] = form
    desk.choose("protect_form", form)


def list_numbers(state: State) -> set[str]:
    """Return the columns that are numbers."""
    return {name for name, kind in state.columns.items() if any(word in kind for word in _NUMERIC)}


def serve(desk: Desk) -> None:
    """Register the parts of the form, and what is done in it."""
    _serve_form(desk)
    _serve_changes(desk)
    _serve_preview(desk)


def _serve_form(desk: Desk) -> None:
    state = desk.state

    @desk.part("protect_method")
    def _() -> Tag:
        mask = find_method(read_form(desk)[METHOD])
        editing = desk.read_choice("protect_editing", -1)
        groups = [
            tags.optgroup(
                *(
                    tags.option(name_method(one), value=one.name, selected="" if one.name == mask.name else None)
                    for one in kind.methods
                ),
                label=kind.words,
            )
            for kind in list_kinds()
        ]
        return tags.div(
            tags.div(
                tags.label("Method", for_="protect-method"),
                tags.select(*groups, act("protect_method"), id="protect-method", aria_describedby="protect-what"),
                class_="line",
            ),
            tags.p(f"{mask.summary[0].upper()}{mask.summary[1:]}", id="protect-what", class_="what-it-does"),
            _write_about(mask),
            tags.p(tags.strong(f"Step {editing + 1} of the list is edited."), class_="hint") if editing >= 0 else None,
        )

    @desk.part("protect_fields")
    def _() -> Tag:
        form = read_form(desk)
        mask = find_method(form[METHOD])
        release = desk.release()
        fields = [_write_target(state, release, mask, form)]
        needed = [p for p in list_fields(mask) if p.default is None and p.name != BREAKS]
        more = [p for p in list_fields(mask) if p.default is not None]
        fields += [_write_field(desk, p, form) for p in needed]
        others = [_write_field(desk, p, form) for p in more]
        others.append(_write_where(desk, form))
        return TagList(
            tags.div(*fields, class_="fields one"),
            tags.details(
                tags.summary(f"More about how ({len(others)})"),
                tags.div(*others, class_="fields"),
                id="protect-more",
                class_="more-fields",
            ),
        )  # type: ignore[return-value] # both are shown

    @desk.part("protect_breaks")
    def _() -> Tag | TagList | None:
        form = read_form(desk)
        mask = find_method(form[METHOD])
        columns = form.get(TARGET) or []
        if len(columns) != 1:
            return None
        with_breaks = any(p.name == BREAKS for p in list_fields(mask))
        picture = desk.find_job("protect_picture", (*_describe_now(desk), columns[0]), _make_picture(desk, columns[0]))
        return TagList(
            show_job(
                picture,
                lambda found: show_blocks(found) if found else tags.p("Every record has a value of its own."),
                what="Values",
            ),
            _write_breaks(desk, form, columns[0], _find_span(picture.result)) if with_breaks else None,
        )


def _describe_now(desk: Desk) -> tuple[Any, ...]:
    plan, _ = read_plan(desk.state, desk.release())
    return describe_work(plan)


def _make_picture(desk: Desk, column: str) -> Any:  # noqa: ANN401 - of a job
    state = desk.state
    plan, _ = read_plan(state)
    worked = find_worked(state)

    def run(cursor: Any, tell: Any) -> Any:  # noqa: ANN401 - of a job
        with worked.open(cursor, plan, tell) as sides:
            tell(column)
            return summarise_values(sides.describe(RELEASED), column)

    return run


def _find_span(found: Any) -> tuple[float, float]:  # noqa: ANN401 - a distribution
    """Return the least and the greatest value of a picture; of few numbers each stands by itself."""
    if found is None:
        return 0.0, 0.0
    ends = found.before.ends
    if ends:
        return ends[0][0], ends[-1][1]
    try:
        numbers = [float(label) for label in found.before.labels]
    except ValueError:
        return 0.0, 0.0
    return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)


def _write_about(mask: Declaration) -> Tag:
    said = [("Keeps", mask.keeps), ("Guarantees", mask.guarantees), ("Source", mask.source)]
    released = str(mask.effect.repeated)
    said.append(("A table that is released again", f"{released}. {mask.effect.repeated.reason}".strip()))
    return tags.details(
        tags.summary("What it keeps, and where it is from"),
        tags.dl(*(part for word, text in said if text for part in (tags.dt(word), tags.dd(text)))),
        class_="help", id="protect-about",
    )  # fmt: skip


def _write_target(state: State, release: Mapping[str, Any], mask: Declaration, form: Mapping[str, Any]) -> Tag:
    """Return the field of what is masked: a scenario's keys, columns, or one column."""
    if find_target(mask.verb) is None:
        return tags.p("It is of whole records: there is no column to choose.", class_="hint")
    roles = release.get("roles", {})
    gone = {*roles.get("identifiers", []), *roles.get("drop", []), roles.get("id")}
    columns = order_columns([name for name in state.columns if name not in gone], list_numbers(state), mask)
    chosen = [*(form.get(TARGET) or [])]
    problem = f"protect-{TARGET}"
    if not takes_several(mask):
        options = [tags.option("choose a column", value="", selected="" if not chosen else None)]
        options += [tags.option(name, value=name, selected="" if chosen[:1] == [name] else None) for name in columns]
        select = tags.select(*options, act("protect_field", field=TARGET, place=problem), id="protect-columns")
        return tags.div(tags.label("Column", for_="protect-columns"), select)
    keys = takes_keys(mask)
    boxes = [
        tags.label(
            tags.input(
                act("protect_column", column=name, place=problem),
                type="checkbox",
                id=f"protect-column-{i}",
                checked="" if name in chosen else None,
            ),
            name,
        )
        for i, name in enumerate(columns)
    ]
    box = tags.fieldset(tags.legend("Keys" if keys else "Columns"), tags.div(*boxes, class_="chips"), class_="wider")
    scenarios = [s["name"] for s in release.get("scenarios", [])]
    if not keys or not scenarios:
        return box
    now = form.get(SCENARIO, "")
    options = [tags.option("chosen below", value="", selected="" if not now else None)]
    options += [tags.option(name, value=name, selected="" if name == now else None) for name in scenarios]
    select = tags.select(*options, act("protect_field", field=SCENARIO, place=problem), id="protect-scenario")
    return tags.div(tags.label("The keys of", for_="protect-scenario"), select, None if now else box, class_="wider")


def _write_field(desk: Desk, parameter: Parameter, form: Mapping[str, Any]) -> Tag:
    """Return the field of an argument, with what its header says of it."""
    name, given = parameter.name, form.get(parameter.name)
    place = f"protect-{name}"
    does = act("protect_field", field=name, place=place)
    words = name.replace("_", " ")
    told = f"{parameter.meaning[0].upper()}{parameter.meaning[1:]}"
    default = None if parameter.default in {None, "NULL"} else str(parameter.default).strip("'")
    same: dict[str, Any] = {"id": place, "aria_describedby": f"{place}-why"}
    if parameter.choices or parameter.type == "truth value":
        choices = [*parameter.choices] or ["true", "false"]
        now = str(given).lower() if isinstance(given, bool) else given if given not in {None, ""} else default
        options = [] if default or (parameter.choices and not parameter.default) else [tags.option("", value="")]
        options += [tags.option(_say(one), value=one, selected="" if one == now else None) for one in choices]
        field = tags.select(*options, does, **same)
    elif parameter.type == "column":
        options = [tags.option("none", value="", selected="" if not given else None)]
        options += [tags.option(one, value=one, selected="" if one == given else None) for one in desk.state.columns]
        field = tags.select(*options, does, **same)
    else:
        numeric = parameter.type in {*NUMBERS, "numbers", "number or numbers"}
        field = tags.input(
            does, type="text", inputmode="decimal" if numeric else None, value="" if given is None else str(given),
            placeholder=default, autocomplete="off", **same,
        )  # fmt: skip
    kind = {"table": "the path of a file", "columns": "columns, with commas", "names": "words, with commas"}
    unit = kind.get(parameter.type, "" if parameter.choices else parameter.kind)
    return tags.div(
        tags.label(words[0].upper() + words[1:], for_=place),
        field,
        tags.p(f"{told}{f' ({unit})' if unit else ''}", id=f"{place}-why", class_="hint"),
        show_problem(desk, place),
    )


def _say(choice: str) -> str:
    return {"true": "yes", "false": "no"}.get(choice, choice.replace("_", " "))


def _write_where(desk: Desk, form: Mapping[str, Any]) -> Tag:
    place = f"protect-{WHERE}"
    return tags.div(
        tags.label("Only where", for_=place),
        tags.input(
            act("protect_field", field=WHERE, place=place), type="text", id=place, value=form.get(WHERE, ""),
            autocomplete="off", aria_describedby=f"{place}-why",
        ),
        tags.p("A condition of the records that are masked, in SQL, as in age > 80 AND region = 'north'",
               id=f"{place}-why", class_="hint"),
        show_problem(desk, place),
    )  # fmt: skip


def list_breaks(form: Mapping[str, Any]) -> list[float]:
    """Return the cut points of a form, as far as they are numbers.

    Examples
    --------
    >>> list_breaks({"breaks": "20, 40.5, x"})
    [20, 40.5]
    """
    found: list[float] = []
    for part in str(form.get(BREAKS) or "").split(","):
        try:
            number = float(part)
        except ValueError:
            continue
        if math.isfinite(number):
            found.append(int(number) if number == int(number) else number)
    return found


def _write_breaks(desk: Desk, form: Mapping[str, Any], column: str, span: tuple[float, float]) -> Tag:
    """Return the cut points: a number and a slider for each, under the picture of the values."""
    breaks = list_breaks(form)
    low, high = (min([span[0], *breaks]), max([span[1], *breaks])) if breaks else span
    whole = "INT" in desk.state.columns.get(column, "") or all(float(one) == int(one) for one in (low, high, *breaks))
    step = 1 if whole and high - low > 2 else "any"  # noqa: PLR2004 - else a slider has no room
    rows = [
        tags.li(
            tags.input(
                act("protect_break", at=i, place="protect-breaks"),
                type="range",
                min=f"{low:g}",
                max=f"{high:g}",
                step=str(step),
                value=format_value(one).replace(",", ""),
                id=f"protect-slide-{i}",
                aria_label=f"Cut point {i + 1} of {column}, slider",
            ),
            tags.input(
                act("protect_break", at=i, place="protect-breaks"),
                type="text",
                inputmode="decimal",
                size="7",
                value=f"{one:.15g}",
                id=f"protect-break-{i}",
                aria_label=f"Cut point {i + 1} of {column}",
                autocomplete="off",
            ),
            button(
                "\N{MULTIPLICATION SIGN}",
                "protect_cut",
                at=i,
                id=f"protect-cut-{i}",
                spoken=f"Take out cut point {i + 1}",
            ),
        )
        for i, one in enumerate(breaks)
    ]
    return tags.fieldset(
        tags.legend(f"Cut points of {column}"),
        tags.p("An interval begins at each of them.", class_="hint"),
        tags.ol(*rows, class_="cuts") if rows else None,
        tags.div(
            button(
                "Add a cut point", "protect_add", id="protect-add", low=low, high=high, disabled=span[1] <= span[0]
            ),
            tags.label("or evenly, classes: ", tags.input(
                act("protect_even", low=low, high=high, place="protect-breaks"), type="text", inputmode="numeric",
                size="4",
                id="protect-even", disabled="" if span[1] <= span[0] else None, autocomplete="off",
            )),
            class_="tools",
        ),
        show_problem(desk, "protect-breaks"),
        class_="breaks",
    )  # fmt: skip


def _serve_changes(desk: Desk) -> None:
    state = desk.state

    @desk.on("protect_method")
    def _(sent: dict[str, Any]) -> None:
        form = read_form(desk)
        mask = find_method(str(sent["value"]))
        names = {p.name for p in list_fields(mask)} | {TARGET, SCENARIO, WHERE}
        kept = {name: value for name, value in form.items() if name in names}
        if not takes_several(mask):
            kept[TARGET] = [*kept.get(TARGET, [])][:1]
        keep_form(desk, {**kept, METHOD: mask.name})
        desk.choose("protect_asked", None)

    @desk.on("protect_field")
    def _(sent: dict[str, Any]) -> None:
        name, value = str(sent["field"]), sent["value"]
        if name == TARGET:
            value = [value] if value in state.columns else []
            form = {n: v for n, v in read_form(desk).items() if n != BREAKS}  # they are of the other column
            keep_form(desk, {**form, TARGET: value})
            return
        keep_form(desk, {**read_form(desk), name: value})

    @desk.on("protect_column")
    def _(sent: dict[str, Any]) -> None:
        form, name = read_form(desk), sent["column"]
        chosen = [one for one in form.get(TARGET, []) if one != name]
        chosen += [name] if sent["value"] and name in state.columns else []
        keep_form(desk, {**form, TARGET: [one for one in state.columns if one in chosen]})

    _serve_breaks(desk)

    @desk.on("protect_edit")
    def _(sent: dict[str, Any]) -> None:
        place = int(sent["step"])
        keep_form(desk, fill_form(protect_list.list_items(state.release)[place].step))
        desk.choose("protect_editing", place)
        desk.choose("protect_asked", None)

    @desk.on("protect_new")
    def _(_: dict[str, Any]) -> None:
        keep_form(desk, {METHOD: read_form(desk)[METHOD]})
        desk.choose("protect_editing", -1)

    @desk.on("protect_apply")
    def _(_sent: dict[str, Any]) -> None:
        step, editing = make_step(read_form(desk)), desk.read_choice("protect_editing", -1)
        problems = check_step(state, step, editing)[1]
        if problems:
            raise ParameterError(" ".join(problems))
        words, _more = describe_step(step)
        place = None if editing < 0 else editing
        state.change(
            f"{words}{': edited' if place is not None else ''}",
            lambda release: protect_list.put_item(release, step, place),
        )
        keep_form(desk, {METHOD: read_form(desk)[METHOD]})
        desk.choose("protect_editing", -1)
        desk.choose("protect_asked", None)


def _serve_breaks(desk: Desk) -> None:
    def keep(breaks: list[float]) -> None:
        keep_form(desk, {**read_form(desk), BREAKS: ", ".join(f"{one:.15g}" for one in sorted(set(breaks)))})

    @desk.on("protect_break")
    def _(sent: dict[str, Any]) -> None:
        breaks = list_breaks(read_form(desk))
        breaks[int(sent["at"])] = _read_number(sent["value"])
        keep(breaks)

    @desk.on("protect_cut")
    def _(sent: dict[str, Any]) -> None:
        breaks = list_breaks(read_form(desk))
        del breaks[int(sent["at"])]
        keep(breaks)

    @desk.on("protect_add")
    def _(sent: dict[str, Any]) -> None:
        breaks = list_breaks(read_form(desk))
        edges = sorted({float(sent["low"]), *breaks, float(sent["high"])})
        widest = max(pairwise(edges), key=lambda pair: pair[1] - pair[0], default=(0.0, 0.0))
        middle = (widest[0] + widest[1]) / 2
        middle = float(round(middle)) if widest[1] - widest[0] > 1 else middle
        keep([*breaks, middle if middle not in breaks else max(breaks) + 1])

    @desk.on("protect_even")
    def _(sent: dict[str, Any]) -> None:
        classes, low, high = int(_read_number(sent["value"])), float(sent["low"]), float(sent["high"])
        if not high > low:
            raise ParameterError("Wait until the values are shown: cut points lie between the least and the greatest.")
        if not 2 <= classes <= 100:  # noqa: PLR2004 - more are no classes
            raise ParameterError("Give a number of classes from 2 to 100.")
        width = (high - low) / classes
        points = [low + width * i for i in range(1, classes)]
        keep([float(round(one)) if width >= 2 else float(f"{one:.3g}") for one in points])  # noqa: PLR2004 - whole ones


def _read_number(given: object) -> float:
    try:
        found = float(str(given))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ParameterError("A cut point must be a number, with a point before decimals.")
    return found


def check_step(
    state: State, step: dict[str, Any], editing: int = -1
) -> tuple[tuple[Plan, PlannedStep] | None, list[str]]:
    """Return what is applied before a step, and the step as it is run; or what is wrong with it."""
    release = state.release
    items = protect_list.list_items(release)
    before = [item.step for item in (items if editing < 0 else items[:editing]) if not item.off]
    plan, _ = read_plan(state, {**release, "steps": before})
    added, problems = read_plan(state, {**release, "steps": [*before, step]})
    at = f"steps[{len(before)}]"
    wrong = [said for said in problems if said.startswith((f"{at}:", f"{at}."))]
    if wrong or len(added.steps) <= len(plan.steps):
        other = [said for said in problems if said.startswith("roles.id:")]
        return None, [said.removeprefix(at).removeprefix(".") for said in wrong] or other or ["It is no step yet."]
    return (plan, added.steps[-1]), []


def _serve_preview(desk: Desk) -> None:
    state = desk.state
    worked, cells = find_worked(state), find_cells(state)

    @desk.part("protect_preview")
    def _() -> Tag | TagList:
        desk.read_version()
        form, editing = read_form(desk), desk.read_choice("protect_editing", -1)
        try:
            step = make_step(form)
        except ParameterError as error:
            return _write_unready(str(error))
        asked, problems = check_step(state, step, editing)
        if asked is None:
            return _write_unready(*problems)
        key = (*describe_work(asked[0]), repr(asked[0].scenarios), repr(asked[0].loss), repr(asked[1]))
        exact = desk.find_job(
            "protect_exact", key, lambda cursor, tell: preview_exactly(worked, cursor, cells, asked, tell)
        )
        wanted = desk.read_choice("protect_asked", None)
        by_records = None
        if wanted is not None and wanted[0] == key:
            by_records = desk.find_job(
                f"protect_{wanted[1]}", key,
                lambda cursor, tell: preview_by_records(worked, cursor, asked, tell, full=wanted[1] == "full"),
            )  # fmt: skip
        words, more = describe_step(step)
        found = by_records or exact
        return TagList(
            tags.h3("What it would do"),
            tags.p(tags.strong(words), f": {more}" if more else "", class_="what-it-does"),
            show_problem(desk, "protect-apply"),
            tags.div(
                button(
                    "Apply" if editing < 0 else f"Replace step {editing + 1}", "protect_apply", primary=True,
                    id="protect-apply",
                    place="protect-apply",
                ),
                button("Begin another", "protect_new", id="protect-new") if editing >= 0 else None,
                *_write_ways(state, exact.result if exact.status == "done" else exact, by_records),
                class_="tools",
            ),
            show_job(found, _write_preview, what="Looking ahead"),
        )  # fmt: skip

    def ask(how: str) -> None:
        step, editing = make_step(read_form(desk)), desk.read_choice("protect_editing", -1)
        asked, problems = check_step(state, step, editing)
        if asked is None:
            raise ParameterError(" ".join(problems))
        key = (*describe_work(asked[0]), repr(asked[0].scenarios), repr(asked[0].loss), repr(asked[1]))
        desk.choose("protect_asked", (key, how))

    desk.on("protect_sample")(lambda _: ask("sample"))
    desk.on("protect_full")(lambda _: ask("full"))


def _write_unready(*said: str) -> TagList:
    told = [one.partition(": ") for one in said]
    lines = [tags.li(tags.strong(f"{a.replace('_', ' ')}: "), c) if b else tags.li(a) for a, b, c in told]
    return TagList(tags.h3("What it would do"), tags.ul(*lines, class_="unready"))


def _write_ways(state: State, exact: Any, by_records: Any) -> list[Tag]:  # noqa: ANN401 - of a job
    """Return the buttons that ask for a sample or for all records."""
    sample = exact is None and state.records > SIZE
    of_cells = exact is not None and not hasattr(exact, "status")
    ways = []
    if sample:
        ways.append(
            button(
                f"Try on a sample of {SIZE:,} records",
                "protect_sample",
                id="protect-sample",
                disabled=by_records is not None and by_records.panel == "protect_sample",
            )
        )
    if exact is None or of_cells:
        ways.append(
            button(
                "Compute in full",
                "protect_full",
                id="protect-full",
                disabled=by_records is not None and by_records.panel == "protect_full",
            )
        )
    return ways


def _write_preview(found: Preview | None) -> TagList | Tag:
    if found is None:
        return tags.p(
            "This method looks at the records: try it on a sample, or compute it in full.", class_="hint", role="status"
        )
    if found.kind == "exact":
        said = f"Exact, of all {found.records:,} records, in {format_seconds(found.seconds)}."
    elif found.kind == "full":
        said = (
            f"Exact, of all {found.records:,} records: the method was run on them, in {format_seconds(found.seconds)}."
        )
    else:
        least, most = format_seconds(found.least), format_seconds(found.most)
        said = (
            f" of {found.records:,} records, as if they were the file: no limit is judged by it. All would take about "
            f"{least if least == most else f'{least} to {most}'}."
        )
    judged = found.kind != "sample"
    mark = tags.strong("Sample", class_="sample") if found.kind == "sample" else None
    lost = [tags.li(f"{column}: {share:.1%} of what its values tell is lost (entropy)") for column, share in found.lost]
    return TagList(
        tags.p(mark, said, role="status", class_="kind"),
        write_figures("protect-risk", "Risk before and after the step", found.risk, SIDES, judged=judged),
        tags.h4("What is lost"),
        tags.ul(*lost) if lost else None,
        write_figures("protect-loss", "Loss before and after the step", found.loss, SIDES, judged=judged)
        if found.loss else None,
    )  # fmt: skip
