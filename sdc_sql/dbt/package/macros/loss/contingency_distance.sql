{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro contingency_distance(original, released, columns, dimension=none) -%}
    {{ sdc.sdc__only('contingency_distance', kwargs, ['original', 'released', 'columns', 'dimension']) }}
    {{ return(sdc.sdc__measure('sdc_contingency_distance', [original, released, columns], {'dimension': dimension})) }}
{%- endmacro -%}

{%- macro margins_kept(original, released, margins, total=none) -%}
    {{ sdc.sdc__only('margins_kept', kwargs, ['original', 'released', 'margins', 'total']) }}
    {{ return(sdc.sdc__measure('sdc_margins_kept', [original, released, margins], {'total': total})) }}
{%- endmacro -%}
