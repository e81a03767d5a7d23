{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro synthesise(tbl, columns, id, given=none, codes=none, methods=none, k=none, leaf=none, gain=none, candidates=none, rules=none, fitted=none, drawn=none, proper=none, household=none, household_columns=none, structure=none, copy=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('synthesise', kwargs, ['tbl', 'columns', 'id', 'given', 'codes', 'methods', 'k', 'leaf', 'gain', 'candidates', 'rules', 'fitted', 'drawn', 'proper', 'household', 'household_columns', 'structure', 'copy', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_synthesise', id, [tbl, columns, id], {'given': given, 'codes': codes, 'methods': methods, 'k': k, 'leaf': leaf, 'gain': gain, 'candidates': candidates, 'rules': rules, 'fitted': fitted, 'drawn': drawn, 'proper': proper, 'household': household, 'household_columns': household_columns, 'structure': structure, 'copy': copy, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
