"""A run between parties: they meet, share, and add up. Karr & Sanil's ring stands beside it for comparison.

    meet     each party sends each other a random number of this run, and those that it has seen. The name of the run
             is the digest of the agreement and of all of them: no message of an older run is one of this.
    shares   v = r_1 + ... + r_K modulo M: a party draws all parts but its own, and sends each other party one.
    parts    each adds up what it holds and sends the sum to all;  their sum is the total.
    ring     R + v_1 -> R + v_1 + v_2 -> ...: the two neighbours of a party have its value, the difference of what they
             saw.

All parties learn the total, and so each the total less its own: with three, what the two others have together. All
parties but one have the sums of that one between them, and nobody else has more than the total. All are honest but
curious: that a message is its sender's, unaltered and of this run is proved, that a sum is true is not.

Source: Karr & Sanil (2004), Data quality and data confidentiality for microdata: implications and strategies, last
section (the ring).
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sdc_sql.between.agreement import write_plainly
from sdc_sql.between.envelope import open_message, seal_message
from sdc_sql.between.errors import ExchangeError, OtherAgreementError
from sdc_sql.between.modular import (
    MODULUS,
    add_entries,
    decode_entry,
    encode_entry,
    pack_entries,
    split_value,
    unpack_entries,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.identity import Identity

PAUSE = 0.02
LONGEST_PAUSE = 1.0
NONCE = 32


class Transport(Protocol):
    """What carries messages: folders, connections, or a test's dictionary."""

    def send(self, to: str, step: str, message: bytes) -> None:
        """Send a message."""

    def receive(self, sender: str, step: str) -> bytes | None:
        """Return the message of a step, or None."""

    def close(self, seconds: float) -> None:
        """End."""


@dataclass
class Exchange:
    """One party's side of one run. A retry is another run: another object, other random numbers and other masks."""

    agreement: Agreement
    identity: Identity
    transport: Transport
    wait: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(NONCE))
    run: str = ""

    def __post_init__(self) -> None:
        """Begin to count the time."""
        self.others = [name for name in self.agreement.parties if name != self.identity.name]
        self._end = time.monotonic() + self.wait
        self._elsewhere: dict[str, str] = {}

    def add_up(self, values: Sequence[int]) -> list[int]:
        """Return the totals of all parties' values."""
        if self.run:
            raise ExchangeError("This run is over: a retry is another one, with masks of its own.")
        if len(values) != self.agreement.entries:
            raise ExchangeError(
                f"There are {len(values)} sums where {self.agreement.entries} were agreed: nothing was sent."
            )
        entries = [encode_entry(value) for value in values]
        self.meet()
        total = self._pass_ring(entries) if self.agreement.terms["method"] == "ring" else self._share(entries)
        return [decode_entry(entry, len(self.agreement.parties)) for entry in total]

    def meet(self) -> None:
        """Name the run, together with all others: go on when each has seen the number of each."""
        seen: dict[str, str] = {}
        self._greet(seen)
        pause = PAUSE
        while True:
            greetings = {other: found for other in self.others if (found := self._read_greeting(other))}
            now = {other: nonce for other, (nonce, _) in greetings.items()}
            if now != seen:
                seen = now
                self._greet(seen)
            every = {**seen, self.identity.name: self.nonce}
            if len(seen) == len(self.others) and all(
                its == {n: v for n, v in every.items() if n != other} for other, (_, its) in greetings.items()
            ):
                break
            pause = self._pause(pause, self._tell_missing(seen))
        self.run = hashlib.sha256(write_plainly([self.agreement.digest, every])).hexdigest()

    def _greet(self, seen: dict[str, str]) -> None:
        for other in self.others:
            self._send(other, "greeting", write_plainly({"nonce": self.nonce, "seen": seen}))

    def _read_greeting(self, other: str) -> tuple[str, dict[str, str]] | None:
        """Return a party's number of this run and those that it has seen; None where it has not begun it."""
        self._elsewhere.pop(other, None)
        message = self.transport.receive(other, "greeting")
        if message is None:
            return None
        try:
            greeting = json.loads(open_message(self.agreement, self.identity, other, "", "greeting", message))
            return str(greeting["nonce"]), {str(name): str(nonce) for name, nonce in greeting["seen"].items()}
        except OtherAgreementError as error:
            self._elsewhere[other] = str(error)
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ExchangeError(f"The greeting of {other} is none: its program is of another version.") from None

    def _tell_missing(self, seen: dict[str, str]) -> str:
        missing = [other for other in self.others if other not in seen]
        return (
            f"{' and '.join(missing)} did not begin"
            if missing
            else "the others have not all seen one another in this run"
        )

    def _share(self, entries: Sequence[int]) -> list[int]:
        split = [split_value(entry, len(self.agreement.parties)) for entry in entries]
        *sent, kept = [list(part) for part in zip(*split, strict=True)]
        for other, part in zip(self.others, sent, strict=True):
            self._send(other, "share", pack_entries(part))
        own = add_entries([kept, *(self._receive(other, "share") for other in self.others)])
        for other in self.others:
            self._send(other, "part", pack_entries(own))
        return add_entries([own, *(self._receive(other, "part") for other in self.others)])

    def _pass_ring(self, entries: Sequence[int]) -> list[int]:
        parties = self.agreement.parties
        place = parties.index(self.identity.name)
        before, after = parties[place - 1], parties[(place + 1) % len(parties)]
        if place:
            self._send(after, "ring", pack_entries(add_entries([self._receive(before, "ring"), entries])))
            return self._receive(parties[0], "total")
        masks = [secrets.randbelow(MODULUS) for _ in entries]
        self._send(after, "ring", pack_entries(add_entries([masks, entries])))
        total = add_entries([self._receive(before, "ring"), [-mask % MODULUS for mask in masks]])
        for other in self.others:
            self._send(other, "total", pack_entries(total))
        return total

    def _send(self, to: str, step: str, content: bytes) -> None:
        run = "" if step == "greeting" else self.run
        self.transport.send(to, step, seal_message(self.agreement, self.identity, to, run, step, content))

    def _receive(self, sender: str, step: str) -> list[int]:
        pause = PAUSE
        while (message := self.transport.receive(sender, step)) is None:
            pause = self._pause(pause, f"the {step} of {sender} has not come")
        content = open_message(self.agreement, self.identity, sender, self.run, step, message)
        return unpack_entries(content, self.agreement.entries, sender)

    def _pause(self, pause: float, why: str) -> float:
        """Wait a little, or give up; return how long to wait the next time."""
        left = self._end - time.monotonic()
        if left <= 0:
            sent = "What was sent tells the others the total at most" if self.run else "Nothing of the data was sent"
            raise ExchangeError(
                f"After {self.wait:g} seconds {why}: a process is late or has ended, or a party refuses (it says so "
                f"to its own house alone). {sent}; run it again, all of you, and the masks are drawn "
                f"anew.{''.join(f' {t}' for t in self._elsewhere.values())}"
            )
        time.sleep(min(pause, left))
        return min(pause * 1.5, LONGEST_PAUSE)
