"""Sums and regressions on databases that never meet: secure summation among three and more parties.

Each party is a process of its own with its own DuckDB file. What crosses between them are whole numbers modulo 2^160,
each uniform whatever the data are, encrypted for one party and signed by another; what all learn is the total. The
chapter is ``sdc_sql/between/README.md``; the command is ``sdc-sql between``. All parties are taken to be honest but
curious: they keep to the protocol and report rightly, and may think about all that they see.
"""

from __future__ import annotations

from sdc_sql.between.agreement import Agreement
from sdc_sql.between.errors import ExchangeError, RefusedError
from sdc_sql.between.folders import Folders
from sdc_sql.between.identity import make_identity, read_identity, read_public
from sdc_sql.between.regression import Regression, fit_regression
from sdc_sql.between.run import CellTotal, House, run_regression, run_sums
from sdc_sql.between.signatures import sign_agreement
from sdc_sql.between.sockets import Sockets
from sdc_sql.between.terms import draft_agreement, read_agreement

__all__ = [
    "Agreement",
    "CellTotal",
    "ExchangeError",
    "Folders",
    "House",
    "RefusedError",
    "Regression",
    "Sockets",
    "draft_agreement",
    "fit_regression",
    "make_identity",
    "read_agreement",
    "read_identity",
    "read_public",
    "run_regression",
    "run_sums",
    "sign_agreement",
]
