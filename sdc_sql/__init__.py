"""Statistical disclosure control for microdata, inside the database."""

from sdc_sql.compiler import compile  # noqa: A004 - its name says what it does
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
from sdc_sql.load import install, load, uninstall
from sdc_sql.macros import bundle
from sdc_sql.mask.pram_correction import PramEstimate, PramTwoWayEstimate
from sdc_sql.masking import MaskingStep
from sdc_sql.microdata import Microdata, example
from sdc_sql.report import RiskReport, risk_report
from sdc_sql.risk.attribute import AlphaKViolations, KMap, LDiversity, Likeness, TCloseness
from sdc_sql.risk.file_rules import RuleAnswer
from sdc_sql.risk.global_risk import GlobalRisk
from sdc_sql.risk.household_risk import HouseholdGlobalRisk
from sdc_sql.risk.k_anonymity import KViolations
from sdc_sql.risk.population_risk import PopulationRisk
from sdc_sql.risk.risk_threshold import RiskThreshold
from sdc_sql.risk.suda import SudaContribution, SudaSummary, SudaValueContribution
from sdc_sql.risk.theta import StratumTheta, Theta
from sdc_sql.risk.theta_misclassified import DataIntrusion, MisclassifiedTheta
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
