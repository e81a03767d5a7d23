"""Statistical disclosure control for microdata, inside the database."""

from sdc_sql import clone as _clone  # noqa: F401 - before all that needs sql/ or udfs/
from sdc_sql import results
from sdc_sql.compiler import compile  # noqa: A004 - its name says what it does
from sdc_sql.db.load import install, load, uninstall
from sdc_sql.db.macros import bundle
from sdc_sql.db.steps import MaskingStep
from sdc_sql.errors import (
    ColumnError,
    InputError,
    MissingPackageError,
    ParameterError,
    SdcError,
    TableError,
    Unsupported,
    WeightError,
)
from sdc_sql.microdata import Microdata, example
from sdc_sql.report import RiskReport, risk_report
from sdc_sql.results import *  # noqa: F403 - its __all__ is the list of what measures return
from sdc_sql.version import VERSION

__version__ = VERSION

__all__ = [
    "ColumnError",
    "InputError",
    "MaskingStep",
    "Microdata",
    "MissingPackageError",
    "ParameterError",
    "RiskReport",
    "SdcError",
    "TableError",
    "Unsupported",
    "WeightError",
    "bundle",
    "compile",
    "example",
    "install",
    "load",
    "risk_report",
    "uninstall",
]
__all__ += results.__all__
