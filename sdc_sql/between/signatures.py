"""The signatures under an agreement, a file of each party's beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.between.errors import ExchangeError
from sdc_sql.between.packages import import_primitive
from sdc_sql.between.terms import read_agreement
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.identity import Identity


def name_signature(file: Path, party: str) -> Path:
    """Return where the signature of a party stands: beside the agreement."""
    return file.with_name(f"{file.stem}.{party}.signature")


def sign_agreement(file: str | Path, identity: Identity) -> Path:
    """Sign an agreement; return the file of the signature, which the other parties are given.

    Raises
    ------
    ParameterError
        Where it is no agreement, or not one of this party with these keys.
    """
    file = Path(file)
    agreement = read_agreement(file)
    require_own_keys(agreement, identity)
    target = name_signature(file, identity.name)
    target.write_text(identity.signing.sign(_tell_signed(agreement)).hex() + "\n", encoding="ascii", newline="\n")
    return target


def require_own_keys(agreement: Agreement, identity: Identity) -> None:
    """Refuse an agreement that has other keys for this party than it has."""
    public = agreement.party(identity.name)
    own = {"signs": identity.signing, "receives": identity.receiving}
    if any(public[field] != key.public_key().public_bytes_raw().hex() for field, key in own.items()):
        raise ParameterError(
            f"The agreement has other keys for {identity.name} than {identity.folder}: whoever drafted it was given "
            "another public.json."
        )


def list_unsigned(file: str | Path, agreement: Agreement) -> list[str]:
    """Return the parties whose signature is missing, or is not one of these terms."""
    return [party for party in agreement.parties if not _is_signed(Path(file), agreement, party)]


def require_signatures(file: str | Path, agreement: Agreement) -> None:
    """Refuse an agreement that a party has not signed as it stands here."""
    if unsigned := list_unsigned(file, agreement):
        raise ExchangeError(
            f"{file} has no valid signature of {', '.join(unsigned)} (agreement {agreement.digest[:16]}): each "
            "party signs the same file by sdc-sql between agree, and its signature is put beside it. A signature "
            "of other terms is none of these."
        )


def _is_signed(file: Path, agreement: Agreement, party: str) -> bool:
    ed25519 = import_primitive("hazmat.primitives.asymmetric.ed25519")
    invalid = import_primitive("exceptions").InvalidSignature
    try:
        signature = bytes.fromhex(name_signature(file, party).read_text(encoding="ascii").strip())
        key = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(agreement.party(party)["signs"]))
        key.verify(signature, _tell_signed(agreement))
    except (OSError, ValueError, invalid):
        return False
    return True


def _tell_signed(agreement: Agreement) -> bytes:
    return b"sdc-sql between: agreed\n" + agreement.digest.encode()
