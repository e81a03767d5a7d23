-- Records that a method holds all at once: as lists, which stay in memory where tables are spilled to disk.
--
-- A method says before it begins that DuckDB's memory_limit cannot hold them, in place of failing when the memory is full.
-- bytes: of a record; a million are masked on two threads under the memory_limit that comes of it (tests/mask/test_held_at_once.py).

-- The most bytes that a size can be which DuckDB writes so, with the decimals after the first cut off: '953.6 MiB'.
CREATE OR REPLACE MACRO sdc__bytes_of(size) AS
    (split_part(size, ' ', 1)::DOUBLE + 0.1)
    * pow(1024e0, coalesce(list_position(['KiB', 'MiB', 'GiB', 'TiB', 'PiB'], split_part(size, ' ', 2)), 0));

-- A list grows by doubling: it has room for as many records as the next power of two.
CREATE OR REPLACE MACRO sdc__bytes_held(records, bytes) AS bytes * pow(2e0, ceil(log2(greatest(records, 1))));
CREATE OR REPLACE MACRO sdc__fits_into_memory(records, bytes) AS
    CASE WHEN sdc__bytes_held(records, bytes) <= sdc__bytes_of(current_setting('memory_limit')) THEN true
         ELSE error('TableError: This method holds all records at once, about '
                    || format('{:,}', ceil(sdc__bytes_held(records, bytes) / 1e6)::BIGINT) || ' MB for '
                    || format('{:,}', records) || ' records, and memory_limit is ' || current_setting('memory_limit')
                    || ': raise it (SET memory_limit = ''' || ceil(sdc__bytes_held(records, bytes) / 1e6)::BIGINT
                    || 'MB''), or mask the table in parts.') END;
