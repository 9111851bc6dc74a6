"""Functions that a query may call: those that only compute a value from their arguments.

A list of what is allowed, since what is dangerous cannot be listed: every server and extension adds to it. A name stands here
only if it is harmless in both dialects.
"""

ALLOWED = frozenset(
    # aggregates
    """any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp every first group_concat
    json_agg json_group_array json_group_object json_object_agg jsonb_agg jsonb_group_array jsonb_group_object jsonb_object_agg
    last listagg max mean median min mode percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2
    regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum total var_pop var_samp variance
    weighted_avg xmlagg range_agg """
    # windows
    """cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number """
    # numbers
    """abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees div exp factorial floor fmod gcd
    greatest lcm least ln log log10 log2 mod pi pow power radians round scale min_scale trim_scale sign sin sinh sqrt tan tanh
    trunc truncate width_bucket xor bit_count numeric_inc hex unhex to_hex random """
    # text
    """ascii btrim char char_length character_length chr concat concat_ws contains format initcap instr left len length
    levenshtein lower lpad ltrim md5 normalize octet_length bit_length overlay position printf quote_ident quote_literal
    quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
    regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim sha1 sha256 soundex split split_part
    starts_with string_to_array string_to_table strlen strpos substr substring to_char to_number translate trim unicode upper
    similarity word_similarity unaccent to_ascii snippet highlight bm25 """
    # full text of PostgreSQL, without those that run a query
    """to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline """
    # dates and times
    """age ago date date_add date_bin date_part date_trunc datetime day epoch extract hour julian julianday justify_days
    justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz minute month now quarter
    second strftime time timediff timestamp timezone to_date to_timestamp unixepoch year current_date current_time
    current_timestamp localtime localtimestamp clock_timestamp transaction_timestamp """
    # values, lists and structures
    """case cast coalesce if ifnull iif nullif nvl typeof pg_typeof to_json to_jsonb row row_to_json array array_append
    array_cat array_dims array_length array_lower array_ndims array_position array_positions array_prepend array_remove
    array_replace array_sort array_to_json array_to_string array_upper cardinality generate_series generate_subscripts range
    unnest json json_array json_array_elements json_array_elements_text json_array_length json_build_array json_build_object
    json_each json_each_text json_exists json_extract json_extract_path json_extract_path_text json_object json_object_keys
    json_pretty json_query json_quote json_strip_nulls json_table json_to_record json_to_recordset json_tree json_type
    json_typeof json_valid json_value jsonb jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array
    jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_keys
    jsonb_path_exists jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_strip_nulls
    jsonb_to_record jsonb_to_recordset jsonb_typeof map_from_entries isempty lower_inc upper_inc numrange int4range int8range
    daterange tsrange tstzrange xpath xmlelement hstore st_area st_asgeojson st_astext st_centroid st_contains st_distance
    st_dwithin st_geomfromtext st_intersects st_length st_makepoint st_point st_setsrid st_transform st_within st_x st_y """
    # descriptions of a table
    """pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list
    pg_get_viewdef pg_get_constraintdef pg_size_pretty col_description obj_description format_type """
    # keywords before a bracket that call no function
    """all any as asc at between bernoulli by columns cube decimal desc distinct else except exclude exists filter from
    grouping having in intersect interval is join lateral like limit materialized not numeric offset on only or order
    ordinality over partition recursive returning rollup sample select sets some system tablesample then union using values
    varchar varying when where with within and bit character double float group precision grouping_id window""".split()
)

DENIED = frozenset(
    """copy load readfile writefile load_extension current_setting set_config query_to_xml nextval setval pg_sleep lo_import
    lo_export dblink""".split()
)
"""Refused even if the name is a keyword, or a part of the statement."""

CATALOG_PREFIXES = ("pg_", "pragma_", "sqlite_")
"""Prefixes of system tables, of which only those below may be read: others reveal files, users and other sessions."""

CATALOG = frozenset(
    """pg_class pg_namespace pg_attribute pg_type pg_index pg_constraint pg_description pg_enum pg_tables pg_views pg_matviews
    pg_indexes pg_catalog pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info
    pragma_foreign_key_list sqlite_master sqlite_schema sqlite_sequence sqlite_stat1""".split()
)
