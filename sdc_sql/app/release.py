"""The step *Release*: the verdict, the reports as they will be, who answers for it; write, and verify."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.draft import WINDOW, format_release
from sdc_sql.app.figures_shown import write_figures
from sdc_sql.app.release_documents import PLACE, keep_documents
from sdc_sql.app.release_run import FOLDER, Run, find_folder, list_problems, run_file, verify_file
from sdc_sql.app.show import act, button, show_blocks, show_job, show_problem
from sdc_sql.app.step import Step
from sdc_sql.document.blocks import Code, Verdict
from sdc_sql.errors import ParameterError
from sdc_sql.release.reading.governance import ACCESS
from sdc_sql.release.running.documents import DOCUMENTS

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk

TEXTS = {
    "title": "Title of the file",
    "producer": "Who makes it",
    "version": "Version",
    "population": "Population",
    "description": "Description",
    "release": "Name of the release, in the draws of its steps",
}
SIGNED = {
    "legal_basis": "Legal basis",
    "access": "Access",
    "officer": "Responsible officer",
    "key_retention": "How long the secret key is kept, and where",
    "safe_projects": "Safe projects: what it may be used for",
    "safe_people": "Safe people: who may use it",
    "safe_settings": "Safe settings: where",
    "safe_data": "Safe data: what shows that the file is safe enough",
    "safe_outputs": "Safe outputs: what may be published from it",
}
NAMES = {
    "report": ("internal report", "-internal.html"),
    "public_report": ("report for users", "-for-users.html"),
    "certificate": ("certificate for the house", "-certificate.json"),
    "public_certificate": ("certificate for users", "-public-certificate.json"),
    "ddi": ("metadata (DDI)", ".xml"),
    "annex": ("annex: the combinations most at risk", "-annex.html"),
}


_PLACE = re.compile(r"(roles|scenarios|steps|loss|estimates|output|rules|figures|source)\b[\w.\[\]]*: ")


def view(desk: Desk) -> TagList:
    """Return what the step shows."""
    return TagList(
        tags.section(tags.h2("Verdict"), desk.place("release_verdict"), class_="flat"),
        tags.section(tags.h2("What is written, and who answers for it"), desk.place("release_form")),
        tags.section(tags.h2("Reports as they will be"), desk.place("release_reports")),
        tags.section(tags.h2("Write and verify"), desk.place("release_write")),
        tags.section(tags.h2("The release file"), desk.place("release_file")),
    )


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    _serve_verdict(desk)
    _serve_form(desk)
    _serve_write(desk)


def _serve_verdict(desk: Desk) -> None:
    state = desk.state

    def find_run() -> Any:  # noqa: ANN401 - a job
        def run(cursor: Any, tell: Any) -> Run:  # noqa: ANN401 - of a job
            found = run_file(state, cursor, tell)
            keep_documents(state, found.documents)
            return found

        return desk.find_job("release_run", (format_release(state.release), str(find_folder(state))), run)

    def find_problems() -> Any:  # noqa: ANN401 - a job
        asked = (format_release(state.release), str(find_folder(state)))
        return desk.find_job("release_problems", asked, lambda _cursor, _tell: list_problems(state))

    @desk.part("release_verdict")
    def _() -> Tag | TagList:
        desk.read_version()
        job = find_problems()
        if job.status != "done":
            return show_job(job, lambda _: tags.p(), what="Reading the release file")
        if job.result:
            return _write_problems(job.result)
        run = find_run()
        if run.status == "failed" and _PLACE.match(run.error):  # the data told what the release file has to say
            return _write_problems([run.error])
        return show_job(run, _write_verdict, what="Running the release file")

    @desk.part("release_reports")
    def _() -> Tag | TagList:
        desk.read_version()
        job = find_problems()
        if job.status != "done" or job.result or (find_run().status == "failed" and _PLACE.match(find_run().error)):
            return tags.p("They are made once the release file can be run.", class_="hint")
        return show_job(find_run(), _write_reports, what="Running the release file")


def _write_problems(problems: list[str]) -> TagList:
    items: list[Tag] = []
    for said in problems:
        place, _, words = said.partition(": ")
        step = _find_step(place)
        items.append(
            tags.li(
                tags.code(place), ": ", tags.span(words, class_="lines"), " ",
                tags.a("Go there", act("go", step=step), href=f"#{step}", id=f"release-go-{len(items)}"),
            )
        )  # fmt: skip
    what = "one thing is missing or wrong" if len(items) == 1 else f"{len(items)} things are missing or wrong"
    return TagList(
        show_blocks(Verdict("not ready", f"{what}; nothing is run before it is mended.", good=False)),
        tags.ol(*items, class_="points"),
    )


def _find_step(place: str) -> str:
    """Return the step of the page in which a part of the release file is changed.

    Examples
    --------
    >>> [_find_step(place) for place in ("roles.id", "scenarios[0].keys", "steps[1]", "estimates[0]", "output.path")]
    ['look', 'scenarios', 'protect', 'compare', 'release']
    """
    ways = {"roles": "look", "scenarios": "scenarios", "loss": "scenarios", "steps": "protect", "estimates": "compare"}
    return next((step for part, step in ways.items() if place.startswith(part)), "release")


def _write_verdict(found: Run) -> TagList:
    holding = sum(bool(one.holds) for one in found.limits)
    good = "every limit holds: the file may be written and signed."
    left = len(found.reasons)
    bad = f"{left} {'condition does' if left == 1 else 'conditions do'} not hold; nothing is written."
    rules = [
        tags.li(tags.span("holds" if holds else "does not hold", class_="holds" if holds else "fails"), f" {words}")
        for words, holds in found.rules
    ]
    return TagList(
        show_blocks(
            Verdict("accepted" if found.accepted else "refused", good if found.accepted else bad, found.accepted)
        ),
        tags.ul(*(tags.li(reason) for reason in found.reasons), class_="points") if found.reasons else None,
        tags.p(f"{holding} of {len(found.limits)} limits hold.", role="status"),
        write_figures("release-limits", "Limits, before and after", found.limits, ("before", "released")),
        tags.ul(*rules) if rules else None,
    )


def _write_reports(found: Run) -> Tag | TagList:
    links = [
        tags.li(
            tags.a(
                f"{NAMES[name][0][0].upper()}{NAMES[name][0][1:]}",
                href=f"{PLACE}{name}",
                target="_blank",
                rel="noopener noreferrer",
                id=f"release-document-{name}",
            ),
            f" ({max(1, len(body) // 1024):,} KB)",
        )
        for name, (_, body) in found.documents.items()
    ]
    hint = (
        "Each opens in a tab of its own. The certificates digest what is written, and are made then."
        if found.accepted
        else "Of a release that is refused there is the internal report alone: it says why."
    )
    return TagList(tags.ul(*links, class_="report-list"), tags.p(hint, class_="hint"))


def _serve_form(desk: Desk) -> None:
    state = desk.state

    @desk.part("release_form")
    def _() -> Tag:
        release = desk.release()
        output, governed = release.get("output", {}), release.get("governance", {})
        texts = [_write_text(name, words, release.get(name, "")) for name, words in TEXTS.items()]
        signed = [_write_signed(name, words, governed.get(name, "")) for name, words in SIGNED.items()]
        boxes = [
            tags.label(
                tags.input(
                    type="checkbox",
                    name="documents",
                    value=name,
                    id=f"release-writes-{name}",
                    checked="" if name in output else None,
                ),
                words,
            )
            for name, (words, _) in NAMES.items()
        ]
        return tags.form(
            tags.div(
                _write_text("path", "Released file", Path(output.get("path", "")).name),
                _write_text(FOLDER, "Folder", str(find_folder(state))),
                class_="fields",
            ),
            tags.fieldset(tags.legend("Documents beside it"), tags.div(*boxes, class_="chips")),
            tags.div(*texts, class_="fields"),
            tags.details(
                tags.summary("Who answers for it: the fields of the sheet to sign"),
                tags.div(*signed, class_="fields"), id="release-signs", open="",
            ),
            show_problem(desk, "release-form"),
            tags.button("Keep", type="submit", class_="primary", id="release-keep"),
            act("release_keep", place="release-form"),
        )  # fmt: skip

    @desk.on("release_keep")
    def _(sent: dict[str, Any]) -> None:
        path, folder = str(sent["path"]).strip(), str(sent[FOLDER]).strip()
        if not path or Path(path).name != path:
            raise ParameterError(
                "Released file: give the name of a file, as persons-released.parquet; the folder has a field."
            )
        if not Path(folder).expanduser().is_absolute():
            raise ParameterError("Folder: give its whole path; it is made where it is not there.")
        documents = sent.get("documents") or []
        stem = Path(path).stem.removesuffix("-released")

        def edit(release: dict[str, Any]) -> None:
            for name in TEXTS:
                _put(release, name, sent.get(name))
            governed = dict(release.get("governance", {}))
            for name in SIGNED:
                _put(governed, name, sent.get(name))
            _put(release, "governance", governed)
            output = {n: v for n, v in release.get("output", {}).items() if n not in DOCUMENTS}
            named = release.get("output", {})
            output["path"] = path
            output |= {n: Path(named.get(n, f"{stem}{NAMES[n][1]}")).name for n in DOCUMENTS if n in documents}
            release["output"] = output
            release[WINDOW] = {**release.get(WINDOW, {}), FOLDER: str(Path(folder).expanduser())}

        state.change("what is written, and who answers for it", edit)

    @desk.part("release_file")
    def _() -> TagList:
        text = format_release(desk.release())
        place = shlex.join(["sdc-sql", "release", str(state.file), "--output-folder", str(find_folder(state))])
        return TagList(
            tags.p(
                "What was clicked, in words. Copy it, or take it from ",
                tags.code(str(state.file)),
                "; the command line makes the same bytes of it, into the same folder while it is empty: ",
                tags.code(place),
                class_="hint",
            ),
            show_blocks(Code("release.toml", "toml", text.rstrip("\n"))),
        )


def _put(where: dict[str, Any], name: str, value: Any) -> None:  # noqa: ANN401 - of a page
    value = value.strip() if isinstance(value, str) else value
    if value:
        where[name] = value
    else:
        where.pop(name, None)


def _write_text(name: str, words: str, value: str) -> Tag:
    identifier = f"release-{name}"
    return tags.div(
        tags.label(words, for_=identifier),
        tags.input(type="text", id=identifier, name=name, value=value, autocomplete="off"),
    )


def _write_signed(name: str, words: str, value: str) -> Tag:
    identifier = f"release-{name}"
    if name == "access":
        options = [tags.option("not given", value="", selected="" if not value else None)]
        options += [tags.option(said, value=key, selected="" if key == value else None) for key, said in ACCESS.items()]
        return tags.div(tags.label(words, for_=identifier), tags.select(*options, id=identifier, name=name))
    return _write_text(name, words, value)


def _serve_write(desk: Desk) -> None:
    state = desk.state

    @desk.part("release_write")
    def _() -> Tag | TagList:
        desk.read_version()
        folder = find_folder(state)
        asked = desk.read_choice("release_asked", None)
        now = format_release(state.release)
        parts: list[Any] = [
            tags.p(
                f"All outputs are written to {folder}, or none; a file that is there is never replaced.", class_="hint"
            ),
            tags.div(
                button("Write", "release_do", primary=True, id="release-write", how="write", place="release-write"),
                button("Verify", "release_do", id="release-verify", how="verify", place="release-write"),
                class_="tools",
            ),
            show_problem(desk, "release-write"),
        ]
        if asked is not None and asked[1] == now:
            number = asked[2]
            write = desk.find_job(
                "release_write", (number, now), lambda cursor, tell: run_file(state, cursor, tell, write=True)
            )
            parts.append(show_job(write, _write_written, what="Writing"))
        verified = desk.read_choice("release_verified", None)
        if verified is not None and verified[0] == now:
            job = desk.find_job("release_verify", verified, lambda _cursor, tell: verify_file(state, tell))
            parts.append(show_job(job, _write_verified, what="Verifying: the release file is run again"))
        return TagList(*parts)

    @desk.on("release_do")
    def _(sent: dict[str, Any]) -> None:
        now = format_release(state.release)
        problems = list_problems(state)
        if problems:
            raise ParameterError(f"The release file cannot be run yet: {problems[0]}")
        if sent["how"] == "write":
            desk.choose("release_asked", ("write", now, int(sent["number"])))
            desk.choose("release_verified", None)
        else:
            desk.choose("release_verified", (now, int(sent["number"])))


def _write_written(found: Run) -> TagList:
    if not found.accepted:
        return TagList(
            show_blocks(Verdict("refused", "nothing was written.", good=False)),
            tags.ul(*(tags.li(reason) for reason in found.reasons), class_="points"),
        )
    return TagList(
        show_blocks(Verdict("written", f"{len(found.written)} files, readable by you alone.", good=True)),
        tags.ul(*(tags.li(tags.code(path)) for path in found.written), class_="points"),
    )


_WORDS: dict[bool | None, tuple[Any, ...]] = {
    True: ("holds", {"class": "holds"}), False: ("FAILS", {"class": "fails"}), None: ("only read", {"class": "quiet"}),
}  # fmt: skip


def _write_verified(found: Any) -> TagList:  # noqa: ANN401 - a verification
    words = "every field that was computed anew holds." if found.holds else f"{', '.join(found.failed)}"
    items = [
        tags.li(
            tags.strong(check.field), ": ",
            tags.span(*_WORDS[check.holds]),
            f": {check.told}",
        )
        for check in found.checks
    ]  # fmt: skip
    return TagList(
        show_blocks(Verdict("verified" if found.holds else "does not hold", words, good=found.holds)),
        tags.details(tags.summary("Field by field"), tags.ul(*items, class_="points"), id="release-checks"),
    )


def describe(desk: Desk) -> str:
    """Say where one stands."""
    release = desk.state.release
    if not release.get("scenarios"):
        return "not ready"
    documents = sum(name in release.get("output", {}) for name in DOCUMENTS)
    return f"{documents} document{'s' * (documents != 1)}"


STEP = Step("release", "Release", "May it leave, what goes with it, and who answers for it?", view, serve, describe)
