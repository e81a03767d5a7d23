-- The sets of keys that a threshold rule checks.
--
--   without levels   every set of 1 .. dimension keys
--   with levels      E x V x I: every set of an extremely identifying key, a very identifying key and an identifying key
-- Source: SDC handbook, section 3.7, microdata for researchers, rule 2, and the remark at the end of the section
-- (without an extremely identifying variable "only some bivariate combinations": V x I).
-- The text does not say whether a key of a higher level counts in the lower ones; read as in ARGUS's own rule, it
-- does: an extremely identifying key is also very identifying, and both are identifying. So two regions with one
-- identifying key are checked together. A level without keys is left out of the product; a set that lies within
-- another one of the product is not checked, for a rare combination makes each one that holds it as rare.
--
--   sdc__key_sets(['age', 'sex'], 1, 2, NULL):   [[age], [sex], [age, sex]]
--   levels := {'extremely': ['region'], 'very': ['sex'], 'identifying': ['job', 'age']}:
--                                                [[region, sex, job], [region, sex, age]]

-- Every set of 1 .. most of the places 1 .. n, smaller sets first: [[1], [2], [1, 2]].
CREATE OR REPLACE MACRO sdc__place_sets(n, most) AS
    list_transform(list_sort(list_transform(list_filter(
        list_reduce(list_transform(range(1, n + 1), lambda i: [[i]]),
                    lambda sets, next: sets || list_transform(list_filter(sets, lambda s: len(s) < most), lambda s: s || next[1]),
                    [[]::BIGINT[]]),
        lambda s: len(s) > 0), lambda s: [len(s)] || s), 'ASC'), lambda s: s[2:]);
CREATE OR REPLACE MACRO sdc__named_places(names, sets) AS list_transform(sets, lambda s: list_transform(s, lambda i: sdc__names(names)[i]));

-- One threshold or a list of them, as a list.
CREATE OR REPLACE MACRO sdc__threshold_list(threshold) AS
    CASE WHEN typeof(threshold) LIKE '%]' THEN TRY_CAST(threshold::VARCHAR AS DOUBLE[]) ELSE [TRY_CAST(threshold::VARCHAR AS DOUBLE)] END;

-- The greatest size of a set. A list says it itself; one threshold holds up to `dimension`, or 3.
CREATE OR REPLACE MACRO sdc__dimension(threshold, dimension) AS CASE
    WHEN coalesce(list_count(sdc__threshold_list(threshold)), 0) = 0
         OR len(list_filter(sdc__threshold_list(threshold), lambda t: NOT (t > 0 AND t < 'infinity'::DOUBLE))) > 0
        THEN error('ParameterError: The threshold is ' || coalesce(threshold::VARCHAR, 'NULL')
                   || ': it must be a positive number, or a list of them, one for each dimension (NULL: not checked).')
    WHEN typeof(threshold) LIKE '%]' AND (dimension IS NULL OR dimension = len(sdc__threshold_list(threshold)))
        THEN len(sdc__threshold_list(threshold))
    WHEN typeof(threshold) LIKE '%]'
        THEN error('ParameterError: The dimension is ' || dimension::VARCHAR || ' and there are '
                   || len(sdc__threshold_list(threshold))::VARCHAR
                   || ' thresholds: a list of thresholds has one for each dimension.')
    WHEN dimension IS NULL THEN 3
    ELSE sdc__checked_whole(dimension, 'dimension', 1)
END;

-- The threshold of a set of so many keys; NULL where that dimension is not checked.
CREATE OR REPLACE MACRO sdc__set_threshold(threshold, size) AS
    CASE WHEN typeof(threshold) LIKE '%]' THEN sdc__threshold_list(threshold)[size] ELSE sdc__threshold_list(threshold)[1] END;

-- Each key's level, 1 extremely, 2 very, 3 identifying; as many as there are keys. Every key has one.
CREATE OR REPLACE MACRO sdc__all_levels(levels) AS coalesce(levels, {'extremely': NULL::VARCHAR[]});
CREATE OR REPLACE MACRO sdc__levels_listed(levels) AS
    list_transform([sdc__all_levels(levels)::STRUCT(extremely VARCHAR[], very VARCHAR[], identifying VARCHAR[])],
                   lambda own: [coalesce(own['extremely'], []), coalesce(own['very'], []), coalesce(own['identifying'], [])])[1];

-- True, or the error of another name: the cast would drop it, and its keys would not be checked.
CREATE OR REPLACE MACRO sdc__other_levels(levels) AS
    list_filter(struct_keys(sdc__all_levels(levels)), lambda n: NOT sdc__is_among(n, ['extremely', 'very', 'identifying']));
CREATE OR REPLACE MACRO sdc__are_levels(levels) AS
    CASE WHEN len(sdc__other_levels(levels)) = 0 THEN true
         ELSE error('ParameterError: levels has ' || sdc__quoted(sdc__other_levels(levels))
                    || ': the levels of identification are extremely, very and identifying, as in {''extremely'':'
                    || ' [''region''], ''very'': [''sex''], ''identifying'': [''age'']}.') END;
-- What is a long expression stands once, as a list of one: a macro writes an argument again wherever it is named, and DuckDB binds each.
CREATE OR REPLACE MACRO sdc__key_levels(keys, levels) AS
    list_transform([sdc__levels_listed(levels)], lambda own: list_transform(
        sdc__names(keys),
        lambda k: CASE
            WHEN len(list_filter(flatten(own), lambda n: sdc__folded(n) = sdc__folded(k))) > 1
                THEN error('ParameterError: The key "' || k
                           || '" has several levels of identification: give it the highest one only.')
            ELSE coalesce(list_position(list_transform(own, lambda names: sdc__is_among(k, names)), true),
                          error('ParameterError: The key "' || k || '" has no level of identification: list it under extremely,'
                                || ' very or identifying in levels.')) END))[1];
CREATE OR REPLACE MACRO sdc__without_key(keys, levels) AS
    list_filter(flatten(sdc__levels_listed(levels)), lambda n: NOT sdc__is_among(n, keys));

-- The product E x (E u V) x (E u V u I), from the highest level that has keys down: sets of members' levels l_1 <= .. <= l_s
-- that can be dealt to the places `highest` .. 3, each at its own level or lower: l_1 = highest, l_i <= 3 - s + i.
CREATE OR REPLACE MACRO sdc__is_product(member_levels, highest) AS
    len(member_levels) <= 4 - highest AND list_min(member_levels) = highest
    AND len(list_filter(range(1, len(member_levels) + 1), lambda i: list_sort(member_levels, 'ASC')[i] > 3 - len(member_levels) + i)) = 0;

-- Places in the list of keys, not names: the levels of a set are those of its places.
CREATE OR REPLACE MACRO sdc__product_places(key_levels) AS
    list_transform(
        list_transform([key_levels], lambda own: list_filter(
            sdc__place_sets(len(own), 3), lambda s: sdc__is_product(list_transform(s, lambda i: own[i]), list_min(own)))),
        lambda product: list_filter(
            product, lambda s: len(list_filter(product, lambda t: len(t) > len(s) AND list_has_all(t, s))) = 0))[1];

CREATE OR REPLACE MACRO sdc__key_sets(keys, threshold, dimension, levels) AS CASE
    WHEN coalesce(len(sdc__names(keys)), 0) = 0
        THEN error('ColumnError: (none): the list of columns is empty; name at least one, as in [''age'', ''sex''].')
    WHEN list_count(sdc__names(keys)) < len(sdc__names(keys))
        THEN error('ParameterError: NULL: the list of columns holds a NULL where a name should be.')
    WHEN levels IS NOT NULL AND NOT sdc__are_levels(levels) THEN NULL  -- true or the error: a condition beside it may be asked first
    WHEN levels IS NOT NULL AND len(sdc__without_key(keys, levels)) > 0
        THEN error('ParameterError: "' || sdc__without_key(keys, levels)[1]
                   || '" has a level of identification and is not among the keys, ' || sdc__quoted(keys) || '.')
    WHEN levels IS NOT NULL THEN list_transform([sdc__product_places(sdc__key_levels(keys, levels))], lambda product: CASE
        WHEN len(list_filter(product, lambda s: sdc__dimension(threshold, dimension) IS NULL
                                                OR sdc__set_threshold(threshold, len(s)) IS NULL)) > 0
            THEN error('ParameterError: Levels of identification make sets of up to three keys, and the list of thresholds has'
                       || ' none for some of them: give one threshold, or three.')
        ELSE sdc__named_places(keys, product) END)[1]
    ELSE sdc__named_places(keys, list_filter(sdc__place_sets(len(sdc__names(keys)), sdc__dimension(threshold, dimension)),
                                             lambda s: sdc__set_threshold(threshold, len(s)) IS NOT NULL))
END;

-- A rule: its sets of keys, and the threshold of each.
CREATE OR REPLACE MACRO sdc__key_rule(keys, threshold, dimension, levels) AS
    list_transform([sdc__key_sets(keys, threshold, dimension, levels)],
                   lambda sets: {'sets': sets, 'limits': list_transform(sets, lambda s: sdc__set_threshold(threshold, len(s)))})[1];

-- The rule, where it has any sets: one that checks nothing would find nothing unsafe.
CREATE OR REPLACE MACRO sdc__some_rule(keys, threshold, rule) AS
    list_transform([rule], lambda r: CASE WHEN len(r['sets']) > 0 THEN r
        ELSE error('ParameterError: The threshold is ' || threshold::VARCHAR || ': no set of the ' || len(sdc__names(keys))
                   || ' keys has a threshold, so nothing would be checked; give one for a set of so many keys.') END)[1];

-- A rule of listed sets, as in mu-ARGUS: each of them with the one threshold or with its own (NULL: not checked).
CREATE OR REPLACE MACRO sdc__listed_sets(combinations) AS coalesce(TRY_CAST(combinations AS VARCHAR[][]), []);
CREATE OR REPLACE MACRO sdc__strange_keys(keys, combinations) AS
    list_filter(flatten(sdc__listed_sets(combinations)), lambda n: NOT sdc__is_among(n, keys));
CREATE OR REPLACE MACRO sdc__listed_rule(keys, threshold, dimension, levels, combinations) AS CASE
    WHEN dimension IS NOT NULL OR levels IS NOT NULL
        THEN error('ParameterError: The combinations are listed, and '
                   || CASE WHEN levels IS NULL THEN 'a dimension' ELSE 'levels' END
                   || ' would choose others: give one or the other.')
    WHEN sdc__dimension(threshold, NULL) IS NULL THEN NULL
    WHEN len(sdc__listed_sets(combinations)) = 0
         OR len(list_filter(sdc__listed_sets(combinations), lambda s: coalesce(len(s), 0) = 0 OR len(s) > list_count(s)))
            > 0
        THEN error('ParameterError: combinations must be a list of lists of keys, as in [[''age'', ''sex''], [''region'','
                   || ' ''sex'', ''job'']].')
    WHEN len(sdc__strange_keys(keys, combinations)) > 0
        THEN error('ColumnError: combinations has ' || sdc__quoted(sdc__strange_keys(keys, combinations))
                   || ', which is not among the keys, ' || sdc__quoted(keys) || '.')
    WHEN typeof(threshold) LIKE '%]' AND len(sdc__threshold_list(threshold)) <> len(sdc__listed_sets(combinations))
        THEN error('ParameterError: There are ' || len(sdc__listed_sets(combinations)) || ' combinations and '
                   || len(sdc__threshold_list(threshold)) || ' thresholds: give one for all, or one for each.')
    ELSE list_transform([list_filter(
             list_transform(sdc__listed_sets(combinations), lambda s, i: {
                 'set': list_filter(sdc__names(keys), lambda k: sdc__is_among(k, s)),
                 'limit': sdc__set_threshold(threshold, i)}),
             lambda r: r['limit'] IS NOT NULL)],
         lambda all_: {'sets': list_transform(all_, lambda r: r['set']), 'limits': list_transform(all_, lambda r: r['limit'])})[1]
END;
