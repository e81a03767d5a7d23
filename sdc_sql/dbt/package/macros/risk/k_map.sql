{%- macro k_map(tbl, population, keys, k) -%}
    {{ return(sdc.sdc__measure('sdc_k_map', [tbl, population, keys, k], {})) }}
{%- endmacro -%}
