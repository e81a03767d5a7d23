-- What SQL cannot say well is computed by Python: `load` puts functions over numpy in the place of these.
-- In a plain DuckDB shell they stand for themselves, and say so when they are called.
--
-- x: the values of a stratum, a list a record; normals, uniforms: draws of the same shape. What comes
-- back is one list a column, in the order of the records.

CREATE OR REPLACE MACRO sdc__needs_python(what) AS
    error('Unsupported: ' || what
          || ' needs Python: in Python, sdc_sql.load(con) registers it; or use the command line, sdc-sql shell or sdc-sql'
          || ' mask.');

-- Names of columns for the messages of a kernel, a line each.
CREATE OR REPLACE MACRO sdc__lines(names) AS array_to_string(list_transform(names, lambda n: replace(n, chr(10), ' ')), chr(10));

CREATE OR REPLACE MACRO sdc__kernel_noise(stratum, method, x, normals, uniforms, alpha, lower, upper, rounded, discrete) AS
    sdc__needs_python('Noise')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_noise_root(stratum, covariances, sizes) AS
    sdc__needs_python('Correlated noise')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_noise_given(stratum, root, places) AS
    sdc__needs_python('Correlated noise')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_multiplicative(stratum, method, x, normals, uniforms, size, spread) AS
    sdc__needs_python('Multiplicative noise')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_microaggregate(stratum, x, k, method, centroid, blocks, gamma) AS
    sdc__needs_python('Microaggregation')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_microaggregate_categorical(stratum, codes, labels, k, scale) AS
    sdc__needs_python('Microaggregation')::VARCHAR[][];
CREATE OR REPLACE MACRO sdc__kernel_ascending(stratum, x, breakers) AS
    sdc__needs_python('An order of numbers')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_swap(stratum, places, x, choices, p, correlation) AS
    sdc__needs_python('Rank swapping')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_swap_range(stratum, places, x, choices, correlation) AS
    sdc__needs_python('Rank swapping')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_exchange(draws, alike, apart, need, sizes) AS
    sdc__needs_python('Swapping of records')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_suppress(stratum, cells, hashes, sizes, k, guarantee, importance, cost, shares, keys) AS
    sdc__needs_python('Local suppression')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_suppress_households(codes, members, numbers, labels, k, weights, unit) AS
    sdc__needs_python('Local suppression')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_settle_households(stratum, codes, houses, records, k, weights) AS
    sdc__needs_python('Local suppression')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_suppression_gap(stratum, cells, hashes, sizes, k, guarantee, importance, cost, shares, keys) AS
    sdc__needs_python('Local suppression')::DOUBLE[];
CREATE OR REPLACE MACRO sdc__kernel_suppress_combinations(codes, counts, amounts, sets, thresholds, inclusive, guarantee,
                                                          importance, cost) AS
    sdc__needs_python('Local suppression')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_suppress_risky(codes, counts, amounts, cells, households, members, max_risk, may, importance, cost) AS
    sdc__needs_python('Local suppression')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_local_recoding(codes, counts, k, places, nodes) AS
    sdc__needs_python('Mondrian')::BIGINT[];
CREATE OR REPLACE MACRO sdc__kernel_generalise(codes, counts, ladders, secret, outside, asked, loss) AS
    sdc__needs_python('The search for a generalisation')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_generalised(codes, counts, ladders, secret, outside, asked, levels) AS
    sdc__needs_python('The search for a generalisation')::DOUBLE[];
CREATE OR REPLACE MACRO sdc__kernel_generalisations(codes, counts, ladders, secret, outside, asked, loss) AS
    sdc__needs_python('The search for a generalisation')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_resample(stratum, places, x, draws) AS
    sdc__needs_python('Resampling')::DOUBLE[];
CREATE OR REPLACE MACRO sdc__kernel_invariant(p, frequencies, method, pd, alpha) AS
    sdc__needs_python('An invariant PRAM matrix')::DOUBLE[];
CREATE OR REPLACE MACRO sdc__kernel_estimate(p, released) AS
    sdc__needs_python('The correction for PRAM')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_estimate_two_way(p, q, released) AS
    sdc__needs_python('The correction for PRAM')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_correct_match(frequencies, cells, theta, most) AS
    sdc__needs_python('The exact probability of a correct match')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_distort(groups, members, draws, chosen, asked) AS
    sdc__needs_python('Distortion of sensitive values')::DOUBLE[];
