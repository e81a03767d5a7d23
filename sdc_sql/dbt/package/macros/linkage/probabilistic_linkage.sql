{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro probabilistic_linkage_parameters(original, released, columns, id, continuous=none, tolerance=none, block=none) -%}
    {{ sdc.sdc__only('probabilistic_linkage_parameters', kwargs, ['original', 'released', 'columns', 'id', 'continuous', 'tolerance', 'block']) }}
    {{ return(sdc.sdc__measure('sdc_probabilistic_linkage_parameters', [original, released, columns, id], {'continuous': continuous, 'tolerance': tolerance, 'block': block})) }}
{%- endmacro -%}

{%- macro probabilistic_linkage_patterns(original, released, columns, id, continuous=none, tolerance=none, block=none, false_match=none, false_nonmatch=none) -%}
    {{ sdc.sdc__only('probabilistic_linkage_patterns', kwargs, ['original', 'released', 'columns', 'id', 'continuous', 'tolerance', 'block', 'false_match', 'false_nonmatch']) }}
    {{ return(sdc.sdc__measure('sdc_probabilistic_linkage_patterns', [original, released, columns, id], {'continuous': continuous, 'tolerance': tolerance, 'block': block, 'false_match': false_match, 'false_nonmatch': false_nonmatch})) }}
{%- endmacro -%}

{%- macro probabilistic_linkage_records(original, released, columns, id, continuous=none, tolerance=none, block=none) -%}
    {{ sdc.sdc__only('probabilistic_linkage_records', kwargs, ['original', 'released', 'columns', 'id', 'continuous', 'tolerance', 'block']) }}
    {{ return(sdc.sdc__measure('sdc_probabilistic_linkage_records', [original, released, columns, id], {'continuous': continuous, 'tolerance': tolerance, 'block': block})) }}
{%- endmacro -%}

{%- macro probabilistic_linkage(original, released, columns, id, continuous=none, tolerance=none, block=none, false_match=none, false_nonmatch=none) -%}
    {{ sdc.sdc__only('probabilistic_linkage', kwargs, ['original', 'released', 'columns', 'id', 'continuous', 'tolerance', 'block', 'false_match', 'false_nonmatch']) }}
    {{ return(sdc.sdc__measure('sdc_probabilistic_linkage', [original, released, columns, id], {'continuous': continuous, 'tolerance': tolerance, 'block': block, 'false_match': false_match, 'false_nonmatch': false_nonmatch})) }}
{%- endmacro -%}
