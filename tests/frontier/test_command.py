"""``sdc-sql frontier``: recodings and maskings from a file."""

from __future__ import annotations

import json

import pytest

from sdc_sql.cli import main


@pytest.fixture
def file(con, tmp_path):
    con.execute('CREATE TABLE t AS SELECT range AS id, range * 7 % 5 AS a, range * 3 % 4 AS "B\'" FROM range(40)')
    con.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    rows = [f"{key};{v};{level};{level};{label}" for key, values in (("a", range(5)), ("B'", range(4)))
            for v in values for level, label in enumerate((v, v // 2, "*"))]  # fmt: skip
    (tmp_path / "h.csv").write_text("\n".join(["variable;value;level;level_name;label", *rows]), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_recodings(file, capsys):
    call = ["frontier", f"{file}/t.parquet", "--keys", "a,B'", "--hierarchies", f"{file}/h.csv", "--risk", "below_k",
            "--loss", "hellinger", "--max-risk", "0"]  # fmt: skip
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 9
    least = min(c["loss"] for c in found if c["risk"] == 0)
    assert [c["chosen"] for c in found] == [c["risk"] == 0 and c["loss"] == least for c in found]  # equal ones together
    chosen = next(c for c in found if c["chosen"])
    assert main(call) == 0
    assert f"**  {chosen['candidate']}\n" in capsys.readouterr().out


@pytest.mark.slow
def test_maskings(file, capsys, monkeypatch):
    monkeypatch.setenv("SDC_KEY", "qX8vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1x")
    steps = [
        ["local_suppression", {"k": 3}],
        [["round", {"columns": "a", "base": 5}], ["rank_swap", {"column": "a", "p": 5}]],
    ]
    call = ["frontier", f"{file}/t.parquet", "--keys", "a,B'", "--id", "id", "--steps", json.dumps(steps), "--risk",
            "k_anonymity.3.records", "--loss", "distribution_distance.hellinger"]  # fmt: skip
    assert main([*call, "--utility", "-loss - risk"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("risk: k_anonymity.3.records; loss: distribution_distance.hellinger")
    assert len(lines) == 3
    for wrong, words in ((["--steps", "{}"], "no list of candidates"), (["--steps", "[1]"], "A candidate is 1")):
        assert main([*call, *wrong]) == 2
        assert words in capsys.readouterr().err
