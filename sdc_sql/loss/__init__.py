"""What masking lost: each file calls the macros of one file of ``sql/loss``."""

from importlib.util import find_spec


def __getattr__(name: str) -> None:
    """Say where a measure of risk is that stood here once: an attribute error would hide it in `from ... import`."""
    if name.isidentifier() and not name.startswith("_") and find_spec(f"sdc_sql.linkage.{name}"):
        raise ImportError(f"sdc_sql.loss.{name} is sdc_sql.linkage.{name}: import it from there.")
    raise AttributeError(f"module 'sdc_sql.loss' has no attribute {name!r}")
