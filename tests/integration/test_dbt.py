"""dbt for real: the sample project, then a project of odd names, in one process each (starting dbt takes seconds)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import duckdb
import numpy as np
import pytest
from dbt_runs import KEY, dbt, failed

import sdc_sql
from sdc_sql.db.catalogue.macros import index_former_names
from sdc_sql.release.certifying.verify import verify

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("dbt"), reason="no dbt: pip install 'sdc-sql[dbt]'"),  # to import it takes seconds
]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "sdc_sql" / "dbt" / "package"
SAMPLE = ROOT / "fixtures" / "dbt_project"


def without(folder: Path, key: str) -> None:
    """Check that no file of a folder holds a text, in any of dbt's encodings of it."""
    files = [p for p in folder.rglob("*") if p.is_file()]
    assert {p.name for p in files} >= {"dbt.log", "manifest.json", "run_results.json", "release.duckdb", "printed.txt"}
    assert not [p for p in files if key.encode() in p.read_bytes() or key.encode("utf-16-le") in p.read_bytes()]


RELEASED = "FROM released ORDER BY couple"
HISTORY = "SELECT measure, value, dbt_valid_to IS NULL FROM risk_history ORDER BY measure, dbt_valid_from"
SECOND = ["--vars", "wave: 2"]
ONCE = ["--exclude", "research_file"]  # dear
DOCUMENTS = {"internal.html", "public.html", "certificate.json", "certificate-public.json"}


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> tuple[Path, list[dict]]:
    """Return the folder of the sample project and what its runs told."""
    folder = tmp_path_factory.mktemp("sample") / "project"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("target", "logs", "dbt_packages", "*.duckdb"))
    (folder / "packages.yml").write_text(f"packages:\n  - local: {PACKAGE}\n")
    return folder, dbt(
        folder,
        (["deps"], []),
        (["build"], [RELEASED, HISTORY, "FROM hours ORDER BY couple", "FROM uniques", "FROM cells_at_risk", "FROM risk ORDER BY measure",
                     "FROM research_file"]),
        (["build", *ONCE], [RELEASED, HISTORY, "FROM hours ORDER BY couple"]),
        (["build", *SECOND, *ONCE], [RELEASED, HISTORY, "FROM risk ORDER BY measure"]),
        (["build", *SECOND, *ONCE, "--empty"], [RELEASED]),
        (["build", *SECOND, "--full-refresh", "--threads", "2"], [RELEASED]),
        (["docs", "generate", *SECOND], []),
    )  # fmt: skip


def test_the_sample_project_builds_and_passes_its_tests(sample):
    _, (deps, first, *_) = sample
    assert deps["success"]
    assert first["success"], first
    assert not failed(first)
    tests = {"k_anonymity", "theta", "global_risk", "individual_risk", "no_direct_identifiers"}
    tests |= {"columns_decided", "income_is_kept", "pairs"}  # the latter held to their limits by sdc_limit
    assert {name for name, r in first["nodes"].items() if r["status"] == "pass"} == tests
    released, history, hours, uniques, at_risk, *_ = first["rows"]
    assert len(released) == len(hours) == 481
    assert [(m, now) for m, _, now in history] == [("reidentification rate", True), ("theta", True)]
    assert len(uniques) == sum(f == 1 for *_, f, _, _ in at_risk) > 0  # the model in Python, and the one in plain SQL


def test_a_second_run_changes_nothing_and_leaves_no_macro_behind(sample):
    folder, (_, first, second, *_) = sample
    assert not failed(second)
    assert second["rows"] == first["rows"][:3]
    with duckdb.connect(folder / "release.duckdb", read_only=True) as con:
        ours = "SELECT function_name FROM duckdb_functions() WHERE starts_with(function_name, 'sdc')"
        assert con.execute(ours).fetchall() == []
        assert con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall() == []


def test_a_table_that_is_masked_anew_by_a_method_for_one_release_is_named(sample):
    """From the second run on; not by methods that mask each record by itself."""
    said = [line for line in (sample[0] / "printed.txt").read_text().splitlines() if "is masked anew by" in line]
    assert len(said) >= 3
    assert all('"hours" is masked anew by sdc_microaggregate, which is for one release' in line for line in said)


def test_what_arrives_later_is_masked_and_what_is_released_stays(sample):
    _, (_, first, _, later, _, anew, _) = sample
    assert not failed(later)
    old, new = first["rows"][0], later["rows"][0]
    assert len(new) == 596
    assert [row for row in new if row[0] % 5] == old
    # the same key: a release of all at once is the same to the last digit
    assert anew["rows"][0] == new


def test_the_records_are_masked_as_the_macros_mask_them(sample):
    folder, (_, _, _, later, *_) = sample
    with duckdb.connect() as con:
        sdc_sql.load(con).execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"CREATE TABLE couples AS SELECT * EXCLUDE (wave) FROM '{folder}/seeds/couples.csv'")
        con.execute(f"CREATE TABLE matrix AS FROM '{folder}/seeds/education_matrix.csv'")
        con.execute("CREATE TABLE first AS FROM sdc_pram('couples', 'education', 'matrix', 'couple')")
        rows = con.execute(
            "FROM sdc_round_at_random('first', ['husband_income'], 5, 'couple') ORDER BY couple"
        ).fetchall()
        raw = con.execute("FROM couples ORDER BY couple").fetchall()
    assert [list(row) for row in rows] == later["rows"][0]
    changed = sum(a[3] != b[3] for a, b in zip(raw, rows, strict=True))
    assert 0 < changed < 596 * 0.25  # a tenth is expected to change its category


def test_the_risk_is_that_of_the_whole_and_its_history_is_kept(sample):
    _, (_, first, _, later, *_) = sample
    with duckdb.connect() as con:
        sdc_sql.load(con).execute("CREATE TABLE t (couple BIGINT, region VARCHAR, race VARCHAR, education VARCHAR, hours "
                                  "BIGINT, husband_income DOUBLE, weight DOUBLE)")  # fmt: skip
        con.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", later["rows"][0])
        keys = "['region', 'race', 'education']"
        ((rate,),) = con.execute(f"SELECT reidentification_rate FROM sdc_global_risk('t', {keys}, 'weight')").fetchall()
        ((bound,),) = con.execute(f"SELECT upper_bound FROM sdc_theta('t', {keys}, 0.000016)").fetchall()
    assert [v for _, v in later["rows"][2]] == pytest.approx([rate, bound])
    before = dict(first["rows"][5])
    assert later["rows"][1] == [
        ["reidentification rate", before["reidentification rate"], False],
        ["reidentification rate", pytest.approx(rate), True],
        ["theta", before["theta"], False],
        ["theta", pytest.approx(bound), True],
    ]


def test_a_release_file_is_a_model_and_its_certificates_are_artifacts(sample):
    folder, (_, first, *_) = sample
    released, research = first["rows"][0], first["rows"][6]
    # no id; the income as in the other release of these records, which draws by the same key, id and value
    assert len(research) == len(released) == 481
    assert {len(row) for row in research} == {6}
    assert sorted(row[4] for row in research) == sorted(row[5] for row in released)
    cells = Counter(tuple(row[:3]) for row in research if None not in row[:3])
    assert min(cells.values()) >= 3
    # numbers with decimals first, then whole ones, then texts
    assert research == sorted(research, key=lambda row: [(row[c] is None, row[c]) for c in (4, 5, 3, 0, 1, 2)])
    artifacts = folder / "target" / "sdc" / "dev" / "research_file"
    assert {p.name for p in artifacts.iterdir()} == DOCUMENTS
    assert [p.name for p in artifacts.parent.iterdir()] == ["research_file"]
    # that of the last build, of all records
    found = verify(artifacts / "certificate.json", folder / "release.duckdb", table="research_file")
    assert found.holds, found.failed
    assert json.loads((artifacts / "certificate.json").read_text())["output"]["records"] == 596


def test_the_documentation_is_made(sample):
    folder, (*_, docs) = sample
    assert docs["success"], docs
    catalog = json.loads((folder / "target" / "catalog.json").read_text())
    assert "model.release.released" in catalog["nodes"]


def test_an_empty_build_passes_and_leaves_what_is_released(sample):
    _, (_, _, _, later, empty, *_) = sample
    assert empty["success"], failed(empty)
    assert empty["rows"] == later["rows"][:1]


def test_the_package_is_written_as_a_repository_of_its_own(tmp_path):
    from sdc_sql.dbt.hub import write_hub  # noqa: PLC0415 - an optional extra

    folder = tmp_path / "sdc"
    assert "git -C" in write_hub(folder)
    assert {p.name for p in folder.iterdir()} == {"LICENSE", "README.md", "dbt_project.yml", "macros"}
    (folder / "macros" / "left.sql").write_text("of an earlier version")
    (folder / ".git").mkdir()
    write_hub(folder)
    there, here = (
        {p.relative_to(of): p.read_bytes() for p in of.rglob("*.*") if p.is_file()} for of in (folder, PACKAGE)
    )
    assert {name: there[name] for name in here} == here
    assert {str(name) for name in there.keys() - here.keys()} == {"README.md"}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    with pytest.raises(sdc_sql.ParameterError, match="is not empty, and no clone of the dbt package"):
        write_hub(tmp_path / "other")


def test_the_key_is_nowhere(sample):
    folder, _ = sample
    without(folder, KEY)


# A project of odd names; every call of a macro; and models that must be refused.
VIEW = "{{ config(materialized='view') }}"
ADDED = "{{ config(materialized='incremental', unique_key='\"Select\"') }}"
ODD_KEYS = """['f', 'Select', 'a"b']"""
MODELS = {
    "k": """
        select range as "i""d", range % 3 as f, 'x''y' || (range % 2) as "Select", (range % 5)::varchar as "a""b",
               case when range % 7 <> 0 then range end as n, range % 4 as household
        from range({{ var('records', 60) }})""",
    "kin_before": """
        from (values (1, 1, 'north', 7), (2, 1, 'north', 8), (3, 1, 'north', 9), (4, 1, null, 1), (5, 2, 'west', 2), (6, 2, null, 3))
            t(id, hh, "re""gion", n)""",
    "kin": "{{ sdc.mask(ref('kin_before'), 'id', [['round_at_random', ['n'], 5]]) }}",  # it notes in its meta what it draws for
    "kin_sized": """select h as hh, case when h > 0 then 1 + h % 2 end as "si""ze" from range(60) t(h), range(1 + h % 2)""",
    "kin_misspelt": "select * from {{ ref('kin') }}",
    "kin_as_collected": "select * from {{ ref('kin') }}",
    "elsewhere": "{{ config(schema='odd place') }} select * from {{ ref('k') }}",
    "passing": "{{ config(materialized='ephemeral') }} select * from {{ ref('k') }}",
    "some_passing": "{{ config(materialized='ephemeral') }} select * from {{ ref('some') }}",
    "mask_passing": "{{ sdc.mask(ref('passing'), 'i\"d', [['round', ['n'], 5], ['round_at_random', ['f'], 2]]) }}",
    "round_passing": "select * from {{ sdc.round_at_random(ref('passing'), ['n'], 5, 'i\"d') }}",
    "added_passing": ADDED + " {{ sdc.mask(ref('some_passing'), 'Select', [['round_at_random', ['n'], 5]]) }}",
    "logged_passing": "{{ config(materialized='ephemeral') }} select * from {{ ref('logged') }}",
    "masked_passing": "/* {{ ref('sdc_steps') }} */ {{ sdc.noise(ref('logged_passing'), ['n'], 0.1, 'Select') }}",
    "mask_of_none": "{{ sdc.mask(ref('empty'), 'i\"d', [['round', ['n'], 5]]) }}",
    "rounded": "{{ sdc.mask(ref('some'), 'Select', [['round', ['n'], 5]]) }}",
    "one": "select * from {{ ref('k') }} where f = 1 order by all limit 1",
    "empty": "select * from {{ ref('k') }} where f > 9",
    "risk_elsewhere": "{{ sdc.cell_risk(ref('elsewhere'), " + ODD_KEYS + ", 10.5, nulls='wildcard') }}",
    "risk_passing": "select * from {{ sdc.cell_risk(ref('passing'), " + ODD_KEYS + ", 10.5) }}",
    "risk_named": "with t as (from {{ ref('k') }}) select * from {{ sdc.theta('t', " + ODD_KEYS + ", 0.1) }}",
    "risk_of_one": "{{ sdc.theta(ref('one'), ['f'], 0.1) }}",
    "risk_of_none": "{{ sdc.theta(ref('empty'), ['f'], 0.1) }}",
    "swapped": "{{ sdc.rank_swap(ref('k'), 'n', 10, 'i\"d') }}",
    "suppressed": "{{ sdc.local_suppression(ref('k'), ['f', 'Select', 'a\"b', 'n'], 2, 'i\"d') }}",
    "combined": "{{ sdc.suppress_combinations(ref('k'), ['f', 'n'], 2, 'i\"d', inclusive=false) }}",
    "calm": "{{ sdc.suppress_risky(ref('k'), ['f', 'n'], 0.02, 'i\"d', weight=10) }}",
    # (dbt itself cannot add to a table with a quote in the name of a column)
    "some": 'select "i""d" as "Select", n, f from {{ ref("k") }}',
    "added": ADDED + " {{ sdc.round_at_random(ref('some'), ['n'], 5, 'Select', stream=\"it's\") }}",
    "added_noise": ADDED + " {{ sdc.noise(ref('some'), ['n'], 0.1, 'Select') }}",
    "added_hoehne": ADDED + " {{ sdc.mask(ref('some'), 'Select', [['multiplicative_noise', ['n'], 0.1, "
                            "{'method': 'hoehne', 'spread': 0.01}]]) }}",
    "added_sample": ADDED + " {{ sdc.sample(ref('some'), 'Select', fraction=0.5) }}",
    "some_of_k": "select * from {{ sdc.sample(ref('k'), 'i\"d', fraction=0.5, stratum='a\"b') }}",
    "exchanged": "{{ sdc.mask(ref('k'), 'i\"d', [['data_swap', ['f', 'Select'], 0.2, {'equal': ['a\"b'], 'shortfall': 'report'}], "
                 "['record_swap', 'a\"b', 0.2, {'household': 'i\"d', 'risk_keys': ['f'], 'k': 2}], ['round_points', 'n', ref('points')]]) }}",
    "points": "select unnest([0, 50]) as n",
    "two_passes": "{{ sdc.massc(ref('risky'), ['f', 'Select'], 0.1, 0.25, 'i\"d') }}",
    "risky": "{{ sdc.massc(ref('k'), ['f', 'Select'], 0.1, 0.25, 'i\"d') }}",
    "stamped": "{{ config(event_time='at') }} select *, now()::timestamp as at from {{ ref('some') }}",
    "sampled": "{{ sdc.round_at_random(ref('stamped'), ['n'], 5, 'Select') }}",
    "sampled_risk": "{{ sdc.theta(ref('stamped'), ['f'], 0.1) }}",
    "firms": """select range as "i""d", 'x''y' || range % 2 as "Select", range % 7 * 1.5e0 as x, sqrt(range) as "a""b" from range(60)""",
    "drawn": "{{ sdc.bootstrap(ref('firms'), ['x', 'a\"b', 'Select'], ['Select'], 'i\"d') }}",
    "ranked": "{{ sdc.latin_hypercube(ref('firms'), ['x', 'a\"b'], 0.2, 'i\"d', size=5) }}",
    "grouped": "{{ sdc.mask(ref('firms'), 'i\"d', [['microhybrid', ['x', 'a\"b'], 10]]) }}",
    "mixed": "{{ sdc.hybrid_masking(ref('firms'), ['x', 'a\"b'], 0.1, 'i\"d', k=10, size=3, tolerance=0.5) }}",
    "blurred": "{{ sdc.noise(ref('firms'), ['x', 'a\"b'], 0.5, 'i\"d') }}",
    "restored": "{{ sdc.mask(ref('blurred'), 'i\"d', [['restore_moments', ['x', 'a\"b'], ref('firms')]]) }}",
    "invented": "{{ sdc.mask(ref('firms'), 'i\"d', [['synthesise', ['Select', 'x'], {'given': ['a\"b'], 'rules': ['x >= 0']}], "
                "['synthesise', ['a\"b']]]) }}",
    "by_name": "{{ sdc.mask(ref('some'), 'Select', [['noise', 'n', 0.1], ['round', 'n', 5], ['rank_swap', 'f', 10]]) }}",
    "seen": VIEW + " {{ sdc.pram_retention(ref('k'), ['Select'], 0.9, 'i\"d') }}",
    "seen_risk": VIEW + " {{ sdc.theta(ref('k'), ['f'], 0.1) }}",
    "misspelt": "{{ sdc.theta(ref('k'), ['fs'], 0.1) }}",
    "unknown_step": "{{ sdc.mask(ref('k'), 'i\"d', [['swap', ['n'], 5]]) }}",
    "no_list": "{{ sdc.mask(ref('k'), 'i\"d', ['noise', 'n', 0.1]) }}",
    "no_column": "{{ sdc.mask(ref('k'), 'i\"d', [['noise', 5, 0.1]]) }}",
    "no_columns": "{{ sdc.noise(ref('k'), 5, 0.1, 'i\"d') }}",
    "no_option": "{{ sdc.mask(ref('k'), 'i\"d', [['noise', 'n', 0.1, {'spraed': 1}]]) }}",
    "no_argument": "{{ sdc.noise(ref('k'), ['n'], 0.1, 'i\"d', spraed=1) }}",
    "no_table": "{{ sdc.noise(none, ['n'], 0.1, 'i\"d') }}",
    "added_alone": ADDED + " {{ sdc.mask(ref('some'), 'Select', [['noise', 'n', 0.1]]) }}",
    "twice": "{{ sdc.mask(ref('k'), 'i\"d', [['pram', 'f', ref('moves')], ['round', ['n'], 2], ['pram', 'F', ref('moves')]]) }}",
    "moves": 'select "from", "to", case when "from" = "to" then 0.5 else 0.25 end as probability '
             'from range(3) as a("from"), range(3) as b("to")',
    "once_more": "select * from {{ sdc.pram_retention(ref('between'), ['f'], 0.9, 'i\"d') }}",
    "between": "select * from {{ ref('twice') }}",
    "next_pass": "select * from {{ sdc.pram_retention(ref('between'), ['f'], 0.9, 'i\"d', stream='3') }}",
    "other_column": "select * from {{ sdc.round_at_random(ref('between'), ['n'], 3, 'i\"d') }}",
    "logged": "select * from {{ ref('some') }}",
    "sdc_steps": "select 'logged' as target, ['N'] as columns",
    "masked_outside": "/* {{ ref('sdc_steps') }} */ {{ sdc.noise(ref('logged'), ['n'], 0.1, 'Select') }}",
    "released_again": "/* {{ ref('sdc_steps') }} */ {{ sdc.noise(ref('logged'), ['n'], 0.1, 'Select', release='2') }}",
    "research": "/* all */ {{ sdc.release('research.toml', ref('elsewhere')) }} -- of it",
    "research_refused": "{{ sdc.release('refused.toml', ref('k')) }}",
    "research_undecided": "{{ sdc.release('undecided.toml', ref('k')) }}",
    "research_twice": "{{ sdc.release('refused.toml', ref('between')) }}",
    "series_seen": "{{ config(materialized='view') }}{{ sdc.series(ref('between'), 'n', [['round', ['n'], 5]], 'l', 's', release='1') }}",
    "series_appended": "{{ config(materialized='incremental', unique_key='f') }}"
                       "{{ sdc.series(ref('between'), 'n', [['round', ['n'], 5]], 'l', 's', release='1') }}",
    "series_unnamed": "{{ sdc.series(ref('between'), 'n', [['round', ['n'], 5]], 'l', 's') }}",
    "series_nowhere": "{{ sdc.series(ref('between'), 'n', [['round', ['n'], 5]], none, 's', release='1') }}",
    "series_of_steps": "{{ sdc.series(ref('between'), 'n', ['round', ['n'], 5], 'l', 's', release='1') }}",
    "series_misspelt": "{{ sdc.series(ref('between'), 'n', [['round', ['n'], 5]], 'l', 's', realease='1') }}",
    "series_of_folder": "{{ sdc.series(ref('between'), 'n', [['round', ['n'], 5]], 'no/l', 's', release='1', after='0') }}",
    "research_in_part": "with t as ({{ sdc.release('research.toml', ref('k')) }}) select * from t where f = 1",
    "research_seen": VIEW + " {{ sdc.release('research.toml', ref('k')) }}",
    "research_of_none": "{{ sdc.release('research.toml', ref('empty')) }}",
    "research_of_text": "{{ sdc.release('research.toml', 'k') }}",
    "named_persons": "select range as id, 'p' || range as reference, range || '@x.org' as contact, 1 as last_name, "
                     "'hm ' || (range % 4) as remark from range(40)",
}  # fmt: skip
REFUSED = {
    "added_noise": "The model added_noise calls sdc_noise and is incremental. That masks a record by what the whole table holds",
    "added_sample": "calls sdc_sample and is incremental",
    "two_passes": "masks f by sdc_massc, which the model risky has masked already",
    "added_hoehne": "calls sdc_multiplicative_noise with method 'hoehne' and is incremental",
    "risk_of_none": "has no rows",
    "mask_of_none": "empty has no rows: there is nothing to mask. An incremental model adds none on such a day",
    "masked_passing": "masks n by sdc_noise, which a step in sdc_steps has masked already",
    "seen": "The model seen is materialized as view",
    "seen_risk": "The model seen_risk is materialized as view",
    "misspelt": '"fs" is not a column of the table',
    "unknown_step": "where method is one of bootstrap, calibrate, data_distortion, ",
    "no_list": "a step of mask is noise: it must be [method, columns, parameter]",
    "no_column": "a step of mask is ['noise', 5, 0.1]: it must be [method, columns, parameter]",
    "no_columns": "5 (no list: write",
    "no_option": "noise has no option spraed: it has tbl, columns, alpha, id, method, ",
    "no_argument": "noise has no argument spraed: it has tbl, columns, alpha, id, method, ",
    "no_table": "sdc_noise is given no table: give ref(...) of one",
    "added_alone": "calls sdc_noise and is incremental",
    "once_more": "masks f by sdc_pram_retention, which the model twice has masked already",
    "masked_outside": "masks n by sdc_noise, which a step in sdc_steps has masked already",
    "research_refused": "scenario 'neighbour': k_anonymity.3.records <= 0 does not hold: k_anonymity.3.records is ",
    "research_undecided": '"n": numbers, 51 values; unique by itself in 51 of 60 records (85 %)',
    "research_twice": "steps[0] masks f by pram_retention, which the model twice has masked already",
    "research_in_part": "must be the call of sdc.release and nothing else",
    "research_seen": "a release and materialized as view",
    "research_of_none": "has no rows",
    "research_of_text": "give ref(...)",
    "series_seen": "a release of a series and materialized as view: set materialized to table or incremental",
    "series_appended": "is a release of a series and incremental: set unique_key to its id, 'n'",
    "series_unnamed": "this release has no name: dbt build --vars 'sdc_release: NAME'",
    "series_nowhere": "it needs ledger, the path of a file outside of the project",
    "series_of_steps": "a step of series is round: it must be [method, columns, parameter]",
    "series_misspelt": "series has no argument realease: it has tbl, id, steps, ledger, name, release",
    "series_of_folder": "There is no folder",
}
RELEASE = """
[roles]
id = 'i"d'
released_as_collected = ["household"]
[[scenarios]]
name = "neighbour"
keys = ["f", "Select", 'a"b']
limits = ["k_anonymity.2.records <= 0"]
"""
FILES = {
    "research": RELEASE
    + """
[[steps]]
mask = "round"
column = "n"
base = 5
at_random = true
[output]
ids = "keep"
""",
    "undecided": RELEASE,
    "refused": RELEASE.replace(".2.", ".3.").replace('["household"]', '["household", "n"]')
    + """
[[steps]]
mask = "pram_retention"
columns = ["f"]
retention = 0.9
""",
}
ODD_TESTS = """
models:
  - name: k
    data_tests:
      - sdc.sdc_k_anonymity: {name: k_of_k, arguments: {keys: [f, Select, 'a"b'], k: 3}}
      - sdc.sdc_k_anonymity: {name: k_of_some, arguments: {keys: [f], k: 2}, config: {where: "f = 1"}}
      - sdc.sdc_k_anonymity: {name: k_of_1, arguments: {keys: [f], k: 1}}
      - sdc.sdc_theta_below: {name: theta_of_k, arguments: {keys: [f, Select, 'a"b', n], sampling_fraction: 0.5, maximum: 0.3}}
      - sdc.sdc_theta_below: {name: theta_of_all, arguments: {keys: [f], sampling_fraction: 0.5, maximum: 1.5}}
      - sdc.sdc_theta_below: {name: theta_otherwise, arguments: {keys: [f], sampling_fraction: 0.5, maximum: 0.3, confidense: 0.9}}
      - sdc.sdc_theta_by_below: {name: theta_by_of_k, arguments: {keys: [n], stratum: f, sampling_fraction: 0.5, maximum: 0.3}}
      - sdc.sdc_individual_risk_below: {name: individual_of_k, arguments: {keys: [f, n], weight: 10, maximum: 0.2}}
      - sdc.sdc_global_risk_below: {name: global_of_k, arguments: {keys: [f, n], weight: 10, maximum: 0.01}}
      - sdc.sdc_household_risk_below: {name: household_of_k, arguments: {keys: [f, n], weight: 10, household: household, maximum: 0.2}}
      - sdc.sdc_household_global_risk_below: {name: households_of_k, arguments: {keys: [f, n], weight: 10, household: household, maximum: 0.2}}
      - sdc.sdc_no_direct_identifiers: {name: identifiers_of_k}
      - sdc.sdc_columns_decided: {name: decided_of_k, arguments: {roles: ['I"D'], released_as_collected: [household]}}
      - sdc.sdc_threshold_rule: {name: rule_of_k, arguments: {keys: [f, n], threshold: 2, inclusive: false}}
  - name: kin
    config: {meta: {sdc_household: hh, sdc_household_columns: ['re"gion']}}
    data_tests:
      - sdc.sdc_k_anonymity: {name: k_of_kin, arguments: {keys: ['re"gion'], k: 3, nulls: wildcard}}
      - sdc.sdc_limit: {name: limit_of_kin, arguments: {require: k_anonymity.3.records <= 0, keys: ['re"gion'], nulls: wildcard}}
      - sdc.sdc_k_anonymity: {name: k_of_some_kin, arguments: {keys: ['re"gion'], k: 2}, config: {where: "hh = 1"}}
  - name: kin_sized
    config: {meta: {sdc_household: hh, sdc_household_columns: [], sdc_household_sizes: ['si"ze']}}
    data_tests:
      - sdc.sdc_k_anonymity: {name: k_of_sized, arguments: {keys: ['si"ze'], k: 2}}
  - name: kin_misspelt
    config: {meta: {sdc_houshold: hh, sdc_household_columns: ['re"gion']}}
    data_tests:
      - sdc.sdc_k_anonymity: {name: k_of_misspelt, arguments: {keys: ['re"gion'], k: 3, nulls: wildcard}}
  - name: kin_as_collected
    data_tests:
      - sdc.sdc_k_anonymity: {name: k_of_collected, arguments: {keys: ['re"gion'], k: 3, nulls: wildcard}}
  - name: combined
    data_tests:
      - sdc.sdc_threshold_rule: {name: rule_of_combined, arguments: {keys: [f, n], threshold: 2, inclusive: false, nulls: wildcard}}
      - sdc.sdc_columns_decided: {name: decided_of_combined, arguments: {released_as_collected: [n, Select, hosehold], roles: ['a"b']}}
  - name: named_persons
    data_tests:
      - sdc.sdc_no_direct_identifiers: {name: identifiers, arguments: {forbidden: [REMARK], allowed: [id]}}
      - sdc.sdc_no_direct_identifiers: {name: forbidden_text, arguments: {forbidden: remark}}
      - sdc.sdc_no_direct_identifiers: {name: forbidden_otherwise, arguments: {forbiden: [remark]}}
"""
UNIT_TESTS = """
unit_tests:
  - name: rounded_by_itself
    model: rounded
    given: [{input: ref('some'), format: sql, rows: 'select 1 as "Select", 12 as n, 1 as f union all select 2, 20, 2'}]
    expect: {rows: [{n: 10, f: 1}, {n: 20, f: 2}]}
  - name: added_by_itself
    model: added
    overrides: {macros: {is_incremental: true}}
    given: [{input: this, format: sql, rows: 'select 1 as "Select"'},
            {input: ref('some'), format: sql, rows: 'select 1 as "Select", 12 as n, 1 as f union all select 2, 20, 2'}]
    expect: {rows: [{n: 20, f: 2}]}
  - name: released_by_itself
    model: research
    given: [{input: ref('elsewhere'), rows: [{f: 1}]}]
    expect: {rows: [{f: 1}]}
"""
PROJECT = """
name: odd
version: 0.1.0
profile: release
flags: {send_anonymous_usage_stats: false, validate_macro_args: true}
models: {odd: {+materialized: table}}
data_tests: {+store_failures: true}
"""
OTHER = """    other:
      type: duckdb
      path: other.duckdb
      plugins:
        - module: sdc_sql.dbt
"""
SYNTHETIC = ["firms", "drawn", "ranked", "mixed", "invented", "blurred", "grouped", "restored"]
FAILURES = [
    "k_of_k",
    "rule_of_k",
    "theta_of_k",
    "theta_by_of_k",
    "individual_of_k",
    "global_of_k",
    "household_of_k",
    "households_of_k",
    "k_of_kin",
    "limit_of_kin",
    "identifiers",
    "decided_of_combined",
]


def every_call() -> str:
    """Return a line for every macro of the package: required arguments by order, those with a default by name."""
    lines = []
    with duckdb.connect() as con:
        sdc_sql.load(con)
        for name, listed in con.execute("""
            SELECT function_name, parameters FROM duckdb_functions() WHERE function_type = 'table_macro'
              AND starts_with(function_name, 'sdc_') AND NOT starts_with(function_name, 'sdc__')
              AND function_name <> 'sdc_help' ORDER BY ALL
        """).fetchall():
            if name in index_former_names():  # an error that names the new one
                continue
            head = sdc_sql.bundle().partition(f" MACRO {name}(")[2].partition(" AS TABLE")[0]
            given = [f"{p}='its {p}'" if re.search(rf"\b{p} :=", head) else f"'the {p}'" for p in listed]
            lines.append(f"{{{{ sdc.{name[4:]}({', '.join(given)}) }}}}")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def odd(tmp_path_factory) -> tuple[Path, list[dict]]:
    """Return the folder of the odd project, with the package from a git repository, and what its runs told."""
    if shutil.which("git") is None:
        pytest.skip("no git")
    folder, origin = tmp_path_factory.mktemp("odd"), tmp_path_factory.mktemp("origin")
    shutil.copytree(PACKAGE, origin / "sdc_sql" / "dbt" / "package")
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=n", "-c", "user.email=n@x.org", "commit", "-qm", "1"],
        ["tag", "v1"],
    ):
        subprocess.run(["git", *command], cwd=origin, check=True)
    (folder / "packages.yml").write_text(
        f"packages:\n  - git: file://{origin}\n    subdirectory: sdc_sql/dbt/package\n    revision: v1\n"
    )
    (folder / "profiles.yml").write_text((SAMPLE / "profiles.yml").read_text() + OTHER)
    (folder / "dbt_project.yml").write_text(PROJECT)
    (folder / "models").mkdir()
    (folder / "analyses").mkdir()
    (folder / "analyses" / "every.sql").write_text(every_call())
    for name, text in FILES.items():
        (folder / f"{name}.toml").write_text(text)
    for name, text in MODELS.items():
        (folder / "models" / f"{name}.sql").write_text(text)
    (folder / "models" / "models.yml").write_text(ODD_TESTS)
    (folder / "models" / "unit_tests.yml").write_text(UNIT_TESTS)
    audit = "release.main_dbt_test__audit"
    explained = [f"SELECT count(*), min(explanation), max(explanation) FROM {audit}.{name}" for name in FAILURES]
    return folder, dbt(
        folder,
        (["deps"], []),
        (["compile", "--select", "every"], []),
        (["run"], ["FROM risk_elsewhere ORDER BY ALL", "FROM risk_passing ORDER BY ALL", "FROM risk_named", "FROM risk_of_one",
                   'SELECT "Select", n FROM added ORDER BY ALL', 'FROM swapped ORDER BY "i""d"',
                   'SELECT min(c) FROM (SELECT count(*) AS c FROM suppressed GROUP BY f, "Select", "a""b", n)',
                   "SELECT count(n), count(f) FROM combined", "SELECT count(n), count(f) FROM calm", 'FROM research ORDER BY "i""d"',
                   "FROM research_refused", *(f'SELECT avg(x), var_pop(x), covar_pop(x, "a""b") FROM {name}' for name in SYNTHETIC)]),
        (["test"], [*explained, f"FROM {audit}.k_of_k ORDER BY ALL", f"SELECT column_name, explanation FROM {audit}.identifiers ORDER BY ALL"]),
        (["run", "--vars", "records: 70", "--select", "k", "some", "added", "added_noise"],
         ['SELECT "Select", n FROM added ORDER BY ALL', "SELECT count(*) FROM added_noise"]),
        (["run", "--empty", "--select", "k", "some", "added", "added_passing", "mask_passing", "risk_elsewhere", "risk_passing", "swapped", "research"],
         ["SELECT count(*) FROM swapped", "SELECT count(*) FROM risk_passing", "SELECT column_name FROM (DESCRIBE research)", "FROM research",
          "SELECT count(*) FROM added", "SELECT count(*) FROM added_passing", "SELECT count(*) FROM mask_passing"]),
        (["run", "--full-refresh", "--select", "k", "some", "added", "added_noise", "--vars", "records: 70"],
         ["SELECT count(*) FROM added_noise"]),
        (["run", "--sample", "1 day", "--select", "sampled", "sampled_risk"], []),
        (["run", "--target", "other", "--threads", "4", "--select", "k", "some", "added"], []),
        (["run", "--vars", "records: 0", "--select", "k", "some", "added", "added_passing"], ["SELECT count(*) FROM added"]),
    )  # fmt: skip


def test_the_package_comes_from_git_as_well(odd):
    folder, (deps, *_) = odd
    assert deps["success"], deps
    assert (folder / "dbt_packages" / "sdc" / "dbt_project.yml").is_file()


def test_every_macro_passes_every_argument_on(odd):
    folder, (_, compiled, *_) = odd
    assert compiled["success"], compiled
    found = (folder / "target" / "compiled" / "odd" / "analyses" / "every.sql").read_text().strip().splitlines()
    asked = every_call().splitlines()
    assert len(found) == len(asked) > 30
    for line, call in zip(found, asked, strict=True):
        named = call.removeprefix("{{ sdc.").removesuffix(" }}").replace("='its ", " := 'its ")
        assert line.strip() == f"(select * from sdc_{named})"


def test_what_cannot_be_is_refused_with_the_reason(odd):
    _, (_, _, ran, *_) = odd
    assert {n for n, r in ran["nodes"].items() if r["status"] == "error"} == set(REFUSED)
    for name, reason in REFUSED.items():
        assert reason.lower() in ran["nodes"][name]["message"].lower(), ran["nodes"][name]["message"]


def test_a_second_pass_draws_anew_or_is_refused(odd):
    folder, (_, _, ran, *_) = odd
    compiled = (folder / "target" / "run" / "odd" / "models" / "twice.sql").read_text()
    assert "sdc_pram('sdc__step_0', 'f', '\"release\".\"main\".\"moves\"', 'i\"d')" in compiled
    assert "sdc_pram('sdc__step_2', 'F', '\"release\".\"main\".\"moves\"', 'i\"d', stream := '2')" in compiled
    assert {ran["nodes"][name]["status"] for name in ("twice", "next_pass", "other_column", "released_again")} == {
        "success"
    }


def test_records_that_nobody_is_keep_what_their_methods_keep(odd):
    moments = [np.array(row[0]) for row in odd[1][2]["rows"][-len(SYNTHETIC) :]]
    before, *others, grouped, restored = moments
    assert all(np.abs(after / before - 1).max() > 1e-4 for after in others)
    assert grouped == pytest.approx(before, rel=1e-8)
    assert restored == pytest.approx(before, rel=1e-8)


def test_odd_names_are_quoted(odd):
    _, (_, _, ran, *_) = odd
    elsewhere, passing, named, one, added, swapped, *_ = ran["rows"]
    # 60 records in 3 x 2 x 5 cells of two each, whatever the relation is called
    assert len(elsewhere) == len(passing) == 30
    assert elsewhere == passing
    assert [row[3] for row in passing] == [2] * 30
    assert named[0][:5] == [60, 30, 0, 30, 0]
    assert one[0][:6] == [1, 1, 1, 0, 0, 1.0]
    assert all(n is None if i % 7 == 0 else n % 5 == 0 and abs(n - i) < 5 for i, n in added)
    values = [row[4] for row in swapped if row[4] is not None]
    assert sorted(values) == [i for i in range(60) if i % 7]
    assert values != sorted(values)


def test_a_run_fails_on_risk_with_rows_that_explain(odd):
    _, (_, _, _, tested, *_) = odd
    nodes = tested["nodes"]
    assert {n for n, r in nodes.items() if r["status"] == "fail"} == set(FAILURES)
    assert {n for n, r in nodes.items() if r["status"] == "pass"} == {
        "k_of_some",
        "k_of_collected",  # without a household in its meta
        "k_of_sized",  # the one size that is missing is counted
        "identifiers_of_k",
        "rule_of_combined",
        "decided_of_k",
        "rounded_by_itself",
        "added_by_itself",
    }
    assert nodes["k_of_k"]["failures"] == 30
    *explained, cells, identifiers = tested["rows"]
    assert explained.pop()[0][0] == 4  # see below
    words = dict(zip(FAILURES[:-1], (rows[0] for rows in explained), strict=True))
    assert cells[0] == [0, "x'y0", "0", 2, 3, "2 record(s) share these values of the keys, fewer than k = 3"]
    assert words["theta_of_k"] == [
        1,
        *["The upper bound of the probability that a unique match is correct (upper_bound) is 1.0, not below 0.3"] * 2,
    ]
    assert words["theta_by_of_k"][0] == 3
    assert words["individual_of_k"][1].startswith("The risk of each record of this cell (individual_risk) is 0.25")
    assert words["global_of_k"][1].startswith(
        "The expected share of records that are re-identified (reidentification_rate) is 0.2"
    )
    assert words["household_of_k"][0] == 4
    assert words["households_of_k"][0] == 1
    # whoever has the file knows the region of the sixth by the fifth: two in the west, where a NULL may be anywhere three
    assert words["k_of_kin"] == [1, *["2 record(s) share these values of the keys, fewer than k = 3"] * 2]
    assert words["limit_of_kin"] == [1, *["k_anonymity.3.records <= 0 does not hold: it is 2"] * 2]
    assert dict(identifiers) == {
        "contact": "The column contact may identify persons directly: 40 of its values are e-mail addresses. Drop it, or list it under allowed.",
        "last_name": "The column last_name may identify persons directly: its name is that of a direct identifier. Drop it, or list it under allowed.",
        "reference": "The column reference may identify persons directly: 40 of its 40 values differ: such text tells one person from another. "
                     "Drop it, or list it under allowed.",
        "remark": "The column remark may identify persons directly: it is forbidden here. Drop it, or list it under allowed.",
    }  # fmt: skip


def test_a_limit_that_cannot_be_checked_does_not_pass(odd):
    nodes = odd[1][3]["nodes"]
    assert nodes["k_of_1"]["status"] == nodes["theta_of_all"]["status"] == "error"
    assert "at least 2" in nodes["k_of_1"]["message"]
    assert "strictly between 0 and 1" in nodes["theta_of_all"]["message"]
    for name, said in (
        ("k_of_misspelt", "meta has sdc_houshold: a household is told by sdc_household, sdc_household_columns and"),
        ("k_of_some_kin", "a test with `where` sees only some members of a household (sdc_household)"),
        ("forbidden_text", "forbidden is remark: it must be a list of names of columns, as in ['name', 'phone']"),
        ("forbidden_otherwise", "sdc_no_direct_identifiers has no argument forbiden: it has forbidden, allowed."),
        ("theta_otherwise", "sdc_theta_below has no argument confidense: it has keys, sampling_fraction, maximum, "),
    ):
        assert nodes[name]["status"] == "error"
        assert said in nodes[name]["message"]


def test_only_methods_that_mask_a_record_by_itself_add_to_a_release(odd):
    _, (_, _, ran, _, later, *_) = odd
    assert later["nodes"]["added"]["status"] == "success"
    before, after = ran["rows"][4], later["rows"][0]
    assert len(after) == 70
    assert after[:60] == before
    assert later["nodes"]["added_noise"]["status"] == "error"
    assert "added_noise does not exist" in later["rows"][1]  # the first run has made none


def test_a_full_refresh_masks_all_anew_by_any_method(odd):
    refreshed = odd[1][6]
    assert not failed(refreshed)
    assert refreshed["rows"] == [[[70]]]


def test_a_sample_of_a_table_is_neither_masked_nor_measured(odd):
    sampled = odd[1][7]
    assert failed(sampled) == {"sampled": "error", "sampled_risk": "error"}
    for node in sampled["nodes"].values():
        assert "stamped is read through a filter (--sample, or a microbatch)" in node["message"]


def test_another_target_and_four_threads_give_the_same(odd):
    assert not failed(odd[1][8])
    with duckdb.connect(str(odd[0] / "other.duckdb"), read_only=True) as con:
        rows = con.execute('SELECT "Select", n FROM added ORDER BY ALL').fetchall()
    assert [list(row) for row in rows] == odd[1][2]["rows"][4]


def test_the_columns_of_a_step_are_a_list_or_a_name(odd):
    folder, (_, _, ran, *_) = odd
    assert ran["nodes"]["by_name"]["status"] == "success", ran["nodes"]["by_name"]["message"]
    compiled = (folder / "target" / "run" / "odd" / "models" / "by_name.sql").read_text()
    assert "sdc_noise('sdc__step_0', ['n'], 0.1e0, 'Select')" in compiled
    assert "sdc_round('sdc__step_1', ['n'], 5, 'Select')" in compiled
    assert "sdc_rank_swap('sdc__step_2', 'f', 10, 'Select')" in compiled


def test_values_are_suppressed_in_a_model(odd):
    """n is another one on every record, or NULL: no combination with it is there twice, or has a low risk."""
    assert odd[1][2]["rows"][6:9] == [[[2]], [[0, 60]], [[0, 60]]]


def test_a_release_of_odd_names_is_written_and_a_refused_one_is_not(odd):
    research, refused = odd[1][2]["rows"][9:11]
    assert [row[0] for row in research] == list(range(60))
    assert all(n is None if i % 7 == 0 else n % 5 == 0 and abs(n - i) < 5 for i, *_, n, _ in research)
    assert "research_refused does not exist" in refused


def test_an_empty_run_gives_the_columns_and_no_rows(odd):
    assert not failed(odd[1][5])
    columns = [['i"d'], ["f"], ["Select"], ['a"b'], ["n"], ["household"]]
    assert odd[1][5]["rows"] == [[[0]], [[0]], columns, [], [[70]], [[60]], [[0]]]  # what was released stays
    assert not list((odd[0] / "target" / "sdc").rglob("*.*"))  # those of the release that is no longer there


def test_an_ephemeral_model_is_masked(odd):
    nodes = odd[1][2]["nodes"]
    assert {nodes[name]["status"] for name in ("mask_passing", "round_passing", "added_passing")} == {"success"}
    with duckdb.connect(str(odd[0] / "release.duckdb"), read_only=True) as con:
        assert con.execute("SELECT max(n % 5), count(n), count(*) FROM round_passing").fetchall() == [(0, 51, 60)]
        # the same draws as from the table
        assert con.execute('SELECT count(*) FROM added_passing ANTI JOIN added USING ("Select")').fetchall() == [(0,)]


def test_a_model_that_masks_has_unit_tests(odd):
    nodes = odd[1][3]["nodes"]
    assert nodes["rounded_by_itself"]["status"] == nodes["added_by_itself"]["status"] == "pass"
    assert "is of a model that is a release" in nodes["released_by_itself"]["message"]


def test_on_a_day_without_records_nothing_is_added(odd):
    day = odd[1][9]
    assert failed(day) == {"added_passing": "error"}
    assert "some_passing has no records, and is no stored table" in day["nodes"]["added_passing"]["message"]
    assert day["rows"] == [[[70]]]


def test_columns_that_nobody_decided_about_fail_a_run(odd):
    with duckdb.connect(str(odd[0] / "release.duckdb"), read_only=True) as con:
        found = con.execute("FROM main_dbt_test__audit.decided_of_combined ORDER BY column_name").fetchall()
    assert {name: words.partition(":")[0].partition(",")[0] for name, _, words in found} == {
        "hosehold": "hosehold is listed under released_as_collected or roles",
        "household": "The column household is in no role",
        'i"d': 'The column i"d is in no role',
        "n": "n is listed under released_as_collected",
    }


def test_the_key_is_nowhere_in_runs_that_fail(odd):
    without(odd[0], KEY)


def test_without_a_key_masking_says_how_to_set_one_and_measuring_works(sample, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(sample[0], folder)
    (ran,) = dbt(folder, (["run", "--full-refresh", "--select", "released", "cells_at_risk"], []), key=None)
    assert ran["nodes"]["cells_at_risk"]["status"] == "skipped"
    assert "set the environment variable SDC_KEY" in ran["nodes"]["released"]["message"]


def test_a_key_in_the_profile_is_refused_and_not_repeated():
    from dbt.adapters.duckdb.credentials import DuckDBCredentials  # noqa: PLC0415 - an optional extra

    from sdc_sql.dbt import Plugin  # noqa: PLC0415

    for place in ({"plugins": [{"module": "sdc_sql.dbt", "config": {"key": KEY}}]}, {"settings": {"sdc_key": KEY}}):
        credentials = DuckDBCredentials.from_dict({"schema": "main", "path": ":memory:"} | place)
        config = {
            **(credentials.settings or {}),
            **((credentials.plugins or [None])[0].config if credentials.plugins else {}),
        }
        with pytest.raises(sdc_sql.ParameterError, match="SDC_KEY") as refused:
            Plugin(name="dbt", plugin_config=config, credentials=credentials)
        assert KEY not in str(refused.value)
    Plugin(name="dbt", plugin_config={}, credentials=None)


# A limit on each of the deeper measures of the couples as they arrived: what is given, and how many rows it fails with.
KEYS = ["region", "race"]
DEEPER = {
    "sdc_suda_below": ({"keys": [*KEYS, "education"], "maximum": 0.0001}, "sdc_suda({t}, {k3}) WHERE dis_suda >= 0.0001"),
    "sdc_threshold_rule": ({"keys": [*KEYS, "education"], "threshold": [1, 2, 3]}, "sdc_threshold_rule({t}, {k3}, [1, 2, 3])"),
    "sdc_l_diversity": (
        {"keys": KEYS, "sensitive": "education", "l": 3, "c": 2},
        "sdc_l_diversity_cells({t}, {k}, 'education', c := 2) WHERE recursive_l < 3",
    ),
    "sdc_t_closeness_below": (
        {"keys": KEYS, "sensitive": "education", "maximum": 0.2},
        "sdc_t_closeness_cells({t}, {k}, 'education') WHERE t >= 0.2",
    ),
    "sdc_alpha_k_anonymity": (
        {"keys": KEYS, "sensitive": "education", "alpha": 0.5, "k": 3},
        "sdc_alpha_k_anonymity({t}, {k}, 'education', 0.5, 3) WHERE records > 0",
    ),
    "sdc_k_map": (
        {"population": "{{ ref('couples') }}", "keys": [*KEYS, "education"], "k": 5},
        "sdc_k_map({t}, 'couples', {k3}, 5) WHERE records > 0",
    ),
    "sdc_likeness": (
        {"keys": KEYS, "sensitive": "education", "beta": 3, "delta": 2},
        "sdc_likeness_cells({t}, {k}, 'education') WHERE beta > 3 OR delta >= 2",
    ),
    "sdc_theta_misclassified_below": (
        {"keys": [*KEYS, "education"], "sampling_fraction": 0.3, "columns": ["education"],
         "matrices": ["{{ ref('education_matrix') }}"], "maximum": 0.01},
        "sdc_theta_misclassified({t}, {k3}, 0.3, ['education'], ['education_matrix']) WHERE theta >= 0.01",
    ),
    "sdc_theta_misclassified_crossing_below": (
        {"keys": [*KEYS, "education"], "sampling_fraction": 0.3, "columns": ["education"], "matrix": "{{ ref('joint') }}", "maximum": 0.01},
        "sdc_theta_misclassified_crossing({t}, {k3}, 0.3, ['education'], 'joint') WHERE theta >= 0.01",
    ),
    "sdc_research_file_rules": (
        {"keys": KEYS, "weight": 1, "levels": {"extremely": ["region"], "very": ["race"]}, "direct_identifiers": ["region"],
         "panel": True, "looked_at": [3]},
        # 1, 2 and 5 are violated, 4 was not measured
        "sdc_research_file_rules({t}, {k}, 1, {{'extremely': ['region'], 'very': ['race']}}) WHERE rule <> 3",
    ),
    "sdc_public_use_file_rules": (
        {"keys": KEYS, "weight": 1, "withheld": ["race"], "reference_date": "2020-12-31", "looked_at": [3, 5, 9, 10]},
        "sdc_public_use_file_rules({t}, {k}, 1, withheld := ['race'], reference_date := '2020-12-31') WHERE violated",
    ),
}  # fmt: skip
LENIENT = {
    "sdc_suda_below": {"maximum": 0.9999},
    "sdc_threshold_rule": {"threshold": 1e-9},
    "sdc_l_diversity": {"keys": ["region"], "l": 2, "c": 1000},
    "sdc_t_closeness_below": {"maximum": 0.9999},
    "sdc_alpha_k_anonymity": {"keys": ["region"], "alpha": 0.9999, "k": 2},
    "sdc_k_map": {"keys": ["region"], "k": 2},
    "sdc_likeness": {"keys": ["region"], "beta": 1000, "delta": 100},
    "sdc_theta_misclassified_below": {"maximum": 0.9999},
    "sdc_theta_misclassified_crossing_below": {"maximum": 0.9999},
    "sdc_research_file_rules": {"weight": 1e6, "direct_identifiers": [], "panel": False, "looked_at": [3, 4]} | {
        "keys": ["race"], "levels": {"very": ["race"]}
    },
    "sdc_public_use_file_rules": {"weight": 1e6, "withheld": []},
}  # fmt: skip


def test_deeper_measures_fail_a_run_and_pass_it(sample, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(sample[0], folder)
    (folder / "models" / "copied.sql").write_text(
        "{{ config(materialized='table') }}\nselect * from {{ ref('arrived') }}"
    )
    (folder / "models" / "joint.sql").write_text(
        """{{ config(materialized='table') }}
        select {'education': "from"} as "from", {'education': "to"} as "to", probability from {{ ref('education_matrix') }}
        """
    )
    tests = []
    for test, (arguments, _) in DEEPER.items():
        tests += [
            {f"sdc.{test}": {"name": f"{test}_strict", "arguments": arguments}},
            {f"sdc.{test}": {"name": f"{test}_lenient", "arguments": arguments | LENIENT[test]}},
        ]
    (folder / "models" / "copied.yml").write_text(json.dumps({"models": [{"name": "copied", "data_tests": tests}]}))
    (ran,) = dbt(folder, (["build", "--select", "joint", "copied", "--store-failures"], []))
    assert failed(ran) == {f"{test}_strict": "fail" for test in DEEPER}
    with duckdb.connect(folder / "release.duckdb") as con:
        sdc_sql.load(con)
        for test, (_, query) in DEEPER.items():
            told = query.format(t="'copied'", k=KEYS, k3=[*KEYS, "education"])
            ((expected,),) = con.execute(f"SELECT count(*) FROM {told}").fetchall()
            assert ran["nodes"][f"{test}_strict"]["failures"] == expected > 0
            rows = con.execute(f"SELECT explanation FROM main_dbt_test__audit.{test}_strict").fetchall()
            assert len(rows) == expected
            assert all(explanation for (explanation,) in rows)
