{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro motivated_intruder_records(original, released, columns, id, continuous=none, linkage=none, records=none, stream=none) -%}
    {{ sdc.sdc__only('motivated_intruder_records', kwargs, ['original', 'released', 'columns', 'id', 'continuous', 'linkage', 'records', 'stream']) }}
    {{ return(sdc.sdc__measure('sdc_motivated_intruder_records', [original, released, columns, id], {'continuous': continuous, 'linkage': linkage, 'records': records, 'stream': stream})) }}
{%- endmacro -%}

{%- macro motivated_intruder(original, released, columns, id, continuous=none, linkage=none, records=none, confidence=none, stream=none) -%}
    {{ sdc.sdc__only('motivated_intruder', kwargs, ['original', 'released', 'columns', 'id', 'continuous', 'linkage', 'records', 'confidence', 'stream']) }}
    {{ return(sdc.sdc__measure('sdc_motivated_intruder', [original, released, columns, id], {'continuous': continuous, 'linkage': linkage, 'records': records, 'confidence': confidence, 'stream': stream})) }}
{%- endmacro -%}
