"""What the measures return, a frozen record each.

Written from the modules of sdc_sql/risk, sdc_sql/linkage, sdc_sql/mask and sdc_sql/loss by python -m sdc_sql.write.
"""

from sdc_sql.linkage.attribute_inference import AttributeInference
from sdc_sql.linkage.certain_matches import CertainMatches
from sdc_sql.linkage.correct_attribution import CorrectAttribution
from sdc_sql.linkage.derived_values import DerivedValues, DerivedValuesSummary
from sdc_sql.linkage.disclosive_attributes import DisclosiveAttributes
from sdc_sql.linkage.distance_linkage import DistanceLinkage
from sdc_sql.linkage.distance_to_closest import DistanceToClosest
from sdc_sql.linkage.holdout_distance import HoldoutDistance
from sdc_sql.linkage.interval_disclosure import IntervalDisclosure
from sdc_sql.linkage.linear_relations import LinearRelation
from sdc_sql.linkage.linkability import Linkability
from sdc_sql.linkage.membership import Membership
from sdc_sql.linkage.motivated_intruder import MotivatedIntruder
from sdc_sql.linkage.probabilistic_linkage import LinkageParameters, LinkagePattern, ProbabilisticLinkage
from sdc_sql.linkage.rank_linkage import RankLinkage
from sdc_sql.linkage.replicated_uniques import ReplicatedUniques
from sdc_sql.linkage.robust_disclosure import RobustDisclosure
from sdc_sql.linkage.series_changes import SeriesChanges
from sdc_sql.linkage.series_disclosure import SeriesDisclosure
from sdc_sql.linkage.series_newcomers import SeriesNewcomers
from sdc_sql.linkage.singling_out import SinglingOut
from sdc_sql.linkage.suppression_report import CompatibleRecords, SuppressionReport
from sdc_sql.linkage.swapping_risk import SwappingRisk
from sdc_sql.linkage.true_reidentification import TrueReidentification
from sdc_sql.loss.class_sizes import ClassSizes
from sdc_sql.loss.confidence_overlap import ConfidenceOverlap
from sdc_sql.loss.contingency_distance import ContingencyDistance, MarginKept
from sdc_sql.loss.direct_distance import DirectDistance
from sdc_sql.loss.distribution_distance import DistributionDistance
from sdc_sql.loss.entropy_loss import EntropyLoss
from sdc_sql.loss.estimate_change import EstimateChange
from sdc_sql.loss.explained_variance import ExplainedVariance
from sdc_sql.loss.factor_distance import EigenvalueDistance, FactorDistance, GammaLoss
from sdc_sql.loss.il1 import Il1
from sdc_sql.loss.lambda_loss import LambdaLoss
from sdc_sql.loss.margin_distance import MarginDistance, PairDistance
from sdc_sql.loss.matrix_distance import MatrixDistance
from sdc_sql.loss.model_utility import ModelUtility
from sdc_sql.loss.pram_entropy_loss import PramEntropyLoss
from sdc_sql.loss.precision import Precision
from sdc_sql.loss.propensity import Propensity
from sdc_sql.loss.sse_sst import SseSst
from sdc_sql.loss.subdomain_moments import SubdomainMoment
from sdc_sql.loss.survey_estimate import SurveyEstimate
from sdc_sql.loss.synthetic_estimate import SyntheticEstimate
from sdc_sql.loss.tree_propensity import TreePropensity
from sdc_sql.loss.value_shares import ValueShare
from sdc_sql.loss.weight_distance import WeightDistance
from sdc_sql.mask.generalise import Generalisation
from sdc_sql.mask.pram_estimate_by_batch import PramBatchEstimate
from sdc_sql.mask.pram_matrix import PramEstimate, PramTwoWayEstimate
from sdc_sql.mask.preview_recodings import RecodingPreview
from sdc_sql.risk.alpha_k_anonymity import AlphaKViolations
from sdc_sql.risk.composition import CompositionKMap, CompositionRisk, CompositionSummary, CompositionTheta
from sdc_sql.risk.constant_columns import ConstantColumn
from sdc_sql.risk.content_digest import ContentDigest
from sdc_sql.risk.data_intrusion import DataIntrusion
from sdc_sql.risk.dominance import Dominance
from sdc_sql.risk.expected_harm import ExpectedHarm
from sdc_sql.risk.file_rules import RuleAnswer
from sdc_sql.risk.flip_regression import FlippedTerm
from sdc_sql.risk.global_risk import GlobalRisk
from sdc_sql.risk.household_k_anonymity import HouseholdKViolations
from sdc_sql.risk.household_risk import HouseholdGlobalRisk
from sdc_sql.risk.identifiers import ProposedIdentifier
from sdc_sql.risk.intruder import PerceivedRisk
from sdc_sql.risk.joint_releases import JointRelease
from sdc_sql.risk.k_anonymity import KViolations
from sdc_sql.risk.k_map import KMap
from sdc_sql.risk.key_uniques import KeyUniques
from sdc_sql.risk.l_diversity import LDiversity
from sdc_sql.risk.likeness import Likeness
from sdc_sql.risk.log_linear_fit import LogLinearFit, LogLinearStep
from sdc_sql.risk.log_linear_risk import LogLinearRisk
from sdc_sql.risk.neighbourhood import Neighbourhood
from sdc_sql.risk.population_risk import PopulationRisk
from sdc_sql.risk.population_uniqueness import PopulationUniqueness
from sdc_sql.risk.posteriors import PossibleTable
from sdc_sql.risk.rejoined_households import RejoinedHouseholds
from sdc_sql.risk.risk_threshold import RiskThreshold
from sdc_sql.risk.suda import SudaContribution, SudaSummary, SudaValueContribution
from sdc_sql.risk.t_closeness import TCloseness
from sdc_sql.risk.theta import Theta
from sdc_sql.risk.theta_by import StratumTheta
from sdc_sql.risk.theta_misclassified import MisclassifiedTheta
from sdc_sql.risk.threshold_rule import ThresholdSummary, UnsafeCombination
from sdc_sql.risk.uniqueness import FrequencySummary

__all__ = [
    "AlphaKViolations",
    "AttributeInference",
    "CertainMatches",
    "ClassSizes",
    "CompatibleRecords",
    "CompositionKMap",
    "CompositionRisk",
    "CompositionSummary",
    "CompositionTheta",
    "ConfidenceOverlap",
    "ConstantColumn",
    "ContentDigest",
    "ContingencyDistance",
    "CorrectAttribution",
    "DataIntrusion",
    "DerivedValues",
    "DerivedValuesSummary",
    "DirectDistance",
    "DisclosiveAttributes",
    "DistanceLinkage",
    "DistanceToClosest",
    "DistributionDistance",
    "Dominance",
    "EigenvalueDistance",
    "EntropyLoss",
    "EstimateChange",
    "ExpectedHarm",
    "ExplainedVariance",
    "FactorDistance",
    "FlippedTerm",
    "FrequencySummary",
    "GammaLoss",
    "Generalisation",
    "GlobalRisk",
    "HoldoutDistance",
    "HouseholdGlobalRisk",
    "HouseholdKViolations",
    "Il1",
    "IntervalDisclosure",
    "JointRelease",
    "KMap",
    "KViolations",
    "KeyUniques",
    "LDiversity",
    "LambdaLoss",
    "Likeness",
    "LinearRelation",
    "Linkability",
    "LinkageParameters",
    "LinkagePattern",
    "LogLinearFit",
    "LogLinearRisk",
    "LogLinearStep",
    "MarginDistance",
    "MarginKept",
    "MatrixDistance",
    "Membership",
    "MisclassifiedTheta",
    "ModelUtility",
    "MotivatedIntruder",
    "Neighbourhood",
    "PairDistance",
    "PerceivedRisk",
    "PopulationRisk",
    "PopulationUniqueness",
    "PossibleTable",
    "PramBatchEstimate",
    "PramEntropyLoss",
    "PramEstimate",
    "PramTwoWayEstimate",
    "Precision",
    "ProbabilisticLinkage",
    "Propensity",
    "ProposedIdentifier",
    "RankLinkage",
    "RecodingPreview",
    "RejoinedHouseholds",
    "ReplicatedUniques",
    "RiskThreshold",
    "RobustDisclosure",
    "RuleAnswer",
    "SeriesChanges",
    "SeriesDisclosure",
    "SeriesNewcomers",
    "SinglingOut",
    "SseSst",
    "StratumTheta",
    "SubdomainMoment",
    "SudaContribution",
    "SudaSummary",
    "SudaValueContribution",
    "SuppressionReport",
    "SurveyEstimate",
    "SwappingRisk",
    "SyntheticEstimate",
    "TCloseness",
    "Theta",
    "ThresholdSummary",
    "TreePropensity",
    "TrueReidentification",
    "UnsafeCombination",
    "ValueShare",
    "WeightDistance",
]
