"""A step that is being made or edited: its method, its fields, and what is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app import protect_list
from sdc_sql.app.protect_ahead import serve_preview
from sdc_sql.app.protect_breaks import find_picture, find_span, serve_breaks, write_breaks
from sdc_sql.app.protect_categories import MAPPING, find_categories, read_mapping, serve_categories, write_categories
from sdc_sql.app.protect_fields import write_about, write_field, write_target, write_where
from sdc_sql.app.protect_forms import (
    METHOD,
    SCENARIO,
    TARGET,
    WHERE,
    describe_step,
    fill_form,
    find_method,
    list_fields,
    list_kinds,
    make_step,
    takes_several,
)
from sdc_sql.app.protect_kept import BREAKS, check_step, keep_form, read_form
from sdc_sql.app.protect_words import find_choice, name_method
from sdc_sql.app.show import act, explain, show_blocks, show_job
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk
    from sdc_sql.db.catalogue.headers import Parameter


def serve(desk: Desk) -> None:
    """Register the parts of the form, and what is done in it."""
    _serve_form(desk)
    _serve_changes(desk)
    serve_preview(desk)


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
            explain(*choice) if (choice := find_choice(mask)) else None,
            write_about(mask),
            tags.p(tags.strong(f"Step {editing + 1} of the list is edited."), class_="hint") if editing >= 0 else None,
        )

    @desk.part("protect_fields")
    def _() -> Tag:
        form = read_form(desk)
        mask = find_method(form[METHOD])
        release = desk.release()
        fields = [write_target(state, release, mask, form)]
        needed = [p for p in list_fields(mask) if p.default is None and p.name not in {BREAKS, MAPPING}]
        more = [p for p in list_fields(mask) if p.default is not None]
        fields += [write_field(desk, p, form) for p in needed]
        others = [write_field(desk, p, form) for p in more]
        others.append(write_where(desk, form))
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
        desk.read_version()
        column, editing = columns[0], desk.read_choice("protect_editing", -1)
        names = {p.name: p for p in list_fields(mask)}
        picture = find_picture(desk, column, editing)
        return TagList(
            show_job(
                picture,
                lambda found: show_blocks(found) if found else tags.p("Every record has a value of its own."),
                what="Values",
            ),
            write_breaks(desk, form, column, find_span(picture.result)) if BREAKS in names else None,
            _show_categories(desk, form, column, names[MAPPING]) if MAPPING in names else None,
        )


def _show_categories(desk: Desk, form: dict[str, Any], column: str, parameter: Parameter) -> Tag | TagList:
    """Return what each category becomes, once they are counted."""
    by_file = read_mapping(form) is None
    file = write_field(desk, parameter, form if by_file else {**form, MAPPING: ""})
    job = find_categories(desk, column, desk.read_choice("protect_editing", -1))
    return show_job(job, lambda found: write_categories(desk, form, column, found, file), what="Categories")


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
            form = {n: v for n, v in read_form(desk).items() if n not in {BREAKS, MAPPING}}  # they are of the other
            keep_form(desk, {**form, TARGET: value})
            return
        keep_form(desk, {**read_form(desk), name: value})

    @desk.on("protect_column")
    def _(sent: dict[str, Any]) -> None:
        form, name = read_form(desk), sent["column"]
        chosen = [one for one in form.get(TARGET, []) if one != name]
        chosen += [name] if sent["value"] and name in state.columns else []
        keep_form(desk, {**form, TARGET: [one for one in state.columns if one in chosen]})

    serve_breaks(desk)
    serve_categories(desk)

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
