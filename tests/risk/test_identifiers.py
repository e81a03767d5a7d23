"""Direct identifiers proposed: planted ones are found; real files have none but their ids."""

from __future__ import annotations

import json
import random

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import TableError

# published by the offices, or in the standards: each with its right check digits
EXAMPLES = {
    "IBANs": ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "NO9386011117947"],  # ISO 13616 registry
    "card numbers": ["4111111111111111", "5500 0000 0000 0004"],
    "Canadian or other numbers of 9 digits (Luhn)": ["046 454 286"],
    "Swedish personal numbers": ["811218-9876", "19811218-9876"],  # SKV 704
    "Swiss insurance numbers": ["756.9217.0769.85"],
    "French registration numbers": ["2 55 08 14 168 025 38"],
    "Dutch citizen service numbers": ["111222333"],
    "Polish PESEL numbers": ["44051401359"],
    "Brazilian CPF numbers": ["111.444.777-35"],
    "Belgian national numbers": ["85.07.30-033.28"],
    "German tax numbers": ["86095742719"],
    "Chinese identity numbers": ["11010519491231002X"],
    "Spanish identity numbers": ["12345678Z", "X1234567L"],
    "Finnish identity codes": ["131052-308T"],
    "e-mail addresses": ["a.b@example.org", "write to x@y.museum, please"],
    "web addresses": ["https://example.org/me", "see www.example.org"],
    "telephone numbers": ["+49 30 123456", "0049 (30) 123-456", "(030) 123 456 78", "555-123-4567"],
    "IP addresses": ["198.51.100.7", "2001:db8::8a2e:370:7334"],
    "MAC addresses": ["00:00:5e:00:53:01"],
    "coordinates": ["52.5200, 13.4050", "POINT (13.4 52.5)", "52°31'12\" N"],
    "social security numbers of the USA": ["078-05-1120"],
    "British national insurance numbers": ["AB123456C", "AB 12 34 56 C"],
    "Italian tax codes": ["RSSMRA85T10A562S"],
    "Mexican CURP codes": ["HEGG560427MVZRRL04"],
    "Danish CPR numbers": ["070761-4285"],
}
MACROS = ("sdc__telling_patterns", "sdc__identifier_patterns")
PLAIN = [
    "North",
    "10:20:30",
    "2001-02-03",
    "01.02.2003",
    "17-24",
    "1.5",
    "-3",
    "",
    "A12",
    "12345",
    "12,345.67",
    "F32.1",
    "C01",
]


def patterns(con, values: list[str]) -> list[set[str]]:
    """Return what each value looks like."""
    kinds = (f"list_transform({macro}(v), lambda p: p.kind)" for macro in MACROS)
    rows = con.execute(f"SELECT list_concat({', '.join(kinds)}) FROM (SELECT unnest(?::VARCHAR[]) AS v)", [values])
    return [set(found) for (found,) in rows.fetchall()]


def proposed(con, table: str = "t") -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for variable, evidence, reason, _ in con.execute(f"FROM sdc_identifiers('{table}')").fetchall():
        found.setdefault(variable, set()).add(f"{evidence}: {reason}")
    return found


def test_published_numbers_are_recognised_and_one_wrong_digit_is_not(con):
    values = [(kind, value) for kind, listed in EXAMPLES.items() for value in listed]
    for (kind, value), found in zip(values, patterns(con, [value for _, value in values]), strict=True):
        assert kind in found, (kind, value)
    assert patterns(con, PLAIN) == [set()] * len(PLAIN)
    wrong = []
    for kind in list(EXAMPLES)[:14]:  # those with check digits
        value = EXAMPLES[kind][0]
        place = max(i for i, c in enumerate(value[:-1]) if c.isdigit())
        wrong.append((kind, value[:place] + str((int(value[place]) + 1) % 10) + value[place + 1 :]))
    for (kind, value), found in zip(wrong, patterns(con, [value for _, value in wrong]), strict=True):
        assert kind not in found, (kind, value)


def norwegian(rng: random.Random) -> str:
    """Return a birth number with both check digits (modulo 11, weights 3 7 6 1 8 9 4 5 2 and 5 4 3 2 7 6 5 4 3 2)."""
    while True:
        digits = [
            int(c)
            for c in f"{rng.randint(1, 28):02}{rng.randint(1, 12):02}{rng.randint(0, 99):02}{rng.randint(0, 999):03}"
        ]
        for weights in ((3, 7, 6, 1, 8, 9, 4, 5, 2), (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)):
            digits.append(-sum(w * d for w, d in zip(weights, digits, strict=True)) % 11)
        if max(digits) < 10:
            return "".join(map(str, digits))


def test_numbers_of_a_country_are_told_from_numbers(con):
    rng = random.Random(3)  # noqa: S311 - no secret
    con.execute("CREATE TABLE t (number VARCHAR, other VARCHAR)")
    con.executemany(
        "INSERT INTO t VALUES (?, ?)", [(norwegian(rng), str(rng.randint(10**10, 10**11))) for _ in range(40)]
    )
    found = proposed(con)
    assert "pattern: Norwegian birth numbers" in found["number"]
    assert found["other"] == {"unique: every value differs, whole numbers of one length"}
    con.execute("CREATE TABLE few AS FROM t LIMIT 9")  # too few to tell check digits from chance
    assert proposed(con, "few") == {}


def weigh(digits: str, weights: range | list[int]) -> int:
    return sum(w * int(d) for w, d in zip(weights, digits, strict=False))


def luhn(digits: str) -> str:
    """Return some digits and the one of ISO/IEC 7812: every second one, from the right, counts double."""
    doubled = [int(d) * (1 + (i % 2 == 0)) for i, d in enumerate(reversed(digits))]
    return digits + str(-sum(n // 10 + n % 10 for n in doubled) % 10)


def brazilian(digits: str) -> str:
    for most in (10, 11):
        digits += str(-weigh(digits, range(most, 1, -1)) % 11 % 10)
    return digits


def german(digits: str) -> str:
    """Return some digits and that of ISO 7064, mod 11,10."""
    product = 10
    for d in digits:
        product = ((product + int(d)) % 10 or 10) * 2 % 11
    return digits + str((11 - product) % 10)


# by the rules that the offices publish, of digits that are drawn
MADE = {
    "card numbers": lambda d: luhn(str(2 + int(d[0]) % 5) + d[1 : 12 + int(d[1]) % 7]),
    "Canadian or other numbers of 9 digits (Luhn)": lambda d: luhn(d[:8]),
    "Swedish personal numbers": lambda d: luhn(d[:2] + "0129" + d[2:5]),
    "Swiss insurance numbers": lambda d: "756" + d[:9] + str(-weigh("756" + d, [1, 3] * 6) % 10),
    "French registration numbers": lambda d: d[:13] + f"{97 - int(d[:13]) % 97:02}",
    "Dutch citizen service numbers": lambda d: d[:8] + str(weigh(d, range(9, 1, -1)) % 11),
    "Polish PESEL numbers": lambda d: d[:10] + str(-weigh(d[:10], [1, 3, 7, 9] * 3) % 10),
    "Brazilian CPF numbers": lambda d: brazilian(d[:9]),
    "Belgian national numbers": lambda d: d[:9] + f"{97 - int('2' * (int(d[9]) % 2) + d[:9]) % 97:02}",
    "German tax numbers": lambda d: german("1" + d[:9]),
    "Chinese identity numbers": lambda d: (
        d[:17] + "10X98765432"[weigh(d, [2 ** (17 - i) % 11 for i in range(17)]) % 11]
    ),
    "Spanish identity numbers": lambda d: d[:8] + "TRWAGMYFPDXBNJZSQVHLCKE"[int(d[:8]) % 23],
    "Finnish identity codes": lambda d: f"{d[:6]}-{d[6:9]}{'0123456789ABCDEFHJKLMNPRSTUVWXY'[int(d[:9]) % 31]}",
}


def test_every_digit_has_its_weight(con):
    """Thirty drawn numbers of each country are recognised, and none of which the last digit is another."""
    rng = random.Random(8)  # noqa: S311 - no secret
    right = [(kind, made("".join(rng.choices("0123456789", k=19)))) for kind, made in MADE.items() for _ in range(40)]
    right = [(kind, number) for kind, number in right if not (kind.startswith("Dutch") and len(number) == 10)]
    off = [(kind, n[:-1] + str((int(n[-1]) + 1) % 10)) for kind, n in right if n[-1].isdigit()]
    found = patterns(con, [number for _, number in [*right, *off]])
    assert [pair for pair, kinds in zip(right, found, strict=False) if pair[0] not in kinds] == []
    assert [pair for pair, kinds in zip(off, found[len(right) :], strict=True) if pair[0] in kinds] == []


def test_shares_and_counts_on_their_bounds(con):
    """Twenty values are enough to be unique, nineteen are not; nine tenths are nearly all; half is a pattern."""
    con.execute("""CREATE TABLE t AS SELECT
        'x' || i AS code, CASE WHEN i < 19 THEN 'y' || i END AS few, 'z' || least(i, 17) AS nearly,
        'z' || least(i, 16) AS not_quite, 10000000 + i * i * 1000 AS eight, 1000000 + i * i * 1000 AS seven,
        (10000 + i * i * 100)::VARCHAR AS five, (1000 + i * i * 10)::VARCHAR AS four, 4 * i AS runs, 5 * i AS gaps,
        CASE WHEN i < 10 THEN '555-123-456' || i ELSE 'none' END AS half,
        CASE WHEN i < 9 THEN '555-123-456' || i ELSE 'none' END AS less, i % 2 AS phone, i % 3 AS fax,
        CASE WHEN i < 19 THEN i % 2 END AS gsm
        FROM range(20) AS r(i)""")
    assert con.execute("FROM sdc_identifiers('t')").fetchall() == [
        ("code", "unique", "every value differs", 1),
        ("nearly", "unique", "nearly every value differs", 0.9),
        ("eight", "unique", "every value differs, whole numbers of one length", 1),
        ("five", "unique", "every value differs, whole numbers of one length", 1),
        ("runs", "unique", "every value differs, whole numbers that run on", 1),
        ("half", "pattern", "telephone numbers", 0.5),
        ("fax", "name", "called telephone number", None),
        ("gsm", "name", "called telephone number", None),
    ]


def test_check_digits_need_nine_tenths_of_ten_values(con):
    """Of nine numbers that differ, or of ten values of which eight have right check digits, it may be chance."""
    rng = random.Random(4)  # noqa: S311 - no secret
    right = [luhn("".join(rng.choices("123456789", k=8))) for _ in range(20)]
    assert len({*right}) == 20
    for numbers, share in (
        (right[:9], None), (right[:10], 1), ([*right[:9], right[0]], None), ([*right[:18], "a", "b"], 0.9),
        ([*right[:17], "a", "b"], None),
    ):  # fmt: skip
        con.execute("CREATE OR REPLACE TABLE t AS SELECT unnest(?::VARCHAR[]) AS x", [numbers])
        found = con.execute("SELECT reason, share FROM sdc_identifiers('t') WHERE evidence = 'pattern'").fetchall()
        assert [s for reason, s in found if "Luhn" in reason] == ([] if share is None else [share])


def test_names_of_columns_in_many_languages(con):
    identifying = [
        "name", "Full Name", "lastName", "FIRST_NAME", "Prénom", "Vorname", "Straße", "apellidos", "E-Mail",
        "mobilePhone", "telefon2", "dateOfBirth", "Geburtsdatum", "SSN", "Passport No", "iban",
        "codice_fiscale", "фамилия", "氏名", "latitude", "IP", "maiden_name", "company name", "Personnummer",
        "licence_plate",
    ]  # fmt: skip
    harmless = [
        "age",
        "region",
        "country_name",
        "region.name",
        "income",
        "mailing_list",
        "hip",
        "telling",
        "birth_year",
    ]
    con.execute(f"CREATE TABLE t ({', '.join(f'{chr(34)}{c}{chr(34)} VARCHAR' for c in [*identifying, *harmless])})")
    con.execute(f"INSERT INTO t VALUES ({', '.join(['NULL'] * len([*identifying, *harmless]))})")
    assert list(proposed(con)) == identifying


def test_a_name_alone_is_not_proposed_where_the_column_tells_yes_from_no(con):
    con.execute(
        "CREATE TABLE t AS SELECT i % 2 AS phone, i % 2 = 0 AS mobile, (i % 3)::VARCHAR AS telephone "
        "FROM range(30) AS r(i)"
    )
    assert list(proposed(con)) == ["telephone"]


def test_one_address_among_remarks_is_enough_and_the_share_is_told(con):
    con.execute(
        "CREATE TABLE t AS SELECT CASE i WHEN 7 THEN 'ask a@b.org' WHEN 8 THEN NULL ELSE 'none' END AS remark "
        "FROM range(26) AS r(i)"
    )
    assert con.execute("FROM sdc_identifiers('t')").fetchall() == [("remark", "pattern", "e-mail addresses", 1 / 25)]


def test_unique_texts_and_numbers_but_not_what_was_measured(con):
    con.execute(
        """CREATE TABLE t AS SELECT i AS serial, 70000000 + 819100 * i % 3000000 AS register,
        'x' || i AS code, md5(i::VARCHAR)::UUID AS "u", sqrt(i) AS length,
        (i * 1.37)::DECIMAL(9, 2) AS price, (i * i * i) AS cube, DATE '2001-01-01' + i::INTEGER AS day,
        (i / 7)::VARCHAR AS written, (i // 2)::VARCHAR AS pairs,
        CASE WHEN i < 30 THEN 'y' || i END AS partly FROM range(100, 200) AS r(i)"""
    )
    assert list(proposed(con)) == ["serial", "register", "code", "u"]
    con.execute("CREATE TABLE few AS FROM t LIMIT 19")
    assert proposed(con, "few") == {}


def test_real_files_have_no_identifiers_but_their_ids(con, fixtures):
    for file, ids in (("cps_couples", {"couple"}), ("cps_workers", {"person"})):
        assert set(proposed(con, str(fixtures / f"{file}.parquet"))) == ids


@pytest.mark.slow
def test_real_files_beside_the_project(con, shared):
    for path in sorted((shared / "data").glob("*.parquet")):
        assert set(proposed(con, str(path))) <= {"id"}, path.name


def test_many_values_are_told_from_some_of_them(con):
    con.execute("CREATE TABLE t AS SELECT '+49 30 ' || (100000 + i) AS a, 'k' || i AS b FROM range(20000) AS r(i)")
    assert "pattern: telephone numbers" in proposed(con)["a"]
    assert proposed(con)["b"] == {"unique: every value differs"}


def test_odd_tables(con):
    con.execute("""CREATE TABLE "k" AS SELECT 1 AS "Select", [1] AS f, {'a': 'x@y.org'} AS "it's", NULL AS e_mail""")
    assert list(proposed(con, "k")) == ["it's", "e_mail"]
    con.execute("CREATE TABLE none_at_all (name VARCHAR)")
    with pytest.raises(duckdb.Error, match="no rows"):
        con.execute("FROM sdc_identifiers('none_at_all')").fetchall()
    with pytest.raises(TableError, match="no rows"):
        sdc_sql.Microdata(con, "none_at_all")


@pytest.mark.slow
def test_on_the_command_line(tmp_path, monkeypatch, capsys, con):
    monkeypatch.chdir(tmp_path)
    con.execute(
        "COPY (SELECT i AS id, 'p' || i || '@x.org' AS contact, i % 5 AS age FROM range(40) AS r(i)) TO 'f.csv'"
    )
    assert main(["identifiers", "f.csv"]) == 0
    assert "contact: by its values: e-mail addresses, a share of 1\n" in capsys.readouterr().out
    assert main(["identifiers", "f.csv", "--json"]) == 0
    assert [row["variable"] for row in json.loads(capsys.readouterr().out)] == ["id", "contact", "contact"]
    con.execute("COPY (SELECT i % 5 AS age FROM range(40) AS r(i)) TO 'g.parquet'")
    assert main(["identifiers", "g.parquet"]) == 0
    assert "look at the file" in capsys.readouterr().out
