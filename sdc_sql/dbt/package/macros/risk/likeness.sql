{%- macro likeness(tbl, keys, sensitive, chosen=none) -%}
    {{ return(sdc.sdc__measure('sdc_likeness', [tbl, keys, sensitive], {'chosen': chosen})) }}
{%- endmacro -%}

{%- macro likeness_cells(tbl, keys, sensitive, chosen=none) -%}
    {{ return(sdc.sdc__measure('sdc_likeness_cells', [tbl, keys, sensitive], {'chosen': chosen})) }}
{%- endmacro -%}
