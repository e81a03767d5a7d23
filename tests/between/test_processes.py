"""Three processes, each with its own DuckDB file, by the commands that three agencies run on three machines."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest
from houses import NAMES, make_database, run_together

from sdc_sql.between import Folders, House, Sockets, read_agreement, read_identity, run_regression
from sdc_sql.between.sockets import parse_address
from sdc_sql.cli import main
from sdc_sql.errors import ParameterError

pytest.importorskip("cryptography")
ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(sys.executable).parent
PARTS = {"office-a": (0, 300), "office-b": (300, 700), "office-c": (700, 1000)}
ROWS = """SELECT i AS person, 18 + i % 50 AS age, 8 + (i * 7) % 11 + 0.25 AS schooling, CASE WHEN i % 3 = 0 THEN 'f'
ELSE 'm' END AS sex,
          1000 + 20 * (18 + i % 50) + 100 * ((i * 7) % 11) + (i * 7919) % 500 / 3 AS wage FROM range({}, {}) AS t(i)"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Return a folder with the keys, databases and signed agreements of three agencies, made by the commands."""
    folder = tmp_path_factory.mktemp("houses")
    for name, ends in PARTS.items():
        assert main(["between", "key", name, "--folder", str(folder / name)]) == 0
        make_database(folder / f"{name}.duckdb", ROWS.format(*ends))
    parties = [word for name in PARTS for word in ("--party", str(folder / name / "public.json"))]
    model = ["--response", "wage", "--regressors", "age,schooling", "--size", "age=120", "--size", "schooling=40"]
    for file, terms in (("wages", model), ("cells", ["--by", "sex", "--cell", "f", "--cell", "m"])):
        agreement = str(folder / f"{file}.json")
        assert main(["between", "draft", agreement, *parties, *terms, "--size", "wage=1e6"]) == 0
        for name in PARTS:
            assert main(["between", "agree", agreement, "--keys", str(folder / name)]) == 0
    return folder


def command(folder, name, *options: str, step="regress", agreement="wages", log=None) -> list[str]:
    log = str(log or folder / f"{name}.log.duckdb")
    files = [str(folder / file) for file in (f"{agreement}.json", f"{name}.duckdb")]
    own = ["--keys", str(folder / name), "--record", "person", "--log", log]
    return ["between", step, *files, *own, "--json", *options]


def start(arguments: list[str], temporary: Path) -> subprocess.Popen[str]:
    """Begin a process, whose work is in a folder of its own, since one that is killed leaves it there."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen(
        [sys.executable, "-m", "sdc_sql", *arguments], stdout=-1, stderr=-1, text=True, env=environment
    )


def pooled() -> tuple[np.ndarray, np.ndarray, float]:
    with duckdb.connect() as con:
        every = con.execute(f"SELECT age, schooling, wage FROM ({ROWS.format(0, 1000)})").fetchnumpy()
    x = np.column_stack([np.ones(1000), every["age"], every["schooling"]])
    y = every["wage"].astype(float)
    q, r = np.linalg.qr(x)
    b = np.linalg.solve(r, q.T @ y)
    rest = y - x @ b
    errors = np.sqrt(rest @ rest / 997 * (np.linalg.inv(r) ** 2).sum(axis=1))
    return b, errors, 1 - rest @ rest / ((y - y.mean()) @ (y - y.mean()))


def check(answers: list[str]) -> None:
    """Hold what each prints to the pooled regression."""
    assert len({*answers}) == 1
    found = json.loads(answers[0])
    estimates, errors, r_squared = pooled()
    assert [c["estimate"] for c in found["coefficients"]] == pytest.approx(estimates, rel=1e-9)
    assert [c["standard_error"] for c in found["coefficients"]] == pytest.approx(errors, rel=1e-9)
    assert found["r_squared"] == pytest.approx(r_squared, abs=1e-9)
    assert found["records"] == 1000


def test_three_houses_in_python_have_the_pooled_regression(house, tmp_path):
    def take_part(name):
        with duckdb.connect(house / f"{name}.duckdb", read_only=True) as con:
            others = [n for n in NAMES if n != name]
            own = House(
                read_identity(house / name), con, "persons", "person", tmp_path / f"{name}.log",
                lambda _: Folders(tmp_path, name, others), wait=30,
            )  # fmt: skip
            return json.dumps(run_regression(house / "wages.json", own).to_dict())

    before = os.umask(0o022)
    answers = run_together({name: lambda name=name: take_part(name) for name in NAMES})
    assert os.umask(before) == 0o022  # as it was, whichever of the three ended first
    check([*answers.values()])
    assert {log.stat().st_mode & 0o777 for log in tmp_path.glob("*.log")} == {0o600}


@pytest.mark.slow
def test_three_processes_by_files(house, tmp_path):
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    options = ["--folder", str(exchange), "--within", "60"]
    begun = [start(command(house, name, *options), tmp_path) for name in NAMES]
    check([process.communicate(timeout=120)[0] for process in begun])
    # what an eavesdropper on the folder has: no number of the data, nor its name
    crossed = b"".join(p.read_bytes() for p in exchange.rglob("*") if p.is_file())
    assert b"wage" not in crossed
    assert {p.name for p in exchange.rglob("*") if p.is_file()} == {"greeting", "share", "part"}


def find_ports(number: int) -> list[int]:
    opened = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [s.getsockname()[1] for s in opened]
    for s in opened:
        s.close()
    return ports


@pytest.mark.slow
def test_three_processes_by_connections_one_of_which_begins_late_after_it_was_killed(house, tmp_path):
    ports = dict(zip(NAMES, find_ports(3), strict=True))

    def begin(name):
        addresses = [w for n in NAMES if n != name for w in ("--address", f"{n}=127.0.0.1:{ports[n]}")]
        return start(
            command(house, name, "--listen", f"127.0.0.1:{ports[name]}", *addresses, "--within", "60"), tmp_path
        )

    killed = begin("office-c")
    begun = [begin(name) for name in NAMES[:2]]
    time.sleep(0.6)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    begun.append(begin("office-c"))
    check([process.communicate(timeout=120)[0] for process in begun])


@pytest.mark.slow
def test_three_processes_count_cells(house, tmp_path):
    options = ["--folder", str(tmp_path), "--within", "60"]
    begun = [start(command(house, name, *options, step="sum", agreement="cells"), tmp_path) for name in NAMES]
    (answer,) = {process.communicate(timeout=120)[0] for process in begun}
    with duckdb.connect() as con:
        rows = con.execute(
            f"SELECT sex, count(*), sum(wage) FROM ({ROWS.format(0, 1000)}) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    found = json.loads(answer)
    assert [(cell["cell"][0], cell["records"]) for cell in found] == [(sex, n) for sex, n, _ in rows]
    assert [cell["sums"]["wage"] for cell in found] == pytest.approx([float(total) for *_, total in rows], rel=1e-12)


def say(capsys, *arguments: str) -> str:
    assert main([*arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_one_alone_waits_and_says_who_is_missing(house, tmp_path, capsys):
    said = say(capsys, *command(house, "office-a", "--folder", str(tmp_path), "--within", "0.1", log=tmp_path / "log"))
    assert "office-b and office-c did not begin" in said
    assert main(["between", "log", str(tmp_path / "log")]) == 0
    assert "regression, 300 own records, with office-a, office-b, office-c" in capsys.readouterr().out


def test_nothing_is_sent_without_all_signatures(house, tmp_path, capsys):
    for file in ("wages.json", "wages.office-a.signature", "wages.office-b.signature"):
        shutil.copy(house / file, tmp_path)
    arguments = command(house, "office-a", "--folder", str(tmp_path), "--within", "0.1", log=tmp_path / "log")
    arguments[2] = str(tmp_path / "wages.json")
    assert "no valid signature of office-c" in say(capsys, *arguments)
    assert not list(tmp_path.glob("*-to-*"))
    assert main(["between", "show", arguments[2]]) == 0
    shown = capsys.readouterr().out
    assert re.search("office-b: signed, keys ([0-9a-f]{4} ?){8}\nparty      office-c: NOT SIGNED, keys", shown)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("options", "words"), [
    ([], "Give --folder for messages as files, or --listen"),
    (["--folder", ".", "--listen", "localhost:1"], "Give --folder"),
    (["--folder", ".", "--address", "office-b=localhost:1"], "--address goes with --listen"),
    (["--listen", "localhost"], "'localhost' is no address"),
    (["--listen", "localhost:1", "--address", "office-b=localhost:2"], "Addresses are needed of office-b, office-c"),
    (["--folder", "."], "There is no folder"),
    (["--folder", ".", "--method", "ring"], "asks for the method shares, and this run for ring"),
])  # fmt: skip
def test_options_that_do_not_go_together(house, tmp_path, capsys, options, words):
    options = [str(tmp_path / "nowhere") if o == "." else o for o in options]
    assert words in say(capsys, *command(house, "office-a", *options, "--within", "0.1", log=tmp_path / "log"))


def test_keys_replace_nothing_and_are_their_owners_alone(house, tmp_path, capsys, monkeypatch):
    assert "There is" in say(capsys, "between", "key", "office-a", "--folder", str(house / "office-a"))
    assert "The name of a party is" in say(capsys, "between", "key", "../a", "--folder", str(tmp_path / "x"))
    for file in ("signing.pem", "receiving.pem", "connecting.pem"):
        assert (house / "office-a" / file).stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("SDC_PASSPHRASE", "a passphrase of the house")
    main(["between", "key", "office-x", "--folder", str(tmp_path / "x")])
    assert read_identity(tmp_path / "x").name == "office-x"
    assert b"ENCRYPTED" in (tmp_path / "x" / "signing.pem").read_bytes()
    monkeypatch.delenv("SDC_PASSPHRASE")
    with pytest.raises(ParameterError, match="its passphrase is another"):
        read_identity(tmp_path / "x")


def test_a_stranger_has_no_connection(house, tmp_path):
    """Without a certificate that was agreed, also with one of another house, the handshake fails."""
    main(["between", "key", "stranger", "--folder", str(tmp_path / "stranger")])
    agreement, identity = read_agreement(house / "wages.json"), read_identity(house / "office-a")
    (port, *others) = find_ports(3)
    addresses = {name: ("127.0.0.1", other) for name, other in zip(NAMES[1:], others, strict=True)}
    side = Sockets(agreement, identity, ("127.0.0.1", port), addresses)
    try:
        for folder in (None, tmp_path / "stranger"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if folder:
                context.load_cert_chain(folder / "certificate.pem", folder / "connecting.pem")
            answer = b""
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", port)) as plain,
                context.wrap_socket(plain) as secured,
            ):
                secured.sendall(b"\0\0\0\0\1x")
                answer = secured.recv(1)
            assert answer == b""
        assert side.receive("office-b", "greeting") is None
    finally:
        side.close(0)


@pytest.mark.parametrize("address", ["", "host", ":1", "host:", "host:0", "host:65536", "host:x", "host:-1"])
def test_what_is_no_address(address):
    with pytest.raises(ParameterError, match="is no address"):
        parse_address(address)


def test_the_environment_of_these_tests_has_no_passphrase():
    assert "SDC_PASSPHRASE" not in os.environ


@pytest.mark.slow
def test_the_chapter_shows_what_is_printed(tmp_path):
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    if not shutil.which("duckdb", path=path):
        pytest.skip("no DuckDB shell: pip install duckdb-cli")
    page = (ROOT / "sdc_sql" / "between" / "README.md").read_text(encoding="utf-8")
    code, shown = re.findall(r"^```(?:sh|text)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[:2]
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(["bash", "-ec", code], cwd=tmp_path, env=environment, stdout=-1, text=True, check=True)
    assert done.stdout.endswith(shown)
