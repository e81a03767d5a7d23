"""Statistical disclosure control for microdata, inside the database.

A public name is imported when it is first asked for: ``import sdc_sql`` itself imports neither numpy nor DuckDB.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sdc_sql import clone as _clone  # noqa: F401 - before all that needs sql/ or udfs/
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    from sdc_sql import results
    from sdc_sql.comparison.page import Comparison
    from sdc_sql.compiler import compile  # noqa: A004 - its name says what it does
    from sdc_sql.db.catalogue.load import install, load, uninstall
    from sdc_sql.db.catalogue.macros import bundle
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.showing.results import Results
    from sdc_sql.errors import (
        ColumnError,
        InputError,
        ManyUniquesWarning,
        MissingPackageError,
        ParameterError,
        ReleaseFileError,
        RepeatedReleaseWarning,
        SdcError,
        SeriesError,
        TableError,
        Unsupported,
        WeightError,
    )
    from sdc_sql.frontier.found import Frontier
    from sdc_sql.mask.hierarchies import Hierarchy, hierarchy_table, read_hierarchy
    from sdc_sql.mask.hierarchy_making import code_hierarchy, interval_hierarchy, tree_hierarchy
    from sdc_sql.microdata import Microdata, example
    from sdc_sql.pictures.picture import Picture
    from sdc_sql.release.certifying.verification import Verification
    from sdc_sql.release.certifying.verify import verify
    from sdc_sql.release.proposing.propose import propose_release
    from sdc_sql.release.reading.read import read_release
    from sdc_sql.release.running.run import run_release
    from sdc_sql.report import RiskReport, risk_report
    from sdc_sql.results import *  # noqa: F403 - its __all__ is the list of what measures return
    from sdc_sql.risk.posteriors import flip_posterior, swap_posterior
    from sdc_sql.series.series import Series

    __all__ = [
        "ColumnError",
        "Comparison",
        "Frontier",
        "Hierarchy",
        "InputError",
        "ManyUniquesWarning",
        "MaskingStep",
        "Microdata",
        "MissingPackageError",
        "ParameterError",
        "Picture",
        "ReleaseFileError",
        "RepeatedReleaseWarning",
        "Results",
        "RiskReport",
        "SdcError",
        "Series",
        "SeriesError",
        "TableError",
        "Unsupported",
        "Verification",
        "WeightError",
        "bundle",
        "code_hierarchy",
        "compile",
        "example",
        "flip_posterior",
        "hierarchy_table",
        "install",
        "interval_hierarchy",
        "load",
        "propose_release",
        "read_hierarchy",
        "read_release",
        "risk_report",
        "run_release",
        "swap_posterior",
        "tree_hierarchy",
        "uninstall",
        "verify",
    ]
    __all__ += results.__all__

__version__ = VERSION

_ERRORS = (
    "ColumnError", "InputError", "ManyUniquesWarning", "MissingPackageError", "ParameterError", "ReleaseFileError",
    "RepeatedReleaseWarning", "SdcError", "SeriesError", "TableError", "Unsupported", "WeightError",
)  # fmt: skip
_HOMES = dict.fromkeys(_ERRORS, "errors") | {
    "Comparison": "comparison.page",
    "Frontier": "frontier.found",
    "Hierarchy": "mask.hierarchies",
    "MaskingStep": "db.masking.steps",
    "Microdata": "microdata",
    "Picture": "pictures.picture",
    "Results": "db.showing.results",
    "RiskReport": "report",
    "Series": "series.series",
    "Verification": "release.certifying.verification",
    "bundle": "db.catalogue.macros",
    "code_hierarchy": "mask.hierarchy_making",
    "compile": "compiler",
    "example": "microdata",
    "flip_posterior": "risk.posteriors",
    "hierarchy_table": "mask.hierarchies",
    "install": "db.catalogue.load",
    "interval_hierarchy": "mask.hierarchy_making",
    "load": "db.catalogue.load",
    "propose_release": "release.proposing.propose",
    "read_hierarchy": "mask.hierarchies",
    "read_release": "release.reading.read",
    "risk_report": "report",
    "run_release": "release.running.run",
    "swap_posterior": "risk.posteriors",
    "tree_hierarchy": "mask.hierarchy_making",
    "uninstall": "db.catalogue.load",
    "verify": "release.certifying.verify",
}  # every other public name is that of a result
_ROOMS = (
    "comparison", "compiler", "db", "errors", "frontier", "linkage", "loss", "mask", "methods", "microdata", "release",
    "report", "results", "risk", "roles", "series",
)  # fmt: skip


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class, a function, a module
    if name in _ROOMS:
        return import_module(f"sdc_sql.{name}")
    found: Any
    if name == "__all__":
        found = [*_HOMES, *import_module("sdc_sql.results").__all__]
    elif name.startswith("_"):
        raise AttributeError(f"module 'sdc_sql' has no attribute {name!r}")
    else:
        home = import_module(f"sdc_sql.{_HOMES.get(name, 'results')}")
        if name not in _HOMES and name not in home.__all__:
            raise AttributeError(f"module 'sdc_sql' has no attribute {name!r}")
        found = getattr(home, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *import_module("sdc_sql.results").__all__, *_ROOMS})
