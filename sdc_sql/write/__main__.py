"""``python -m sdc_sql.write``: write anew what comes from the headers of the SQL files, and print what was written."""

from sdc_sql.write import ROOT, find_stale

for name, text in find_stale().items():
    if text is None:
        (ROOT / name).unlink()
    else:
        (ROOT / name).parent.mkdir(exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
    print(name)  # noqa: T201 - what it is for
