// By hand: what users write, and every builtin, operator and error once at least, in both versions.
const event = String.raw`
type == "resource"
body.kind == "Pod"
(body.metadata.name == "web-1") && body.spec.on
body.metadata.labels["app"]
body.metadata.labels["tier.io/x"]
body["kind"]
body.metadata.generation
body.metadata.generation + 1
body.metadata.generation * 2
body.metadata.generation % 2
body.metadata.generation == 3
body.metadata.generation == 3.0
body.spec.replicas / 2
body.spec.ports[0]
body.spec.ports[-1]
body.spec.ports[5]
body.spec.ports[-9]
body.spec.ports["a"]
body.spec.ports[0.9]
body.spec.ports[1:2]
body.spec.ports[:1]
body.spec.ports[1:]
body.spec.ports[-2:]
body.spec.ports[5:2]
body.spec.ports[:]
word[0]
word[0:3]
word[1:4]
word[:]
len(word)
word.foo
body.spec.nothing.deeper
body.spec.nothing?.deeper
body.spec.nothing?.deeper.more
body?.spec?.replicas
body.missing
body.missing.more
body.missing?.more
nothing?.a.b.c
nothing?.a["b"]
nothing?.a[0:1]
missing
missing.more
missing ?? "default"
body.missing ?? body.kind
nothing ?? nothing ?? 3
missing == nil
body.kind in ["Pod", "Node"]
body.kind not in ["Pod", "Node"]
body.metadata.generation in [1, 2, 3]
body.metadata.generation in ["a"]
body.metadata.generation in 1..5
"app" in body.metadata.labels
1 in body.metadata.labels
nothing in body.metadata.labels
80 in body.spec.ports
"Pod" in body.kind
nothing in body.spec.ports
1 in nothing
body.kind matches "^P.d$"
body.kind matches "("
body.kind not matches "x"
body.kind matches body.kind
body.metadata.generation matches "3"
body.kind matches nothing
nothing matches "a"
body.kind contains "o"
body.kind startsWith "P"
body.kind endsWith "d"
body.kind contains nothing
nothing contains "a"
body.metadata.generation contains "a"
not on
!on
!!on
not body.kind
!body.kind
-body.metadata.generation
-body.kind
+body.kind
on and off
on && off || on
on and body.kind
body.kind and on
off or body.kind
body.kind or on
on and true
body.kind and true
body.kind and false
missing.deep and false
true or missing.deep
on ? 1 : 2
off ? 1 : 2
body.kind ? 1 : 2
on ?: 5
off ?: 5
nothing ? 1 : 2
body.spec.ports | len()
body.spec.ports | map(# * 2)
body.spec.ports | filter(# > 100) | len()
body.items | filter(.ok) | map(.name)
body.items | map({.name})
map(body.items, .size)
map(body.items, {# .size + 1})
map(body.items, #.name + "!")
map(body.spec.ports, {"p": #})
filter(body.items, .size > 1)
filter(body.items, {.size > 1 and .ok})
filter(body.items, .name)
filter(body.items, .size)
filter(body.kind, true)
filter(word, true)
map(word, #)
map("abc", #)
map(nothing, #)
map(body, #)
map(5, #)
all(body.items, .size > 0)
all(body.items, .ok)
none(body.items, .size > 5)
any(body.items, .size == 2)
one(body.items, .name == "one")
one(body.items, .ok)
count(body.items, .ok)
find(body.items, .size == 2)
find(body.items, .size == 9)
findIndex(body.items, .size == 2)
findIndex(body.items, .size == 9)
findLast(body.items, .ok)
findLastIndex(body.items, .ok)
findLastIndex(body.items, .size > 9)
filter(body.items, .ok)[0]
filter(body.items, .ok)[0].name
filter(body.items, .ok)[-1]
filter(body.items, .size > 9)[0]
filter(body.items, .size > 9)[-1]
first(filter(body.items, .ok))
last(filter(body.items, .ok))
first(filter(body.items, .size > 9))
len(filter(body.items, .ok))
map(filter(body.items, .ok), .name)
map(filter(body.items, .ok), .name)[0]
filter(filter(body.items, .ok), .size > 2)
groupBy(body.items, .ok)
groupBy(body.items, .ok)[true]
groupBy(body.items, .name)["one"]
groupBy(body.items, .name)["none"]
len(groupBy(body.items, .ok))
groupBy(body.items, #)
reduce(body.spec.ports, #acc + #)
reduce(body.spec.ports, #acc + #, 0)
reduce(body.spec.ports, #acc + #index, 0)
reduce([], #acc + #)
reduce([], #acc + #, 5)
sum(body.spec.ports)
sum([1, 2, 3])
sum([1, 2.5, 3])
sum(["a"])
sum(numbers)
sum(body.spec.tags)
sum(nothing)
mean(body.spec.ports)
mean([])
mean(["a"])
median(body.spec.ports)
median([1, 2, 3, 4])
median([])
max(1, 2.5, 2)
max(body.metadata.generation, 2)
max("a", "b")
max(body.kind, "Q")
max(body.kind, 1)
min(3, 1, 2)
min(nothing, 1)
max()
len(body)
len(body.spec.ports)
len(body.kind)
len(5)
len(nothing)
len(body.metadata.generation)
len()
len(1, 2)
type(body)
type(nothing)
type(body.kind)
type(body.metadata.generation)
type(1)
type(1.5)
type(true)
type([1])
type(body.spec.ports)
type(1..3)
type(duration("1h"))
type(date("2024-01-01"))
type(asInt)
abs(-5)
abs(-5.5)
abs(body.spec.replicas)
abs(body.kind)
abs("a")
ceil(1.2)
floor(1.8)
round(1.5)
round(-1.5)
round(2.5)
ceil(3)
floor(body.spec.replicas)
round("a")
round(body.kind)
int("5")
int("+5")
int("-5")
int("5.5")
int("x")
int(5.9)
int(-5.9)
int(body.spec.replicas)
int(body.kind)
int(nothing)
int(true)
int(1e30)
int("9223372036854775808")
float("1.5")
float("x")
float("inf")
float(3)
float(body.kind)
float(body)
string(5)
string(5.0)
string(1.5)
string(1e21)
string(1e20)
string(0.00001)
string(123456789.0)
string(body.spec.ports)
string(body.metadata.labels)
string(nothing)
string([1, "a", nil, true, [2.5]])
string({"b": 1, "a": {"c": nil}})
string(1..4)
string(duration("90m"))
string(date("2024-02-29"))
string(-0.0)
trim("  a ")
trim("xxaxx", "x")
trim(body.kind, "P")
trim(5)
trim(body.metadata.generation)
trimPrefix("prefix", "pre")
trimPrefix(" a")
trimSuffix("suffix", "fix")
trimSuffix("a ")
upper("abcß")
lower("ABCÄ")
upper(body.kind)
upper(5)
upper(body.metadata.generation)
split("a,b,c", ",")
split("a,b,c", ",", 2)
split("abc", "")
split("a,b", ",", 0)
split(word, "")
splitAfter("a,b,c", ",")
splitAfter("a,b,c", ",", 2)
split("a,b,c", ",") | join("-")
split("a,b,c", ",")[1]
replace("aaa", "a", "b")
replace("aaa", "a", "b", 2)
replace("abc", "", "-")
repeat("ab", 3)
repeat("ab", 0)
repeat("ab", -1)
repeat("ab", 1000001)
join(["a", "b"], ",")
join(["a", "b"])
join([1, 2], ",")
join(1..3, ",")
join(body.spec.tags, "+")
join(body.spec.ports, "+")
join(nothing)
indexOf("hello", "l")
indexOf("hello", "z")
indexOf(word, "e")
lastIndexOf("hello", "l")
lastIndexOf("héllo", "o")
hasPrefix("hello", "he")
hasSuffix("hello", "lo")
hasPrefix(body.kind, "P")
toJSON(body.spec)
toJSON(body.metadata.labels)
toJSON([1, 2.5, "a<b>", nil])
toJSON([])
toJSON({})
toJSON(numbers)
toJSON(groupBy(body.items, .ok))
toJSON(word)
toJSON(duration("1h"))
fromJSON("{\"a\": [1, 2.5, null]}")
fromJSON("5")
fromJSON("{")
fromJSON("[1,]")
fromJSON("")
fromJSON("tru")
fromJSON("{\"a\" 1}")
fromJSON("1 2")
fromJSON("'a'")
fromJSON("é")
fromJSON("{\"__proto__\": 1}")
fromJSON("\"\\x\"")
fromJSON("-")
fromJSON("1.")
fromJSON("{a}")
fromJSON("{\"a\":1 \"b\"}")
fromJSON("[1 2]")
fromJSON("nul")
fromJSON("\"abc")
toBase64("hello")
fromBase64("aGVsbG8=")
fromBase64("aGVsbG8")
fromBase64("!!!")
fromBase64("aGVs=bG8")
toBase64(word)
fromBase64(toBase64(word))
duration("1h30m")
duration("x")
duration("1h") + duration("30m")
duration("1h") * 2
2 * duration("1h")
duration("1h") * 1.5
duration("1h") - duration("30m")
duration("1h") > duration("30m")
duration("1h") == duration("60m")
duration("1h").Hours()
duration("90s").String()
duration("1h") / 2
-duration("1h")
date("2024-02-29")
date("2024-02-29T10:20:30Z")
date("10:20:30")
date("2024-02-29 10:20:30")
date("nope")
date("29/02/2024", "02/01/2006")
date("29/02/2024", "02/01/2006", "Europe/Berlin")
date("2024-13-01", "2006-01-02")
date("2024-02-29", "2006-01-02", "No/Where")
date("2024-02-29").Year()
date("2024-02-29").Month()
date("2024-02-29").Weekday()
date("2024-02-29").Day()
date("2024-02-29").YearDay()
date("2024-02-29").Unix()
date("2024-02-29").Format("Jan 2, 2006")
date("2024-02-29").Format()
date("2024-02-29").Format(5)
date("2024-02-29").Format(body.metadata.generation)
date("2024-02-29").Nope()
date("2024-02-29").Nope
date("2024-02-29").Add(duration("24h"))
date("2024-02-29").AddDate(0, 1, 1)
date("2024-02-29") + duration("1h")
date("2024-03-01") - date("2024-02-29")
date("2024-03-01") > date("2024-02-29")
date("2024-03-01") == date("2024-03-01")
date("2024-03-01").Before(date("2024-02-29"))
date("2024-02-29").String()
date("2024-02-29") + 1
first(body.spec.ports)
first([])
last(body.spec.tags)
first(nothing)
first(body.kind)
first("abc")
first(5)
get(body, "kind")
get(body, "nope")
get(body.spec.ports, 1)
get(body.spec.ports, 9)
get(body.spec.ports, -1)
get(body.spec.ports, "a")
get(nothing, "a")
get(body.kind, 0)
get(5, 0)
get({"a": 1}, "a")
get({"a": 1}, 1)
get([1], "a")
get([1], 0)
get($env, "on")
get($env, "missing")
get(body)
take(body.spec.ports, 2)
take(body.spec.ports, 9)
take(body.spec.ports, -1)
take(body.spec.ports, 0)
take("abc", 1)
take(body.kind, 1)
take([1, 2], 1.5)
take([1, 2], body.metadata.generation)
sort(keys(body))
keys(header.empty)
keys(5)
keys(body.kind)
values({"a": 1})
values(nothing)
sort(values({"a": 2, "b": 1}))
toPairs({"a": 1})
toPairs(header)
toPairs(body.kind)
fromPairs([["a", 1], ["b", 2]])
fromPairs([[1, 2], ["x", nil]])
fromPairs([[1]])
fromPairs([1])
fromPairs(5)
fromPairs(body.kind)
fromPairs([[[1], 2]])
fromPairs(toPairs({"a": 1}))
sort([3, 1, 2])
sort([3, 1, 2], "desc")
sort([3, 1, 2], "up")
sort([3, 1, 2], 5)
sort(body.spec.tags, "desc")
sort(body.spec.ports)
sort([1, "a"])
sort(["a", 1])
sort([1, 2.5])
sort([true, false])
sort([nil, 1])
sort(body.items)
sort("abc")
sort(nothing)
sort([])
$env.on
$env["on"]
$env.missing
$env?.missing
$env["mis" + "sing"]
$env.body.kind
len($env) > 3
let a = 5; a + 1
let a = body.kind; let b = a + "!"; b
let a = 5; let a = 6; a
let len = 5; len
let on = 5; on
let a = 1; missing + a
map(1..3, {let y = #; y * 2})
let f = body.items; map(f, .size)
1..3
3..1
1..body.metadata.generation
1.5..3
"a".."b"
1..10000000
body.metadata.generation..5
5 in 1..10
[1, 2, 3][1]
[1, 2, 3][5]
[1, 2, 3]["a"]
["a", "b"] == ["a", "b"]
[1, 2] == [1.0, 2.0]
[1, 2] == 1..2
1..2 == [1, 2]
{"a": 1} == {"a": 1}
{"a": 1} == {"a": 1.0}
{a: 1, b: 2}.a
{"a": 1}.b
{"a": 1}["a"]
{1: "x"}
{(body.kind): 1}
{(5): 1}
{"a": 1, "a": 2}
{"a": 1,}
{"a": 1,,}
{+: 1}
[1, 2,]
[1 2]
[1,,2]
{"a" 1}
1 + 2 * 3
(1 + 2) * 3
2 ** 3 ** 2
2 ^ 10
-2 ** 2
7 / 2
7 % 3
-7 % 3
7 % 0
body.metadata.generation % 0
7 / 0
-7 / 0
0 / 0
1 + 1.5
1.5 * 2
9223372036854775807 + 1
9223372036854775807 * 2
-9223372036854775807 - 2
9223372036854775808
1_000_000
0x1F
0xfg
0b101
0o17
017
1e3
1E-2
1.
.5
1.5.5
1..2..3
1a
0x
1e
1e400
0b2
0o8
5 + "a"
"a" + 5
"a" + "b"
body.kind + 5
5 - "a"
body.kind - 1
nothing + 1
1 + nothing
nothing == nil
nil == nil
nil + 1
nil.a
nil?.a
nil[0]
1 == "a"
1 == 1.0
"a" == 'a'
"a" < "b"
"a" < 1
body.kind < 1
1 < body.kind
true < false
nothing < 1
on == true
true == 1
[1] == 1
nil in [1]
1 in nil
1 in 5
"a" in "abc"
1 in "abc"
a = 1
a & b
a <> b
1 +
1 + + 2
+ 1
* 1
(1
1)
)
[
{
"abc
'abc'
"a\nb"
"a\tb\\\"\'"
'it\'s'
"\u00e9\U0001F600\x41\101"
"\ud83d\ude00"
"\q"
"\400"
"\u00"
"a
b"
@
1 @ 2
a ~ b
"é" + @
// comment
1 // comment
1 /* c */ + 2
1 /* c
/* c */
# + 1
.foo
#
foo.
foo.1
foo.not
foo.in
foo?.matches
foo..bar
body.spec.ports.0
a.b.c.d
foo(1)
missing(1)
body.kind(1)
on()
body.kind.foo()
nothing()
missing.foo()
nothing?.foo()
asInt("7")
asInt(7.9)
asInt("x")
asInt()
asInt(1, 2)
asFloat("7.5")
toJson(body.spec.tags)
toJson(1)
toJson(nothing)
shout("a")
shout(5)
shout(body.metadata.generation)
shout(nothing)
shout()
shout(body.kind)
half(3)
half(3 + 1)
half(-3)
half("a")
half(body.spec.replicas)
half(body.kind)
pick([1, 2], "n")
pick(body.spec.ports, "n")
pick(1, "n")
many()
many(1, 2, 3)
many(nil)
broken("x")
broken(body.kind)
lib.double(4)
lib.double(4.5)
lib.double("a")
lib.double(1, 2)
lib.greet("x")
lib.greet(nothing)
lib.greet(1)
lib.keep(nil)
lib.keep([1])
lib.rest("a")
lib.rest("a", "b", "c")
lib.rest()
lib.rest("a", 1)
lib.nope(1)
lib["greet"]("x")
lib?.greet("x")
map(body.items, lib.greet(.name))
not (1 == 1)
not 1 == 1
not on == off
1 not in [1]
1 + 1 not in [2]
1 not + 2
1 not 2
on not
1 < 2 < 3
1 < 2 == true
1 ?? 2 + 3
1 + 2 ?? 3
nothing ?? 1 + 3
(nothing ?? 1) + 3
body.kind ?? "x" == "Pod"
1 | len()
"abc" | len()
"abc" | upper() | lower()
"abc" | foo()
"abc" | 5
"abc" | len
[3, 1] | sort() | first()
if on { 1 } else { 2 }
if off { 1 } else if on { 2 } else { 3 }
if on { 1 }
if body.kind { 1 } else { 2 }
1; 2
1; 2;
let x1 = 1; 2; x1
map([1], #; 2)
map([1], {#; 2})
::len("abc")
::foo
body?.["kind"]
nothing?.["kind"]
nothing?.["kind"].more
b"abc"
b'\x41\xff'
b"abc" == b"abc"
b"abc"[0]
len(b"abc")
string(b"abc")
b"é"
b"\u0041"
~raw~
~ra""w\n~
bitand(12, 10)
bitor(12, 10)
bitxor(12, 10)
bitnand(12, 10)
bitnot(5)
bitshl(1, 4)
bitshl(1, 64)
bitshr(-16, 2)
bitushr(-16, 2)
bitshl(1, -1)
bitand(1.5, 1)
bitand(body.metadata.generation, 1)
reverse([1, 2, 3])
reverse("abc")
reverse(body.kind)
uniq([1, 1, 2, 2.0, "a", "a"])
uniq(body.spec.tags)
uniq(body.kind)
concat([1], [2, 3])
concat([], [])
concat([], []) ?? 5
concat([1], 2)
concat(body.spec.ports, body.kind)
concat()
flatten([1, [2, [3]]])
flatten(list)
flatten(5)
flatten(body.kind)
sortBy(body.items, .size)
sortBy(body.items, .name, "desc")
sortBy(body.items, .size, "up")
sortBy(body.items, .size, 5)
sortBy(body.items, "size")
sortBy(body.items, "size", "desc")
sortBy(body.items, "nope")
sortBy([3, 1, 2], #)
sortBy([3, "a"], #)
sum(body.items, .size)
sum(map(body.items, .size))
sum(1..100)
sum(1..10, # * 2)
sum(1..10, 2 - #)
sum([body.metadata.generation, 1])
sum([body.metadata.generation, 1, "a"])
sum(body.kind)
sum(map(body.items, .name))
count(body.items)
count([true, false, true])
count(body.items, .ok) > 1
count(body.items, .ok) > 0
count(body.items, .ok) >= 2
count(body.items, .ok) < 2
reduce(1..100, # + #acc)
reduce(1..100, # + #acc, 5)
all(body.items, .ok) && all(body.items, .size > 0)
any(body.items, .ok) || any(body.items, .name == 5)
none(body.items, .size > 5) and none(body.items, .size < 0)
timezone("Europe/Berlin")
timezone("Nope")
date(timezone("Europe/Berlin"), "2024-06-01 10:00:00")
date("2024-06-01").In(timezone("America/New_York"))
now().Year() > 2000
now(1)
max([1, 5, 3])
max([1, [7]], 2)
max([])
max(["a"])
max(nothing)
min(numbers)
mean(1, 2, 3)
mean([1, [2, 3]])
median(1, 2)
mean("a")
toJSON(1e21)
toJSON(1e-7)
toJSON(0/0)
toJSON(lib)
"a" matches "[a-z"
"a" matches "a" + "b"
"2024" matches "^\\d+$"
{"__proto__": 1}
{"__proto__": 1}.__proto__
body.__proto__
body.constructor
constructor
__proto__
$env.constructor
keys({"__proto__": 1})
"constructor" in body
get(body, "hasOwnProperty")
word contains "ü"
count == 7
count(body.items, true)
date == "2024-02-29T10:20:30Z"
date(date)
body.items[0].name
body.items[0]["name"]
body["items"][0].size + body.items[1].size
body.metadata.labels.app == "web" ? "yes" : "no"
body.spec.ports == [80, 443, 8080]
body.spec.ports[0] == 80
list[1][1][0]
len(list[2])
list == [[1, 2], [3, [4, 5]], []]
`

const workflow = String.raw`
inputs.parameters.message
inputs.parameters.n
asInt(inputs.parameters.n) + 1
int(inputs.parameters.n) * 2
asFloat(inputs.parameters.n) / 2
inputs.parameters.missing
inputs.parameters.missing.x
inputs.missing
inputs.parameters
fromJSON(inputs.parameters.json).a[0]
fromJSON(inputs.parameters.json).a[2].b
fromJSON(inputs.parameters.bad)
toJson(inputs.parameters)
toJSON(inputs.parameters)
retries
retries + 1
retries < 3
retries == "3"
retries == 3.0
lastRetry.exitCode == 1
lastRetry.exitCode != "1"
asInt(lastRetry.exitCode) > 0 && lastRetry.status == "Failed"
lastRetry.status in ["Failed", "Error"]
asInt(lastRetry.duration) < 20
item.os
item.version + 1
item.nope
item["os"]
item[1]
x + y
x * y
x / y
x / 4
x % 4
x % y
x ** 2
x - z
-x
z + x
big + 1
big * 2
-big - 2
x == 10
x == "10"
x in list
x in [10, 20]
x in ["a"]
x in 1..20
x in 1..y
y in 1..20
x in people
x in m
"a" in m
text contains "wor"
text + 1
text[0]
text[1:3]
text.foo
text | split(" ") | map(upper(#)) | join("_")
words | sort()
words | sort("desc")
words | map(len(#))
words[0] + words[1]
sort(words)[0]
list | map(# * 2)
list | filter(# % 2 == 0)
list | sum()
sum(list)
sum(list, # * 2)
mean(list)
median(list)
max(list)
min(list)
reduce(list, #acc * #)
reduce(list, #acc + string(#), "")
reduce(people, #acc + .age, 0)
people | map(.name)
people | filter(.age > 30) | map(.name)
people | sortBy(.age) | map(.name)
people | sortBy(.age, "desc") | map(.name)
people | groupBy(.age)
groupBy(people, .age)[31]
groupBy(people, .age)[31][0].name
groupBy(people, .age)["31"]
people | find(.name == "Bob")
people | count(len(.tags) > 0)
people | all(.age > 20)
people[0].tags[0]
people[1].tags[0]
flatten(map(people, .tags))
uniq(flatten(map(people, .tags)))
mixed[0] + mixed[2]
mixed[0] + mixed[1]
map(mixed, type(#))
map(mixed, string(#))
filter(mixed, # != nil)
sum(mixed)
sort(mixed)
join(mixed)
toJSON(mixed)
flag ? "a" : 1
flag && text
flag == "x"
flag + 1
not flag
nothing
nothing.a
nothing?.a
nothing ?? "d"
nothing + 1
nothing == 1
nothing()
m.b.c
m["b"]["c"]
m.b.d
m.b.d.e
m.b?.d?.e
unknownName
unknownName.a
unknownName ?? 5
unknownName()
$env.unknownName
$env?.unknownName
$env?.["unknownName"]
"unknownName" in $env
foo + unknownName
text.upper()
m.a()
x()
len(x)
upper(x)
abs(z)
abs(text)
string(x) + text
string(people[0])
int(y)
int(text)
float(x)
round(y)
let x = 5; x
let q = x; q * 2
let q = nothing; q ?? 1
let q = unknownName; 5
if x > 5 { "big" } else { "small" }
if x { 1 } else { 2 }
half(x)
half(y)
half(text)
shout(text)
shout(x)
pick(list, text)
pick(words, x)
pick(text, text)
many(x, y)
lib.double(x)
lib.double(y)
lib.double(text)
lib.keep(x) + 1
broken(text)
x > 5 ? text : nothing
(x > 5 ? 1 : "a") + 1
(flag ? nil : 5) + 1
[x, y, z]
[x, text]
[x, y][0] + 1
{"x": x, "y": {"z": z}}
{"x": x}.x + 1
{"x": x}.nope
x..z
z..x
1..x | map(#)
0 < x < 20
0 < x <= 10 < y
x < y == false
x is 5
x.y
list.a
list["a"]
list[y]
list[0.5]
list[x]
list[-1]
list[1:3]
list["a":]
text["a":]
x[0]
x[1:2]
nil == x
x == nil
x != nil
text matches x
text matches "[a-"
text matches words[0]
text not contains "x"
text not startsWith "hello"
x not in list
not x in list
first(list)
last(words)
first(text)
get(m, "a")
get(m, "zz")
get(list, 0)
get(list, "a")
get(text, 0)
get(m, 1)
get($env, "x")
get($env, "nope")
get($env, text)
keys(m) | sort()
values(m.b)
toPairs(m.b)
fromPairs(toPairs(m.b))
fromPairs(people)
take(list, 2)
take(list, x)
take(text, 2)
reverse(list)
concat(list, words)
concat(list, x)
trim(text, "hd")
replace(text, "l", "L", 1)
repeat(words[2], 2)
repeat(text, x)
len(repeat(text, 100000))
indexOf(text, "o")
split(text, "o", 2)
hasPrefix(text, "hell")
duration("1h") * x
x * duration("1h")
duration(text)
date(text)
date("2023-08-14") + duration("48h")
bitand(x, 6)
bitshl(x, 2)
bitand(y, 1)
bitand(text, 1)
all(list, # > 0) and all(list, # < 3)
any(list, # > 3) or any(list, # == "a")
count(list, # > 1) > 2
count(list, # > 1) <= 1
count(flag)
count(list)
len(filter(list, # > 1))
filter(list, # > 1)[0]
filter(list, # > 10)[0]
filter(list, # > 10)[-1]
map(filter(list, # > 1), # * 10)
map(filter(list, # > 1), #index)
map(list, #index)
map(list, #acc)
map(list, {let k = #; k + x})
map(list, {# + 1; # + 2})
map(people, {.name})
map(people, .nope)
map(people, .nope.x)
map(people, .tags[0])
map(list, .x)
map(list, nil)
map(list, # + "a")
filter(list, # + 1)
filter(list, nil)
sum(list, nil)
reduce(list, nil)
sortBy(words, #)
sortBy(words, len(#))
sortBy(people, .name, "asc")
sortBy(people, .nope)
sortBy(mixed, #)
sortBy(x, #)
x | string() | len()
[1, 2, 3] == list
list == [1, 2, 3, 4]
words == ["pear", "apple", "fig"]
words == list
m == {"a": 1, "b": {"c": "deep"}}
m == 5
people[0] == people[1]
[x] == [10]
[x] == [10.0]
{"a": x} == {"a": 10}
{"a": x} == {"a": 10.0}
true && x > 3
false && unknownName
true || unknownName
flag && nothing
flag && nothing == nil
1 + 2 + x + 3
"a" + "b" + text
10 % 3 == 1 && x % 0 == 1
10 % 0
"x" in ["x", "y"] && "x" not in words
`

const lines = text =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.replaceAll('~raw~', '`raw`').replaceAll('~ra""w\\n~', '`ra``w\\n`'))

const longer = [
  'let a = 1;\nlet b = 2;\na + c',
  'body.kind ==\n  "Pod" &&\n  body.missing.more',
  'filter(body.items,\n\t.size > 1)\n| map(.nope.x)',
  'on &&\n\t@',
  '"a\\',
  '',
  ' ',
  '\n',
  '"é" + 5',
  'body.kind + "é" + 5',
  'é',
  'größe + 1',
  '"日本" + missing.x',
  '\t1 +\t"a"',
  'a\n\nb',
  'missing.more // é',
  '"\\u{1F600}"',
  '"\\u{}"',
  '"\\u{1234567}"',
  '"\r\n"',
]

export const table = [
  ...lines(event).flatMap(e => [
    { d: '1.15', n: 'event', e },
    { d: '1.17', n: 'event', e },
  ]),
  ...lines(workflow).flatMap(e => [
    { d: '1.15', n: 'workflow', e },
    { d: '1.17', n: 'workflow', e },
  ]),
  ...longer.flatMap(e => [
    { d: '1.15', n: 'event', e },
    { d: '1.17', n: 'event', e },
  ]),
]
