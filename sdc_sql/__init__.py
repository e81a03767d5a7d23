"""Statistical disclosure control for microdata, inside the database."""

from sdc_sql.errors import ColumnError, InputError, ParameterError, SdcError, TableError, WeightError
from sdc_sql.load import install, load
from sdc_sql.macros import bundle

__version__ = "0.1.0"

__all__ = [
    "ColumnError",
    "InputError",
    "ParameterError",
    "SdcError",
    "TableError",
    "WeightError",
    "bundle",
    "install",
    "load",
]
