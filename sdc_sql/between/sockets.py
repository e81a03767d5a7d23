"""Messages over connections: mutual TLS 1.3, in which each party knows the others' certificates from the agreement.

No authority is asked: whoever has not the certificate that was agreed, and its key, has no connection. A message is
what it is in a folder, encrypted and signed once more by itself.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import ssl
import threading
import time
from typing import TYPE_CHECKING

from sdc_sql.between.envelope import MOST_BYTES
from sdc_sql.between.errors import ExchangeError
from sdc_sql.between.folders import STEPS
from sdc_sql.between.identity import find_passphrase
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.identity import Identity

RETRY = 0.1
HANDSHAKE = 20.0
TAKEN = b"+"


def parse_address(text: str) -> tuple[str, int]:
    """Return the host and the port of an address.

    Examples
    --------
    >>> parse_address("localhost:7001"), parse_address("[::1]:7001")
    (('localhost', 7001), ('::1', 7001))
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 2**16:
        raise ParameterError(f"{text!r} is no address: give a host and a port, as in office-a.example:7001.")
    return host.removeprefix("[").removesuffix("]"), int(port)


class Sockets:
    """The connections of one party: it listens for the others, and calls them until each message is taken.

    Parameters
    ----------
    agreement, identity
        Who all are.
    listen
        Where this party listens.
    addresses
        Where each of the others does.
    """

    def __init__(
        self,
        agreement: Agreement,
        identity: Identity,
        listen: tuple[str, int],
        addresses: Mapping[str, tuple[str, int]],
    ) -> None:
        others = [name for name in agreement.parties if name != identity.name]
        if set(addresses) != set(others):
            raise ParameterError(f"Addresses are needed of {', '.join(others)}, of each once and of no other.")
        self._certificates = {ssl.PEM_cert_to_DER_cert(agreement.party(name)["certificate"]): name for name in others}
        self._server = _make_context(agreement, identity, others, server=True)
        self._clients = {name: _make_context(agreement, identity, [name], server=False) for name in others}
        self._addresses = dict(addresses)
        self._got: dict[tuple[str, str], bytes] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._waiting: dict[str, queue.Queue[tuple[str, bytes]]] = {name: queue.Queue() for name in others}
        try:
            self._listener = socket.create_server(
                listen, family=socket.AF_INET6 if ":" in listen[0] else socket.AF_INET
            )
        except OSError as error:
            raise ParameterError(f"It cannot listen at {listen[0]}:{listen[1]}: {error.strerror}.") from None
        self._listener.settimeout(RETRY)
        threading.Thread(target=self._accept, daemon=True).start()
        for name in others:
            threading.Thread(target=self._deliver, args=(name,), daemon=True).start()

    def send(self, to: str, step: str, message: bytes) -> None:
        """Give a message to whoever delivers it, which does not wait until it is taken."""
        self._waiting[to].put((step, message))

    def receive(self, sender: str, step: str) -> bytes | None:
        """Return the last message of a step, or None where none has come."""
        with self._lock:
            return self._got.get((sender, step))

    def close(self, seconds: float) -> None:
        """Wait until all messages are taken, so long at most, and close the connections."""
        end = time.monotonic() + seconds
        while any(waiting.unfinished_tasks for waiting in self._waiting.values()) and time.monotonic() < end:
            time.sleep(RETRY / 4)
        self._ended.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            threading.Thread(target=self._take, args=(connection,), daemon=True).start()

    def _take(self, connection: socket.socket) -> None:
        """Take one message of a caller whose certificate was agreed; any other caller is left without an answer."""
        connection.settimeout(HANDSHAKE)
        with (
            contextlib.suppress(OSError, ValueError),
            connection,
            self._server.wrap_socket(connection, server_side=True) as secured,
        ):
            sender = self._certificates.get(secured.getpeercert(binary_form=True) or b"")
            step = _read(secured, 1)
            length = int.from_bytes(_read(secured, 4), "big")
            if sender is None or step[0] >= len(STEPS) or length > MOST_BYTES:
                return
            message = _read(secured, length)
            with self._lock:
                self._got[sender, STEPS[step[0]]] = message
            secured.sendall(TAKEN)

    def _deliver(self, name: str) -> None:
        while not self._ended.is_set():
            try:
                step, message = self._waiting[name].get(timeout=RETRY)
            except queue.Empty:
                continue
            while not self._ended.is_set() and not self._hand_over(name, step, message):
                self._ended.wait(RETRY)
            self._waiting[name].task_done()

    def _hand_over(self, name: str, step: str, message: bytes) -> bool:
        """Return whether a message was taken by the party that it is for."""
        try:
            with (
                socket.create_connection(self._addresses[name], timeout=HANDSHAKE) as connection,
                self._clients[name].wrap_socket(connection) as secured,
            ):
                if self._certificates.get(secured.getpeercert(binary_form=True) or b"") != name:
                    return False
                secured.sendall(bytes([STEPS.index(step)]) + len(message).to_bytes(4, "big") + message)
                return _read(secured, 1) == TAKEN
        except OSError:  # nobody listens there yet, or it is somebody else: errors of TLS are such, too
            return False


def _read(connection: ssl.SSLSocket, length: int) -> bytes:
    """Return so many bytes."""
    got = b""
    while len(got) < length:
        piece = connection.recv(length - len(got))
        if not piece:
            raise OSError("closed")
        got += piece
    return got


def _make_context(agreement: Agreement, identity: Identity, trusted: list[str], *, server: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # a party is known by its certificate, wherever it listens
    context.verify_mode = ssl.CERT_REQUIRED
    given = find_passphrase()
    try:
        certificate, key = (identity.folder / name for name in ("certificate.pem", "connecting.pem"))
        context.load_cert_chain(certificate, key, password=given or b"")
        for name in trusted:
            context.load_verify_locations(cadata=agreement.party(name)["certificate"])
    except (OSError, ValueError) as error:
        raise ExchangeError(f"A certificate, or the key of {identity.folder}, cannot be used: {error}.") from None
    return context
