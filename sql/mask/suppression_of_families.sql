-- Local suppression until every released row is one of members of k households: k records that look alike can be one family.
--
-- What is released by records (or by household: suppression_by_household.sql) leaves few rows of fewer than k households. In each
-- stratum, and within it in each cell of the columns of the household, which is one of k households already, these rows lose more values
-- of persons, or others lose some to join them (a kernel: udfs/suppression/by_households.py). Whose household is NULL is by himself.
-- Source: SDC handbook, sections 3.3.5 and 3.4.3.2.

CREATE OR REPLACE MACRO sdc__of_units(unit, guarantee, household, max_share, subset) AS CASE
    WHEN unit = 'record' THEN false
    WHEN unit IS NULL OR unit <> 'household' THEN error(
        'ParameterError: unit is ' || coalesce(unit::VARCHAR, 'NULL') || ': it must be ''record'' or ''household''.')
    WHEN household IS NULL THEN error('ParameterError: unit is household, and no household is given: name its column, as'
                                      || ' in household := ''hh''.')
    WHEN guarantee <> 'identical'
        THEN error('ParameterError: unit is household, and the guarantee is ''' || guarantee
                   || ''': households are counted in released rows that are alike, so give ''identical''.')
    WHEN max_share IS NOT NULL OR subset IS NOT NULL
        THEN error('ParameterError: max_share and subset do not go with unit := ''household'': leave them out.')
    ELSE true END;

CREATE OR REPLACE MACRO sdc__persons_alone(have, keys, columns) AS
    list_filter(have, lambda h: h = 'sdc__always' OR (sdc__is_among(h, keys) AND NOT sdc__is_among(h, columns)));
CREATE OR REPLACE MACRO sdc__households_alone(have, keys, columns) AS
    list_filter(have, lambda h: h = 'sdc__stratum' OR (sdc__is_among(h, keys) AND sdc__is_among(h, columns)));

-- The released keys of each record, as the households complete them, with its household.
CREATE OR REPLACE MACRO sdc__released_in_households(done, tbl, keys, id, stratum, household, columns) AS TABLE
    WITH sdc__numbered AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__same, sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__house,
               sdc__exact(sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum)))) AS sdc__stratum,
               COLUMNS(sdc__columns((*), [id, household]))
        FROM query_table(tbl)
    ),
    sdc__new AS (SELECT sdc__id, COLUMNS(sdc__columns((*), keys)) FROM query_table(done)),
    sdc__joined AS (
        SELECT sdc__numbered.* EXCLUDE (sdc__same, sdc__house, sdc__stratum), sdc__new.* EXCLUDE (sdc__id)
        FROM sdc__new
        JOIN sdc__numbered ON sdc__id = sdc__same
    ),
    sdc__completed AS (FROM sdc_completed_households('sdc__joined', household, sdc__key_columns(keys, columns))),
    sdc__whole AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id, sdc__exact(COLUMNS(sdc__columns((*), keys))) AS "\0"
        FROM query_table(CASE WHEN len(sdc__key_columns(keys, columns)) > 0 THEN 'sdc__completed' ELSE 'sdc__joined' END)
    )
    SELECT sdc__whole.*, row(sdc__house, CASE WHEN sdc__house IS NULL THEN sdc__id END) AS sdc__house, sdc__stratum, 1 AS sdc__always
    FROM sdc__whole JOIN (SELECT sdc__same, sdc__house, sdc__stratum FROM sdc__numbered) AS sdc__n ON sdc__id = sdc__same;

CREATE OR REPLACE MACRO sdc__suppressed_for_households(done, tbl, keys, k, id, importance, stratum, ghosts, household,
                                                       household_columns) AS TABLE
    WITH sdc__placed AS (
        SELECT sdc__id, sdc__house, struct_pack(*COLUMNS(sdc__households_alone((*), keys, sdc__names_if_any(household_columns)))) AS sdc__g,
               struct_pack(*COLUMNS(sdc__persons_alone((*), keys, sdc__names_if_any(household_columns)))) AS sdc__own
        FROM sdc__released_in_households(done, tbl, keys, id, stratum, household, sdc__names_if_any(household_columns))
    ),
    sdc__records AS MATERIALIZED (FROM sdc__placed),
    sdc__entries AS MATERIALIZED (SELECT sdc__g, sdc__own, sdc__house, count(*) AS sdc__n FROM sdc__records GROUP BY ALL),
    sdc__few AS (
        SELECT DISTINCT row(sdc__g) AS sdc__of
        FROM (SELECT sdc__g, sdc__own FROM sdc__entries GROUP BY ALL HAVING count(*) < sdc__checked_whole(k, 'k', 2))
    ),
    sdc__numbered AS MATERIALIZED (
        SELECT sdc__e.*, dense_rank() OVER (ORDER BY sdc__house ASC) AS sdc__h,
               row_number() OVER (PARTITION BY sdc__g ORDER BY sdc__own ASC, sdc__house ASC) AS sdc__place
        FROM sdc__entries AS sdc__e SEMI JOIN sdc__few AS sdc__f ON row(sdc__e.sdc__g) = sdc__f.sdc__of
    ),
    sdc__coded AS (
        SELECT sdc__g, sdc__h, sdc__n, sdc__place, [*COLUMNS(lambda c: starts_with(c, 'sdc__c_'))] AS sdc__codes
        FROM (SELECT sdc__g, sdc__h, sdc__n, sdc__place,
                     sdc__value_number(COLUMNS(lambda c: c = 'sdc__always' OR NOT starts_with(c, 'sdc__'))) AS "sdc__c_\0"
              FROM (SELECT sdc__g, sdc__h, sdc__n, sdc__place, unnest(sdc__own) FROM sdc__numbered))
    ),
    sdc__names AS (SELECT struct_keys(any_value(sdc__own)) AS sdc__persons FROM sdc__records),
    sdc__listed AS (
        SELECT sdc__g, list(sdc__codes ORDER BY sdc__place ASC) AS sdc__all,
               list(sdc__h ORDER BY sdc__place ASC) AS sdc__hs, list(sdc__n ORDER BY sdc__place ASC) AS sdc__ns
        FROM sdc__coded GROUP BY sdc__g
    ),
    sdc__found AS (
        SELECT sdc__g,
               sdc__kernel_settle_households(
                   sdc__g::VARCHAR, sdc__all, sdc__hs, sdc__ns, k::DOUBLE,
                   list_transform(sdc__persons,
                                  lambda n: CASE WHEN n = 'sdc__always' THEN -1e0
                                                 ELSE sdc__cost_of(sdc__each(importance, keys, [n])[1]) END)) AS sdc__bits
        FROM sdc__listed, sdc__names
    ),
    sdc__more AS (SELECT sdc__g, unnest(sdc__bits) AS sdc__lost, generate_subscripts(sdc__bits, 1) AS sdc__place FROM sdc__found),
    sdc__losing AS (
        SELECT sdc__r.sdc__id, sdc__m.sdc__lost
        FROM (SELECT sdc__n.sdc__g, sdc__n.sdc__own, sdc__n.sdc__house, sdc__l.sdc__lost
              FROM sdc__numbered AS sdc__n
              JOIN sdc__more AS sdc__l ON row(sdc__n.sdc__g) = row(sdc__l.sdc__g) AND sdc__n.sdc__place = sdc__l.sdc__place
              WHERE sdc__l.sdc__lost > 0) AS sdc__m
        JOIN sdc__records AS sdc__r ON row(sdc__r.sdc__g, sdc__r.sdc__own, sdc__r.sdc__house)
             = row(sdc__m.sdc__g, sdc__m.sdc__own, sdc__m.sdc__house)
    ),
    sdc__taken AS (
        SELECT sdc__blanked_names, list_transform(sdc__blanked_names, lambda c: sdc__taken_by(c, sdc__persons, ghosts)) AS sdc__which
        FROM (SELECT sdc__persons, sdc__with_ghosts(keys, ghosts) AS sdc__blanked_names FROM sdc__names)
    ),
    sdc__all_lost AS (
        SELECT sdc__d.*, coalesce(sdc__l.sdc__lost, 0) AS sdc__lost
        FROM query_table(done) AS sdc__d
        LEFT JOIN sdc__losing AS sdc__l USING (sdc__id)
    )
    SELECT sdc__id,
           sdc__blanked_with(COLUMNS(sdc__columns((*), sdc__with_ghosts(keys, ghosts))), sdc__lost, sdc__which,
                             sdc__blanked_names) AS "\0"
    FROM sdc__all_lost, sdc__taken;

-- The same counts as without, where the rows are also of k households each (completed, as they are released).
CREATE OR REPLACE MACRO sdc__suppression_proof_of_families(tbl, released, keys, k, id, household, columns) AS TABLE
    WITH sdc__numbered AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__same, COLUMNS(sdc__columns((*), [household]))
        FROM query_table(tbl)
    ),
    sdc__new AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id, COLUMNS(sdc__columns((*), keys))
        FROM query_table(released)
    ),
    sdc__joined AS (
        SELECT sdc__numbered.* EXCLUDE (sdc__same), sdc__new.* EXCLUDE (sdc__id)
        FROM sdc__new
        JOIN sdc__numbered ON sdc__id = sdc__same
    ),
    sdc__completed AS (FROM sdc_completed_households('sdc__joined', household, sdc__key_columns(keys, columns))),
    sdc__whole AS MATERIALIZED (
        FROM query_table(CASE WHEN len(sdc__key_columns(keys, columns)) > 0 THEN 'sdc__completed' ELSE 'sdc__joined' END))
    SELECT records AS below_households FROM sdc_household_k_anonymity('sdc__whole', keys, household, k) AS sdc__h
    WHERE sdc__h.k = sdc__checked_whole(k, 'k', 2) AND sdc__held(records, 'identical in households');
