{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro robust_disclosure_records(original, released, columns, id, width=none, near=none) -%}
    {{ sdc.sdc__only('robust_disclosure_records', kwargs, ['original', 'released', 'columns', 'id', 'width', 'near']) }}
    {{ return(sdc.sdc__measure('sdc_robust_disclosure_records', [original, released, columns, id], {'width': width, 'near': near})) }}
{%- endmacro -%}

{%- macro robust_disclosure(original, released, columns, id, width=none, near=none) -%}
    {{ sdc.sdc__only('robust_disclosure', kwargs, ['original', 'released', 'columns', 'id', 'width', 'near']) }}
    {{ return(sdc.sdc__measure('sdc_robust_disclosure', [original, released, columns, id], {'width': width, 'near': near})) }}
{%- endmacro -%}
