"""Checks a query: one read-only statement, with bound parameters and functions that only compute a value from their arguments.

This is the first of two protections: it refuses early, with a message that helps the model. The second one, the
connection, is safe without it. Functions are listed as allowed, since what is dangerous cannot be listed: every server and
extension adds to it. A name stands there only if it is harmless in both dialects.
"""

import logging
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from services.run.errors import QueryRefused, SettingsError
from services.run.ui_text import told
from services.tools.databases.configuration import INSTALL, Dialect

if TYPE_CHECKING:
    from sqlglot import exp


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


MAX_QUERY = 20_000
"""Maximum characters of a query."""
MAX_DEPTH = 60
"""Maximum nesting of brackets."""
MAX_BRACKETS = 200
"""Maximum number of square brackets, which are slow to parse in large numbers."""
_BEGINS = {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}
_ONE = "Only one statement is run, and it must be a SELECT (WITH … SELECT, VALUES and UNION are fine)."
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A checked query."""

    sql: str
    """The query, with parameters in the driver's notation."""
    reads: tuple[str, ...]
    """Tables that the query reads; empty if it reads none."""


def checked(query: str, parameters: Collection[str], dialect: Dialect) -> Statement:
    """Check a model's query and convert its parameters, `:name` each, to the driver's notation.

    Raises:
        QueryRefused: the query is not a single read-only statement; the message says what to change.
    """
    if len(query) > MAX_QUERY or "\x00" in query:
        raise QueryRefused(f"The query is longer than {MAX_QUERY:,} characters or holds NUL. Ask for less at once.")
    tokens = _tokens(query, dialect)
    _check_it_reads(tokens)
    tree = _parsed(query, dialect)
    _only_reads(tree)
    _only_computes(tree, tokens)
    reads = _tables(tree)
    _check_parameters(tree, parameters)
    sql = query.rstrip().rstrip(";") if tokens[-1].token_type.name == "SEMICOLON" else query
    tokens = [token for token in tokens if token.token_type.name != "SEMICOLON"]
    if dialect == "postgres" and parameters:
        return Statement(_marked(sql, tokens, parameters), reads)
    return Statement(sql, reads)


def _tokens(query: str, dialect: Dialect) -> list[Any]:
    try:
        from sqlglot import Dialect as Grammar
        from sqlglot.errors import TokenError
    except ImportError:
        raise SettingsError(**told("database_packages", command=INSTALL)) from None
    try:
        return list(Grammar.get_or_raise(dialect).tokenize(query))
    except TokenError:
        raise QueryRefused("The query cannot be read: a quotation mark or a comment is not closed.") from None


def _check_it_reads(tokens: list[Any]) -> None:
    names = [token.token_type.name for token in tokens]
    while names and names[-1] == "SEMICOLON":
        names.pop()
    if "SEMICOLON" in names:
        raise QueryRefused(_ONE)
    first = next((token for token in tokens if token.token_type.name != "L_PAREN"), None)
    if first is None or first.text.upper() not in _BEGINS:
        raise QueryRefused(_ONE)
    if names.count("L_BRACKET") > MAX_BRACKETS:
        raise QueryRefused(f"The query has more than {MAX_BRACKETS} square brackets. Write it shorter.")
    depth = deepest = 0
    for name in names:
        depth += name in {"L_PAREN", "L_BRACKET", "L_BRACE", "CASE"}
        depth -= name in {"R_PAREN", "R_BRACKET", "R_BRACE", "END"}
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise QueryRefused(f"The query is nested more than {MAX_DEPTH} levels deep. Write it flatter, using WITH.")


def _marked(query: str, tokens: list[Any], parameters: Collection[str]) -> str:
    """Write each `:name` parameter as psycopg does, and double every other `%`."""
    places = []
    for colon, name in pairwise(tokens):
        before = query[colon.start - 1 : colon.start]
        if (
            colon.token_type.name == "COLON"
            and name.start == colon.end + 1
            and query[name.start : name.end + 1] in parameters
            and not (before.isalnum() or before in tuple("_]\")'"))
        ):
            places.append((colon.start, name.end + 1, f"%({query[name.start : name.end + 1]})s"))
    parts, done = [], 0
    for start, end, written in [*places, (len(query), len(query), "")]:
        parts += [query[done:start].replace("%", "%%"), written]
        done = end
    return "".join(parts)


def _parsed(query: str, dialect: Dialect) -> "exp.Expr":
    import sqlglot
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # parser messages go to the model, not to the log
    try:
        trees = [tree for tree in sqlglot.parse(query, read=dialect) if tree is not None]
    except SqlglotError as error:
        details: list[dict[str, Any]] = getattr(error, "errors", None) or [{}]
        highlight = str(details[0].get("highlight") or "")[:60]
        raise QueryRefused(
            f"The query cannot be read{f' near {highlight!r}' if highlight else ''}. Correct its syntax."
        ) from None
    except RecursionError:
        raise QueryRefused("The query is nested too deeply. Write it flatter, using WITH.") from None
    trees = [tree for tree in trees if type(tree).__name__ != "Semicolon"]
    if len(trees) != 1:
        raise QueryRefused(_ONE)
    return trees[0]


def _only_reads(tree: "exp.Expr") -> None:
    from sqlglot import exp

    if not isinstance(tree, (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)):
        raise QueryRefused(_ONE)
    for node in tree.walk():
        if isinstance(node, exp.Into):
            raise QueryRefused("SELECT … INTO makes a table. Leave out INTO: the rows come back as the result.")
        if isinstance(node, exp.Lock):
            raise QueryRefused("FOR UPDATE and FOR SHARE lock rows. Leave them out.")
        if isinstance(node, (exp.DDL, exp.DML, exp.Command, exp.Copy, exp.Attach, exp.Detach, exp.Pragma, exp.Set)):
            raise QueryRefused(f"{type(node).__name__.upper()} does more than read. {_ONE}")


def _only_computes(tree: "exp.Expr", tokens: list[Any]) -> None:
    """Refuse calls of functions that are not known to be harmless: any name before a bracket counts as a call."""
    from sqlglot import exp

    named = Counter(alias.name.lower() for alias in tree.find_all(exp.TableAlias) if alias.args.get("columns"))
    named.update(window.name.lower() for window in tree.find_all(exp.Window) if window.name)
    for name, bracket in pairwise(tokens):
        if bracket.token_type.name != "L_PAREN":
            continue
        called = name.text.lower()
        if called in DENIED:
            raise QueryRefused(f"The function {called} may not be called: it does more than compute.")
        if name.token_type.name not in {"VAR", "IDENTIFIER"} or called in ALLOWED:
            continue
        named[called] -= 1
        if named[called] < 0:
            raise QueryRefused(
                f"The function {called[:60]!r} is not among those that may be called in a query. Use standard SQL functions."
            )


def _tables(tree: "exp.Expr") -> tuple[str, ...]:
    from sqlglot import exp

    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    names = []
    for table in tree.find_all(exp.Table):
        name = table.name
        parts = [part.name.lower() for part in table.parts if part.name]
        system = [part for part in parts if part.startswith(CATALOG_PREFIXES) and part not in CATALOG]
        if system:
            raise QueryRefused(f"The system table {system[0][:60]!r} may not be read. Read the database's own tables.")
        if name and (name.lower() not in own or len(parts) > 1):
            names.append(name)
    return tuple(dict.fromkeys(names))


def _check_parameters(tree: "exp.Expr", parameters: Collection[str]) -> None:
    from sqlglot import exp

    used = {str(mark.this or "") for mark in tree.find_all(exp.Placeholder)}
    used |= {mark.name for mark in tree.find_all(exp.Parameter)}
    if unnamed := [name for name in used if not _WORD.fullmatch(name)]:
        raise QueryRefused(f"Write parameters as :name and give their values in params, not as {unnamed[0] or '?'}.")
    if missing := sorted(used - set(parameters)):
        raise QueryRefused(f"params gives no value for :{missing[0]}.")
    if idle := sorted(set(parameters) - used):
        raise QueryRefused(f"params has {idle[0]!r}, but the query does not use :{idle[0]}.")
