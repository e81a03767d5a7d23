"""The reports as outputs of a release file, and how round the figures of the public one are."""

from __future__ import annotations

import math

import pytest

from sdc_sql import run_release
from sdc_sql.release.reporting import public_loss

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"


@pytest.mark.parametrize(("whole", "step"), [(1_000_000, 1), (1000, 1), (999, 5), (200, 5), (199, 10), (100, 10)])
def test_a_share_tells_no_fewer_than_ten_records_apart(whole, step):
    told = [public_loss.round_share(part, whole) for part in range(0, whole, max(whole // 1000, 1))]
    assert {value % step for value in told} == {0}
    assert step * whole / 100 >= 10


@pytest.mark.parametrize("records", [100, 1200, 61_395, 10**8])
def test_one_outlier_moves_a_loss_by_less_than_a_step(records):
    # at most root n standard deviations from the mean, over n records
    step = 10.0 ** -math.floor(math.log10(math.sqrt(records)))
    assert step >= math.sqrt(records) / records
    assert public_loss.coarse(step * 0.49, records) == 0
    assert public_loss.coarse(0.5, 99) is None


@pytest.mark.slow
def test_the_outputs_of_a_release_file(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    (tmp_path / "raw.csv").write_text("id,age\n1,30\n2,30\n3,30\n", encoding="utf-8")
    (tmp_path / "release.toml").write_text(
        '[source]\npath = "raw.csv"\n[roles]\nid = "id"\n[[scenarios]]\nname = "s"\nkeys = ["age"]\n'
        'limits = ["k_anonymity.2.records <= 0"]\n[output]\npath = "out.csv"\nreport = "in.html"\n'
        'public_report = "out.md"\n',
        encoding="utf-8",
    )
    done = run_release(tmp_path / "release.toml")
    assert sorted(path.name for path in done.written) == ["in.html", "out.csv", "out.md"]
    assert "<td>holds</td>" in (tmp_path / "in.html").read_text(encoding="utf-8")
    public = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "Released as they were collected: age." in public
    assert KEY not in public
