{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro top_bottom_code(tbl, column_name, unit, id, top=none, bottom=none, replacement=none, top_label=none, bottom_label=none, weight=none, stratum=none) -%}
    {{ sdc.sdc__only('top_bottom_code', kwargs, ['tbl', 'column_name', 'unit', 'id', 'top', 'bottom', 'replacement', 'top_label', 'bottom_label', 'weight', 'stratum']) }}
    {{ return(sdc.sdc__mask('sdc_top_bottom_code', id, [tbl, column_name, unit, id], {'top': top, 'bottom': bottom, 'replacement': replacement, 'top_label': top_label, 'bottom_label': bottom_label, 'weight': weight, 'stratum': stratum})) }}
{%- endmacro -%}
