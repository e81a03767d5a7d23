"""A key that can be guessed is refused, by every door, before any work; no key that is set is replaced."""

from __future__ import annotations

import random
import re
import secrets
import uuid
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from pages import list_site_pages

import sdc_sql
from sdc_sql.shell.session import Session

ROOT = Path(__file__).resolve().parents[2]
LINE = 'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
GUESSABLE = {
    "short": "abc",
    "zeros": "0" * 64,
    "a word again and again": "password" * 4,
    "another word": "correcthorse" * 4,
    "once published": "the key of an example is no secret",
    "published in the overview": "a long secret, from your vault",
    "in steps": "abcdefghijklmnopqrstuvwxyz0123456789",
    "in two steps": "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9",
    "keyboard": "qwertyuiopasdfghjklzxcvbnm1234567890",
    "a word and more": "Password-2026-is-the-best-of-them-all",
    "31 characters": "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSa",
}
WORDS = "(?i)password|secret|qwerty"
STRONG = {
    "token_urlsafe": lambda: secrets.token_urlsafe(32),
    "token_hex": lambda: secrets.token_hex(32),
    "two uuids": lambda: f"{uuid.uuid4()}{uuid.uuid4()}",
}


@pytest.mark.parametrize("kind", GUESSABLE)
def test_a_key_that_can_be_guessed_is_refused_and_not_shown(con, kind):
    key = GUESSABLE[kind]
    con.execute("SET VARIABLE sdc_key = ?", [key])
    with pytest.raises(duckdb.Error, match="can be guessed") as refused:
        con.execute("SELECT sdc_uniform('s', 1)").fetchall()
    assert LINE in str(refused.value)
    assert key not in str(refused.value)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", STRONG)
def test_every_key_at_random_is_accepted(con, kind):
    keys = [STRONG[kind]() for _ in range(10_000)]
    refused = "SELECT k FROM (SELECT unnest($1) AS k) WHERE sdc__is_guessable(k)"
    # of seven million keys of token_urlsafe one has such a word by chance, so one run of 1,400
    assert not [k for (k,) in con.execute(refused, [keys]).fetchall() if not re.search(WORDS, k)]
    con.execute("SET VARIABLE sdc_key = ?", [keys[0]])
    assert con.execute("SELECT sdc_uniform('s', 1) >= 0").fetchall() == [(True,)]


def test_no_key_in_the_documentation_is_one_that_would_be_accepted():
    texts = [p.read_text(encoding="utf-8") for p in (ROOT / "sdc_sql").rglob("*") if p.suffix in {".md", ".py", ".yml"}]
    texts += [
        p.read_text(encoding="utf-8") for p in [ROOT / "README.md", *list_site_pages(), *(ROOT / "sql").rglob("*.sql")]
    ]
    told = r"""(?:SDC_KEY["']?[,=] *|sdc_key = )["']([^"'\n$]*)["']"""
    keys = [key for text in texts for key in re.findall(told, text)]
    assert keys
    assert {key for key in keys if len(key) > len("...")} <= {"abc"}


@pytest.mark.slow
def test_a_key_is_refused_before_any_work(con):
    con.execute("CREATE TABLE t AS SELECT range AS id, range::DOUBLE AS x FROM range(10)")
    con.execute("SET VARIABLE sdc_key = 'abc'")
    data = sdc_sql.Microdata(con, "t", id="id")
    assert data.mask.round("x", 5).records == 10  # what draws nothing needs no key
    con.execute("UPDATE t SET x = 'infinity' WHERE id = 1")  # which is wrong too, and found out later
    for into in (None, "released"):
        with pytest.raises(sdc_sql.ParameterError, match="can be guessed"):
            data.mask.noise(["x"], 0.1, into=into)
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    with pytest.raises(sdc_sql.SdcError, match="infinite"):
        data.mask.noise(["x"], 0.1)


def key_of(con: duckdb.DuckDBPyConnection) -> str:
    return str(con.execute("SELECT getvariable('sdc_key')").fetchall()[0][0])


@pytest.mark.slow
def test_no_helper_replaces_a_key_that_is_set(monkeypatch):
    mine = secrets.token_urlsafe(32)
    with sdc_sql.load(duckdb.connect()) as con:
        session = Session(con, pytest.fail)
        assert session.run_lines(".examples")
        fresh = key_of(con)
        assert con.execute("SELECT NOT sdc__is_guessable($1)", [fresh]).fetchall() == [(True,)]
        assert session.run_lines(".examples")
        assert key_of(con) == fresh
        con.execute("SET VARIABLE sdc_key = ?", [mine])
        assert session.run_lines(".examples")
        assert key_of(con) == mine
    monkeypatch.setenv("SDC_KEY", mine)
    assert key_of(sdc_sql.example().con) == mine
    monkeypatch.delenv("SDC_KEY")
    assert key_of(sdc_sql.example().con) != key_of(sdc_sql.example().con)


@pytest.mark.slow
def test_the_shell_refuses_to_set_one_that_can_be_guessed(monkeypatch):
    mine = secrets.token_urlsafe(32)
    complaints: list[str] = []
    with sdc_sql.load(duckdb.connect()) as con:
        session = Session(con, complaints.append)
        for typed, works in ((mine, True), ("password" * 4, False), ("", False)):
            monkeypatch.setattr("getpass.getpass", lambda _, typed=typed: typed)
            assert session.run_lines(".key") == works
            assert key_of(con) == mine
    assert "can be guessed" in complaints[0]
    assert "password" not in str(complaints)
    assert "No secret key" in complaints[1]


def test_keys_that_are_just_long_and_mixed_enough(con):
    """32 characters, eight different ones, ten steps from one to the next, and twenty pieces of three."""
    draw = random.Random(3)  # noqa: S311 - keys of a test

    def figures(key):
        steps = {ord(b) - ord(a) for a, b in pairwise(key)}
        return len(key), len({*key}), len(steps), len({key[i : i + 3] for i in range(len(key) - 2)})

    least, seen = (32, 8, 10, 20), set()
    keys = ["".join(draw.choices("abcdefgh"[: draw.randint(3, 8)], k=draw.randint(31, 33))) for _ in range(300)]
    letters = "0123456789abcdefghijklmnopqrstuvwxyz"
    keys += [piece * 4 for n in range(17, 24) for piece in ["".join(draw.sample(letters, n))]]
    for _ in range(300):  # few steps from one to the next
        steps, at = draw.sample(range(-12, 13), draw.randint(8, 11)), 80
        walked = [at := at + draw.choice([s for s in steps if 34 <= at + s <= 125] or [1]) for _ in range(40)]
        keys.append("".join(map(chr, walked)))
    found = con.execute("SELECT k, sdc__is_guessable(k) FROM (SELECT unnest(?) AS k)", [keys]).fetchall()
    for key, guessable in found:
        assert guessable == any(of < bound for of, bound in zip(figures(key), least, strict=True)), (key, figures(key))
        enough = [of >= bound for of, bound in zip(figures(key), least, strict=True)]
        seen |= {(j, of) for j, of in enumerate(figures(key)) if all(enough[:j] + enough[j + 1 :])}
    met = {(j, bound - below) for j, bound in enumerate(least) for below in (0, 1)}
    assert met <= seen  # each bound from either side, where nothing else decides
