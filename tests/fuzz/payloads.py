"""A hundred texts that would do harm, or come back changed, if they were pasted into SQL, a path or a template."""

# ruff: noqa: RUF001, E501 - names and texts that look like others

from __future__ import annotations

# {canary} is a file that no statement of ours may read: what it holds must not come back.
_STATEMENTS = (
    "DROP TABLE canary", "DELETE FROM canary", "UPDATE canary SET x = 0", "INSERT INTO canary VALUES (1)",
    "TRUNCATE canary", "ALTER TABLE canary ADD COLUMN y INTEGER", "CREATE TABLE stolen AS FROM canary",
    "ATTACH 'stolen.db' AS stolen", "COPY canary TO 'stolen.csv'", "COPY canary FROM '{canary}'",
    "SET memory_limit = '1MB'", "PRAGMA disable_optimizer", "INSTALL httpfs", "LOAD httpfs", "DETACH memory",
    "EXPORT DATABASE 'stolen'", "CREATE MACRO sdc_theta(a) AS 1", "RESET VARIABLE sdc_key", "CHECKPOINT", "VACUUM",
)  # fmt: skip
_BREAKS = ('"); {s}; --', "'; {s}; --", "; {s};")
_FIXED = (
    "' OR 1=1 --", "' OR '1'='1", '" OR ""="', "') OR ('1'='1", "1; SELECT 1", "x' UNION SELECT * FROM canary --",
    "'||(SELECT x FROM canary)||'", "(SELECT x FROM canary)", "(FROM canary)", "canary) --", "canary, canary",
    "read_text('{canary}')", "read_csv('{canary}')", "read_csv_auto('{canary}')", "'{canary}'", "glob('*')",
    "getvariable('sdc_key')", "getenv('SDC_KEY')", "query('FROM canary')", "query_table('canary')", "duckdb_secrets()",
    "COLUMNS(*)", "COLUMNS('.*')", "*", "* EXCLUDE (x)", "lambda x: x", "x -> x", "error('x')", "$1", "?", ":name",
    "$$; DROP TABLE canary; $$", "$tag$ x $tag$", "E'\\x27'", "U&'\\0027'", "\\'", "\\", "''", '""', "'", '"', "`", "``",
    "\u2019; DROP TABLE canary; --", "\u201d); DROP TABLE canary; --", "\uff07 OR 1=1", "\u02bc OR 1=1", "\u037e",
    "sеx", "ѕех", "SEX\u0301", "\u202exes", "\ufeffsex", "sex\u200b", "\x00", "sex\x00'; DROP TABLE canary; --", "a\nb",
    "a\r\n; DROP TABLE canary", "\t", " ", "", "x" * 10_000, '"' * 501, "(" * 2_000, "[" * 500,
    "{{ 7 * 7 }}", "{% raw %}", "{{ env_var('SDC_KEY') }}", "{{ run_query('DROP TABLE canary') }}", "{# x #}", "${HOME}",
    "$(cat {canary})", "`cat {canary}`", "%s%n", "%(x)s", "{0.__class__}", "../../etc/passwd", "/etc/passwd",
    "file:///etc/passwd", "/dev/stdin", "C:\\x", "--help", "-x", "/* x", "*/ x", "-- x", "# x", "\x1b[31m",
    "<script>alert(1)</script>", "=1+1", "@SUM(1)", "NULL", "NaN", "true", "1e400", "0x1F", "rowid", "sdc__f", "temp.x",
    "main.canary.x",
)  # fmt: skip
PAYLOADS = (
    *(b.format(s=s) if "{canary}" not in s else b.replace("{s}", s) for s in _STATEMENTS for b in _BREAKS),
    *_FIXED,
)
