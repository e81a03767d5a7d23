"""The version of the package, for whatever writes it down, and what is asked of another one."""

VERSION = "0.2.0"
VALUES_SINCE = "0.2.0"  # the first version whose draws, and whose grid of released numbers, are those of this one


def gives_other_values(version: str) -> bool:
    """Return whether masking by a version gave other values than this one does.

    Examples
    --------
    >>> [gives_other_values(version) for version in ("0.1", "0.1.12", "0.2.0", "0.10")]
    [True, True, False, False]
    """
    return _split_version(version) < _split_version(VALUES_SINCE)


def _split_version(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]
