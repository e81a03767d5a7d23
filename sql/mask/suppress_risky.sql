-- Local suppression to a limit of risk: of risky records a given key is suppressed, or the cheapest set of keys, until none is too risky.
--
--   for each released record:                    r_i = E(1/F | f)          <= max_risk           (sdc_individual_risk, nulls := 'wildcard')
--   or, with household, of each of households:   1 - prod_{i in g} (1 - r_i) <= max_risk         (sdc_household_risk, nulls := 'wildcard')
-- Source: SDC handbook, (3.2), (3.3) and section 3.3.5 (the risks), section 3.4.3.2 (local suppression); sdcMicro's localSupp suppresses a
--   given key in all records above a threshold of risk.
--
-- f and F count the records that agree on what is kept, and risk falls as they grow. They are counted in the original file, so each
-- record is decided by itself and loses the cheapest set of keys that will do; in the released file, where others lose values too, its
-- risk is that or less. A record at or below the limit loses nothing.
--
--   persons: id age sex w     sdc_suppress_risky('persons', ['age', 'sex'], 0.15, 'id', weight := 'w'):   age  sex w
--            1  30  f   10                                                                                30   f   10
--            2  30  f   10                                                                                30   f   10
--            3  41  m   20                                                                                NULL m   20   E(1/F) was 0.158
--            4  62  m   40                                                                                62   m   40
--
-- In a household whose risk is too high the riskiest members come down to one level, so that together they have just the limit; who is
-- below that loses nothing. (That is no optimum. Where a member cannot come down by itself, all of the household lose what they may.)
-- NULL counts as agreeing with every value, so the suppressions help only against an intruder who takes it so: sdc_compatible_records
-- counts whom they single out. Where even the suppression of all that may be suppressed leaves a record above the limit, that is an
-- error. Python and the command line measure the released table before it is written; after a call in SQL or dbt, ask
-- sdc_individual_risk. No draws: no key is needed. 16 keys at the most.
--
-- Scope: cells.
-- Not compiled: which values are suppressed is searched for in Python, with all cells at once; suppress in DuckDB, and copy the
--   released table.
-- Keeps: every value that is not suppressed.
-- Guarantees: with nulls := 'wildcard' no record of sdc_individual_risk, or of sdc_household_risk, is above max_risk.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Suppresses: values.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (a value that is suppressed in one release is shown in another, as soon as other records stand beside it).
-- Series: values (a released id shows one row in all its releases, and ends where a key that it shows changes or too few others are
--   left).
-- Publicly: values suppressed where a record would have stood out.
-- Parameters:
--   tbl            table                          the table, view, common table expression or file
--   keys           columns                        the key variables, whose values are suppressed
--   max_risk       number in (0, 1)               the greatest risk of a released record or household
--   id             column                         identifies each record
--   weight         column or number               the expansion weights, or what every record weighs
--   household      column                         the household numbers: the risk of households is limited; NULL: of records
--   variable       column                         the key that is suppressed in risky records; NULL: the cheapest set of keys
--   importance     number or numbers in (0, ...)  what a suppressed value costs: one number for each of the keys, or NULL, all alike
--   cost           'equal' or 'entropy'           what that is multiplied by: 1, or the entropy of the key
--   small_weights  'error' or 'at_least_one'      a cell whose weights sum to less than its records: refused, or taken to stand for these
--   whole          column                         the household numbers, where keys are of the household; NULL: each record loses its own
--   household_columns  columns                    the keys of the household, which all members lose or none; what can be counted, as the
--                                                 size, none; NULL: none

-- One of the keys, or all of them, as numbers 0 and 1.
CREATE OR REPLACE MACRO sdc__may_be_lost(names, variable, counted) AS CASE
    WHEN sdc__is_among(variable, counted)
        THEN error('ColumnError: ' || variable
                   || ' (the variable) can be counted: it is known while the number of the household stands, and cannot be'
                   || ' suppressed. Recode it, or name another key.')
    WHEN variable IS NULL THEN list_transform(names, lambda n: (NOT list_contains(counted, n))::DOUBLE)
    WHEN sdc__is_among(variable, names) THEN list_transform(names, lambda n: sdc__is_among(n, [variable])::DOUBLE)
    ELSE error('ColumnError: ' || variable || ' (the variable) is none of the keys ' || sdc__quoted(names)
               || ': name the key that is to be suppressed.') END;

CREATE OR REPLACE MACRO sdc__suppress_risky_by_record(tbl, keys, max_risk, id, weight, household, variable, importance,
                                                      cost, small_weights, whole, household_columns) AS TABLE
    WITH sdc__kept AS (FROM sdc__kept_sizes(tbl, keys, id, whole, household_columns)),
    sdc__records AS MATERIALIZED (
        SELECT sdc__id, COLUMNS(sdc__to_mask((*), keys, id)),
               CASE WHEN weight IS NOT NULL
                        THEN sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__weight,
               CASE WHEN household IS NULL THEN NULL
                    WHEN sdc__is_among(household, keys)
                        THEN error('ColumnError: ' || household
                                   || ' is the household and also a key: its suppression would leave records without one.'
                                   || ' Leave it out of the keys.')
                    ELSE coalesce(sdc__exact(COLUMNS(sdc__named_column((*), household))),
                                  error('ColumnError: A household number is NULL: every person must'
                                        || ' belong to a household (give persons living alone a'
                                        || ' number of their own).')) END AS sdc__household
        FROM sdc__identified(tbl, id, codes := list_append(sdc__names(keys), household))
    ),
    sdc__alone AS (SELECT NULL AS sdc__stratum, * EXCLUDE (sdc__household) FROM sdc__records),
    sdc__celled AS MATERIALIZED (FROM sdc__suppression_cells('sdc__alone', keys)),
    sdc__packed AS (SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own FROM sdc__records),
    sdc__placed AS MATERIALIZED (
        SELECT sdc__r.* EXCLUDE (sdc__own), sdc__c.sdc__cell,
               CASE WHEN household IS NULL THEN sdc__c.sdc__cell
                    ELSE dense_rank() OVER (ORDER BY sdc__r.sdc__household ASC) END AS sdc__house
        FROM sdc__packed AS sdc__r JOIN sdc__celled AS sdc__c ON row(sdc__r.sdc__own) = row(sdc__c.sdc__key)
    ),
    -- the members of a household in a cell; without households the cells
    sdc__members AS MATERIALIZED (
        SELECT sdc__cell, sdc__house, count(*) AS sdc__number,
               row_number() OVER (ORDER BY sdc__house ASC, sdc__cell ASC) AS sdc__place
        FROM sdc__placed
        GROUP BY sdc__cell, sdc__house
    ),
    sdc__housed AS (
        SELECT list((sdc__cell - 1)::DOUBLE ORDER BY sdc__place ASC) AS sdc__at,
               list((sdc__house - 1)::DOUBLE ORDER BY sdc__place ASC) AS sdc__houses,
               list(sdc__number::DOUBLE ORDER BY sdc__place ASC) AS sdc__numbers
        FROM sdc__members WHERE household IS NOT NULL
    ),
    sdc__lists AS (
        SELECT any_value(struct_keys(sdc__key)) AS sdc__names, list(sdc__codes::DOUBLE[] ORDER BY sdc__cell ASC) AS sdc__all,
               list(sdc__n::DOUBLE ORDER BY sdc__cell ASC) AS sdc__ns,
               list(sdc__checked_weights(sdc__w, sdc__n, small_weights := small_weights) ORDER BY sdc__cell ASC) AS sdc__ws
        FROM sdc__celled
    ),
    sdc__found AS (
        SELECT sdc__names,
               sdc__kernel_suppress_risky(
                   sdc__all, sdc__ns, sdc__ws, sdc__at, sdc__houses, sdc__numbers,
                   sdc__checked_fraction(max_risk, 'max_risk'), sdc__may_be_lost(sdc__names, variable, sdc__counted),
                   list_transform(sdc__each(importance, keys, sdc__names), lambda i: coalesce(i, '1')::DOUBLE),
                   cost) AS sdc__losses
        FROM sdc__lists, sdc__housed, sdc__kept
    ),
    sdc__decided AS (
        SELECT sdc__names, unnest(sdc__losses) AS sdc__lost, unnest(range(1, len(sdc__losses) + 1)) AS sdc__place
        FROM sdc__found
    ),
    sdc__losing AS (SELECT sdc__cell, sdc__house, sdc__names, sdc__lost FROM sdc__members JOIN sdc__decided USING (sdc__place))
    SELECT sdc__id, sdc__blanked(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__lost, sdc__names) AS "\0"
    FROM sdc__placed JOIN sdc__losing USING (sdc__cell, sdc__house);

-- A record's risk falls as others lose more, too: so what one member loses of a key of the household all may lose.
CREATE OR REPLACE MACRO sdc__suppress_risky(tbl, keys, max_risk, id, weight, household, variable, importance, cost,
                                            small_weights, whole, household_columns) AS TABLE
    WITH sdc__alone_done AS MATERIALIZED (
        FROM sdc__suppress_risky_by_record(tbl, keys, max_risk, id, weight, household, variable, importance, cost,
                                           small_weights, whole, household_columns)),
    sdc__together_done AS (FROM sdc__all_or_none(tbl, 'sdc__alone_done', id, whole, household_columns))
    FROM query_table(CASE WHEN household_columns IS NULL THEN 'sdc__alone_done' ELSE 'sdc__together_done' END);

-- Title: Local suppression in risky records; Suppression in risky records of {}.
-- sdc_suppress_risky: values of keys suppressed in risky records, until no individual or household risk is above a limit.
-- Example: FROM sdc_suppress_risky('persons', ['age', 'sex'], 0.15, 'id', weight := 'w');
CREATE OR REPLACE MACRO sdc_suppress_risky(tbl, keys, max_risk, id, weight := NULL, household := NULL, variable := NULL,
                                           importance := NULL, cost := 'equal', small_weights := 'error', whole := NULL,
                                           household_columns := NULL) AS TABLE
    WITH sdc__done AS (
        FROM sdc__suppress_risky(tbl, keys, max_risk, id, weight, household, variable, importance, cost, small_weights,
                                 whole, household_columns)
    )
    FROM sdc__released(tbl, keys, id, 'sdc__done');

-- Of how many records the individual or the household risk is above the limit, and the greatest.
CREATE OR REPLACE MACRO sdc__above_limit(tbl, keys, max_risk, id, weight, household, small_weights) AS TABLE
    WITH sdc__of_cells AS (
        SELECT sdc__risk AS sdc__r, sdc__records AS sdc__n
        FROM sdc__cell_risk(tbl, keys, weight, 'wildcard', small_weights := small_weights)
    ),
    sdc__of_members AS (
        SELECT sdc__household_risk AS sdc__r, 1 AS sdc__n
        FROM sdc__risk_of_households(tbl, keys, weight, coalesce(household, id), 'wildcard', small_weights := small_weights)
    )
    SELECT coalesce(sum(sdc__n) FILTER (sdc__r > max_risk), 0)::BIGINT AS sdc__above, max(sdc__r) AS sdc__most
    FROM query_table(CASE WHEN household IS NULL THEN 'sdc__of_cells' ELSE 'sdc__of_members' END);

CREATE OR REPLACE MACRO sdc__risk_held(above) AS
    CASE above WHEN 0 THEN true
         ELSE error('TableError: ' || above || ' released records are still above the limit of risk: nothing was written. Is'
                    || ' the table a view that changes as it is read? Store it as a table first.') END;
-- What was suppressed, the records that were above the limit, and the greatest risk that is left: an error where it is above the limit.
-- released: the id and the suppressed keys.
CREATE OR REPLACE MACRO sdc__risk_proof(tbl, released, keys, max_risk, id, weight, household, small_weights) AS TABLE
    WITH sdc__new AS (SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__id, COLUMNS(sdc__columns((*), keys)) FROM sdc__exact_rows(released)),
    sdc__mended AS MATERIALIZED (FROM sdc__released(tbl, keys, id, 'sdc__new'))
    SELECT (SELECT map_from_entries(list(row(sdc__name, sdc__values) ORDER BY sdc__name ASC))
            FROM sdc__missing_values(tbl, released, keys)) AS suppressions,
           sdc__b.sdc__above AS above_before, sdc__a.sdc__most AS greatest_risk
    FROM sdc__above_limit(tbl, keys, max_risk, id, weight, household, small_weights) AS sdc__b,
         sdc__above_limit('sdc__mended', keys, max_risk, id, weight, household, small_weights) AS sdc__a
    WHERE sdc__risk_held(sdc__a.sdc__above);
