{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro joint_releases_records(releases, keys, id, nulls=none) -%}
    {{ sdc.sdc__only('joint_releases_records', kwargs, ['releases', 'keys', 'id', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_joint_releases_records', [releases, keys, id], {'nulls': nulls})) }}
{%- endmacro -%}

{%- macro joint_releases(releases, keys, id, k=none, nulls=none) -%}
    {{ sdc.sdc__only('joint_releases', kwargs, ['releases', 'keys', 'id', 'k', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_joint_releases', [releases, keys, id], {'k': k, 'nulls': nulls})) }}
{%- endmacro -%}
