"""What each field of a release file means, in a sentence, as editors show it; of parameters the headers say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.release.reading import rules
from sdc_sql.release.reading.ruleset import CHECKS
from sdc_sql.write.dbt_yaml import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping


def _describe_facts() -> dict[str, str]:
    """Return the meaning of what the check of a ruleset asks for, as its header has it."""
    return {
        name: sentence(parameter.meaning)
        for check, facts in rules.FACTS.items()
        for parameter in index_catalogue()[f"sdc_{CHECKS[check][0]}"].parameters
        if (name := parameter.name) in facts
    }


MEANINGS: Mapping[str, Mapping[str, str]] = {
    "file": {
        "file": "What the columns are, what an intruder may know, which steps mask the file, and what must hold.",
        "title": "The title of the release, in its reports, certificates and metadata.",
        "producer": "Who releases the file.",
        "version": "The version of the released file.",
        "description": "What the file is about, for its users.",
        "population": "Which population the records are of.",
        "release": "The name of the release, in the draws of its steps: another name, independent draws.",
        "to_decide": "What a person has still to decide; nothing is run before this list is empty.",
        "engine": "What masks the records: DuckDB, or Spark where it runs all of the steps.",
        "rules": "A ruleset by its name, the path of a file of one's own (.toml), or a table where it asks for more.",
        "figures": "Measures with arguments of their own, under names for limits.",
        "source": "The raw table, which is read and never written.",
        "roles": "What the columns are. Every column of the source is in a role, a scenario or a step.",
        "scenarios": "What an intruder may know, and what must hold against them.",
        "steps": "The masking steps, in their order.",
        "loss": "How much may be lost, and over which columns it is measured.",
        "estimates": "What users will compute, before and after masking, and what must hold of it.",
        "intruder": "How many persons of the source a motivated intruder looks for, in the internal report.",
        "series": "Where the release is one of a series of the same table: its private ledger.",
        "governance": "What a board asks, in words for the internal report: nothing of it is computed.",
        "frontier": "Other releases that were considered, compared with this one in the internal report.",
        "output": "What is written.",
    },
    "source": {
        "path": "A Parquet, CSV, Stata (.dta) or SPSS (.sav) file, relative to this file; of Spark a folder too.",
        "database": "A DuckDB database, relative to the release file; with table =.",
        "table": 'The table of the database; without one, with engine = "spark", a table of Spark\'s catalogue.',
    },
    "roles": {
        "id": "The column that tells every record apart; it is not released unless output.ids says so.",
        "weight": "The sampling weights, or one number: how many persons of the population a record stands for.",
        "small_weights": "What is done where the weights of a cell sum to less than its records.",
        "sampling_fraction": "The share of the population that is in the file, between 0 and 1, or its column.",
        "household": "The number of the household, anew in the released file unless output.households says otherwise.",
        "household_columns": "Columns that are the same for all members of a household.",
        "strata": "The column of the strata of the sample.",
        "sensitive": "What an intruder would like to learn: measures of attribute disclosure are about these.",
        "ordered": "Those of the sensitive variables that are numbers, or ordered.",
        "identifiers": "Direct identifiers, which are not read at all.",
        "ghosts": "By key, the columns that follow it when it is suppressed.",
        "drop": "Other columns that are not read at all.",
        "released_as_collected": "Columns in no other role, scenario or step, which leave as they were collected.",
    },
    "rules": {
        "name": "The ruleset (sdc-sql release --rulesets lists them), or the path of a file of one's own (.toml).",
        "looked_at": "The numbers of rules that are not measured, and that a person has looked at.",
        "keys": "The keys that the rules are about, beside those of the scenarios.",
        "columns": "By variable that the ruleset coarsens, the column or columns of it, [] for none.",
        "values": "What the ruleset takes that differs from survey to survey.",
        **_describe_facts(),
    },
    "figures": {"measure": "The measure, by the name of its macro without sdc_."},
    "scenario": {
        "name": "The name of the scenario, in reports and in the field scenario of steps.",
        "text": "Who such an intruder is, and why he knows these keys.",
        "keys": "The key variables: what such an intruder knows of persons.",
        "nulls": "NULL in a key is a value of its own, or agrees with every value.",
        "k": "How far k-anonymity is measured: for 2 to k (5).",
        "threshold": "That of the threshold rule: one, or one for each number of keys.",
        "neighbourhood": "The continuous keys that an intruder knows about, and how exactly.",
        "limits": 'Conditions on figures of risk that must hold: "k_anonymity.3.records <= 0".',
    },
    "neighbourhood": {
        "columns": "The continuous keys.",
        "width": "How far apart values are that an intruder may confuse: one, or one for each column.",
        "scaling": "What the width is measured in.",
        "k": "How many records each must have in its neighbourhood, itself among them.",
    },
    "step": {
        "step": "A masking step: a method of sdc-sql mask, or the verb in Python, and its parameters.",
        "mask": "The method, where the masking has a parameter method of its own.",
        "columns": "What is masked.",
        "column": "What is masked.",
        "keys": "The keys that are masked.",
        "scenario": "The scenario whose keys are masked, in the place of keys =.",
        "where": "A condition on columns: these records are masked as if they were all there are.",
        "by_household": "The number of the household: each household is masked as one record.",
        "subset": "A condition: only these records may be changed, and all count.",
        "switch": "Whether it is drawn at random.",
    },
    "loss": {
        "columns": "The columns over which loss is measured.",
        "limits": 'Conditions on figures of loss that must hold: "il1.il1 <= 0.5".',
        "ordinal": "Those of the columns that are ordered categories.",
        "continuous": "Those of the columns that are numbers; the others are categories.",
        "domains": "Columns whose categories are the domains that some measures compare.",
        "dimension": "How many columns are crossed, for measures of crossings.",
    },
    "estimate": {
        "name": "The name that limits have for it: a word.",
        "title": "What it is, for the readers of the internal report.",
        "statistic": "What is estimated.",
        "variable": "What it is estimated of: numbers, categories of count and share, the response of a regression.",
        "domains": "An estimate for each combination of their values.",
        "predictors": "The numeric variables that explain the response of a regression.",
        "quantile": "Which quantile: 0.5 is the median.",
        "weight": "The weights; by default those of the roles.",
        "strata": "The strata of the sample; by default those of the roles.",
        "cluster": "The clusters of the sample; by default the households of the roles.",
        "confidence": "The probability of each interval.",
        "limits": 'Conditions on it that must hold: "mean_income.overlap >= 0.8".',
    },
    "series": {
        "ledger": "The private ledger, a file that the first release makes and each one writes anew.",
        "name": "The name of the series, which draws hang on.",
        "after": "The internal certificate of the release before; left out for the first.",
        "disk_encrypted": "True where the disk is encrypted, and the ledger need not be.",
        "returning": "True where ids that had left and are back are the same persons.",
        "most_new": "The largest share of ids that may be new (0.5).",
        "weakened": "What becomes of a record whose suppressed row cannot go on: it is left out, or is given a new id.",
        "forget_after": "So many releases after it left, a record is erased from the ledger.",
    },
    "governance": {
        "legal_basis": "The law, or the consent, on which the file is released.",
        "access": "Who gets the file: public, scientific (researchers under contract), or secure (it stays in place).",
        "officer": "Who answers for the release.",
        "key_retention": "How long the secret key is kept, and where.",
        "safe_projects": "What the file may be used for (the Five Safes).",
        "safe_people": "Who may use it.",
        "safe_settings": "Where it may be used.",
        "safe_data": "How likely anyone is recognised in it, as it is used.",
        "safe_outputs": "What of the results may leave, and who looks at them.",
    },
    "intruder": {"records": 'How many persons are drawn (1000), "all", or 0 for no such test.'},
    "frontier": {
        "risk": 'The figure of risk, "theta.upper_bound", or ["il1.il1", { columns = ["income"] }] with arguments.',
        "loss": "The figure of loss, likewise.",
        "max_risk": "The greatest risk that is accepted.",
        "utility": 'What is to be greatest, an expression of risk and loss: "-loss - 2 * risk".',
        "scenario": "The scenario whose keys the intruder has; needless where there is one.",
        "candidates": "The other releases.",
    },
    "candidate": {
        "name": "The name of the candidate.",
        "steps": "Its steps, as [[steps]] are, without where and by_household; [] is the file as it is.",
    },
    "output": {
        "path": "The released file: .parquet, .csv, .duckdb, .dta or .sav.",
        "ids": "What becomes of the id: left out (by default), kept, or numbered anew.",
        "households": "What becomes of the numbers of households: anew (by default), kept, or left out.",
        "report": "The internal report, .html or .md: keep it as you keep the data.",
        "annex": "The combinations of keys most at risk, .html or .md: for those alone who may see the source.",
        "public_report": "The report for the users of the file, .html or .md.",
        "certificate": "The internal certificate, .json.",
        "public_certificate": "The certificate that may be published, .json; it needs the secret key.",
        "ddi": "The metadata as DDI Codebook 2.5, .xml.",
    },
}
