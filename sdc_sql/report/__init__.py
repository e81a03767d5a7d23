"""The disclosure risk of a file on one page: as text, HTML, Markdown, JSON, and in a notebook."""

from sdc_sql.report.measure import attributes, risk_report
from sdc_sql.report.report import RiskReport

__all__ = ["RiskReport", "attributes", "risk_report"]
