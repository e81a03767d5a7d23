-- Pairs for swapping: who exchanges values with whom (data_swap.sql, record_swap.sql). Inner; found in numpy: udfs/swapping/exchange.py.
--
-- units (of the name of a common table expression): sdc__unit (a number), sdc__draws (three uniform ones), sdc__alike (a list: the code
-- in which partners agree, of each profile in turn), sdc__apart (of each level a list of codes: partners differ in each), sdc__need (the
-- level at which the unit must find a partner; 0: it need not). asked: one row with sdc__asked, the pairs that are asked for. Each unit
-- that has a partner is in a row, beside it.
CREATE OR REPLACE MACRO sdc__swap_pairs(units, asked) AS TABLE
    WITH sdc__listed AS (
        SELECT list({'unit': sdc__unit, 'draws': sdc__draws, 'alike': sdc__alike,
                     'apart': list_append(flatten(sdc__apart), 0), 'need': sdc__need}) AS sdc__all,
               any_value(len(sdc__apart)) AS sdc__levels
        FROM query_table(units)
    ),
    sdc__found AS (
        SELECT list_transform(sdc__all, lambda s: s.unit) AS sdc__units,
               sdc__kernel_exchange(list_transform(sdc__all, lambda s: s.draws),
                                    list_transform(sdc__all, lambda s: s.alike),
                                    list_transform(sdc__all, lambda s: s.apart), list_transform(sdc__all, lambda s: s.need),
                                    [sdc__levels, sdc__asked]) AS sdc__partners
        FROM sdc__listed, query_table(asked)
    ),
    sdc__each AS (SELECT sdc__units, unnest(sdc__units) AS sdc__a, unnest(sdc__partners) AS sdc__at FROM sdc__found)
    SELECT sdc__a, sdc__units[sdc__at] AS sdc__b FROM sdc__each WHERE sdc__at > 0;

-- How many pairs a rate of n units comes to: never fewer than asked, where there are units for them.
CREATE OR REPLACE MACRO sdc__pairs_asked(rate, n, whom) AS
    CASE WHEN n < 2 THEN error('TableError: The table has one ' || whom || ' only: swapping needs two.')
         WHEN TRY_CAST(rate AS DOUBLE) > 0 AND TRY_CAST(rate AS DOUBLE) <= 1
             THEN least(ceil(TRY_CAST(rate AS DOUBLE) * n / 2 - 1e-9)::BIGINT, n // 2)
         ELSE error('ParameterError: The rate is ' || coalesce(rate::VARCHAR, 'NULL')
                    || ': it must be the share that is swapped, above 0 and at most 1.') END;

-- Fewer swaps than asked are an error, unless they are only to be reported.
CREATE OR REPLACE MACRO sdc__swaps_enough(shortfall, asked, found, stranded, whom) AS CASE
    WHEN shortfall NOT IN ('refuse', 'report') OR shortfall IS NULL
        THEN error('ParameterError: shortfall is ' || coalesce(shortfall::VARCHAR, 'NULL') || ': it must be ''refuse'' or ''report''.')
    WHEN shortfall = 'report' OR (found >= asked AND stranded = 0) THEN true
    WHEN stranded > 0
        THEN error('ParameterError: ' || stranded || ' ' || whom
                   || ' at risk found no partner in another such area: add a wider profile, or take fewer areas, or a'
                   || ' lower k; or give shortfall := ''report'', and they stay in that area and are counted.')
    ELSE error('ParameterError: ' || 2 * found || ' ' || whom || ' found a partner, and ' || 2 * asked
               || ' were asked to be swapped: lower the rate or loosen what partners must share or not share; or give'
               || ' shortfall := ''report''.')
END;
