"""Statistical disclosure control for microdata, inside the database."""

from sdc_sql import clone as _clone  # noqa: F401 - before all that needs sql/ or udfs/
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
from sdc_sql.mask.pram_matrix import PramEstimate, PramTwoWayEstimate
from sdc_sql.microdata import Microdata, example
from sdc_sql.report import RiskReport, risk_report
from sdc_sql.risk.alpha_k_anonymity import AlphaKViolations
from sdc_sql.risk.data_intrusion import DataIntrusion
from sdc_sql.risk.file_rules import RuleAnswer
from sdc_sql.risk.global_risk import GlobalRisk
from sdc_sql.risk.household_risk import HouseholdGlobalRisk
from sdc_sql.risk.k_anonymity import KViolations
from sdc_sql.risk.k_map import KMap
from sdc_sql.risk.l_diversity import LDiversity
from sdc_sql.risk.likeness import Likeness
from sdc_sql.risk.population_risk import PopulationRisk
from sdc_sql.risk.risk_threshold import RiskThreshold
from sdc_sql.risk.suda import SudaContribution, SudaSummary, SudaValueContribution
from sdc_sql.risk.t_closeness import TCloseness
from sdc_sql.risk.theta import Theta
from sdc_sql.risk.theta_by import StratumTheta
from sdc_sql.risk.theta_misclassified import MisclassifiedTheta
from sdc_sql.risk.threshold_rule import ThresholdSummary, UnsafeCombination
from sdc_sql.risk.uniqueness import FrequencySummary

__version__ = "0.1.0"

__all__ = [
    "AlphaKViolations",
    "ColumnError",
    "DataIntrusion",
    "FrequencySummary",
    "GlobalRisk",
    "HouseholdGlobalRisk",
    "InputError",
    "KMap",
    "KViolations",
    "LDiversity",
    "Likeness",
    "MaskingStep",
    "Microdata",
    "MisclassifiedTheta",
    "MissingPackageError",
    "ParameterError",
    "PopulationRisk",
    "PramEstimate",
    "PramTwoWayEstimate",
    "RiskReport",
    "RiskThreshold",
    "RuleAnswer",
    "SdcError",
    "StratumTheta",
    "SudaContribution",
    "SudaSummary",
    "SudaValueContribution",
    "TCloseness",
    "TableError",
    "Theta",
    "ThresholdSummary",
    "UnsafeCombination",
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
