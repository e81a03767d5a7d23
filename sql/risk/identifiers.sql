-- Direct identifiers: columns that may name a person by themselves, proposed with the reason; a person decides.
--
--   name     a word of the column's name is that of an identifier, in a dozen languages: surname, address, phone, e-mail, passport, ...
--   pattern  its values look like e-mail or web addresses, IBANs, telephone numbers, IP or MAC addresses, coordinates, or national
--            numbers whose check digits are right
--   unique   (nearly) every value is another: texts, or whole numbers that run on, or that are long
--            (8 digits; as text 5) and of one length
-- Source: SDC handbook, sections 3.2.2 (direct identifiers are not released, a date of birth neither) and 3.3.1; ISO 13616 (IBAN)
--   and ISO/IEC 7812 (Luhn); the check digits as each country's office publishes them.
--
--   people: person contact    code    sdc_identifiers('people'):   variable  evidence  reason            share
--           Ann    a@x.org    north                                contact   pattern   e-mail addresses  1.0
--           Bea    b@y.org    south
--
-- share is of the values that are not NULL. One value suffices for e-mail and web addresses and IBANs, half of them for what others can
-- look like, nine tenths for check digits, which a tenth of all numbers have right (of many values, a thousand or two are looked at);
-- uniqueness is asked of 20 values or more. A column of that name that has two values or fewer is not proposed (has a phone: yes, no).
-- Decimal numbers and dates are never called unique: they were measured. Names of persons in texts are not recognised, nor what
-- identifies only together with other columns. What is not proposed may still identify: look at the file.
--
-- Scope: table.
-- Not compiled: it reads the names and types of the columns as DuckDB has them.
-- Parameters:
--   tbl  table  the table, view, common table expression or file

-- Words of names, in small letters and without accents, their words joined by _ (E-Mail, DateOfBirth: e_mail, date_of_birth).
CREATE OR REPLACE MACRO sdc__identifying_words() AS TABLE
    FROM (VALUES
        (1, 'e-mail address',
         '(^|_)(e_?mails?|mail|mail_?address|courriel|correo|correo_electronico|posta_elettronica|e_?post|sahkoposti|'
         || 'почта)(_|\d|$)'),
        (2, 'address on the internet',
         '(^|_)(ip|ip_?address|mac_address|url|website|homepage|user_?name|login|screen_name|user_id|device_id|cookie_id|'
         || 'imei|imsi|twitter|facebook|instagram|linkedin|skype)(_|\d|$)'),
        (3, 'name', '^(names?|noms?|nome|nombres?|naam|navn|namn|nimi|imie|jmeno|nev|nume|isim|имя|ονομα|姓名|氏名|名前)(_?\d*)$'),
        (3, 'name',
         '(^|_)(surnames?|forenames?|firstname|lastname|fullname|middlename|maidenname|givenname|familyname|nickname|'
         || 'prenoms?|patronyme|nom_de_famille|nachname|vorname|familienname|geburtsname|apellidos?|cognome|achternaam|'
         || 'voornaam|sobrenome|apelido|efternavn|fornavn|etternavn|efternamn|fornamn|sukunimi|etunimi|nazwisko|prijmeni|'
         || 'vezeteknev|keresztnev|prenume|prezime|soyadi?|eponymo|familiya|фамилия|отчество|επωνυμο)(_|\d|$)'),
        (3, 'name',
         '(^|_)(first|last|full|middle|maiden|given|family|persons?|respondents?|customers?|clients?|patients?|'
         || 'employees?|students?|teachers?|owners?|contact|father|mother|spouse|child|user|holder|head|member|'
         || 'interviewer|company|comp|firm|business|enterprise|establishment|legal|trade|util|utility|organi[sz]ation|'
         || 'org|corporation|corp|plant|farm|school|hospital|bank|vendor|supplier|pupil|baby|household|hh|husband|wife|'
         || 'partner)_?(s_)?names?(_|\d|$)'),
        (4, 'address',
         '(^|_)(address|addresses|addr|street|street_?name|house_?number|house_no|adresse|stra(ss|ß)e|hausnummer|rue|'
         || 'calle|direccion|domicilio|indirizzo|endereco|morada|rua|adres|straat|huisnummer|gatuadress|adress|osoite|'
         || 'ulica|adresa|lakcim|адрес|улица|διευθυνση|地址|住所)(_|\d|$)'),
        (5, 'telephone number',
         '(^|_)(phones?|phone_?number|telephones?|tel|tel_?no|mobile|mobile_?number|mobile_?phone|cell_?phone|fax|gsm|'
         || 'handynummer|rufnummer|telefon|telefonnummer|telefono|movil|celular|cellulare|telefone|telemovel|telefoon|'
         || 'telefoonnummer|puhelin|telefonszam|телефон|τηλεφωνο|电话|電話)(_|\d|$)'),
        (6, 'number of a person',
         '(^|_)(ssn|social_?security(_?n(o|umber))?|nino|national_?insurance(_?n(o|umber))?|nhs_number|person_?nummer|'
         || 'personal_(number|id)|cpr|fodselsnummer|hetu|henkilotunnus|bsn|burgerservicenummer|dni|nif|cpf|curp|'
         || 'codice_fiscale|pesel|rodne_cislo|cnp|egn|oib|jmbg|svnr|sozialversicherungsnummer|steuer_?(nummer|id)|'
         || 'steueridentifikationsnummer|ahv|aadhaar|pan_number|national_?(id|number)|id_?card|identity_(card|number)|'
         || 'id_number|(personal)?ausweis(nummer)?|passports?|passport_?n(o|umber)|passeport|pasaporte|passaporto|'
         || 'paspoort|reisepass|passnummer|паспорт|инн|снилс|(drivers?|driving)_?licen[cs]e|licen[cs]e_?(number|plate|'
         || 'no)|number_plate|kennzeichen|tax_?(id|number)|vat_number|insurance_number|health_card|medicare_number|'
         || '(employee|student|patient|customer|client|member)_?(id|no|number)|vin)(_|\d|$)'),
        (7, 'number of an account',
         '(^|_)(iban|bic|account_?(no|number)|kontonummer|numero_de_compte|(credit_?)?card_?(no|number)|credit_?card)(_|'
         || '\d|$)'),
        (8, 'place',
         '(^|_)(latitude|longitude|lat|lon|lng|gps|coord|coords|coordinates?|geolocation|latitud|longitud|breitengrad|'
         || 'laengengrad)(_|\d|$)'),
        (9, 'date of birth',
         '(^|_)(dob|date_?of_?birth|birth_?(date|day)|day_of_birth|geburts(datum|tag)|date_(de_)?naissance|'
         || 'fecha_(de_)?nacimiento|data_(di_)?nascita|data_(de_)?nascimento|geboortedatum|fodselsdato|fodelsedatum|'
         || 'syntymaaika|data_urodzenia|datum_narozeni|дата_рождения)(_|\d|$)'),
        (10, 'likeness', '(^|_)(photo|photograph|portrait|signature|fingerprint|unterschrift)(_|\d|$)')
    ) AS sdc__words(sdc__rank, sdc__kind, sdc__word);

-- The sum of digits times weights, over the first of them: of '12345', [5, 4, 3] is 5 + 8 + 9.
CREATE OR REPLACE MACRO sdc__weighted_digits(digits, weights) AS
    list_sum(list_transform(weights, lambda w, i: w * TRY_CAST(digits[i:i] AS INTEGER)))::BIGINT;
CREATE OR REPLACE MACRO sdc__luhn(digits) AS
    list_sum(list_transform(
                 list_reverse(string_split(digits, '')),
                 lambda c, i: CASE WHEN i % 2 = 1 THEN TRY_CAST(c AS INTEGER)
                                   ELSE 2 * TRY_CAST(c AS INTEGER) // 10 + 2 * TRY_CAST(c AS INTEGER) % 10 END)) % 10 = 0;
-- ISO 7064 mod 97-10: letters count from 10, the first four characters go to the end.
CREATE OR REPLACE MACRO sdc__mod_97(account) AS
    list_reduce(list_prepend(
                    0::BIGINT,
                    list_transform(string_split(account[5:] || account[:4], ''),
                                   lambda c: CASE WHEN c BETWEEN '0' AND '9' THEN ascii(c) - 48 ELSE ascii(c) - 55 END)),
                lambda a, b: (a * CASE WHEN b > 9 THEN 100 ELSE 10 END + b) % 97) = 1;

-- What a text of digits and letters may be as the number of a person, by its check digits; and whether its form alone says so.
CREATE OR REPLACE MACRO sdc__person_number(digits) AS list_filter([
    CASE WHEN NOT regexp_matches(digits, '^\d{9,19}$') THEN NULL
         WHEN len(digits) = 9 AND sdc__luhn(digits) THEN 'Canadian or other numbers of 9 digits (Luhn)'
         WHEN len(digits) IN (10, 12)
              AND regexp_matches(digits[-10:], '^\d\d(0[1-9]|1[0-2])([06][1-9]|[1278]\d|[39][01])\d{4}$')
              AND sdc__luhn(digits[-10:])
             THEN 'Swedish personal numbers'
         WHEN len(digits) = 13 AND starts_with(digits, '756')
              AND (10 - sdc__weighted_digits(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10) % 10
                  = TRY_CAST(digits[13] AS INTEGER)
             THEN 'Swiss insurance numbers'
         WHEN len(digits) = 15 AND 97 - TRY_CAST(digits[:13] AS BIGINT) % 97 = TRY_CAST(digits[14:] AS INTEGER)
             THEN 'French registration numbers'
         WHEN len(digits) BETWEEN 13 AND 19 AND digits[1] IN ('2', '3', '4', '5', '6') AND sdc__luhn(digits) THEN 'card numbers' END,
    CASE WHEN regexp_matches(digits, '^\d{9}$')
              AND (sdc__weighted_digits(digits, [9, 8, 7, 6, 5, 4, 3, 2]) - TRY_CAST(digits[9] AS INTEGER)) % 11 = 0
              AND digits <> '000000000'
             THEN 'Dutch citizen service numbers' END,
    CASE WHEN regexp_matches(digits, '^\d{11}$') AND regexp_matches(digits, '^([0-7]\d)(0[1-9]|1[0-2]|[48]\d|5[0-2])\d{7}$')
              AND (sdc__weighted_digits(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 = 0)
                  AND sdc__weighted_digits(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 = 0
                  THEN 'Norwegian birth numbers' END,
    CASE WHEN regexp_matches(digits, '^\d{11}$')
              AND sdc__weighted_digits(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 = 0 AND digits <> '00000000000'
             THEN 'Polish PESEL numbers' END,
    CASE WHEN regexp_matches(digits, '^\d{11}$')
              AND sdc__weighted_digits(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10
                  = TRY_CAST(digits[10] AS INTEGER)
              AND sdc__weighted_digits(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10 % 11 % 10
                  = TRY_CAST(digits[11] AS INTEGER)
                  AND digits <> repeat(digits[1], 11)
                  THEN 'Brazilian CPF numbers' END,
    CASE WHEN regexp_matches(digits, '^\d{11}$')
              AND 97 - TRY_CAST(digits[10:] AS INTEGER)
                  IN (TRY_CAST(digits[:9] AS BIGINT) % 97, TRY_CAST('2' || digits[:9] AS BIGINT) % 97)
             THEN 'Belgian national numbers' END,
    CASE WHEN regexp_matches(digits, '^[1-9]\d{10}$')
              AND (11 - list_reduce(
                       list_prepend(10, list_transform(string_split(digits[:10], ''), lambda c: TRY_CAST(c AS INTEGER))),
                       lambda a, b: (CASE WHEN (a + b) % 10 = 0 THEN 10 ELSE (a + b) % 10 END) * 2 % 11)) % 10
                  = TRY_CAST(digits[11] AS INTEGER)
             THEN 'German tax numbers' END,
    CASE WHEN regexp_matches(digits, '^\d{17}[\dX]$')
              AND '10X98765432'[1 + sdc__weighted_digits(
                                    digits, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] = digits[18]
             THEN 'Chinese identity numbers' END,
    CASE WHEN regexp_matches(digits, '^[XYZ]?\d{7,8}[A-Z]$') AND len(digits) = 9
              AND 'TRWAGMYFPDXBNJZSQVHLCKE'[1 + TRY_CAST(translate(digits[:8], 'XYZ', '012') AS INTEGER) % 23] = digits[9]
                  THEN 'Spanish identity numbers' END,
    CASE WHEN regexp_matches(digits, '^\d{6}[-+A-FU-Y]?\d{3}[0-9A-Y]$')
              AND '0123456789ABCDEFHJKLMNPRSTUVWXY'[1 + TRY_CAST(digits[:6] || digits[-4:-2] AS BIGINT) % 31] = digits[-1:]
             THEN 'Finnish identity codes' END
], lambda n: n IS NOT NULL);

-- What a value tells by itself, in whatever column it stands; and what it looks like where most values of a column do, with their share.
CREATE OR REPLACE MACRO sdc__telling_patterns(value) AS list_filter([
    CASE WHEN regexp_matches(value, '[^@\s]@[^@\s]+\.[A-Za-z]{2,}') THEN {'kind': 'e-mail addresses'} END,
    CASE WHEN regexp_matches(value, '(?i)(https?://|www\.)[^\s.]+\.') THEN {'kind': 'web addresses'} END,
    CASE WHEN regexp_matches(upper(replace(value, ' ', '')), '^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$')
              AND sdc__mod_97(upper(replace(value, ' ', '')))
             THEN {'kind': 'IBANs'} END
], lambda p: p IS NOT NULL);
CREATE OR REPLACE MACRO sdc__identifier_patterns(value) AS list_concat(list_filter([
    CASE WHEN regexp_matches(value, '^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$')
              OR regexp_matches(lower(value), '^([0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}$')
             THEN {'kind': 'IP addresses', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(lower(value), '^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$') THEN {'kind': 'MAC addresses', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(value, '^\(?[-+]?\d{1,3}\.\d{3,}\)?\s*[,; ]\s*[-+]?\d{1,3}\.\d{3,}\)?$')
              OR regexp_matches(value, '\d ?°.*[NSns]') OR regexp_matches(value, '(?i)^point *\(')
             THEN {'kind': 'coordinates', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(value,
                             '^((\+|00) ?[1-9][0-9 ()./-]{6,18}|\(?0[1-9]\d{0,4}\)?[ /.-] ?\d[0-9 ./-]{4,12}|\(\d{3}\)'
                             || ' ?\d{3}-\d{4}|\d{3}[-. ]\d{3}[-. ]\d{4})$')
              AND NOT regexp_matches(value, '^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$') THEN {'kind': 'telephone numbers', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(value, '^[0-8]\d{2}-\d{2}-\d{4}$') THEN {'kind': 'social security numbers of the USA', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(upper(replace(value, ' ', '')), '^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$')
             THEN {'kind': 'British national insurance numbers', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(upper(value), '^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]$')
             THEN {'kind': 'Italian tax codes', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(upper(value), '^[A-Z]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d$')
             THEN {'kind': 'Mexican CURP codes', 'least': 0.5e0} END,
    CASE WHEN regexp_matches(value, '^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])\d{2}-\d{4}$')
             THEN {'kind': 'Danish CPR numbers', 'least': 0.5e0} END
], lambda p: p IS NOT NULL),
list_transform(sdc__person_number(regexp_replace(upper(value), '[ .-]', '', 'g')), lambda n: {'kind': n, 'least': 0.9e0}));

-- sdc_identifiers: columns that may name a person by themselves, each with the reasons.
-- Gives: variable VARCHAR, evidence VARCHAR, reason VARCHAR, share DOUBLE.
-- Rows: variables.
-- Example: FROM sdc_identifiers('people');
CREATE OR REPLACE MACRO sdc_identifiers(tbl) AS TABLE
    WITH sdc__columns AS (
        SELECT unnest(range(len(sdc__types))) AS sdc__j, unnest(sdc__types) AS sdc__type, unnest(sdc__names) AS sdc__name
        FROM (SELECT struct_keys(struct_pack(*COLUMNS(*))) AS sdc__names, [*COLUMNS(*)] AS sdc__types
              FROM (SELECT typeof(COLUMNS(*)) AS "\0" FROM sdc__rows(tbl) LIMIT 1))
    ),
    sdc__values AS MATERIALIZED (
        SELECT sdc__j, sdc__value, count(*) AS sdc__n
        FROM (SELECT unnest(range(len(sdc__texts))) AS sdc__j, unnest(sdc__texts) AS sdc__value
              FROM (SELECT [*COLUMNS(*)] AS sdc__texts FROM (SELECT sdc__by_bytes(COLUMNS(*)::VARCHAR) AS "\0" FROM sdc__rows(tbl))))
        WHERE sdc__value IS NOT NULL
              AND sdc__j IN (SELECT sdc__j
                             FROM sdc__columns
                             WHERE NOT regexp_matches(sdc__type, '^(FLOAT|DOUBLE|DECIMAL|DATE|TIME|INTERVAL|BOOLEAN)'))
        GROUP BY ALL
    ),
    sdc__counts AS MATERIALIZED (
        SELECT sdc__j, sum(sdc__n)::BIGINT AS sdc__filled, count(*) AS sdc__distinct,
               bool_and(regexp_matches(sdc__value, '^-?\d+$')) AS sdc__whole,
               max(TRY_CAST(sdc__value AS DOUBLE)) - min(TRY_CAST(sdc__value AS DOUBLE)) < 4 * count(*) AS sdc__runs_on,
               min(len(sdc__value)) = max(len(sdc__value))
               AND min(len(sdc__value)) >= CASE WHEN any_value(sdc__type) = 'VARCHAR' THEN 5 ELSE 8 END AS sdc__one_length,
               bool_and(CASE WHEN TRY_CAST(sdc__value AS DOUBLE) IS NOT NULL THEN true
                             ELSE regexp_matches(sdc__value, '^\d{4}-\d\d')
                                  AND TRY_CAST(sdc__value AS TIMESTAMP) IS NOT NULL END) AS sdc__measured
        FROM sdc__values JOIN sdc__columns USING (sdc__j) GROUP BY sdc__j
    ),
    sdc__by_name AS (
        SELECT sdc__j, sdc__name, arg_min(sdc__kind, sdc__rank) AS sdc__kind
        FROM sdc__columns JOIN sdc__identifying_words()
          ON regexp_matches(regexp_replace(
                                lower(strip_accents(regexp_replace(sdc__name, '([a-z0-9])([A-Z])', '\1_\2', 'g'))),
                                '[^\pL\pN]+', '_', 'g'),
                            sdc__word)
        WHERE sdc__type <> 'BOOLEAN' AND sdc__j NOT IN (SELECT sdc__j FROM sdc__counts WHERE sdc__filled >= 20 AND sdc__distinct <= 2)
        GROUP BY ALL
    ),
    -- of many values a thousand or two show what most of them are
    sdc__some AS MATERIALIZED (SELECT sdc__j, sdc__value, sdc__n
                               FROM sdc__values
                               JOIN sdc__counts USING (sdc__j)
                               WHERE sdc__distinct < 2000 OR hash(sdc__value) % (sdc__distinct // 1000) = 0),
    sdc__by_pattern AS (
        SELECT sdc__j, sdc__pattern.kind AS sdc__kind, sum(sdc__n)::DOUBLE / sdc__filled AS sdc__share
        FROM (SELECT sdc__j, sdc__n, unnest(sdc__telling_patterns(sdc__value)) AS sdc__pattern
              FROM sdc__values
              WHERE regexp_matches(sdc__value, '[@.]|^[A-Za-z]{2} *\d\d'))
        JOIN sdc__counts USING (sdc__j) GROUP BY sdc__j, sdc__pattern, sdc__filled
        UNION ALL
        SELECT sdc__j, sdc__pattern.kind, sum(sdc__n)::DOUBLE / sdc__looked_at
        FROM (SELECT sdc__j, sdc__n, unnest(sdc__identifier_patterns(sdc__value)) AS sdc__pattern FROM sdc__some)
        JOIN (SELECT sdc__j, sum(sdc__n)::BIGINT AS sdc__looked_at FROM sdc__some GROUP BY sdc__j) USING (sdc__j)
        GROUP BY sdc__j, sdc__pattern, sdc__looked_at
        HAVING sum(sdc__n) >= sdc__pattern.least * sdc__looked_at AND (sdc__pattern.least < 0.9 OR count(*) >= 10)
    ),
    sdc__proposed AS (
        SELECT sdc__j, 1 AS sdc__order, 'name' AS sdc__evidence, 'called ' || sdc__kind AS sdc__reason,
               NULL::DOUBLE AS sdc__share
        FROM sdc__by_name
        UNION ALL
        SELECT sdc__j, 2, 'pattern', sdc__kind, sdc__share FROM sdc__by_pattern
        UNION ALL
        SELECT sdc__j, 3, 'unique',
               CASE WHEN sdc__whole AND sdc__runs_on THEN 'every value differs, whole numbers that run on'
                    WHEN sdc__whole THEN 'every value differs, whole numbers of one length'
                                         WHEN sdc__distinct = sdc__filled THEN 'every value differs'
                                         ELSE 'nearly every value differs' END, sdc__distinct / sdc__filled
        FROM sdc__counts
        WHERE sdc__filled >= 20
              AND CASE WHEN sdc__whole THEN sdc__distinct = sdc__filled AND (sdc__runs_on OR sdc__one_length)
                       ELSE NOT sdc__measured AND sdc__distinct >= 0.9 * sdc__filled END
    )
    SELECT sdc__c.sdc__name AS variable, sdc__evidence AS evidence, sdc__reason AS reason, sdc__share AS share
    FROM sdc__proposed AS sdc__p JOIN sdc__columns AS sdc__c USING (sdc__j) ORDER BY sdc__j ASC, sdc__order ASC, sdc__reason ASC;
