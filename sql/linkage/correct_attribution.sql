-- How probably a sensitive value that an intruder reads from the released file, by the keys, is the true one.
--
-- Of an original record j in the cell q of the keys, with the value t of the target:
--   CAP_o,j  = d_tq / d_q                       from the original itself: the most that could be learned           (Taub et al. 2018)
--   CAP_s,j  = s_tq / s_q                       from the released file; undefined where s_q = 0                     (Taub et al. 2018)
--   baseline = mean of d_t / N_d = sum over t of (d_t / N_d)^2                                                      (Taub et al. 2018)
-- Each is averaged over the original's records: cap_original, cap (an undefined one is 0), cap_matched (undefined ones are left out; NULL
-- where there is no other) and baseline, of one who knows only how the target is distributed.
-- Of a released record j:
--   WEAP_j   = s_tq / s_q                       within its own file                                                 (Taub & Elliot 2019)
--   TCAP_j   = d_tq / d_q                       in the original, of those with WEAP >= tau and d_q > 0              (Taub & Elliot 2019)
-- weap is the mean of WEAP; targeted and targeted_matched, the released records of WEAP >= tau, and those of them whose keys the original
-- has; tcap, the mean of TCAP over the latter. The same over the original's records that a targeted value is attributed to is
-- tcap_original = sum (d_tq | WEAP >= tau) / sum (d_q | WEAP >= tau)          (Little, Elliot & Allmendinger 2022; TCAP of synthpop). d
-- and s as in attribution_cells.sql, which also says how files must be coded alike.
-- Source: Elliot (2014), Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team, CMIST 2015-2;
--   Taub, Elliot, Pampaka & Smith (2018), Differential correct attribution probability for synthetic data, PSD 2018, LNCS 11126, 122-137;
--   Taub & Elliot (2019), The synthetic data challenge, UNECE work session on statistical data confidentiality. These were not at
--   hand: the formulas are as later texts quote them (Raab, Nowok & Dibben 2024, arXiv:2406.16826, appendix; Little's program to
--   PSD 2022 for tcap_original and baseline).
-- synthpop gives these times 100: cap is its DCAPd, cap_original CAPd, weap CAPs, baseline baseCAPd; its DCAPb divides by the released
-- records whose keys the original has, where cap_matched divides by the original's records whose keys are released.
--
--   original: age sex income   released: age sex income
--             30  f   low                30  f   low
--             30  f   low                30  f   high
--             41  m   low                41  m   low
--             41  m   high               41  m   low
--             52  f   high               67  f   high
--   FROM sdc_correct_attribution('original', 'released', ['age', 'sex'], ['income']):
--   target records in_released baseline cap_original cap cap_matched weap targeted tcap
--   income 5       0.8         0.52     0.8          0.4 0.5         0.8  3        0.5
--     cap: (1/2 + 1/2 + 1 + 0 + 0) / 5. Targeted are the two of 41 and that of 67,
--     whose keys are nobody's: of the first two, half the originals have low incomes.
--
--   FROM sdc_correct_attribution_records('original', 'released', ['age', 'sex'], 'income'):
--   age sex income matches cap
--   30  f   low    2       0.5
--   30  f   low    2       0.5
--   41  m   low    2       1
--   41  m   high   2       0
--   52  f   high   0       NULL
--   FROM sdc_targeted_attribution_records('original', 'released', ['age', 'sex'], 'income'):
--   age sex income weap matches tcap
--   30  f   low    0.5  2       1
--   30  f   high   0.5  2       0
--   41  m   low    1    2       0.5
--   41  m   low    1    2       0.5
--   67  f   high   1    0       NULL
--
-- Scope: cells.
-- Parameters:
--   original  table             the table before masking, or from which the synthetic one was made
--   released  table             the masked or synthetic table; its records need not be those of the original
--   keys      columns           the key variables
--   targets   columns           the sensitive variables, each by itself; NULL in them is a value of its own
--   target    column            the sensitive variable
--   tau       number in (0, 1]  the least WEAP of a record that the intruder would go by
--   nulls     'higher', 'category' or 'wildcard'  NULL in a released key is a value of its own ('category'), or agrees with every value
--       ('wildcard'); of each figure the higher of both ('higher')

CREATE OR REPLACE MACRO sdc__checked_tau(tau) AS
    CASE WHEN TRY_CAST(tau AS DOUBLE) > 0 AND TRY_CAST(tau AS DOUBLE) <= 1 THEN TRY_CAST(tau AS DOUBLE)
         ELSE error('ParameterError: tau is ' || coalesce(tau::VARCHAR, 'NULL') || ': it must be above 0 and at most 1.') END;

-- A row a target. in_released and target_in_released: the shares of the original's records whose keys, and whose value, the
-- released file has.
-- sdc_correct_attribution: how probably a sensitive value that an intruder reads from the released file is the true one.
-- Gives: target VARCHAR, records BIGINT, in_released DOUBLE, target_in_released DOUBLE, baseline DOUBLE, cap_original DOUBLE,
--   cap DOUBLE (more risk), cap_matched DOUBLE or NULL (more risk), weap DOUBLE (more risk), targeted BIGINT (more risk),
--   targeted_matched BIGINT (more risk), tcap DOUBLE or NULL (more risk), tcap_original DOUBLE or NULL.
-- Rows: each target.
-- Result: CorrectAttribution. Of a target, probabilities of a right attribution, over the original's records; WEAP and TCAP of released
--   ones. NULL where no record is matched (`cap_matched`) or targeted (`tcap`, `tcap_original`).
-- Raises: TableError where no value of a key or a target occurs in both tables: they were not coded alike.
-- Notes: The records need not be the original's: files of synthetic records are compared too. What was recoded must be recoded alike in the
--   original first; `in_released` is the share of its records whose keys the released file has.
-- Example: FROM sdc_correct_attribution('persons', 'released', ['age', 'sex'], ['region']);
-- Limit: cap. The probability that an intruder attributes the true value of this target to a record of the original.
CREATE OR REPLACE MACRO sdc_correct_attribution(original, released, keys, targets, tau := 1, nulls := 'higher') AS TABLE
    WITH sdc__cells AS MATERIALIZED (
        SELECT *, sdc__s > 0 AND sdc__at_least(sdc__s, sdc__checked_tau(tau) * sdc__sq) AS sdc__sure
        FROM sdc__attribution_cells(original, released, keys, targets, nulls)
    ),
    sdc__alone AS (
        SELECT sdc__wild, sdc__place, coalesce(sum(CASE WHEN sdc__of THEN sdc__n END), 0)::BIGINT AS sdc__f,
               coalesce(sum(CASE WHEN sdc__of THEN 0 ELSE sdc__n END), 0)::BIGINT AS sdc__g
        FROM sdc__cells GROUP BY sdc__wild, sdc__place, sdc__value
    ),
    sdc__margins AS (
        SELECT sdc__wild AS sdc__so, sdc__place AS sdc__at, sdc__exact_sum(1e0 * sdc__f * sdc__f, 0) AS sdc__squares,
               coalesce(sum(CASE WHEN sdc__g > 0 THEN sdc__f END), 0)::BIGINT AS sdc__known
        FROM sdc__alone
        GROUP BY sdc__wild, sdc__place
    ),
    sdc__sums AS (
        SELECT sdc__wild, sdc__place, any_value(sdc__target) AS sdc__target,
               sum(CASE WHEN sdc__of THEN sdc__n ELSE 0 END)::BIGINT AS sdc__all,
               sum(CASE WHEN sdc__of THEN 0 ELSE sdc__n END)::BIGINT AS sdc__m,
               coalesce(sum(CASE WHEN sdc__of AND sdc__sq > 0 THEN sdc__n END), 0)::BIGINT AS sdc__in,
               coalesce(sdc__exact_sum(CASE WHEN sdc__of AND sdc__n > 0 THEN 1e0 * sdc__n * sdc__n / sdc__dq END), 0) AS sdc__o,
               coalesce(sdc__exact_sum(CASE WHEN sdc__of AND sdc__s > 0 THEN 1e0 * sdc__n * sdc__s / sdc__sq END), 0) AS sdc__c,
               coalesce(sdc__exact_sum(CASE WHEN NOT sdc__of AND sdc__s > 0 THEN 1e0 * sdc__n * sdc__s / sdc__sq END), 0) AS sdc__w,
               coalesce(sum(CASE WHEN NOT sdc__of AND sdc__sure THEN sdc__n END), 0)::BIGINT AS sdc__targeted,
               coalesce(sum(CASE WHEN NOT sdc__of AND sdc__sure AND sdc__dq > 0 THEN sdc__n END),
                        0)::BIGINT AS sdc__matched,
               coalesce(sdc__exact_sum(CASE WHEN NOT sdc__of AND sdc__sure AND sdc__d > 0
                                                THEN 1e0 * sdc__n * sdc__d / sdc__dq END),
                        0) AS sdc__t,
               coalesce(sum(CASE WHEN sdc__of AND sdc__sure THEN sdc__n END), 0)::BIGINT AS sdc__right,
               coalesce(sum(CASE WHEN sdc__of AND sdc__sure THEN sdc__dq END), 0)::BIGINT AS sdc__tried
        FROM sdc__cells GROUP BY sdc__wild, sdc__place
    )
    SELECT any_value(sdc__target) AS target, max(sdc__all) AS records, max(1e0 * sdc__in / sdc__all) AS in_released,
           max(1e0 * sdc__known / sdc__all) AS target_in_released, max(sdc__squares / sdc__all / sdc__all) AS baseline,
           max(sdc__o / sdc__all) AS cap_original, max(sdc__c / sdc__all) AS cap,
           max(sdc__c / nullif(sdc__in, 0)) AS cap_matched, max(sdc__w / sdc__m) AS weap,
           max(sdc__targeted) AS targeted, max(sdc__matched) AS targeted_matched,
           max(sdc__t / nullif(sdc__matched, 0)) AS tcap, max(1e0 * sdc__right / nullif(sdc__tried, 0)) AS tcap_original
    FROM sdc__sums JOIN sdc__margins ON sdc__at = sdc__place AND sdc__so = sdc__wild GROUP BY sdc__place ORDER BY sdc__place ASC;

-- The records of a table, each with the texts of its cell and of its target. (Names as those of the cells: a table may have its columns
-- in another order.)
CREATE OR REPLACE MACRO sdc__keyed_texts(tbl, keys, target) AS TABLE
    SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS sdc__own, sdc__t
    FROM (SELECT *, sdc__exact(COLUMNS(sdc__columns((*), keys)))::VARCHAR AS "sdc__x_\0",
                 sdc__exact(COLUMNS(sdc__columns((*), [target::VARCHAR])))::VARCHAR AS sdc__t
          FROM sdc__rows(tbl, codes := list_append(sdc__names(keys), target::VARCHAR)));

-- The records of a table with the counts of their cells, in either table: of the original where first. (Of both readings the greatest.)
CREATE OR REPLACE MACRO sdc__attributed(tbl, original, released, keys, target, nulls, first) AS TABLE
    SELECT r.* EXCLUDE (sdc__own, sdc__t), sdc__found(c.sdc__matches) AS sdc__matches, c.sdc__cap, c.sdc__weap
    FROM sdc__keyed_texts(tbl, keys, target) AS r
    LEFT JOIN (SELECT sdc__key, sdc__value,
                      max(CASE WHEN first THEN sdc__sq ELSE sdc__dq END) AS sdc__matches,
                      max(CASE WHEN sdc__sq > 0 THEN 1e0 * sdc__s / sdc__sq END) AS sdc__weap,
                      max(CASE WHEN first AND sdc__sq > 0 THEN 1e0 * sdc__s / sdc__sq
                               WHEN NOT first AND sdc__dq > 0 THEN 1e0 * sdc__d / sdc__dq END) AS sdc__cap
               FROM sdc__attribution_cells(original, released, keys, [target::VARCHAR], nulls)
               WHERE sdc__of = first
               GROUP BY sdc__key, sdc__value) AS c
      ON r.sdc__own = c.sdc__key AND r.sdc__t IS NOT DISTINCT FROM c.sdc__value;

-- matches: the released records of its cell; cap: CAP_s, NULL where there is none. Where it is 1, the released file tells the
-- value with certainty.
-- sdc_correct_attribution_records: every record of the original, and how probably the released file attributes its true value to it.
-- Gives: every column, matches BIGINT, cap DOUBLE (more risk).
-- Rows: records.
-- Result: relation. The original's columns, `matches` (the released records with its keys) and `cap` (NULL where there is none).
-- Example: FROM sdc_correct_attribution_records('persons', 'released', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_correct_attribution_records(original, released, keys, target, nulls := 'higher') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['matches', 'cap'])), sdc__matches AS matches, sdc__cap AS cap
    FROM sdc__attributed(original, original, released, keys, target, nulls, true);

-- matches: the original's records of its cell; tcap: the share of these with its value, NULL where there is none. What to change are the
-- records where both weap and tcap are high.
-- sdc_targeted_attribution_records: every released record, how sure an intruder is of its value, and how probably that is the original one.
-- Gives: every column, weap DOUBLE (more risk), matches BIGINT, tcap DOUBLE (more risk).
-- Rows: records.
-- Result: relation. Every column, `weap`, `matches` (the original's records with its keys), `tcap` (NULL where there is none).
-- Example: FROM sdc_targeted_attribution_records('persons', 'released', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_targeted_attribution_records(original, released, keys, target, nulls := 'higher') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['weap', 'matches', 'tcap'])), sdc__weap AS weap, sdc__matches AS matches, sdc__cap AS tcap
    FROM sdc__attributed(released, original, released, keys, target, nulls, false);
