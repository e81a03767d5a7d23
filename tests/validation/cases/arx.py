"""ARX on the couples: the risks of the file, models of the population, and the best node of the lattice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sdc_sql
from validation.case import Case, within
from validation.lattice import Lattice
from validation.tables import HIERARCHIES, INSURED, ask, read_peer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

KEYS = list(HIERARCHIES)
COUPLES = "fixtures/cps_couples.parquet"
PERSONS = 1_000_000
DOUBLES = 1e-10  # both by doubles, in other orders
TENTH = (1e-10, "it rounds a loss to the tenth decimal")
SOLVED = (1e-6, "its solver ends at an accuracy of 1e-6")
LOSSES = {"createEntropyMetric(false)": "entropy", "createLossMetric()": "generalised_loss",
          "createDiscernabilityMetric()": "discernibility", "createAECSMetric()": "average_class_size"}  # fmt: skip
SENSITIVE: dict[str, dict[str, Any]] = {
    "DistinctLDiversity(insured, 2)": {"sensitive": "insured", "l": 2},
    "EntropyLDiversity(insured, 1.2)": {"sensitive": "insured", "l": 1.2, "diversity": "entropy"},
    "EqualDistanceTCloseness(insured, 0.25)": {"sensitive": "insured", "t": 0.25},
}
# Where it asks another question: why, and how the figure is found again.
SUPPRESSED_TOO = (
    "it adds what the suppressed records lose from their label to none; the entropy here is that of the labels",
    "every node looked at, its entropy with that term",
)
NOT_OF_THE_SUPPRESSED = (
    "it asks t of the records that keep their keys; here the suppressed ones are a cell to t too",
    "every node looked at, t not asked of the suppressed records",
)
NO_K = (
    "it asks for 5 of the population and no k of the file; here each released row is shared by 2 of the file besides",
    "every node looked at, with 5 of the population alone",
)


def list_cases(con: duckdb.DuckDBPyConnection) -> Iterator[Case]:
    """Give the comparisons with ARX."""
    peer = read_peer("arx")
    source = f"ARX {peer['made_by']['ARX']}"
    con.execute(f"CREATE OR REPLACE TEMP TABLE insured AS {INSURED}")
    con.execute("CREATE OR REPLACE TEMP TABLE some_insured AS FROM insured WHERE couple % 10 = 0")
    for function, figure, data, call, theirs, ours, share, *said in (
        *_risks(con, peer["figures"]), *_optima(con, peer["figures"])
    ):  # fmt: skip
        tolerance = max(within(theirs, share), TENTH[0] if function == "sdc_generalisations" else 0)
        yield Case(function, figure, data, source, call, theirs, ours, tolerance, *said)


def _risks(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    asked = {
        "getEquivalenceClassModel().getNumClasses()": ("sdc_frequency_summary", "cells", "cells"),
        "getSampleBasedUniquenessRisk().getFractionOfUniqueRecords()":
            ("sdc_frequency_summary", "share of sample uniques", "uniques_rate"),
        "getEquivalenceClassModel().getAvgClassSize()": ("sdc_frequency_summary", "records a cell", "records / cells"),
        "getSampleBasedReidentificationRisk().getAverageRisk()":
            ("sdc_frequency_summary", "success of guessing within each cell", "cells / records"),
    }  # fmt: skip
    for keys in (KEYS[:3], KEYS):
        of, found = ", ".join(keys), figures[", ".join(keys)]
        data = f"{COUPLES}, {of}"
        for call, (function, figure, said) in asked.items():
            yield (
                function,
                figure,
                data,
                call,
                found[call],
                ask(con, f"SELECT {said} FROM {function}('insured', ?)", keys),
                DOUBLES,
            )
        rarest = "SELECT 1 / min(sample_frequency) FROM sdc_frequencies('insured', ?)"
        call = "getSampleBasedReidentificationRisk().getHighestRisk()"
        yield "sdc_frequencies", "1 / least frequency", data, call, found[call], ask(con, rarest, keys), DOUBLES
        call = "getSampleBasedRiskSummary(0.2).getProsecutorRisk().getRecordsAtRisk()"
        below = """SELECT any_value(k.records) / count(*)
                   FROM sdc_k_anonymity('insured', ?, 5) AS k, insured WHERE k.k = 5"""
        yield (
            "sdc_k_anonymity",
            "share of records in cells below 5",
            data,
            call,
            found[call],
            ask(con, below, keys),
            DOUBLES,
        )
        for model in ("ZAYATZ", "PITMAN", "DANKAR"):
            call = f"getPopulationBasedUniquenessRisk().getFractionOfUniqueTuples({model})"
            query = "SELECT pr_pu FROM sdc_population_uniqueness('insured', ?, ?, method := ?)"
            yield ("sdc_population_uniqueness", f"share of population uniques, {model.lower()}",
                   f"{data}, of a million", call, found[call], ask(con, query, keys, PERSONS, model.lower()),
                   *SOLVED)  # fmt: skip


def _optima(con: duckdb.DuckDBPyConnection, figures: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    lattice = Lattice(con.execute(f"SELECT {', '.join(KEYS)}, insured FROM insured").fetchall(), HIERARCHIES)
    searched = {call: found for call, found in figures.items() if "setSuppressionLimit" in call}
    for call, found in searched.items():
        asked, _, rest = call.partition(", setSuppressionLimit(")
        share, _, metric = rest.partition("), ")
        given: dict[str, Any] = {"k": 2, "suppression": float(share), "loss": LOSSES[metric]}
        table, said = "insured", tuple[str, ...]()
        if asked.startswith("KAnonymity"):
            given["k"] = int(asked.removeprefix("KAnonymity(").rstrip(")"))
            if given["loss"] == "entropy" and given["suppression"]:
                best = lattice.find_best(given["k"], given["suppression"], lattice.measure_entropy)
                said = (SUPPRESSED_TOO[0], "another question", best, SUPPRESSED_TOO[1])
        elif asked.startswith("KMap"):
            table = "some_insured"
            given |= {"population": "insured", "population_k": 5}
            some = con.execute(f"SELECT {', '.join(KEYS)}, insured FROM some_insured").fetchall()
            sample = Lattice(some, HIERARCHIES)
            best = sample.find_best(1, 0, sample.measure_loss, population=(lattice, 5))
            said = (NO_K[0], "another question", best, NO_K[1])
        else:
            given |= SENSITIVE[asked]
            if "t" in given and given["suppression"]:
                best = lattice.find_best(2, given["suppression"], lattice.measure_loss, t=given["t"])
                said = (NOT_OF_THE_SUPPRESSED[0], "another question", best, NOT_OF_THE_SUPPRESSED[1])
        data = f"{COUPLES}, {'every tenth, ' if table != 'insured' else ''}{', '.join(KEYS)}"
        ours = sdc_sql.Microdata(con, table, keys=KEYS, id="couple").mask.generalisations(_read_hierarchies(), **given)
        holding = [one for one in ours if one.holds]
        best_of_ours = min(holding, key=lambda one: (one.loss, sum(map(int, one.levels.values()))))
        figure = f"{given['loss'].replace('_', ' ')} of the best node: {asked}, suppression {share}"
        yield ("sdc_generalisations", figure, data, call, found["getHighestScore()"], best_of_ours.loss, DOUBLES,
               *(said or TENTH[1:]))  # fmt: skip
        if said:
            continue
        levels = [found[f"getGeneralization({key})"] for key in KEYS]
        yield ("sdc_generalisations", f"levels of that node as a number, {asked}, suppression {share}", data, call,
               _join(levels), _join(best_of_ours.levels[key] for key in KEYS), 0)  # fmt: skip
        yield ("sdc_generalisations", f"records suppressed there, {asked}, suppression {share}", data, call,
               found["isOutlier(row), counted"], best_of_ours.suppressed, 0)  # fmt: skip


def _read_hierarchies() -> dict[str, sdc_sql.Hierarchy]:
    return {key: sdc_sql.Hierarchy(tuple(rows)) for key, rows in HIERARCHIES.items()}


def _join(levels: Any) -> float:
    return float("".join(str(level) for level in levels))
