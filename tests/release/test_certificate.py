"""The certificates of a release: what is in them, and that verifying fails when any field or any cell is another."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
import tomllib
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import InputError, ParameterError
from sdc_sql.release.certifying import content, rerun, sealed
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ahV5eib9-Ohg2-uoX4ien-ooSh3iep-Quo7ma"
RELEASE = """
    title = "Incomes, research file"
    release = "incomes-1"
    [source]
    path = "persons.parquet"
    [roles]
    id = "id"
    weight = "w"
    sampling_fraction = 0.1
    released_as_collected = ["a 'b' \\"c", "born", "married", "price"]
    [[scenarios]]
    name = "neighbour"
    keys = ["age", "Select"]
    limits = ["k_anonymity.2.records <= 0", "theta.upper_bound <= 0.9"]
    [[steps]]
    mask = "recode"
    column = "age"
    breaks = [20, 40, 60, 80]
    [[steps]]
    mask = "local_suppression"
    scenario = "neighbour"
    k = 3
    [[steps]]
    mask = "noise"
    columns = ["income"]
    alpha = 0.1
    [loss]
    columns = ["age"]
    limits = ["direct_distance.distance <= 1"]
    [output]
    path = "released.FORMAT"
    certificate = "certificate.json"
    public_certificate = "public.json"
"""
# A column of each kind, NULL and the empty text; and names that need their quotes.
PERSONS = """SELECT i AS id, 20 + (i * 7919) % 60 AS age, ['f', 'm'][1 + i % 2] AS "Select", 10e0 AS w,
    (1000 + (i * 104729) % 977)::DOUBLE AS income,
    CASE WHEN i % 3 > 0 THEN ['north', ''][1 + i % 2] END AS "a 'b' ""c",
    DATE '2020-01-01' + i::INTEGER AS born, i % 2 = 0 AS married, (i / 7)::DECIMAL(9, 3) AS price FROM range(80) t(i)"""


class Made:
    """A folder for each format, with the release in it, made when it is asked for."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._temporary, self._made = folders, {}

    def __getitem__(self, kind: str) -> Path:
        if kind not in self._made:
            folder = self._made[kind] = self._temporary.mktemp(kind)
            with duckdb.connect() as con:
                con.execute(f"COPY ({PERSONS}) TO '{folder}/persons.parquet'")
            (folder / "release.toml").write_text(RELEASE.replace("FORMAT", kind))
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SDC_KEY", KEY)
                assert run_release(folder / "release.toml").accepted
        return self._made[kind]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return Made(tmp_path_factory)


@pytest.fixture
def _keyed(monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)


def read(folder, name="certificate") -> dict[str, Any]:
    return json.loads((folder / f"{name}.json").read_text())


def verified(folder, said, **options):
    (folder / "other.json").write_text(json.dumps(said))
    released = next(folder.glob("released.*"))
    return sdc_sql.verify(folder / "other.json", released, **options)


def put(said, place: str, value) -> dict[str, Any]:
    """Return a certificate with another value at a place such as limits[0].figures.theta."""
    other = copy.deepcopy(said)

    def within(node, at: str):
        pairs = node.items() if isinstance(node, dict) else enumerate(node)
        for name, below in pairs:
            here = (f"{at}.{name}" if at else name) if isinstance(node, dict) else f"{at}[{name}]"
            if here == place:
                node[name] = value
                return True
            if isinstance(below, dict | list) and within(below, here):
                return True
        return False

    assert within(other, "")
    return other


def others(value) -> list[Any]:
    """Return other values of a field: of its kind, and of another."""
    if isinstance(value, bool):
        return [not value, int(value), None]
    if isinstance(value, int | float):
        return [value + 1, str(value), None]
    if isinstance(value, str):
        return [value + " ", value[:-1] if value else "x", None]
    return [other for other in ("x", 0, {}) if other != value]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["certificate", "public"])
def test_any_field_changed_is_named(made, name):
    said = read(made["parquet"], name)
    fields = dict(sealed.list_leaves(said))
    assert len(fields) > 30
    assert sealed.find_changed_fields(said) == []
    for place, value in fields.items():
        for other in others(value)[: 1 if name == "certificate" else 3]:
            assert sealed.find_changed_fields(put(said, place, other)) == [place]


def test_a_field_taken_away_or_added_is_named(made):
    said = read(made["parquet"])
    for field in said:
        assert (
            field
            in verified(
                made["parquet"], {n: v for n, v in said.items() if n != field} | {"certificate": "internal"}
            ).failed
            or field == "certificate"
        )
    assert verified(made["parquet"], said | {"more": 1}).failed == ("more",)
    assert not verified(made["parquet"], put(said, "output.columns", said["output"]["columns"][1:])).holds
    added = copy.deepcopy(said)
    added["limits"][0]["figures"]["more"] = 1
    assert verified(made["parquet"], added).failed == ("limits[0].figures.more",)


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("name", ["certificate", "public"])
def test_a_field_changed_and_sealed_anew_is_found_by_running_it_again(made, name):
    """But for the versions, which may be others here, the date, and the documents, which are files beside it."""
    said = read(made["parquet"], name)
    for place, value in sealed.list_leaves(said):
        if place.startswith(("versions.", "date", "documents", "marks", "digest")):
            continue
        for other in others(value):
            fields = {n: v for n, v in put(said, place, other).items() if n not in {"marks", "digest"}}
            failed = [c.field for c in rerun.compare_certificates(sealed.seal_fields(fields), said) if not c.holds]
            assert failed == [f"{place} (run again)"]


def resealed(said, place, value):
    return sealed.seal_fields({n: v for n, v in put(said, place, value).items() if n not in {"marks", "digest"}})


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("place", "value", "failed"),
    [
        ("limits[0].figures.k_anonymity.2.records", 5, "limits[0].figures.k_anonymity.2.records"),
        ("limits[1].holds", False, "limits[1].holds"),
        ("output.records", 81, "output.records"),
        ("output.digest", "0" * 64, "output.digest"),
        ("output.columns", 5, "certificate"),
        ("scenarios[0].keys[1]", "sex", "scenarios[0]"),
        ("roles", None, "certificate"),
        ("format", 4, "format"),
    ],
)
def test_a_figure_of_the_released_file_that_is_sealed_anew_is_found_by_that_file_alone(made, place, value, failed):
    said = read(made["parquet"])
    assert failed in verified(made["parquet"], resealed(said, place, value)).failed


def test_what_the_released_file_does_not_tell_is_said_to_be_only_read(made):
    """A scenario dropped, a limit loosened and a loss of nothing, sealed anew, hold as far as the file tells."""
    said = read(made["parquet"])
    changed = {n: v for n, v in copy.deepcopy(said).items() if n not in {"marks", "digest"}}
    changed["limits"] = [row for row in changed["limits"] if row["scenario"] is not None]
    changed["title"], changed["input"] = "another", {}
    found = verified(made["parquet"], sealed.seal_fields(changed))
    assert found.holds
    assert {"input", "release_file", "scenarios", "limits", "steps", "roles", "title"} <= set(found.only_read)
    assert {"output", "output.digest"}.isdisjoint(found.only_read)
    assert "\nverified" not in str(found)
    assert "only read: " in str(found).splitlines()[-1]
    assert found.to_dict()["only_read"] == list(found.only_read)


def test_a_field_that_was_taken_away_is_called_so(made):
    said = read(made["parquet"])
    (check,) = verified(made["parquet"], {n: v for n, v in said.items() if n != "limits"}).checks
    assert (check.field, check.told) == ("limits", "was taken away")
    without = {n: v for n, v in said.items() if n not in {"marks", "digest"}}
    without["roles"] = {n: v for n, v in said["roles"].items() if n != "weight"}
    assert "has no field 'weight'" in str(verified(made["parquet"], sealed.seal_fields(without)))


@pytest.mark.usefixtures("_keyed")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("parquet", "certificate"),
        pytest.param("parquet", "public", marks=pytest.mark.slow),
        pytest.param("csv", "certificate", marks=pytest.mark.slow),
        pytest.param("duckdb", "public", marks=pytest.mark.slow),
    ],
)
def test_the_release_is_verified(made, kind, name, capsys):
    folder = made[kind]
    given = ["verify", str(folder / f"{name}.json"), "--released", str(folder / f"released.{kind}")]
    assert main([*given, "--release", str(folder / "release.toml"), "--threads", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith("verified\n")
    assert "versions: only read: the same here" in shown
    assert "date: only read: " in shown


@pytest.mark.parametrize("kind", ["parquet", pytest.param("csv", marks=pytest.mark.slow)])
def test_any_cell_changed_is_found(made, tmp_path, kind):
    released = made[kind] / f"released.{kind}"
    said = read(made[kind], "public")
    types = {c["name"]: c["type"] for c in said["output"]["columns"]}
    assert len(types) == 8
    changed = {
        "VARCHAR": "'x'",
        "DOUBLE": "0.5e0",
        "DATE": "DATE '1999-01-01'",
        "BOOLEAN": "NULL",
        "DECIMAL(9,3)": "0.001",
    }
    with content.open_content(released, types) as (con, table):
        con.execute(f"CREATE TEMP TABLE rows AS SELECT * FROM {table} LIMIT 80")
        for i, (name, type_) in enumerate([*types.items(), (None, None)]):
            path = tmp_path / f"other-{i}.{kind}"
            value = (
                f'CASE WHEN rowid = 7 THEN {changed.get(type_)} ELSE "{(name or "").replace(chr(34), chr(34) * 2)}" END'
            )
            chosen = "*" if name is None else f'* REPLACE ({value} AS "{name.replace(chr(34), chr(34) * 2)}")'
            con.execute(f"COPY (SELECT {chosen} FROM rows ORDER BY hash(rowid)) TO '{path}'")
            found = sdc_sql.verify(made[kind] / "public.json", path)
            assert found.failed == (() if name is None else ("output.digest",)), name


@pytest.mark.slow
def test_records_names_and_types_of_the_released_file_count(made, tmp_path):
    said, released = made["parquet"] / "public.json", made["parquet"] / "released.parquet"
    with duckdb.connect() as con:
        for i, (query, failed) in enumerate([
            (f"FROM '{released}' LIMIT 79", ("output.records", "output.digest")),
            (f"SELECT * RENAME (w AS weight) FROM '{released}'", ("output.columns", "output.digest")),
            (f"SELECT * REPLACE (w::FLOAT AS w) FROM '{released}'", ("output.columns", "output.digest")),
        ]):  # fmt: skip
            con.execute(f"COPY ({query}) TO '{tmp_path}/{i}.parquet'")
            assert sdc_sql.verify(said, tmp_path / f"{i}.parquet").failed == failed
    csv = (made["csv"] / "released.csv").read_text()
    for i, text in enumerate([csv.replace(",w,", ",weight,", 1), csv.replace("10.0", "ten", 1), csv + "1\n", ""]):
        (tmp_path / f"{i}.csv").write_text(text)
        assert sdc_sql.verify(made["csv"] / "public.json", tmp_path / f"{i}.csv").failed == ("output",)


def test_the_public_certificate_tells_nothing_that_an_intruder_could_use(made):
    said = read(made["parquet"], "public")
    internal = read(made["parquet"])
    text = (made["parquet"] / "public.json").read_text()
    for secret in (
        KEY,
        internal["input"]["digest"],
        internal["release_file"]["digest"],
        "breaks",
        "alpha",
        "theta",
        "neighbour",
    ):
        assert secret not in text
    assert KEY not in (made["parquet"] / "certificate.json").read_text()
    assert [set(step) for step in said["methods"]] == [
        {"method", "columns", "differs_by_processor"}
    ] * 2  # no value had to be suppressed
    # the keyed digests are those of RFC 2104, bound to the output
    for what in ("input", "release_file"):
        message = f"sdc-sql certificate 1;{what};{said['output']['digest']};{internal[what]['digest']}"
        assert said["keyed_digests"][what] == hmac.new(KEY.encode(), message.encode(), hashlib.sha256).hexdigest()


def test_the_internal_certificate_says_what_was_done(made):
    said = read(made["parquet"])
    assert "not a signature" in said["text"]
    assert tomllib.loads(said["release_file"]["text"])["title"] == said["title"] == "Incomes, research file"
    assert said["release_file"]["digest"] == hashlib.sha256((made["parquet"] / "release.toml").read_bytes()).hexdigest()
    assert [(s["method"], s["given"], s["differs_by_processor"]) for s in said["steps"]] == [
        ("recode", {}, False), ("local_suppression", {"k": 3}, False), ("noise", {"alpha": 0.1}, True),
    ]  # fmt: skip
    assert said["steps"][1]["guarantees"]
    assert [limit["holds"] for limit in said["limits"]] == [True] * 6  # the last three: what can be worked out


@pytest.mark.slow
def test_another_key_another_input_or_another_release_file_are_found(made, tmp_path, monkeypatch):
    folder = made["parquet"]
    for name in ("persons.parquet", "release.toml", "certificate.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    monkeypatch.setenv("SDC_KEY", KEY[::-1])
    given = {"released": folder / "released.parquet", "release": tmp_path / "release.toml"}
    failed = sdc_sql.verify(tmp_path / "certificate.json", **given).failed
    assert failed == ("(run again)", "output.digest (run again)")
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(resealed(read(tmp_path), "versions.sdc_sql", "0.1.9")))
    assert "whose values 0.2.0 does not give: run it with sdc-sql 0.1.9" in str(sdc_sql.verify(earlier, **given))
    monkeypatch.setenv("SDC_KEY", KEY)
    (tmp_path / "release.toml").write_text(RELEASE.replace("FORMAT", "parquet") + "# a word\n")
    failed = sdc_sql.verify(tmp_path / "certificate.json", **given).failed
    assert failed == ("(run again)", "release_file.digest (run again)", "release_file.text (run again)")


@pytest.mark.slow
def test_the_format_of_the_released_file_does_not_count(made):
    found = [read(made[kind], "public")["output"] for kind in ("parquet", "csv", "duckdb")]
    assert [f.pop("format") for f in found] == ["parquet", "csv", "duckdb"]
    assert found[0] == found[1] == found[2]


def test_without_the_key_it_says_so(made, monkeypatch):
    monkeypatch.delenv("SDC_KEY", raising=False)
    folder = made["parquet"]
    with pytest.raises(InputError, match="key"):
        sdc_sql.verify(folder / "public.json", folder / "released.parquet", release=folder / "release.toml")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"certificate": "mine"}', '{"certificate": "public", "certificate": "public"}', "[NaN]"]
)
def test_what_is_no_certificate_is_bad_input(made, tmp_path, text, capsys):
    (tmp_path / "c.json").write_text(text)
    released = str(made["parquet"] / "released.parquet")
    assert main(["verify", str(tmp_path / "c.json"), "--released", released]) == 2
    assert "is not a certificate" in capsys.readouterr().err
    with pytest.raises(ParameterError, match="cannot be read"):
        sdc_sql.verify(tmp_path / "none.json", released)


def test_the_command_line_exits_with_3_and_names_the_field(made, capsys):
    folder = made["parquet"]
    (folder / "other.json").write_text((folder / "certificate.json").read_text().replace("Incomes", "Income"))
    assert main(["verify", str(folder / "other.json"), "--released", str(folder / "released.parquet"), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert not found["holds"]
    assert {c["field"] for c in found["checks"]} == {"title", "release_file.text"}
    assert main(["verify", str(folder / "other.json"), "--released", str(folder / "none.parquet")]) == 2


@pytest.mark.parametrize(("by", "same"), [(0, True), (1e-12, True), (1e-6, False), (np.nan, False)])
def test_columns_of_kernels_are_compared_to_a_billionth(con, by, same):
    con.execute("CREATE TABLE one AS SELECT i % 3 AS f, CASE WHEN i % 7 > 0 THEN i / 7 END AS x FROM range(50) t(i)")
    con.execute("CREATE TABLE other AS SELECT f, x * (1 + ?::DOUBLE) AS x FROM one ORDER BY hash(x)", [by])
    assert content.is_same_content((con, "one"), (con, "other"), ["x"]) is same
    con.execute("CREATE TABLE more AS SELECT f + 1 AS f, x FROM one")
    assert not content.is_same_content((con, "one"), (con, "more"), ["x"])
    assert content.is_same_content((con, "one"), (con, "one"), ["f", "x"])
