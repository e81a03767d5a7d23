"""``sdc-sql risk``, the intruder: misclassified keys, a simulated search, a population known or modelled."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from sdc_sql.cli.options import names
from sdc_sql.db.catalogue.arguments import list_choices
from sdc_sql.db.files.source import attach_named_table, detect_kind
from sdc_sql.document.blocks import Section, make_facts_block
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.risk.log_linear_risk import MODELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.db.showing.results import Result
    from sdc_sql.microdata import Microdata

TITLES = {
    "theta_misclassified": "theta with misclassified keys",
    "data_intrusion_simulation": "Data intrusion simulation",
    "population_uniqueness": "Population uniques, by a model of the population",
    "log_linear_risk": "Sample uniques under a log-linear model",
    "neighbourhood": "Neighbourhood in continuous keys: records with few others about them",
    "k_map": "k-map: records and cells with fewer than k in the population",
}


_KEY = re.compile(r'\s*(?:"((?:[^"]|"")+)"\s*|([^*,]*))([*,])')


def matrix(text: str) -> tuple[tuple[str, ...], str]:
    """Return the keys and the file of ``KEY=FILE``."""
    given, sign, path = text.partition("=")
    keys = tuple(names(given))
    if not (sign and path and keys and all(keys)):
        raise argparse.ArgumentTypeError(f"{text!r} does not name the matrix of a key, as in education=matrix.csv")
    return keys, path


def model(text: str) -> str | list[list[str]]:
    """Return a log-linear model: its name, or the interactions of ``age*sex,region*age``.

    A key whose name has a star or a comma stands in double quotes.

    Examples
    --------
    >>> model('age*sex,"a*b" * age')
    [['age', 'sex'], ['a*b', 'age']]
    """
    if text in MODELS:
        return text
    parts: list[list[str]] = [[]]
    for quoted, plain, sign in _KEY.findall(f"{text},"):
        parts[-1].append(quoted.replace('""', '"') if quoted else plain.strip())
        if sign == ",":
            parts.append([])
    return parts[:-1]


def numbers(text: str) -> list[float]:
    """Return the numbers of ``0.1,0.2``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number, and no list of them as in 0.1,0.2") from None


def add(risk: argparse.ArgumentParser) -> None:
    """Add the options."""
    models = list_choices("population_uniqueness", "method")
    risk.add_argument(
        "--misclassified", action="append", default=[], type=matrix, metavar="KEY=FILE",
        help="theta where the intruder's KEY differs: a CSV or Parquet file: from (the file's category), to "
        "(the intruder's), probability; can be repeated, or KEY,KEY=FILE: Parquet with structs as categories "
        "(limits: 'theta_misclassified.theta > 0.1')",
    )  # fmt: skip
    risk.add_argument(
        "--simulate", type=int, metavar="N",
        help="Monte Carlo simulation of N searches by an intruder, a check of theta "
        "(limits: 'data_intrusion_simulation.theta > 0.1')",
    )  # fmt: skip
    risk.add_argument(
        "--log-linear", type=model, nargs="?", const="tree", metavar="MODEL",
        help="how many sample uniques are unique in the population, and how many matches with them are correct, under "
        "a log-linear model: tree (default), independence, two_way, or interactions as in age*sex,age*region, a "
        "name with a star or a comma in double quotes (limits: 'log_linear_risk.tau2_rate > 0.1')",
    )  # fmt: skip
    risk.add_argument(
        "--known-margins", metavar="FILE",
        help="for --log-linear: a CSV or Parquet file, or a table of the same DuckDB file, of the persons of the "
        "population by value of a key or several: key, value, persons",
    )  # fmt: skip
    risk.add_argument(
        "--population", metavar="FILE",
        help="a CSV or Parquet file of the population, or another table of the same DuckDB file: the records "
        "shared by fewer than K of it (limits: 'k_map.records > 0')",
    )  # fmt: skip
    risk.add_argument(
        "--population-size", type=int, metavar="N",
        help="the persons of the population: how many of them are unique, by a model of it "
        "(limits: 'population_uniqueness.pr_pu_given_su > 0.1')",
    )  # fmt: skip
    risk.add_argument(
        "--population-model", choices=models, metavar="MODEL",
        help=f"the model for --population-size: {', '.join(models)} (default {models[0]}, which chooses)",
    )  # fmt: skip
    risk.add_argument(
        "--continuous", type=names, metavar="A,B",
        help="continuous keys, known about: the records with fewer than K others of their keys in the neighbourhood "
        "(limits: 'neighbourhood.below_k > 0')",
    )  # fmt: skip
    risk.add_argument(
        "--width", type=numbers, metavar="W", help="how far a neighbour may be: a number (default 0.1), or W,W: of each"
    )
    risk.add_argument(
        "--scaling", choices=list_choices("neighbourhood", "scaling"),
        help="what the width is a part of: the own value (default), the standard deviation, the range, nothing",
    )  # fmt: skip


def measure_intrusion(
    data: Microdata, arguments: argparse.Namespace, progress: Callable[[str], None]
) -> dict[str, Result]:
    """Return the measures asked for, by the names they have in limits; report each before it is computed."""
    found: dict[str, Result] = {}
    found_matrices = matrices(arguments.misclassified)
    if found_matrices:
        progress("misclassified keys")
        found["theta_misclassified"] = data.risk.theta_misclassified(found_matrices)
    if arguments.simulate is not None:
        progress("data intrusion simulation")
        found["data_intrusion_simulation"] = data.risk.data_intrusion_simulation(
            matrices=found_matrices or None, repetitions=arguments.simulate
        )
    if arguments.log_linear is not None:
        progress("log-linear model")
        known = arguments.known_margins
        margins = None if known is None else attach_named_table(data.con, known, arguments.source, "the known margins")
        found["log_linear_risk"] = data.risk.log_linear_risk(model=arguments.log_linear, margins=margins)
    elif arguments.known_margins is not None:
        raise ParameterError("--known-margins goes with --log-linear: name the model, or give --log-linear alone.")
    asked = {"width": arguments.width, "scaling": arguments.scaling}
    asked = {name: value for name, value in asked.items() if value is not None}
    if arguments.continuous:
        progress("neighbourhood")
        found["neighbourhood"] = data.risk.neighbourhood(arguments.continuous, k=arguments.k, **asked)
    elif asked:
        raise ParameterError(f"--{next(iter(asked))} goes with --continuous: name the continuous keys.")
    if arguments.population is not None:
        progress("k-map")
        # the codes are read as those of the sample are
        population = attach_named_table(data.con, arguments.population, arguments.source, "the population")
        found["k_map"] = data.risk.k_map(population, arguments.k)
    if arguments.population_size is not None:
        progress("population uniques")
        model = {"method": arguments.population_model} if arguments.population_model is not None else {}
        found["population_uniqueness"] = data.risk.population_uniqueness(arguments.population_size, **model)
    elif arguments.population_model is not None:
        raise ParameterError("--population-model needs --population-size, the persons of the population.")
    return found


def matrices(
    given: list[tuple[tuple[str, ...], str]], option: str = "--misclassified"
) -> dict[str | tuple[str, ...], str]:
    """Return the files of the matrices by their keys."""
    keys = [key.lower() for several, _ in given for key in several]
    if len(set(keys)) < len(keys):
        raise ParameterError(f"A key is given several matrices: give {option} once for each key.")
    for _, path in given:
        if detect_kind(path) == "duckdb":
            raise TableError(f"{path} is a DuckDB database: a matrix is a CSV or Parquet file.")
    return {several if len(several) > 1 else several[0]: path for several, path in given}


def list_intrusion_texts(found: dict[str, Result]) -> list[str]:
    """Return the measures as text, one part each."""
    return ["\n".join([TITLES[name], *str(result).splitlines()[1:]]) for name, result in found.items()]


def list_intrusion_sections(found: dict[str, Result]) -> list[Section]:
    """Return the measures as sections of a page, one each."""
    return [Section(TITLES[name], (make_facts_block("", result.to_dict()),)) for name, result in found.items()]
