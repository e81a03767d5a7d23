"""The step *Release*: the verdict, the reports as they will be, who answers for it; write, and verify."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app import release_plan
from sdc_sql.app.draft import WINDOW, format_release
from sdc_sql.app.release_documents import PLACE, keep_documents
from sdc_sql.app.release_fields import NAMES, SIGNED, TEXTS
from sdc_sql.app.release_problems import find_step_title, tell_problem
from sdc_sql.app.release_run import FOLDER, Run, find_folder, list_problems, run_file, verify_file
from sdc_sql.app.release_verdict import write_problems, write_verdict
from sdc_sql.app.release_written import tell_readers, write_verified, write_written
from sdc_sql.app.show import act, button, show_blocks, show_job, show_problem
from sdc_sql.app.step import Step
from sdc_sql.document.blocks import Code
from sdc_sql.errors import ParameterError
from sdc_sql.release.reading.governance import ACCESS
from sdc_sql.release.running.documents import DOCUMENTS
from sdc_sql.release.running.formats import ENDINGS

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk

_PLACE = re.compile(r"(roles|scenarios|steps|loss|estimates|output|rules|figures|source)\b[\w.\[\]]*: ")


def view(desk: Desk) -> TagList:
    """Return what the step shows."""
    return TagList(
        tags.section(tags.h2("Verdict"), desk.place("release_verdict"), class_="flat"),
        tags.section(tags.h2("What it is made of"), desk.place("release_plan")),
        tags.section(tags.h2("What is written, and who answers for it"), desk.place("release_form")),
        tags.section(tags.h2("Reports as they will be"), desk.place("release_reports")),
        tags.section(tags.h2("Write and verify"), desk.place("release_write")),
        tags.section(tags.h2("The release file"), desk.place("release_file")),
    )


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    _serve_verdict(desk)
    release_plan.serve(desk)
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
            return write_problems(job.result, state.release)
        run = find_run()
        if run.status == "failed" and _PLACE.match(run.error):  # the data told what the release file has to say
            return write_problems([run.error], state.release)
        return show_job(run, write_verdict, what="Running the release file")

    @desk.part("release_reports")
    def _() -> Tag | TagList:
        desk.read_version()
        job = find_problems()
        if job.status != "done" or job.result or (find_run().status == "failed" and _PLACE.match(find_run().error)):
            return tags.p("They are made once the release file can be run.", class_="hint")
        return show_job(find_run(), _write_reports, what="Running the release file")


def _write_reports(found: Run) -> Tag | TagList:
    links = [
        tags.li(
            tags.a(
                _begin(NAMES[name][0]),
                href=f"{PLACE}{name}",
                target="_blank",
                rel="noopener noreferrer",
                id=f"release-document-{name}",
            ),
            f" ({max(1, len(body) // 1024):,} KB), {tell_readers(name)}",
        )
        for name, (_, body) in found.documents.items()
    ]
    hint = (
        "Each opens in a tab of its own. The certificates digest what is written, and are made then."
        if found.accepted
        else "Of a release that is refused there is the internal report alone: it says why."
    )
    return TagList(tags.ul(*links, class_="report-list"), tags.p(hint, class_="hint"))


def _begin(words: str) -> str:
    return words[:1].upper() + words[1:]


def _serve_form(desk: Desk) -> None:
    state = desk.state

    @desk.part("release_form")
    def _() -> Tag:
        release = desk.release()
        output, governed = release.get("output", {}), release.get("governance", {})
        texts = [_write_text(name, words, release.get(name, "")) for name, words in TEXTS.items()]
        signed = [_write_signed(name, words, governed.get(name, "")) for name, words in SIGNED.items()]
        endings = ", ".join(f"{ending} {kind}" for ending, kind in ENDINGS.items())

        def write_boxes(legend: str, *, public: bool) -> Tag:
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
                if DOCUMENTS[name].public == public
            ]
            return tags.fieldset(tags.legend(legend), tags.div(*boxes, class_="chips"))

        return tags.form(
            tags.div(
                _write_text(
                    "path", "Released file", Path(output.get("path", "")).name, f"Its ending is its format: {endings}."
                ),
                _write_text(FOLDER, "Folder", str(find_folder(state))),
                class_="fields",
            ),
            write_boxes("Documents beside it that users get (public)", public=True),
            write_boxes("Documents for the house alone (internal): never for users", public=False),
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


def _write_text(name: str, words: str, value: str, hint: str = "") -> Tag:
    identifier = f"release-{name}"
    described: dict[str, Any] = {"aria-describedby": f"{identifier}-why"} if hint else {}
    return tags.div(
        tags.label(words, for_=identifier),
        tags.input(described, type="text", id=identifier, name=name, value=value, autocomplete="off"),
        tags.p(hint, class_="hint", id=f"{identifier}-why") if hint else None,
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
                button(
                    "Verify what was written", "release_do", id="release-verify", how="verify", place="release-write"
                ),
                class_="tools",
            ),
            tags.p(
                "Verify runs the release file again and compares: the content of the released file with the digest in "
                "its certificate, each document with its SHA-256, and every field of the certificate with what comes "
                "out.",
                class_="hint",
            ),
            show_problem(desk, "release-write"),
        ]
        if asked is not None and asked[1] == now:
            number = asked[2]
            write = desk.find_job(
                "release_write", (number, now), lambda cursor, tell: run_file(state, cursor, tell, write=True)
            )
            parts.append(show_job(write, write_written, what="Writing"))
        verified = desk.read_choice("release_verified", None)
        if verified is not None and verified[0] == now:
            job = desk.find_job("release_verify", verified, lambda _cursor, tell: verify_file(state, tell))
            parts.append(show_job(job, write_verified, what="Verifying: the release file is run again"))
        return TagList(*parts)

    @desk.on("release_do")
    def _(sent: dict[str, Any]) -> None:
        now = format_release(state.release)
        problems = list_problems(state)
        if problems:
            told = tell_problem(state.release, problems[0])
            where = ": ".join(part for part in (find_step_title(told.step), told.of) if part)
            raise ParameterError(f"Nothing can be written or verified yet. {where}: {told.words}")
        if sent["how"] == "write":
            desk.choose("release_asked", ("write", now, int(sent["number"])))
            desk.choose("release_verified", None)
        else:
            desk.choose("release_verified", (now, int(sent["number"])))


def describe(desk: Desk) -> str:
    """Say where one stands."""
    release = desk.state.release
    if not release.get("scenarios"):
        return "not ready"
    documents = sum(name in release.get("output", {}) for name in DOCUMENTS)
    return f"{documents} document{'s' * (documents != 1)}"


STEP = Step("release", "May it leave, what goes with it, and who answers for it?", view, serve, describe)
