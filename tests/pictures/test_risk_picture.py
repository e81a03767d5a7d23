"""The distribution of individual risk drawn: where the dots stand, from a count of the records by themselves."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from xml.etree import ElementTree as ET

import pytest

import sdc_sql
from sdc_sql.errors import ParameterError

SVG = "{http://www.w3.org/2000/svg}"
ENDS = (0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@pytest.fixture
def described(con):
    con.execute(
        'CREATE TABLE k AS SELECT range % 7 AS f, range % 11 % 4 AS "Select", 1.5 + range % 90 AS w FROM range(200)'
    )
    con.execute("INSERT INTO k VALUES (NULL, 9, 1.5), (NULL, NULL, 3000)")
    return sdc_sql.Microdata(con, "k", keys=["f", "Select"], weight="w")


def test_dots_stand_by_the_records_of_each_class(described):
    risks = [row[-1] for row in described.risk.individual_risk().fetchall()]
    counts = Counter(bisect_left(ENDS, risk) for risk in risks)
    picture = sdc_sql.risk_report(described).plot()
    root = ET.fromstring(picture.to_svg())  # noqa: S314 - a picture of our own
    dots = [float(e.attrib["cx"].strip("%")) for e in root.iter(f"{SVG}circle")]
    most = max(counts.values())
    expected = [32 + (82 - 32) * math.log1p(counts[i]) / math.log1p(most) for i in range(len(ENDS))]
    assert len(risks) == 202
    # labels stand beside the dots: the scale is from 32 to 82 per cent of the width
    assert dots == pytest.approx(expected, abs=0.02)
    assert picture.confidential
    # in a narrow picture they stand above, where they have room
    narrow = ET.fromstring(picture.to_svg(320))  # noqa: S314 - as above
    assert min(float(e.attrib["cx"].strip("%")) for e in narrow.iter(f"{SVG}circle")) == 2


def test_dots_stand_by_the_sizes_of_cells(described):
    rows = described.con.execute('SELECT f, "Select" FROM k').fetchall()
    sizes = Counter(rows)
    chart = sdc_sql.risk_report(described).plot("frequency").block
    ends = (1, 2, 3, 4, 9, 19, 49, 99, 1e9)
    counts = Counter(bisect_left(ends, sizes[row]) for row in rows)
    assert chart.series[0][1] == tuple(counts[i] for i in range(len(ends)))


def test_what_was_not_measured_is_not_drawn(described):
    unweighted = sdc_sql.Microdata(described.con, "k", keys=["f", "Select"])
    with pytest.raises(ParameterError, match="individual risk needs a weight"):
        sdc_sql.risk_report(unweighted).plot()
    with pytest.raises(ParameterError, match="it must be one of individual_risk, frequency"):
        sdc_sql.risk_report(described).plot("theta")
