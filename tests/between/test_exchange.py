"""What crosses: uniform numbers and nothing else, new in each run; and what goes wrong on the way."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter

import pytest
from houses import CHI_SQUARE_255, NAMES, Wire, add_up, agree_on, chi_square, found_houses, run_together

from sdc_sql.between.envelope import open_message, seal_message
from sdc_sql.between.errors import ExchangeError
from sdc_sql.between.exchange import Exchange
from sdc_sql.between.folders import Folders
from sdc_sql.between.modular import MODULUS, WIDTH, encode_entry, unpack_entries
from sdc_sql.between.run import House, run_regression
from sdc_sql.between.signatures import list_unsigned, require_signatures, sign_agreement
from sdc_sql.between.terms import read_agreement
from sdc_sql.errors import ParameterError

VALUES = {"office-a": [7, -1, 0], "office-b": [10, 2**126, 5], "office-c": [20, -(2**126), -4]}
TOTALS = [37, -1, 1]


@pytest.fixture
def agreement(identities, tmp_path):
    """Return an agreement of three sums: records of three cells."""
    return agree_on(tmp_path / "cells.json", identities, {}, by=["sex"], cells=[["f"], ["m"], ["x"]])


@pytest.fixture
def ring(identities, tmp_path):
    return agree_on(tmp_path / "ring.json", identities, {}, by=["sex"], cells=[["f"], ["m"], ["x"]], method="ring")


def opened(agreement, identities, wire, step):
    """Return the numbers of each message of a step, as their receivers have them."""
    found = {}
    for sender, to, its, message in wire.sent:
        if its == step:
            run = json.loads(message)["header"]["run"]
            content = open_message(agreement, identities[to], sender, run, step, message)
            found[sender, to] = unpack_entries(content, agreement.entries, sender)
    return found


def test_all_have_the_total(agreement, identities):
    assert add_up(agreement, identities, VALUES, Wire()) == dict.fromkeys(NAMES, TOTALS)


def test_nothing_crosses_but_entries_of_one_width(agreement, identities):
    """The whole transcript: greetings, a share and a partial sum for each pair, as long for any values."""
    lengths = set()
    for values in (VALUES, {name: [0, 0, 0] for name in NAMES}):
        wire = Wire()
        add_up(agreement, identities, values, wire)
        steps = Counter(step for _, _, step, _ in wire.sent)
        assert set(steps) == {"greeting", "share", "part"}
        assert steps["share"] == steps["part"] == 6
        for sender, to, step, message in wire.sent:
            read = json.loads(message)
            assert set(read) == {"header", "key", "signature", "text"}
            run = read["header"]["run"]
            assert read["header"] == {"agreement": agreement.digest, "from": sender, "run": run, "step": step, "to": to}
            content = open_message(agreement, identities[to], sender, run, step, message)
            if step == "greeting":
                greeting = json.loads(content)
                assert set(greeting) == {"nonce", "seen"}
                assert set(greeting["seen"]) <= set(NAMES)
            else:
                assert len(content) == agreement.entries * WIDTH
                lengths.add((step, len(message)))
    assert len(lengths) == 2  # one for each step


def test_each_entry_is_uniform_and_no_run_has_another_ones(identities, tmp_path):
    """All shares and partial sums that a party sees: chi-square of their bytes at one in a thousand million."""
    cells = [[str(i)] for i in range(100)]
    agreement = agree_on(tmp_path / "many.json", identities, {}, by=["sex"], cells=cells)
    values = {name: [5] * 100 for name in NAMES}
    seen: dict[tuple[str, str, str], list[int]] = {}
    for _ in range(2):
        wire = Wire()
        assert add_up(agreement, identities, values, wire)["office-a"] == [15] * 100
        for step in ("share", "part"):
            for (sender, to), entries in opened(agreement, identities, wire, step).items():
                seen.setdefault((step, sender, to), []).extend(entries)
    for (step, *_), entries in seen.items():
        assert len(set(entries)) == len(entries) == 200, step
        assert chi_square(Counter(b"".join(e.to_bytes(WIDTH, "big") for e in entries)), 256) < CHI_SQUARE_255
    # the same values twice: the differences of two transcripts are uniform too
    for entries in seen.values():
        differences = [(a - b) % MODULUS for a, b in zip(entries[:100], entries[100:], strict=True)]
        assert chi_square(Counter(b"".join(d.to_bytes(WIDTH, "big") for d in differences)), 256) < CHI_SQUARE_255
    # what the others send a party adds up to their total, which the total less its own tells anyway, and no pair of
    # what it sees does
    shares = {sender: seen["share", sender, "office-a"][0] for sender in NAMES[1:]}
    assert encode_entry(5) not in shares.values()
    assert sum(shares.values()) % MODULUS != 10


def test_all_but_one_have_the_sums_of_that_one(agreement, identities):
    """The stated limit: office-b and office-c together know the total and their own."""
    totals = add_up(agreement, identities, VALUES, Wire())["office-b"]
    own = [t - b - c for t, b, c in zip(totals, VALUES["office-b"], VALUES["office-c"], strict=True)]
    assert own == VALUES["office-a"]


def test_the_difference_of_adjacent_ring_messages_is_a_partys_value(ring, identities):
    wire = Wire()
    assert add_up(ring, identities, VALUES, wire) == dict.fromkeys(NAMES, TOTALS)
    seen = opened(
        ring, identities, wire, "ring"
    )  # what an open wire shows, and what both neighbours of a party have together
    into, out = seen["office-a", "office-b"], seen["office-b", "office-c"]
    assert [(o - i) % MODULUS for i, o in zip(into, out, strict=True)] == [encode_entry(v) for v in VALUES["office-b"]]
    # each message by itself is uniform still: another mask in another run
    again = Wire()
    add_up(ring, identities, VALUES, again)
    assert opened(ring, identities, again, "ring")["office-a", "office-b"] != into


def test_the_difference_of_shares_is_no_partys_value(agreement, identities):
    wire = Wire()
    add_up(agreement, identities, VALUES, wire)
    every = [
        e
        for step in ("share", "part")
        for entries in opened(agreement, identities, wire, step).values()
        for e in entries
    ]
    own = {encode_entry(v) for values in VALUES.values() for v in values}
    assert not own & {(a - b) % MODULUS for a in every for b in every if a != b}


def test_the_ring_is_refused_unless_asked_by_name(identities, tmp_path, con):
    con.execute("CREATE TABLE t AS SELECT 1 AS id")
    agree_on(tmp_path / "model.json", identities, {"x": 1, "y": 1}, response="y", regressors=["x"], method="ring")
    with pytest.raises(ParameterError, match="asks for the method ring, and this run for shares"):
        run_regression(
            tmp_path / "model.json", House(identities["office-a"], con, "t", "id", tmp_path / "log", lambda _: None)
        )
    assert not (tmp_path / "log").exists()


# What goes wrong


class Tampering(Wire):
    """A wire on which somebody changes what is sent."""

    def __init__(self, change) -> None:
        super().__init__()
        self.change = change

    def side(self, name):
        side = super().side(name)
        send = side.send

        def tamper(to, step, message):
            changed = self.change(name, to, step, message)
            if changed is not None:
                send(to, step, changed)

        side.send = tamper
        return side


def errors_with(agreement, identities, change, wait=1.0) -> dict[str, str]:
    found = add_up(agreement, identities, VALUES, Tampering(change), wait)
    assert all(isinstance(f, ExchangeError) or f == TOTALS for f in found.values())
    return {name: str(error) for name, error in found.items() if isinstance(error, ExchangeError)}


def alter(message: bytes, field: str) -> bytes:
    read = json.loads(message)
    read[field] = (
        ("B" if read[field][0] == "A" else "A") + read[field][1:] if field == "text" else ("0" * 8 + read[field][8:])
    )
    return json.dumps(read).encode()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("step", ["share", "part", "greeting"])
@pytest.mark.parametrize("field", ["text", "signature", "key"])
def test_an_altered_message_is_not_read(agreement, identities, step, field):
    def change(sender, to, its, message):
        return alter(message, field) if (sender, to, its) == ("office-b", "office-a", step) else message

    told = errors_with(agreement, identities, change, 0.5)
    assert "The signature of a message of office-b is wrong" in told["office-a"]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[" * 9999, b"\xff", b'{"header": {}, "key": 1, "text": 2, "signature": 3}']
)
def test_what_is_no_message(agreement, identities, content):
    told = errors_with(
        agreement, identities, lambda s, t, i, m: content if (s, t, i) == ("office-b", "office-a", "share") else m, 0.5
    )
    assert "is no message of this program, or was cut off" in told["office-a"]


def test_a_message_of_somebody_else(agreement, identities, tmp_path):
    """Signed by keys that nobody agreed to, in the name of one who did."""
    (stranger,) = found_houses(tmp_path, ["stranger"]).values()
    posing = dataclasses.replace(stranger, name="office-b")

    def change(sender, to, step, message):
        run = json.loads(message)["header"]["run"]
        forged = seal_message(agreement, posing, to, run, step, bytes(WIDTH * agreement.entries))
        return forged if (sender, step) == ("office-b", "share") else message

    told = errors_with(agreement, identities, change, 0.5)
    assert "The signature of a message of office-b is wrong" in told["office-a"]


def test_a_copied_message_of_an_older_run(agreement, identities):
    old = Wire()
    add_up(agreement, identities, VALUES, old)

    def change(sender, to, step, message):
        return old.there[sender, to, step] if (sender, to, step) == ("office-b", "office-a", "share") else message

    told = errors_with(agreement, identities, change, 0.5)
    assert "The share of office-b is of another run" in told["office-a"]


def test_greetings_of_an_older_run_are_waited_out(agreement, identities):
    """They lie there until their sender begins; whoever has none but such has sent nothing of the data."""
    wire = Wire()
    add_up(agreement, identities, VALUES, wire)
    alone = Exchange(agreement, identities["office-a"], wire.side("office-a"), 0.3)
    before = len(wire.sent)
    with pytest.raises(ExchangeError, match=r"have not all seen one another in this run.*Nothing of the data was sent"):
        alone.add_up(VALUES["office-a"])
    assert {step for _, _, step, _ in wire.sent[before:]} == {"greeting"}
    wire.there = {place: message for place, message in wire.there.items() if place[2] == "greeting"}
    assert add_up(agreement, identities, VALUES, wire) == dict.fromkeys(NAMES, TOTALS)


def test_a_message_in_the_place_of_another(agreement, identities):
    wire = Wire()
    add_up(agreement, identities, VALUES, wire)
    run = json.loads(wire.there["office-b", "office-c", "share"])["header"]["run"]
    for place in ("share", "part"):
        moved = wire.there["office-b", "office-c", "share"]
        with pytest.raises(ExchangeError, match="moved or copied it"):
            open_message(agreement, identities["office-a"], "office-b", run, place, moved)
    with pytest.raises(ExchangeError, match="signature of a message of office-c is wrong"):
        open_message(
            agreement, identities["office-a"], "office-c", run, "share", wire.there["office-b", "office-a", "share"]
        )


def test_nobody_else_can_open_a_message(agreement, identities):
    wire = Wire()
    add_up(agreement, identities, VALUES, wire)
    message = wire.there["office-a", "office-b", "share"]
    run = json.loads(message)["header"]["run"]
    curious = dataclasses.replace(identities["office-c"], name="office-b")
    with pytest.raises(ExchangeError, match="cannot be decrypted"):
        open_message(agreement, curious, "office-a", run, "share", message)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("dies_before", "words"), [
    ("greeting", "office-c did not begin"),
    ("share", "the share of office-c has not come"),
    ("part", "the part of office-c has not come"),
])  # fmt: skip
def test_a_party_that_is_late_or_dies(agreement, identities, dies_before, words):
    order = ["greeting", "share", "part"]
    dead = order[order.index(dies_before) :]
    told = errors_with(agreement, identities, lambda s, _t, i, m: None if s == "office-c" and i in dead else m, 0.4)
    assert words in told["office-a"]
    assert "run it again, all of you, and the masks are drawn anew" in told["office-a"]
    assert add_up(agreement, identities, VALUES, Wire()) == dict.fromkeys(NAMES, TOTALS)  # a retry


def test_two_agreements(agreement, identities, tmp_path):
    other = agree_on(
        tmp_path / "other.json", identities, {}, by=["sex"], cells=[["f"], ["m"], ["x"]], purpose="another"
    )
    wire = Wire()
    found = run_together({
        name: lambda name=name: Exchange(
            other if name == "office-c" else agreement, identities[name], wire.side(name), 0.4
        ).add_up(VALUES[name])
        for name in NAMES
    })  # fmt: skip
    assert "office-c works by another agreement" in str(found["office-a"])
    assert "office-a works by another agreement" in str(found["office-c"])
    assert {step for _, _, step, _ in wire.sent} == {"greeting"}


def test_a_run_is_over_when_it_is(agreement, identities):
    """A second use of one would send shares under the name of the first."""
    wire = Wire()
    exchanges = {name: Exchange(agreement, identities[name], wire.side(name), 5) for name in NAMES}
    run_together({name: lambda name=name: exchanges[name].add_up(VALUES[name]) for name in NAMES})
    with pytest.raises(ExchangeError, match="This run is over"):
        exchanges["office-a"].add_up(VALUES["office-a"])


def test_a_wrong_number_of_sums_or_one_too_large_is_not_sent(agreement, identities):
    for values, words in (([1, 2], "2 sums where 3 were agreed"), ([1, 2, 2**127], "within 127 bits")):
        wire = Wire()
        with pytest.raises(ExchangeError, match=words):
            Exchange(agreement, identities["office-a"], wire.side("office-a"), 0.1).add_up(values)
        assert wire.sent == []


# Signatures


def test_an_agreement_that_was_changed_after_it_was_signed_has_no_signature(identities, tmp_path):
    file = tmp_path / "model.json"
    agree_on(file, identities, {"x": 1, "y": 1}, response="y", regressors=["x"])
    require_signatures(file, read_agreement(file))
    terms = json.loads(file.read_text())
    file.write_text(json.dumps({**terms, "threshold": 3}))
    with pytest.raises(ExchangeError, match="no valid signature of office-a, office-b, office-c"):
        require_signatures(file, read_agreement(file))
    sign_agreement(file, identities["office-b"])
    assert list_unsigned(file, read_agreement(file)) == ["office-a", "office-c"]
    (tmp_path / "model.office-a.signature").write_text((tmp_path / "model.office-b.signature").read_text())
    assert "office-a" in list_unsigned(file, read_agreement(file))


def test_only_a_party_signs_and_with_its_own_keys(identities, tmp_path):
    file = tmp_path / "model.json"
    agree_on(file, identities, {"x": 1, "y": 1}, response="y", regressors=["x"])
    (stranger,) = found_houses(tmp_path, ["stranger"]).values()
    with pytest.raises(ParameterError, match="stranger is no party of the agreement"):
        sign_agreement(file, stranger)
    with pytest.raises(ParameterError, match="has other keys for office-a"):
        sign_agreement(file, dataclasses.replace(stranger, name="office-a"))


# Folders


def test_a_folder_for_each_pair_and_what_is_left_of_an_earlier_run_is_removed(tmp_path):
    a, b = Folders(tmp_path, "a", ["b", "c"]), Folders(tmp_path, "b", ["a", "c"])
    assert a.receive("b", "share") is None
    b.send("a", "share", b"old")
    assert a.receive("b", "share") == b"old"
    Folders(tmp_path, "b", ["a", "c"])
    assert a.receive("b", "share") is None
    assert {p.name for p in tmp_path.iterdir()} == {"a-to-b", "a-to-c", "b-to-a", "b-to-c"}
    (tmp_path / "own").write_text("mine")
    (tmp_path / "a-to-b" / "share").symlink_to(tmp_path / "own")  # somebody leads what is sent elsewhere
    a.send("b", "share", b"new")
    assert (tmp_path / "own").read_text() == "mine"
    assert not (tmp_path / "a-to-b" / "share").is_symlink()
    with pytest.raises(ExchangeError, match="There is no folder"):
        Folders(tmp_path / "nowhere", "a", ["b", "c"])
