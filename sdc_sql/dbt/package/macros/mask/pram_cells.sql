{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro pram_retention(tbl, columns, retention, id, stratum=none, stream=none, release=none, unit=none, household=none, categories=none) -%}
    {{ sdc.sdc__only('pram_retention', kwargs, ['tbl', 'columns', 'retention', 'id', 'stratum', 'stream', 'release', 'unit', 'household', 'categories']) }}
    {{ return(sdc.sdc__mask('sdc_pram_retention', id, [tbl, columns, retention, id], {'stratum': stratum, 'stream': stream, 'release': release, 'unit': unit, 'household': household, 'categories': categories})) }}
{%- endmacro -%}

{%- macro pram_guaranteed(tbl, keys, xi, id, within=none, stream=none, release=none, unit=none) -%}
    {{ sdc.sdc__only('pram_guaranteed', kwargs, ['tbl', 'keys', 'xi', 'id', 'within', 'stream', 'release', 'unit']) }}
    {{ return(sdc.sdc__mask('sdc_pram_guaranteed', id, [tbl, keys, xi, id], {'within': within, 'stream': stream, 'release': release, 'unit': unit})) }}
{%- endmacro -%}

{%- macro pram_proof(tbl, keys, xi, id, within=none, most=none) -%}
    {{ sdc.sdc__only('pram_proof', kwargs, ['tbl', 'keys', 'xi', 'id', 'within', 'most']) }}
    {{ return(sdc.sdc__measure('sdc_pram_proof', [tbl, keys, xi, id], {'within': within, 'most': most})) }}
{%- endmacro -%}
