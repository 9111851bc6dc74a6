"""Functions that a query may call: those that only compute a value from their arguments.

A list of what is allowed, since what is dangerous cannot be listed: every server and extension adds to it. A name stands here
only if it is harmless in all three dialects.
"""

ALLOWED = frozenset(
    # aggregates
    """any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_min arg_min_null argmax
    argmin array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count count_if count_star countif covar_pop covar_samp
    entropy every favg first fsum geomean geometric_mean group_concat histogram json_agg json_group_array json_group_object
    json_object_agg jsonb_agg jsonb_group_array jsonb_group_object jsonb_object_agg kahan_sum kurtosis kurtosis_pop last list
    listagg mad max max_by mean median min min_by mode percentile_cont percentile_disc product quantile quantile_cont
    quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
    reservoir_quantile sem skewness stddev stddev_pop stddev_samp string_agg sum sumkahan total var_pop var_samp variance
    wavg weighted_avg xmlagg range_agg """
    # windows
    """cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number """
    # numbers
    """abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees div even exp factorial fdiv floor fmod
    gamma gcd greatest greatest_common_divisor isfinite isinf isnan lcm least lgamma ln log log10 log2 mod pi pow power radians
    round round_even scale min_scale trim_scale sign signbit sin sinh sqrt tan tanh trunc truncate width_bucket xor bit_count
    numeric_inc to_base bin hex unhex to_hex random """
    # text
    """ascii bar btrim char char_length character_length chr concat concat_ws contains damerau_levenshtein editdist3 ends_with
    format format_bytes from_base64 base64 hamming initcap instr jaccard jaro_similarity jaro_winkler_similarity lcase left
    left_grapheme len length length_grapheme levenshtein lower lpad ltrim md5 nfc_normalize normalize octet_length bit_length
    ord overlay position prefix printf quote_ident quote_literal quote_nullable regexp_count regexp_escape regexp_extract
    regexp_extract_all regexp_full_match regexp_instr regexp_like regexp_match regexp_matches regexp_replace
    regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim sha1 sha256 soundex
    split split_part starts_with str_split string_split string_to_array string_to_table strip_accents strlen strpos substr
    substring suffix to_char to_number translate trim ucase unicode upper url_decode url_encode similarity word_similarity
    unaccent to_ascii snippet highlight bm25 """
    # full text of PostgreSQL, without those that run a query
    """to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline """
    # dates and times
    """age ago century date date_add date_bin date_diff date_part date_sub date_trunc datediff datepart datesub datetime
    datetrunc day dayname dayofmonth dayofweek dayofyear days_in_month decade epoch epoch_ms epoch_us era extract hour isodow
    isoyear julian julianday justify_days justify_hours justify_interval last_day make_date make_interval make_time
    make_timestamp make_timestamptz microsecond millennium millisecond minute month monthname now quarter second strftime
    strptime time time_bucket timediff timestamp timezone to_date to_days to_hours to_milliseconds to_minutes to_months
    to_quarters to_seconds to_timestamp to_weeks to_years today try_strptime unixepoch week weekday weekofyear year yearweek
    current_date current_time current_timestamp localtime localtimestamp clock_timestamp transaction_timestamp """
    # values, lists and structures
    """case cast coalesce if ifnull iif nullif nvl try_cast try typeof pg_typeof to_json to_jsonb row row_to_json
    array array_append array_cat array_concat array_contains array_dims array_distinct array_extract array_has array_has_all
    array_has_any array_intersect array_length array_lower array_ndims array_position array_positions array_prepend
    array_remove array_replace array_slice array_sort array_to_json array_to_string array_transform array_unique array_upper
    cardinality element_at flatten generate_series generate_subscripts range unnest list_aggregate list_avg list_concat
    list_contains list_count list_distinct list_element list_extract list_filter list_first list_has list_has_all list_has_any
    list_intersect list_last list_max list_median list_min list_position list_reduce list_reverse list_slice list_sort
    list_string_agg list_sum list_transform list_unique list_value list_zip json json_array json_array_elements
    json_array_elements_text json_array_length json_build_array json_build_object json_contains json_each json_each_text
    json_exists json_extract json_extract_path json_extract_path_text json_extract_string json_keys json_object
    json_object_keys json_pretty json_query json_quote json_strip_nulls json_structure json_table json_to_record
    json_to_recordset json_tree json_type json_typeof json_valid json_value jsonb jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
    jsonb_extract_path jsonb_extract_path_text jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_path_query_array
    jsonb_path_query_first jsonb_pretty jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof map map_contains
    map_entries map_extract map_from_entries map_keys map_values struct struct_extract struct_keys struct_pack struct_values
    isempty lower_inc upper_inc numrange int4range int8range daterange tsrange tstzrange xpath xmlelement hstore
    st_area st_asgeojson st_astext st_centroid st_contains st_distance st_dwithin st_geomfromtext st_intersects st_length
    st_makepoint st_point st_setsrid st_transform st_within st_x st_y """
    # descriptions of a table
    """pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list
    duckdb_tables duckdb_columns duckdb_views duckdb_constraints pg_get_viewdef pg_get_constraintdef pg_size_pretty
    col_description obj_description format_type """
    # keywords before a bracket that call no function
    """all any as asc at between bernoulli by columns cube decimal desc distinct else except exclude exists filter from grouping
    having in intersect interval is join lateral like limit materialized not numeric offset on only or order ordinality over
    partition recursive reservoir returning rollup sample select sets some system tablesample then union using values varchar
    varying when where with within and bit character double float group precision grouping_id window""".split()
)

DENIED = frozenset(
    """glob copy load read_csv read_csv_auto read_parquet parquet_scan read_json read_json_auto read_ndjson read_text read_blob
    readfile writefile load_extension query query_table current_setting set_config query_to_xml nextval setval sleep_ms pg_sleep
    lo_import lo_export dblink secret to_file getenv""".split()
)
"""Refused even if the name is a keyword, or a part of the statement."""

CATALOG_PREFIXES = ("pg_", "duckdb_", "pragma_", "sqlite_")
"""Prefixes of system tables, of which only those below may be read: others reveal files, users and other sessions."""

CATALOG = frozenset(
    """pg_class pg_namespace pg_attribute pg_type pg_index pg_constraint pg_description pg_enum pg_tables pg_views pg_matviews
    pg_indexes pg_catalog duckdb_tables duckdb_columns duckdb_views duckdb_constraints pragma_table_info pragma_table_xinfo
    pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list sqlite_master sqlite_schema sqlite_sequence
    sqlite_stat1""".split()
)
