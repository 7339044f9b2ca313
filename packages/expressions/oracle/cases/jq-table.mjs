// Programs that are asked about every input below.
export const inputs = [
  null,
  true,
  -3.5,
  12,
  'héllo wörld 日本',
  '',
  [],
  [3, 1, 2, null, 'a', 1],
  ['b', 'a', 'c'],
  [[1, 2], [3], []],
  { a: 1, b: [1, 2, 3], c: { d: 'x' } },
  { name: 'pod-1', labels: { app: 'web', 'a.b/c': '1' }, items: [{ id: 1, v: 'x' }, { id: 2 }], __proto__x: 1 },
]

export const everywhere = String.raw`
.
..
.a
.a?
.a.b
.a.b?
."a"
.["a"]
.["a","b"]
.[0]
.[-1]
.[1.7]
.[10]
.[1:]
.[:1]
.[-2:]
.[1:2]
.[0:-1]
.[]
.[]?
.[]|.a?
.a[]
.c.d
.items[0].id
.items[].id
.items|map(.id)
.labels["a.b/c"]
.b[1:]
keys
length
utf8bytelength
not
type
add
tojson
tostring
tonumber
toboolean
reverse
sort
unique
min
max
floor
sqrt
abs
flatten
flatten(1)
flatten(-1)
transpose
ascii_downcase
ascii_upcase
explode
implode
trim
ltrim
rtrim
to_entries
from_entries
with_entries(.value |= tostring)
paths
[paths]
[paths(type == "number")]
[..]
[.. | numbers]
tostream
[tostream]
fromstream(tostream)
walk(if type == "number" then . + 1 else . end)
walk(if type == "array" then sort else . end)
map(.)
map_values(.)
map_values(empty)
map(select(. != null))
map(type)
any
all
any(. == 1)
all(. != null)
first
last
nth(1)
[limit(2; .[]?)]
first(.[]?)
last(.[]?)
isempty(.[]?)
has("a")
has(0)
in({"a":1})
in([1,2])
contains("l")
contains(["a"])
contains({a:1})
inside("xlx")
index("l")
rindex("l")
indices(1)
indices("")
indices([1,2])
startswith("h")
endswith("x")
ltrimstr("h")
rtrimstr("d")
trimstr("h")
split(" ")
split("")
split(", *"; null)
join(",")
join(null)
join(1)
test("l+")
match("l+")
match("(?<x>l)(o)?"; "g")
[match("";"g").offset]
capture("(?<first>\\w)(?<rest>.*)")
scan("[a-z]")
[scan("(l)(.)")]
[splits("l+")]
sub("l";"L")
gsub("l";"L")
gsub("(?<x>[aeiou])";"<\(.x)>")
gsub("";"-")
@text
@json
@html
@uri
@urid
@csv
@tsv
@sh
@base64
@base64d
@base64 "x\(.)y"
@json "v=\(.)"
"\(.)!"
"a\(1,2)b\(3,4)"
. + null
. + 1
. + "x"
. + [9]
. + {z:9}
. - 1
. - [1]
. * 2
. * {c:{e:1}}
. / 2
. / " "
. % 2
1 + .
"x" * .
. == .
. < 1
. <= "a"
[. < 1, . > 1, . == 1, . != 1]
. // "default"
.a // "default"
(.a, .b) // "none"
.a and .b
.a or .b
if . then "yes" else "no" end
if .a then 1 elif .b then 2 else 3 end
if . then 1 end
try error("x") catch .
try error({a:1}) catch .a
try error(null) catch .
try .a.b.c catch "caught"
try (1, error("x"), 2) catch .
[.[]? // 5]
error
error("msg")
error(null)
error({a:1})
reduce .[]? as $x (0; . + 1)
reduce .[]? as $x (null; [$x, .])
foreach .[]? as $x (0; . + 1)
foreach .[]? as $x (0; . + 1; [$x, .])
[foreach range(5) as $i (0; . + $i; select(. % 2 == 0))]
label $out | .[]? | if . == 1 then break $out else . end
. as $x | [$x, $x]
. as [$a, $b] | [$b, $a]
. as {a: $x, b: [$y, $z]} | [$x, $y, $z]
. as {$a, $b} | [$a, $b]
. as {"a": $x} | $x
. as {("a","b"): $x} | $x
. as [$a] ?// $a | [$a]
. as {a: $x} ?// [$x] | $x
.[]? as [$a] ?// {a: $a} ?// $a | [$a]
. as {$a: [$q]} | [$a, $q]
path(.a)
path(.a.b[0])
path(.[0])
path(.[1:])
path(..)
[path(.[]?)]
path(.a // .b)
path(if .a then .a else .b end)
path(first(.[]?))
path(.a | select(.))
path(getpath(["a","b"]))
path(1)
path(.a | tostring)
getpath(["a"])
getpath(["c","d"])
getpath([0,0])
getpath("a")
setpath(["a"]; 5)
setpath([0]; 5)
setpath([]; 5)
setpath(["x","y",1]; 5)
setpath([-1]; 5)
delpaths([["a"]])
delpaths([[0],[1]])
delpaths([[{"start":1,"end":2}]])
del(.a)
del(.[0])
del(.[1:])
del(.[0,2])
del(.a, .b)
del(..)
del(.[]?)
to_entries | map(.key)
pick(.a)
pick(.[1])
.a = 1
.a.b = 1
.[0] = 1
.[2] = 1
.[-1] = 1
.[1:2] = ["x","y"]
.["a"] = 1
.a |= . 
.a |= 5
.[0] |= 5
.[] |= 5
.[]? |= (.,.)
.[]? |= empty
.a += 1
.a -= 1
.a *= 2
.a /= 2
.a %= 2
.a //= 7
.[]? += 1
.. |= .
(.a, .b) = 3
(.a, .b) |= 3
.a = (1,2)
.a += (1,2)
.b[1:] |= map(. * 10)
.items |= map(select(.id == 1))
.items[].id |= . + 10
{a: 1}
{a}
{a, b}
{"a b": 1}
{"x\(1)": 2}
{(.name? // "k"): 1}
{a: (1,2), b: (3,4)}
{"a", "c"}
{a: .a?, b: [.b?]}
. as $x | {$x}
{a: 1 | 2}
{@base64 "x": 1}
{if: 1, then: 2, and: 3}
[1, 2, 3]
[.[]?]
[range(5)]
[range(2;5)]
[range(0;10;3)]
[range(5;0;-2)]
[range(0,1;3,4)]
[range(.)]
[range(0;1;0.3)]
group_by(.)
group_by(.id?)
unique_by(length?)
sort_by(tostring)
sort_by(.id?; .v?)
min_by(tostring)
max_by(tostring)
combinations
[combinations(2)]
[.[]? | tojson | fromjson]
fromjson
env
$ENV
[.[]? | numbers, strings]
arrays, objects, iterables, booleans, nulls, scalars, values
[recurse(if type == "array" then .[] else empty end)]
[recurse(.[]?; . != null)]
[recurse]
until(. != null; 1)
[while(type == "number" and . > 0 and . < 40; . * 2)]
[limit(3; repeat(1))]
[limit(0; 1, 2)]
limit(-1; 1)
[skip(1; .[]?)]
nth(1; .[]?)
def f: . ; f
def f(x): x | x; f(.[]?)
def f($a; $b): [$a, $b]; f(1, 2; 3, 4)
def f(g): [g]; f(.[]?)
def f: def g: 3; g; f
def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; 10 | fac
[.[]? | (. as $x | $x | not)]
splits("a")
ascii
@foo
gmtime
todate
mktime
strftime("%Y-%m-%d")
strptime("%Y")
now | type
localtime
input
inputs
debug
halt
halt_error
halt_error(1)
builtins | map(select(test("^[jy][01n]/") | not)) | length
$__loc__
$x
foo
foo(1)
getpath(["a",0,"b"])
[.[]? | isnan?]
isnan
isinfinite
isfinite
isnormal
significand
frexp
modf
logb
ltrimstr(1)
INDEX(.id?)
[JOIN({"1":2}; tostring)]
IN(1, 2, null)
IN(.[]?; 1)
any(.[]?; . == 1)
all(.[]?; . == 1)
add(.[]?)
have_literal_numbers
tojson | test("a")
[splits("")]
ascii_downcase | ascii_upcase
bsearch(1)
bsearch("b")
[.[]? as $x | $x | select(type == "number")] | add
-.
-(.a?)
+.
[-1, - 1, -(1), +1]
1 as $x | 2 as $y | [$x, $y, .]
[1, 2 as $x | $x]
1 + . as $x | $x
try error catch .
(try error("x") catch .) , 1
.a.[0]
.a."b"
.a["b"].c
..?
..a
.[[1]]
.[{"start":1,"end":null}]
.[{}]
.[null]
.[true]
."\("a")"
truncate_stream(1; [[0],1],[[1,0],2],[[1,0]],[[1]])
[1 | truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]])]
splits
error("\(.)")
[.[]?] | sort | unique | length
with_entries(select(.key != "a"))
to_entries | from_entries
[.[]? | select(type == "object") | .id]
(.labels // {}) | to_entries[] | "\(.key)=\(.value)"
.items | group_by(.id) | map({id: .[0].id, n: length})
.items | map({(.id | tostring): .v}) | add
[.. | scalars] | length
[paths(..)]
[leaf_paths]
input_line_number
ltrimstr("x") | rtrimstr("y")
tojson | fromjson
getpath(paths) 
limit(1; error("never"))
first(empty)
[first(range(10;0;-1))]
[.[]?] | (first, last)
`
  .split('\n')
  .filter(program => program !== '')

// Programs with inputs of their own.
const raw = String.raw
export const single = [
  ...raw`
1 +
1 + + 1
(
)
[1,
{a:
{a 1}
.a.
.[
.["a"
"abc
"a\q"
"a\u12"
"\(1"
"\(1)
"x" "y"
1 2
1.2.3
1e
1ex
.1.
1a
$
@
!
&
~
é
a::b
a::b(1)
$a::b
if 1 then 2
if 1 else 2 end
try
reduce . as $x (1)
reduce . as (1;2)
foreach . as $x (1;2;3;4)
def f 1; f
def f: 1
def f(: 1; f
def f(a;): 1; f
label x | 1
break $x
break
. as x | 1
. as [] | 1
. as {} | 1
. as {a} | 1
1 == 2 == 3
1 < 2 < 3
.a = .b = .c
.a += 1 += 2
1 // 2 // 3
null // null // 3
1 - 1 - 1
2 * 3 + 4 * 5
10 / 2 / 5
7 % 4 % 2
1 , 2 | 3
1 as $x | 2 , 3
true or false and false
false and error
true or error
1 == 1 and 2 == 2
not
null | not
{a:1,}
{,}
[,]
[1,]
{(1):2}
{("a","b"):1}
{"a":1,"a":2}
{$__loc__}
import "a" as a; 1
include "a"; 1
module {a:1}; 1
module 1; 2
def f: 1;

# comment
1 # comment
1 # comment \
2
"a" as $x | "b" as $y | $x + $y
[1,2,3] as [$a] | $a
[[1,2],[3,4]] as [[$a,$b],[$c]] | [$a,$b,$c]
{"a":{"b":1}} as {a:{b:$x}} | $x
{"k":"a","a":5} as {k:$k} | $k
{"k":"a","a":5} | . as {k:$k, ($k):$v} | [$k,$v]
[[1,{"a":2}]] | .[] as [$x,{a:$y}] | $x+$y
[3] | . as [$a] ?// {a:$a} | error("x")
[[3]] | .[] as [$a] ?// $a | if ($a|type)=="number" then error("no") else $a end
9007199254740993
9007199254740993 + 1
9223372036854775807 + 1
9223372036854775807 * 2
-9223372036854775808 - 1
100000000000000000000
100000000000000000000 * 100000000000000000000
100000000000000000001 % 10
100000000000000000000 / 10
100000000000000000000 / 3
100000000000000000000 - 100000000000000000000
100000000000000000000 == 100000000000000000000.0
100000000000000000000 | . + 0.5
100000000000000000000 | sqrt
100000000000000000000 | tostring
1e1000
-1e1000
1e1000 | tostring
[1e1000, -1e1000] | sort
1.0
1.50
1e2
1e-5
1e-7
1.5e300
0.1 + 0.2
3.0
100000000000000000000.0
1e21
1e20
123456789012345678
0.00001
-0
-0.0
0 * -1
0.0 * -1
[.1, 1., 1.e3]
5 / 2
4 / 2
1 / 3
1 / 0
1 % 0
1.5 % 0.5
5 % -3
-5 % 3
5.9 % 3.1
5 % 1e19
nan % 2
nan
[nan] | sort
nan < nan
nan == nan
[nan, 1] | min
[nan, 1] | max
infinite
-infinite
infinite % 3
[infinite, -infinite, nan] | tojson
"1" | tonumber
"1.5" | tonumber
" 1" | tonumber
"0x1" | tonumber
"1e3" | tonumber
"-5" | tonumber
"+5" | tonumber
".5" | tonumber
"5." | tonumber
"nan" | tonumber
"" | tonumber
"99999999999999999999" | tonumber
"[1,2.0,3.10,1e2,100000000000000000000]" | fromjson
"1.000" | fromjson
"1.000" | fromjson | . + 1
"1.000" | fromjson | -.
"-1.000" | fromjson | abs
"{\"a\":1.0,\"__proto__\":2}" | fromjson
"{\"b\":1,\"a\":2}" | fromjson | keys
"{" | fromjson
"[1," | fromjson
"[1 2]" | fromjson
"{1}" | fromjson
"{\"a\" 1}" | fromjson
"{\"a\":1 2}" | fromjson
"tru" | fromjson
"trux" | fromjson
"nul" | fromjson
"-" | fromjson
"-a" | fromjson
"1.a" | fromjson
"1e" | fromjson
"01" | fromjson
"1 2" | fromjson
"\"a" | fromjson
"\"\\q\"" | fromjson
"\"\\u12g4\"" | fromjson
"é" | fromjson
"'" | fromjson
" " | fromjson
"nan" | tojson
"\u00e9\ud83d\ude00" | length
"\u00e9\ud83d\ude00" | utf8bytelength
"\u00e9\ud83d\ude00" | explode
"\ud800" | explode
[233, 128512] | implode
[55296] | implode
[-1] | implode
["a"] | implode
"aé😀" | .[1:2]
"aé😀" | .[-1:]
"aé😀" | .[2]
"aé😀" | index("😀")
"x" * 0
"x" * -1
"x" * 3
"x" * 2.7
"x" * 0.5
"abc" * nan
"x" * 100000000000
{} * {}
{"a":{"b":1}} * {"a":{"c":2}}
{"a":{"b":1}} * {"a":3}
[1,2,3,1] - [1]
"a,b,c" / ","
"" / ","
"abc" / ""
[1,[2,[3,[4]]]] | flatten(2)
[1,[2]] | flatten("a")
[3,1,2] | sort_by(-.)
[{"a":1,"b":2},{"a":1,"b":1}] | sort_by(.a, .b)
[{"a":1,"b":2},{"a":1,"b":1}] | group_by(.a)
[{"a":1,"b":2},{"a":1,"b":1}] | unique_by(.a)
[{"a":1,"b":2},{"a":0,"b":1}] | min_by(.a), max_by(.a)
[] | min, max, add, first, last
[null,true,false,0,-1,"a",[],{},[0],{"a":1}] | sort
[{"b":1},{"a":2},{"a":1}] | sort
{"b":1,"a":[1,{"z":1,"y":2}]}
{"a":1} == {"a":1.0}
[1,2] < [1,3]
{"a":1} < {"b":0}
"a" < "b", "B" < "a", "é" < "z", "😀" < "￿"
[1,2,3] | contains([1]), contains([4]), inside([1,2,3,4])
{"a":[1,{"b":"foobar"}]} | contains({"a":[{"b":"bar"}]})
"foobar" | contains("bar")
1 | contains("a")
[1,2,1,2] | indices([1,2]), index(2), rindex(2)
"a,b, cd, efg" | indices(", ")
"test" | ltrimstr("te"), rtrimstr("st"), trimstr("t")
"  a b  " | trim, ltrim, rtrim
"a.b.c" | split(".")
"a1b22c" | split("[0-9]+"; null)
"aXbxc" | split("x"; "gi")
"foo bar foo" | test("FOO"; "i"), test("FOO")
"foo bar foo" | [match("foo"; "g").offset]
"foo bar" | match("(?<a>o+)|(?<b>z)")
"xyz" | capture("(?<a>x)(?<b>q)?")
"abc" | [match("(?<x>a)|(?<y>b)";"g") | .captures | map(.name)]
"a\nb" | test("a.b"), test("a.b";"m"), test("a.b";"s")
"aAbB" | [scan("[a-z]"; "i")]
"test" | test("("), 1
"test" | test("t"; 1)
"test" | test(1)
1 | test("a")
"test" | match("t";"x")
"aaa" | sub("a";"b"), sub("a";"b";"g"), gsub("a";"b";"i")
"abc" | sub("(?<x>b)"; "[\(.x)]")
"abc" | sub("b"; "1", "2")
"abc" | [gsub("[ab]"; "1", "2")]
"abc" | gsub("^"; ">")
"abc" | gsub("$"; "<")
"日本語" | gsub("本"; "x")
"abab" | gsub("(?<l>a)"; .l | ascii_upcase)
"a" | gsub("a"; 1)
"<&'\">" | @html
"a b&c=d/é~!*" | @uri
"a%20b%2Bc+d" | @urid
"%zz" | @urid
"%" | @urid
[1,"a\"b",null,true,1.5] | @csv, @tsv
["a\tb","c\\d","e\nf"] | @tsv
["it's", 1, null, true] | @sh
"it's" | @sh
[[1]] | @csv
{"a":1} | @csv
"aGVsbG8=" | @base64d
"aGVsbG8" | @base64d
"a" | @base64d
"a*b" | @base64d
"/+8=" | @base64d | length
"é" | @base64
@text "\(1)\("a")", @json "\("a")\([1])"
@html "<b>\("<i>")</b>"
@uri "?q=\("a b")"
@csv "\([1,"a"])"
@sh "echo \("a b" , "c")"
"a" | @foo
"a" | format("text"), format("nope")
"a" | format(1)
0 | todate
1425599621 | todate, gmtime, (gmtime|mktime), (gmtime|todate)
1425599621.678 | gmtime, todate
-1.5 | gmtime
"2015-03-05T23:51:47Z" | fromdate, strptime("%Y-%m-%dT%H:%M:%SZ"), (strptime("%Y-%m-%dT%H:%M:%SZ")|mktime)
"2015-03-05T23:51:47+02:00" | fromdate
"2015-03-05T23:51:47-0230" | fromdate
"2015-03-05" | fromdate
"bad" | fromdate
1425599621 | strftime("%A, %B %d, %Y"), strftime("%a %b %e %H:%M:%S %Z %Y"), strftime("%j %U %W %V %G %g %u %w"), strftime("%I %p %P %l %k %y %C %D %F %T %R %r %c %x %X %v %+ %n%t%%")
1425599621 | strftime("%s %f %z %:z %::z %:::z %-d %_d %05d %^a %#p %10Y %-H")
1425599621 | strftime("%Q %5Q %"), strftime(1), strftime("%5a|%-5a|%05a")
[2024,1,29,0,0,0,0,0] | mktime, todate
[2024,13,35,25,61,61] | mktime
[2024] | mktime
["a"] | mktime
[2024,1,"a"] | mktime
"x" | mktime
"10:20" | strptime("%H:%M")
"Thu, 05 Mar 2015 23:51:47" | strptime("%a, %d %b %Y %H:%M:%S") | mktime
"05 March 15" | strptime("%d %B %y")
"2015 064" | strptime("%Y %j") | mktime
"2015-W10-4" | strptime("%G-W%V-%u") | mktime
"2015 10 4" | strptime("%Y %U %w") | mktime
"2015 10" | strptime("%Y %W") | mktime
"1425599621" | strptime("%s") | mktime
"11:05 pm" | strptime("%I:%M %p")
"2015" | strptime("%Y%"), 1
"2015x" | strptime("%Y")
"2015" | strptime("%Q")
"2015 EST" | strptime("%Y %Z") | mktime
"2015 E" | strptime("%Y %Z")
"20" | strptime("%C")
"2015 12:30:15.123456" | strptime("%Y %T.%f") | mktime
"1.5" | strptime(1)
1 | strptime("%Y")
[1,2,3] | path(.[1:][0])
[1,2,3] | [paths]
{"a":[{"b":1}]} | [paths], [paths(type=="number")]
{"a":[{"b":1}]} | [getpath(["a",0,"b"], ["a",5,"c"])]
{"a":1} | getpath(["a","b"])
{"a":1} | setpath(["a","b"]; 1)
{"a":1} | setpath([0]; 1)
[1] | setpath(["a"]; 1)
[1] | setpath([-2]; 1)
null | setpath([2]; 1)
null | setpath([-1]; 1)
null | setpath([1000000000]; 1)
null | setpath([true]; 1)
[1,2,3,4] | setpath([{"start":1,"end":3}]; ["x"])
[1,2,3,4] | setpath([{"start":1}]; ["x"])
[1,2,3,4] | setpath([{"start":1,"end":3}]; "x")
[1,2,3,4] | del(.[1:3]), del(.[0],.[2]), del(.[-1]), delpaths([[0],[0]])
{"a":[1,2,{"b":3}]} | del(.a[2].b, .a[0])
{"a":1} | delpaths([1]), 2
{"a":1} | delpaths(1)
{"a":1} | delpaths([["a","b"]])
[[1,2],[3,4]] | .[][0] |= . * 10
[1,2,3,4] | (.[] | select(. > 2)) |= empty
[1,2,3,4] | (.[] | select(. > 2)) |= . * 10
{"a":[1,2]} | .a[1:] = [9,9,9]
{"a":[1,2]} | .a[1:] |= map(.+1)
{"a":1,"b":2} | .a = .b, .a |= .+1, .c += 3, .d //= 4, .a -= .b
{"a":1} | .b.c[2].d = 1
{"a":1} | .a.b = 1
{"a":1} | (.a, .b) = (1, 2)
{"a":[3,1,2]} | .a |= sort
{"a":null} | .a //= 1 | .b //= 2
[1,2] | .[5] = 1
[1,2] | .[1.7] = 9
{} | .["a","b"] = 1
{} | .a += 1, .a -= 1
{} | .a[1:3] = ["x"]
[1,[2]] | .. |= (if type == "number" then . + 1 else . end)
[5,3] | . as [$a, $b] | {a: $a, b: $b}
[1,2] | to_entries
[1,2] | with_entries(.value += 1)
[{"name":"a","value":1},{"k":"b","v":2}] | from_entries
[{"key":"a","value":1},{"Key":"b","Value":2},{"Name":"c"},{"key":false},{"key":null,"value":3}] | from_entries
[{"key":1,"value":1}] | from_entries
{"a":1,"b":2} | with_entries(.key |= "x" + .)
{"a":1,"b":2} | to_entries | map("\(.key)=\(.value)") | join("&")
{"a":1} | has("a"), has("b"), has(0)
[1] | has(0), has(1), has(-1), has("a")
"a" | in({"a":1})
[[1,2],[3,4]] | combinations
[[1,2],[3]] | transpose
[1,[2]] | transpose
[0,1] | [combinations(2)]
[1,2,3] | bsearch(2), bsearch(0), bsearch(4), bsearch(2.5)
[limit(3; range(10))], [skip(7; range(10))], first(range(5)), nth(3; range(10)), [range(3)] == [0,1,2]
[range(0; 1; 0.25)], [range(3; 0)], [range(0; 3; -1)], [limit(3; range(0; 5; 0))]
range("a")
[.[]?], [1 | .[]?]
reduce range(5) as $i (0; . + $i)
reduce range(5) as $i (0; empty)
reduce range(3) as $i (0; ., 10 + $i)
reduce (1,2,3) as $x ((0, 10); . + $x)
reduce ([1,2],[3,4]) as [$a,$b] (0; . + $a * $b)
[foreach range(4) as $i (0; . + $i)]
[foreach (1,2) as $x (0; . + $x, . * 10; [$x, .])]
[foreach range(3) as $i (null; $i; ., 10)]
[label $f | range(10) | ., (select(. == 3) | break $f)]
[label $a | label $b | 1, break $a, 2]
[range(3) as $i | label $l | 1, (if $i == 1 then break $l else 2 end), 3]
def f(x): label $l | x; label $l | f(1, break $l, 2), 3
try error("a") catch error("b")
try (try error("a") catch error("b")) catch .
try error("x") catch (., "y")
(try error("x")) , 2
[.[]?, (1,2 | try (if . == 1 then error("e") else . end) catch "c")]
try (1 | error("down")) catch .
[(1,2) | try . catch "no" | if . == 2 then error("out") else . end]
try ((1,2) | try . catch "inner" | error("outer")) catch .
error("\u001b[31m")
try error([1]) catch .[0]
(1,2,error("x"),3)
[1,2,3] | .[1] as $x | map(. * $x)
def f: reduce .[] as $x (0; . + $x); [1,2,3] | f
def map2(f): [.[] | f]; [1,2] | map2(. + 1)
def f(a; b): a + b; f(1; 2), f(1, 2; 10, 20)
def f($a; b): [$a, b, a]; f(1; 2)
def f($a): $a | . + 1; f(1, 2)
def f: def f: 2; f; f
def x: 1; def x: 2; x
def f(g): def h: g; h; f(5)
def f(x): x as $x | $x; f(1, 2)
def r: if . > 3 then . else (. + 1 | r) end; 0 | r
def r(n): if n > 0 then n, r(n - 1) else empty end; [r(3)]
[recurse(if . < 3 then . + 1 else empty end)]
0 | [recurse(if . < 3 then . + 1 else empty end)]
2 | [recurse(. * .; . < 20)]
0 | until(. >= 1000; . + 1)
[1,[2,[3]]] | [recurse | numbers], [..] | length
[1,[[2]]] | getpath([1,0,0]), [leaf_paths?]
{"a":[1,{"b":2}]} | [tostream]
fromstream([[0],1],[[1],2],[[1]])
fromstream([["a"],1],[["a"]],[["b",0],1],[["b",0]],[["b"]])
[1 | truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]])]
"abc" | ascii_upcase | explode | implode
[1,2,3] | IN(.[]; 2), (.[] | IN(2, 3))
[{"id":1,"n":"a"},{"id":2,"n":"b"}] | INDEX(.id)
[{"id":1}] | [JOIN({"1":"x"}; .id | tostring)]
[JOIN({"1":"x"}; (1,2); tostring)]
[JOIN({"1":"x"}; (1,2); tostring; add)]
[true,false] | any, all, map(not)
[] | any, all
[1,2] | any(. > 1), all(. > 1), any(.[]; . > 5)
[splits("a, *b"; null)?]
infinite | floor
[1.5, -1.5, 2.5, -2.5] | map(round), map(floor), map(ceil), map(trunc), map(rint), map(nearbyint), map(fabs)
[1, 2.5] | map(significand), map(logb), map(frexp), map(modf), map(exp2)
pow(2; 10), pow(2; 0.5), pow(2, 3; 1, 2), atan2(1; 2), fmin(1; 2), fmax(1; 2), fmod(7; 3), ldexp(1; 3), scalb(1; 3), copysign(1; -2), drem(5; 3), nextafter(1; 2), fdim(5; 3), hypot(3; 4), fma(2; 3; 4)
pow("a"; 1)
[16 | sqrt, cbrt, log2], [1 | exp, log], [100 | log10], [0 | sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, atanh], [5 | gamma, tgamma]
"a" | sin
[1, 1.0, 100000000000000000000] | map(type)
[nan | isnan, isnormal, isinfinite, isfinite], [0 | isnormal], [infinite | isinfinite, isfinite], ("a" | isfinite, isnormal)
"a" | isnan
"true" | toboolean
"x" | toboolean
1 | toboolean
-5 | abs, length
"a" | abs
{"a":null} | .a[1:], .a[0], .a.b, .a[]?
{"a":1}["a"], [1,2][1], "abc"[1:], {"a":[1]}.a[0], [1,2] as $x | $x[0]
"abc" | .[0:1], .[1:][0:1]
1 | .[0:1]
[1] | .["a"]
{} | .[0]
1 | .[0]
1 | .a
"a" | .a
null | .a.b.c, .[0][1], .[1:2]
[1,2,3] | .[1:][0], .[:2][1], .[-1:], .[1:-1], .[:1.5], .[0.5:]
[1,2,3] | .["a":]
"abc" | .["a":]
{"start":1} as $s | [1,2] | .[$s]
[1,2,1] | .[[1]]
1 | keys
1 | .[]
[1] | join(",") , ([] | join(","))
["a",1,null,true,"b"] | join("-")
["a",["b"]] | join("-")
["a",{"b":1}] | join("-")
"x" | join(",")
{"b":"2","a":"1"} | join(","), add
[[1],[2]] | add
[{"a":1},{"b":2}] | add
["a",1] | add
1 | add
$ENV.PATH, env.HOME
[1,2] | tojson, tostring, @json, @text
"a" | tojson, tostring
"tab\there \u0001 \u007f \u2028" | tojson
[{"a":1,"b":[1,2,{"c":"a long string that will not fit"}]}] | error
"a long string that will not fit into the preview of an error" | .a
"日本語日本語日本語日本語日本語日本語" | .a
[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20] | .a
{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} | .[0]
123456789012345678901234567890123456789 | .a
ltrimstr("a"), splits("a")
builtins | map(select(startswith("s"))) | sort
@base32
ascii(65)
getpath(["a"]) = 3
{} | getpath(["a","b"]) = 3
[1,2,3] | first(.[] | select(. > 1)) = 9
[1,2,3] | last = 9, first |= 5
[1,2,3] | limit(2; .[]) = 0
[[1],[2]] | path(.[] | first)
[3,[4]] | path(..)
{"a":1} | path(.a | . as $x | $x)
{"a":1} | path(.a | if . then . else empty end)
{"a":[1]} | path(.a | .[0] as $x | .[$x])
{"a":1} | path(.a + 1)
{"a":1} | try path(.a | tojson | .b) catch .
{"a":1} | [path(.a, .b)]
[1,2] | path(map(.))
{"a":{"b":2}} | path(.a | with_entries(.))
{"a":1} | path(empty), path(error("x"))
{"a":1} | path(.a?), path(try .a catch .b), path(.b // .a), path(.a // .b)
{"a":1} | path(.. | select(. == 1))
{"a":[{"b":1},{"b":2}]} | path(.a[] | select(.b == 2))
{"a":1} | path(reduce (1,2) as $x (.; .))
{"a":{"a":1}} | path(reduce (1,2) as $x (.; .a))
[1,[2]] | path(foreach .[] as $x (0; $x))
[1,2] | path(label $l | .[] | ., break $l)
{"a":1} | path(def f: .a; f), path(def f(g): g; f(.a))
{"a":1,"b":"a"} | path(.[.b])
{"a":[1,2]} | path(.a | last), path(.a | first), path(.a | nth(1)), path(last(.a[]))
{"a":[5]} | to_entries[] | path(.value[0])
[[0,1],[1,0]] | [.[] | path(.[0])]
{"a":1} | path(getpath(["x","y"])), [path(getpath(["a"], ["b"]))]
{"a":1} | pick(.a, .b.c), pick(.x[1])
[1,2] | pick(first), pick(.[1])
"x" as $x | "a" | . + $x
. as $dot | [$dot, .]
[1,2] | map(. as $x | $x * $x)
{"if":1,"then":2}.if
{a:1} | .a as $a | {a: $a, b: ($a + 1)}
{"a b":1}."a b", {"a":1}.a?, ({"a":1} | ."a"?)
[.[]?], ([1,[2]] | .[1][0]?), (1 | .a?), (1 | .[]?), ([1] | .a?.b?)
1 as $x | [1,2] as [$y, $z] | {$x, $y, "z": $z}
[1,2,3] | (.[0], .[1]) as $x | $x
"\("a" + "b")\(1 + 1)\([1,2] | length)"
"a" "b"
"\u0041\n\t\"\\\/"
"multi
line"
{"a":1} | "\(.a)" as $x | $x
input_filename
splits("a";"b";"c")
limit(1; 1; 2)
error(1; 2)
@json "x" , @text
..,1
[..]
.[1,2]?
[[1,2,3]] | .[][1:]
{"a":[1,2,{"b":[3]}]} | [.. | arrays | length]
{"__proto__":1,"constructor":2} | keys, .__proto__, .constructor, .toString, has("toString"), del(.__proto__)
{} | .__proto__.x = 1 | ., .x
{} | .constructor.prototype.y = 2
{"a":{"__proto__":{"z":1}}} * {"a":{"__proto__":{"w":2}}}
{"a":1} + {"__proto__":5}
{("__proto__"):1} | to_entries, with_entries(.value += 1)
[{"key":"__proto__","value":1}] | from_entries
`
    .split('\n')
    .filter(program => program !== '')
    .map(p => ({ p, i: null })),
  { p: 'def f: 1;\n# only\n', i: 1 },
  { p: '', i: 1 },
  { p: '  \n', i: 1 },
  { p: '# comment', i: 1 },
  { p: '# a \\\n1\n2', i: 1 },
  { p: '1 # x\r\n+ 2', i: 1 },
]
