"""Who a party is: three pairs of keys, of which the public halves stand in the agreement.

One pair signs (Ed25519), one receives (X25519), one stands in the certificate of the connections (TLS 1.3, Ed25519).
They have nothing to do with the masking key, and nothing is masked with them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdc_sql.between.packages import import_primitive
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError, TableError

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
VALID = dt.timedelta(days=3650)
PUBLIC = "public.json"
FIELDS = ("name", "signs", "receives", "certificate")
PASSPHRASE = "SDC_PASSPHRASE"  # noqa: S105 - the name of the variable


@dataclass(frozen=True)
class Identity:
    """A party with its private keys, in its own house alone."""

    name: str
    signing: Any
    receiving: Any
    folder: Path


def require_name(name: object) -> str:
    """Return a party's name, which is part of names of files."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ParameterError(
            f"The name of a party is {text_for_message(name)}: give small letters, digits and hyphens, as in office-a."
        )
    return name


def make_identity(name: str, folder: str | Path) -> Path:
    """Make the keys of a party in a new folder; return the file that the others are given.

    The private keys are readable by their owner alone, and encrypted where the environment variable ``SDC_PASSPHRASE``
    has a passphrase.

    Parameters
    ----------
    name
        What the party is called in agreements.
    folder
        A folder that is not there yet.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> make_identity("office-a", Path(tempfile.mkdtemp()) / "keys").name
    'public.json'
    """
    require_name(name)
    folder = Path(folder)
    if folder.exists():
        raise ParameterError(f"There is {folder} already: keys are made in a new folder, and no others are replaced.")
    if not folder.absolute().parent.is_dir():
        raise TableError(f"There is no folder {folder.absolute().parent}.")
    ed25519, x25519 = (import_primitive(f"hazmat.primitives.asymmetric.{n}") for n in ("ed25519", "x25519"))
    keys = {
        "signing": ed25519.Ed25519PrivateKey.generate(),
        "receiving": x25519.X25519PrivateKey.generate(),
        "connecting": ed25519.Ed25519PrivateKey.generate(),
    }
    folder.mkdir(mode=0o700)
    for what, key in keys.items():
        _write_private(folder / f"{what}.pem", _encode_private(key))
    certificate = _certify(name, keys["connecting"])
    public = {
        "name": name,
        "signs": keys["signing"].public_key().public_bytes_raw().hex(),
        "receives": keys["receiving"].public_key().public_bytes_raw().hex(),
        "certificate": certificate,
    }
    (folder / "certificate.pem").write_text(certificate, encoding="ascii", newline="\n")
    (folder / PUBLIC).write_text(json.dumps(public, indent=2) + "\n", encoding="utf-8", newline="\n")
    return folder / PUBLIC


def read_identity(folder: str | Path) -> Identity:
    """Return a party with its private keys, from the folder that :func:`make_identity` made."""
    folder = Path(folder)
    public = read_public(folder / PUBLIC)
    keys = {what: _read_private(folder / f"{what}.pem") for what in ("signing", "receiving")}
    for field, what in (("signs", "signing"), ("receives", "receiving")):
        if keys[what].public_key().public_bytes_raw().hex() != public[field]:
            raise ParameterError(
                f"{folder / what}.pem is not the key of {folder / PUBLIC}: restore the folder as it was made."
            )
    return Identity(public["name"], keys["signing"], keys["receiving"], folder)


def read_public(file: str | Path) -> dict[str, str]:
    """Return what the others are given of a party: its name, its public keys and its certificate."""
    try:
        read = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise TableError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise ParameterError(f"{file} is no JSON: give the public.json that sdc-sql between key has made.") from None
    return require_public(read, str(file))


def require_public(read: object, where: str) -> dict[str, str]:
    """Return a party's public half, checked."""
    if not isinstance(read, dict) or set(read) != set(FIELDS) or not all(isinstance(v, str) for v in read.values()):
        raise ParameterError(
            f"{where} does not name a party by {', '.join(FIELDS)}: give its public.json as it was made."
        )
    require_name(read["name"])
    for field in ("signs", "receives"):
        if not re.fullmatch("[0-9a-f]{64}", read[field]):
            raise ParameterError(f"{where}: {field} is no public key of 32 bytes in hexadecimal digits.")
    return {field: read[field] for field in FIELDS}


def name_keys(public: dict[str, str]) -> str:
    """Return the fingerprint of a party's public half, to be compared by another way than that by which it came."""
    content = json.dumps([public[field] for field in FIELDS]).encode()
    digits = hashlib.sha256(content).hexdigest()[:32]
    return " ".join(digits[i : i + 4] for i in range(0, 32, 4))


def find_passphrase() -> bytes | None:
    """Return the passphrase of the private keys, where the environment has one."""
    given = os.environ.get(PASSPHRASE)
    return given.encode() if given else None


def _encode_private(key: Any) -> bytes:  # noqa: ANN401 - of the extra
    serialization = import_primitive("hazmat.primitives.serialization")
    given = find_passphrase()
    hidden = serialization.BestAvailableEncryption(given) if given else serialization.NoEncryption()
    return bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, hidden))


def _write_private(file: Path, content: bytes) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(content)


def _read_private(file: Path) -> Any:  # noqa: ANN401 - of the extra
    serialization = import_primitive("hazmat.primitives.serialization")
    try:
        return serialization.load_pem_private_key(file.read_bytes(), find_passphrase())
    except OSError as error:
        raise TableError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError):
        raise ParameterError(
            f"{file} is no private key, or its passphrase is another than that of the environment variable "
            f"{PASSPHRASE}."
        ) from None


def _certify(name: str, key: Any) -> str:  # noqa: ANN401 - of the extra
    """Return a certificate that a party gives itself: the others know it from the agreement and trust no authority."""
    x509 = import_primitive("x509")
    serialization = import_primitive("hazmat.primitives.serialization")
    itself = x509.Name([x509.NameAttribute(import_primitive("x509.oid").NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(itself)
        .issuer_name(itself)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + VALID)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, None)
    )
    return str(made.public_bytes(serialization.Encoding.PEM).decode())
