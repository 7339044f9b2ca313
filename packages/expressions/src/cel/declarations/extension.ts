/** The extensions of cel-go that Kubernetes turns on: strings 2, sets, lists 3, optionals, two-variable macros.
 *  A line is a function, an overload id, the argument types (a leading dot: called on a receiver), the result type. */
export const extensionDeclarations = `
@sortByAssociatedKeys list_int_sortByAssociatedKeys .(list(T), list(int)) -> list(T)
@sortByAssociatedKeys list_uint_sortByAssociatedKeys .(list(T), list(uint)) -> list(T)
@sortByAssociatedKeys list_double_sortByAssociatedKeys .(list(T), list(double)) -> list(T)
@sortByAssociatedKeys list_bool_sortByAssociatedKeys .(list(T), list(bool)) -> list(T)
@sortByAssociatedKeys list_google.protobuf.Duration_sortByAssociatedKeys .(list(T), list(duration)) -> list(T)
@sortByAssociatedKeys list_google.protobuf.Timestamp_sortByAssociatedKeys .(list(T), list(timestamp)) -> list(T)
@sortByAssociatedKeys list_string_sortByAssociatedKeys .(list(T), list(string)) -> list(T)
@sortByAssociatedKeys list_bytes_sortByAssociatedKeys .(list(T), list(bytes)) -> list(T)
_?._ select_optional_field (dyn, string) -> optional_type(V)
_[?_] list_optindex_optional_int (list(V), int) -> optional_type(V)
_[?_] optional_list_optindex_optional_int (optional_type(list(V)), int) -> optional_type(V)
_[?_] map_optindex_optional_value (map(K, V), K) -> optional_type(V)
_[?_] optional_map_optindex_optional_value (optional_type(map(K, V)), K) -> optional_type(V)
_[_] optional_list_index_int (optional_type(list(V)), int) -> optional_type(V)
_[_] optional_map_index_value (optional_type(map(K, V)), K) -> optional_type(V)
cel.@mapInsert @mapInsert_map_key_value (map(K, V), K, V) -> map(K, V)
cel.@mapInsert @mapInsert_map_map (map(K, V), map(K, V)) -> map(K, V)
charAt string_char_at_int .(string, int) -> string
distinct list_distinct .(list(T)) -> list(T)
first list_first .(list(V)) -> optional_type(V)
flatten list_flatten .(list(list(T))) -> list(T)
flatten list_flatten_int .(list(dyn), int) -> list(dyn)
format string_format .(string, list(dyn)) -> string
hasValue optional_hasValue .(optional_type(V)) -> bool
indexOf string_index_of_string .(string, string) -> int
indexOf string_index_of_string_int .(string, string, int) -> int
join list_join .(list(string)) -> string
join list_join_string .(list(string), string) -> string
last list_last .(list(V)) -> optional_type(V)
lastIndexOf string_last_index_of_string .(string, string) -> int
lastIndexOf string_last_index_of_string_int .(string, string, int) -> int
lists.range lists_range (int) -> list(int)
lowerAscii string_lower_ascii .(string) -> string
optional.none optional_none () -> optional_type(V)
optional.of optional_of (V) -> optional_type(V)
optional.ofNonZeroValue optional_ofNonZeroValue (V) -> optional_type(V)
optional.unwrap optional_unwrap (list(optional_type(V))) -> list(V)
or optional_or_optional .(optional_type(V), optional_type(V)) -> optional_type(V)
orValue optional_orValue_value .(optional_type(V), V) -> V
replace string_replace_string_string .(string, string, string) -> string
replace string_replace_string_string_int .(string, string, string, int) -> string
reverse list_reverse .(list(T)) -> list(T)
sets.contains list_sets_contains_list (list(T), list(T)) -> bool
sets.equivalent list_sets_equivalent_list (list(T), list(T)) -> bool
sets.intersects list_sets_intersects_list (list(T), list(T)) -> bool
slice list_slice .(list(T), int, int) -> list(T)
sort list_int_sort .(list(int)) -> list(int)
sort list_uint_sort .(list(uint)) -> list(uint)
sort list_double_sort .(list(double)) -> list(double)
sort list_bool_sort .(list(bool)) -> list(bool)
sort list_google.protobuf.Duration_sort .(list(duration)) -> list(duration)
sort list_google.protobuf.Timestamp_sort .(list(timestamp)) -> list(timestamp)
sort list_string_sort .(list(string)) -> list(string)
sort list_bytes_sort .(list(bytes)) -> list(bytes)
split string_split_string .(string, string) -> list(string)
split string_split_string_int .(string, string, int) -> list(string)
strings.quote strings_quote (string) -> string
substring string_substring_int .(string, int) -> string
substring string_substring_int_int .(string, int, int) -> string
trim string_trim .(string) -> string
unwrapOpt optional_unwrapOpt .(list(optional_type(V))) -> list(V)
upperAscii string_upper_ascii .(string) -> string
value optional_value .(optional_type(V)) -> V
`
