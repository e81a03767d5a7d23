"""A message between two parties: encrypted for the one, signed by the other, of one run and one step of it.

The key of each message is new: X25519 of a key made for it and the receiver's, HKDF with the header, ChaCha20-Poly1305.
The signature (Ed25519) is over the header, that key and what is encrypted. All of it is the package ``cryptography``.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from sdc_sql.between.agreement import write_plainly
from sdc_sql.between.errors import ExchangeError, OtherAgreementError
from sdc_sql.between.packages import import_primitive

if TYPE_CHECKING:
    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.identity import Identity

HEADER = ("agreement", "from", "run", "step", "to")
MOST_BYTES = 1 << 26
NEVER_TWICE = bytes(12)  # the key is of one message: so is its nonce


def seal_message(  # noqa: PLR0917 - what a message is of
    agreement: Agreement, identity: Identity, to: str, run: str, step: str, content: bytes
) -> bytes:
    """Return a message of a party to another."""
    x25519 = import_primitive("hazmat.primitives.asymmetric.x25519")
    once = x25519.X25519PrivateKey.generate()
    header = {"agreement": agreement.digest, "from": identity.name, "run": run, "step": step, "to": to}
    receiver = x25519.X25519PublicKey.from_public_bytes(bytes.fromhex(agreement.party(to)["receives"]))
    public = once.public_key().public_bytes_raw()
    cipher = _make_cipher(once.exchange(receiver), public, header)
    text = cipher.encrypt(NEVER_TWICE, content, write_plainly(header))
    signed = {"header": header, "key": public.hex(), "text": base64.b64encode(text).decode()}
    return write_plainly({**signed, "signature": identity.signing.sign(_tell_signed(signed)).hex()})


def open_message(  # noqa: PLR0917 - what a message is of
    agreement: Agreement, identity: Identity, sender: str, run: str, step: str, message: bytes
) -> bytes:
    """Return what a message holds, which must be of that sender, that run and that step, and to this party.

    Raises
    ------
    ExchangeError
        Where it is none such; it says what is wrong. Nothing was answered to it.
    """
    signed = _read_message(message, sender, step)
    _verify(agreement, sender, signed)
    header = signed["header"]
    if header["agreement"] != agreement.digest:
        raise OtherAgreementError(
            f"{sender} works by another agreement ({str(header['agreement'])[:16]}) than this one "
            f"({agreement.digest[:16]}), or has not begun this one: all parties must give the same file; compare by "
            "sdc-sql between show."
        )
    expected = {"from": sender, "to": identity.name, "step": step}
    if any(header[field] != value for field, value in expected.items()):
        raise ExchangeError(
            f"A message stands where {sender}'s {step} for {identity.name} belongs, and is another (from "
            f"{header['from']} to {header['to']}, {header['step']}): somebody has moved or copied it. Empty the "
            "folders, and run it again, all of you."
        )
    if header["run"] != run:
        raise ExchangeError(
            f"The {step} of {sender} is of another run: it was copied from there, or {sender} has begun anew. Empty "
            "the folders, and run it again, all of you; the masks are drawn anew."
        )
    return _decrypt(identity, signed, sender, step)


def _read_message(message: bytes, sender: str, step: str) -> dict[str, Any]:
    strings = ("key", "text", "signature")
    try:
        read = json.loads(message) if len(message) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        read = None
    fits = (
        isinstance(read, dict)
        and set(read) == {"header", *strings}
        and all(isinstance(read[field], str) for field in strings)
        and isinstance(read["header"], dict)
        and set(read["header"]) == set(HEADER)
        and all(isinstance(value, str) for value in read["header"].values())
    )
    if not fits or not isinstance(read, dict):
        raise ExchangeError(
            f"The {step} of {sender} is no message of this program, or was cut off: have it sent again."
        )
    return read


def _verify(agreement: Agreement, sender: str, signed: dict[str, Any]) -> None:
    ed25519 = import_primitive("hazmat.primitives.asymmetric.ed25519")
    invalid = import_primitive("exceptions").InvalidSignature
    key = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(agreement.party(sender)["signs"]))
    unsigned = {field: value for field, value in signed.items() if field != "signature"}
    try:
        key.verify(bytes.fromhex(signed["signature"]), _tell_signed(unsigned))
    except (invalid, ValueError):
        raise ExchangeError(
            f"The signature of a message of {sender} is wrong: it was altered on the way, or is from somebody else. "
            "It was not read. Find out how it came, and run it again, all of you."
        ) from None


def _decrypt(identity: Identity, signed: dict[str, Any], sender: str, step: str) -> bytes:
    x25519 = import_primitive("hazmat.primitives.asymmetric.x25519")
    invalid = import_primitive("exceptions").InvalidTag
    try:
        public = bytes.fromhex(signed["key"])
        shared = identity.receiving.exchange(x25519.X25519PublicKey.from_public_bytes(public))
        cipher = _make_cipher(shared, public, signed["header"])
        text = base64.b64decode(signed["text"], validate=True)
        return bytes(cipher.decrypt(NEVER_TWICE, text, write_plainly(signed["header"])))
    except (invalid, ValueError):
        raise ExchangeError(f"The {step} of {sender} cannot be decrypted: it is encrypted for another key.") from None


def _make_cipher(shared: bytes, public: bytes, header: dict[str, str]) -> Any:  # noqa: ANN401 - of the extra
    hashes = import_primitive("hazmat.primitives.hashes")
    hkdf = import_primitive("hazmat.primitives.kdf.hkdf")
    aead = import_primitive("hazmat.primitives.ciphers.aead")
    key = hkdf.HKDF(hashes.SHA256(), 32, salt=public, info=b"sdc-sql between\n" + write_plainly(header)).derive(shared)
    return aead.ChaCha20Poly1305(key)


def _tell_signed(unsigned: dict[str, Any]) -> bytes:
    return b"sdc-sql between: message\n" + write_plainly(unsigned)
