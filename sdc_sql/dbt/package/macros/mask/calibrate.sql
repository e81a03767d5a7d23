{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro totals(tbl, columns, weight=none) -%}
    {{ sdc.sdc__only('totals', kwargs, ['tbl', 'columns', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_totals', [tbl, columns], {'weight': weight})) }}
{%- endmacro -%}

{%- macro calibrate(tbl, column_name, totals, id, margins=none, lower=none, upper=none, most=none, distance=none) -%}
    {{ sdc.sdc__only('calibrate', kwargs, ['tbl', 'column_name', 'totals', 'id', 'margins', 'lower', 'upper', 'most', 'distance']) }}
    {{ return(sdc.sdc__mask('sdc_calibrate', id, [tbl, column_name, totals, id], {'margins': margins, 'lower': lower, 'upper': upper, 'most': most, 'distance': distance})) }}
{%- endmacro -%}
