{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro likeness_cells(tbl, keys, sensitive, chosen=none) -%}
    {{ sdc.sdc__only('likeness_cells', kwargs, ['tbl', 'keys', 'sensitive', 'chosen']) }}
    {{ return(sdc.sdc__measure('sdc_likeness_cells', [tbl, keys, sensitive], {'chosen': chosen})) }}
{%- endmacro -%}

{%- macro likeness(tbl, keys, sensitive, chosen=none) -%}
    {{ sdc.sdc__only('likeness', kwargs, ['tbl', 'keys', 'sensitive', 'chosen']) }}
    {{ return(sdc.sdc__measure('sdc_likeness', [tbl, keys, sensitive], {'chosen': chosen})) }}
{%- endmacro -%}
