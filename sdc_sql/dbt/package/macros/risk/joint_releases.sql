{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro joint_releases_records(releases, keys, id, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_joint_releases_records', [releases, keys, id], {'nulls': nulls})) }}
{%- endmacro -%}

{%- macro joint_releases(releases, keys, id, k=none, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_joint_releases', [releases, keys, id], {'k': k, 'nulls': nulls})) }}
{%- endmacro -%}
