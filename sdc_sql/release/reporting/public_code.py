"""The code that users are shown, in Python, R and Stata: read the file, totals by the design, corrections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Code, Section, Text

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.reporting.public_corrections import Category, Corrections, Misclassified, Noisy

NEEDS = {".csv": "", ".parquet": "arrow, ", ".dta": "haven, ", ".sav": "haven, ", ".duckdb": "duckdb and DBI, "}
_STATA_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")
_READ_R = {
    ".parquet": "data <- as.data.frame(arrow::read_parquet({path}))",
    ".dta": "data <- as.data.frame(haven::read_dta({path}))",
    ".sav": "data <- as.data.frame(haven::read_sav({path}))",
    ".duckdb": (
        "database <- DBI::dbConnect(duckdb::duckdb(), {path}, read_only = TRUE)\n"
        "data <- DBI::dbReadTable(database, DBI::dbListTables(database)[1], check.names = FALSE)"
    ),
}
_READ_PYTHON = {
    ".parquet": "data = pd.read_parquet({path})",
    ".dta": "data = pd.read_stata({path}, convert_categoricals=False)",
    ".sav": "data = pd.read_spss({path}, convert_categoricals=False)",
    ".duckdb": (
        "import duckdb\n\ndatabase = duckdb.connect({path}, read_only=True)\n"
        'data = database.table(database.sql("SHOW TABLES").fetchall()[0][0]).df()'
    ),
}


def write_code_section(found: Corrections) -> Section:
    """Return the section with the code: what was run says so, what was not too."""
    told = (
        "The code reads the file and prints estimates, corrected for the masking. Code of this form "
        f"was run by the tests of sdc-sql in Python (pandas, numpy) and R ({NEEDS.get(found.ending, '')}survey)"
        f"{'' if found.ending == '.csv' else ', there with CSV files: the line that reads another kind was not run'}."
    )
    blocks: list[Block] = [Text(told), Code("Python", "python", write_python(found)), Code("R", "r", write_r(found))]
    stata = write_stata(found)
    if stata:
        blocks.append(Code("Stata (not run)", "stata", stata))
    return Section("Code", tuple(blocks))


def quote_text(text: str) -> str:
    r"""Return a text as both Python and R write it.

    Examples
    --------
    >>> print(quote_text('a"b\\c\n\u202e'))
    "a\"b\\c\u000a\u202e"
    """
    short = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(short.get(c) or (c if c.isprintable() else _escape_character(c)) for c in text) + '"'


def _escape_character(character: str) -> str:
    number = ord(character)
    return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"  # noqa: PLR2004 - the length of each form


def _write_category(value: Category, true: str, none: str) -> str:
    if value is None:
        return none
    if isinstance(value, bool):
        return true if value else true.replace("TRUE", "FALSE").replace("True", "False")
    return quote_text(value) if isinstance(value, str) else repr(value)


def write_python(found: Corrections) -> str:
    """Return the code in Python."""
    path = quote_text(found.name)
    if found.ending == ".csv":
        texts = ", ".join(f"{quote_text(c)}: str" for c in found.texts)
        read = f"data = pd.read_csv({path}, dtype={{{texts}}}, keep_default_na=False, na_values=[''])"
    else:
        read = _READ_PYTHON[found.ending].format(path=path)
    weight = f"data[{quote_text(found.weight)}].astype(float)" if found.weight else "pd.Series(1.0, data.index)"
    parts = [f"import numpy as np\nimport pandas as pd\n\n{read}\nweight = {weight}"]
    if found.number:
        parts.append(_write_total_in_python(found))
    parts += [_write_matrix_in_python(one) for one in found.misclassified]
    for one in found.noisy:
        column = quote_text(one.column)
        parts.append(
            f"# Variance of {column} without the noise; a slope on it is multiplied by the last number\n"
            f"values = data[{column}].astype(float)\nnoise = {_write_noise(one, 'values.var()')}\n"
            "corrected = values.var() - noise\n"
            'print("variance", values.var(), "corrected", corrected, "slope", values.var() / corrected)'
        )
    for one in found.squares:
        column = quote_text(one.column)
        parts.append(
            f"# Variance of {column} without the factors, of mean 1\n"
            f"values = data[{column}].astype(float)\nsquare = (values**2).mean() / {one.ratio:.6g}\n"
            'print("variance", values.var(), "corrected", square - values.mean() ** 2)'
        )
    return "\n\n".join(parts)


def _write_noise(one: Noisy, released: str) -> str:
    if one.variance is not None:
        return f"{one.variance:.6g}"
    return f"{released} * (1 - 1 / {one.ratio:.6g})"


def _write_total_in_python(found: Corrections) -> str:
    column = quote_text(found.number or "")
    unit = f"data[{quote_text(found.household)}]" if found.household else "data.index"
    whole = "population" if found.weight else "file"
    lines = [
        f"# Total of {column} in the {whole}, and its standard error{_describe_design(found)}",
        f"values = data[{column}].astype(float)", "weighted = (weight * values).fillna(0)",
    ]  # fmt: skip
    if found.stratum:
        strata = f"data[{quote_text(found.stratum)}]"
        lines += [
            f"units = weighted.groupby([{strata}, {unit}], dropna=False).sum()",
            "strata = units.groupby(level=0, dropna=False)",
            "error = np.sqrt((strata.size() * strata.var()).sum())",
        ]
    else:
        lines += [f"units = weighted.groupby({unit}, dropna=False).sum()", "error = np.sqrt(len(units) * units.var())"]
    return "\n".join([*lines, 'print("total", weighted.sum(), "standard error", error)'])


def _describe_design(found: Corrections) -> str:
    parts = []
    if found.household:
        parts.append("households are taken for the units that were drawn")
    if found.stratum:
        parts.append(f"strata are {quote_text(found.stratum)}")
    return f": {', '.join(parts)}" if parts else ""


def _write_matrix_in_python(one: Misclassified) -> str:
    column = quote_text(one.column)
    categories = ", ".join(_write_category(c, "True", "None") for c in one.categories)
    rows = ",\n    ".join(f"[{', '.join(f'{p:.10g}' for p in row)}]" for row in one.matrix)
    return "\n".join(
        [
            f"# Frequencies of {column} before PRAM, and the errors that it adds; rows of P: original categories",
            f"categories = [{categories}]",
            f"P = np.array([\n    {rows},\n])",
            f"values = data[{column}]",
            "held = [(values.isna() if c is None else values == c).to_numpy(bool) for c in categories]",
            "released = np.array([weight[h].sum() for h in held])",
            "original = np.linalg.solve(P.T, released)",
            "squares = np.array([(weight[h] ** 2).sum() for h in held])",
            "drawn = np.diag(squares) - P.T @ np.diag(np.linalg.solve(P.T, squares)) @ P",
            "added = np.linalg.solve(P.T, np.linalg.solve(P.T, drawn).T).diagonal()",
            'print(pd.DataFrame({"category": categories, "released": released, "original": original,',
            '                    "error": np.sqrt(added.clip(0))}))',
        ]
    )


def write_r(found: Corrections) -> str:
    """Return the code in R."""
    path = quote_text(found.name)
    if found.ending == ".csv":
        texts = ", ".join(f'{quote_text(c)} = "character"' for c in found.texts)
        classes = f", colClasses = c({texts})" if texts else ""
        read = f'data <- read.csv({path}, check.names = FALSE, na.strings = "", encoding = "UTF-8"{classes})'
    else:
        read = _READ_R[found.ending].format(path=path)
    weight = f"as.numeric(data[[{quote_text(found.weight)}]])" if found.weight else "rep(1, nrow(data))"
    parts = [f"library(survey)\n\n{read}\nweight <- {weight}"]
    if found.number:
        parts.append(_write_total_in_r(found))
    parts += [_write_matrix_in_r(one) for one in found.misclassified]
    for one in found.noisy:
        column = quote_text(one.column)
        parts.append(
            f"# Variance of {column} without the noise; a slope on it is multiplied by the last number\n"
            f"values <- as.numeric(data[[{column}]])\nspread <- var(values, na.rm = TRUE)\n"
            f"noise <- {_write_noise(one, 'spread')}\n"
            'cat("variance", spread, "corrected", spread - noise, "slope", spread / (spread - noise), "\\n")'
        )
    for one in found.squares:
        column = quote_text(one.column)
        parts.append(
            f"# Variance of {column} without the factors, of mean 1\n"
            f"values <- as.numeric(data[[{column}]])\nsquare <- mean(values^2, na.rm = TRUE) / {one.ratio:.6g}\n"
            'cat("variance", var(values, na.rm = TRUE), "corrected", square - mean(values, na.rm = TRUE)^2, "\\n")'
        )
    return "\n\n".join(parts)


def _write_total_in_r(found: Corrections) -> str:
    column = quote_text(found.number or "")
    units = f"data.frame(unit = data[[{quote_text(found.household)}]])" if found.household else "~1"
    strata = f", strata = data[[{quote_text(found.stratum)}]], nest = TRUE" if found.stratum else ""
    whole = "population" if found.weight else "file"
    return "\n".join(
        [
            f"# Total of {column} in the {whole}, and its standard error{_describe_design(found)}",
            'options(survey.lonely.psu = "remove")',
            f"design <- svydesign(ids = {units}{strata}, weights = weight, data = data)",
            f"total <- svytotal(as.numeric(data[[{column}]]), design, na.rm = TRUE)",
            'cat("total", coef(total), "standard error", SE(total), "\\n")',
        ]
    )


def _write_matrix_in_r(one: Misclassified) -> str:
    column = quote_text(one.column)
    categories = ", ".join(_write_category(c, "TRUE", "NA") for c in one.categories)
    # a file of CSV has true and false in small letters, which R reads as texts
    values = f"as.logical(data[[{column}]])" if bool in map(type, one.categories) else f"data[[{column}]]"
    rows = ",\n  ".join(", ".join(f"{p:.10g}" for p in row) for row in one.matrix)
    return "\n".join(
        [
            f"# Frequencies of {column} before PRAM, and the errors that it adds; rows of P: original categories",
            f"categories <- c({categories})",
            f"P <- matrix(c(\n  {rows}\n), nrow = {len(one.matrix)}, byrow = TRUE)",
            f"values <- {values}",
            "held <- lapply(categories, function(c) if (is.na(c)) is.na(values) else values %in% c)",
            "released <- sapply(held, function(h) sum(weight[h]))",
            "original <- solve(t(P), released)",
            "squares <- sapply(held, function(h) sum(weight[h]^2))",
            "drawn <- diag(squares) - t(P) %*% diag(solve(t(P), squares)) %*% P",
            "added <- diag(solve(t(P), t(solve(t(P), drawn))))",
            "print(data.frame(category = categories, released, original, error = sqrt(pmax(added, 0))))",
        ]
    )


def write_stata(found: Corrections) -> str:
    """Return the code in Stata, of what it reads and of names that it has; nothing of another file."""
    read = {".dta": "use {path}, clear", ".csv": "import delimited {path}, varnames(1) case(preserve) clear"}
    if found.ending not in read or not found.name.isprintable() or set(found.name) & set("\"`'$\\"):
        return ""
    names = [n for n in (found.weight, found.household, found.stratum, found.number) if n]
    lines = [read[found.ending].format(path=f'"{found.name}"')]
    if found.number and all(map(_STATA_NAME.fullmatch, names)):
        weight = f" [pweight = {found.weight}]" if found.weight else ""
        strata = f", strata({found.stratum})" if found.stratum else ""
        lines += [f"svyset {found.household or '_n'}{weight}{strata}", f"svy: total {found.number}"]
    for one in found.noisy:
        if _STATA_NAME.fullmatch(one.column):
            lines += [f"summarize {one.column}", f"display r(Var) - {_write_noise(one, 'r(Var)')}"]
    return "\n".join(lines) if len(lines) > 1 else ""
