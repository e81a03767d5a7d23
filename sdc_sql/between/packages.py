"""The one package of the extra: ``cryptography``, which signs and encrypts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sdc_sql.errors import MissingPackageError

_MISSING = (
    "What goes between parties is signed and encrypted by the package cryptography, which is not installed: pip "
    "install 'sdc-sql[between]'."
)


def import_primitive(name: str) -> Any:  # noqa: ANN401 - modules of an extra, which need not be there
    """Return a module of the package, as in ``hazmat.primitives.hashes``."""
    try:
        return import_module(f"cryptography.{name}")
    except ImportError as error:
        raise MissingPackageError(_MISSING) from error
