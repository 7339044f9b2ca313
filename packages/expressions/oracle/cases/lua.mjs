import { random } from './random.mjs'

const { pick, below } = random(515)

const events = [
  { a: 1, b: 'text', c: true, list: [1, 2, 3], nested: { x: { y: 'deep' } }, none: null },
  {
    kind: 'Pod',
    name: 'wéb-1',
    replicas: 3,
    ratio: 0.25,
    labels: { app: 'web', tier: 'x' },
    items: [{ id: 1 }, { id: 2, v: 'z' }],
  },
  { empty: {}, emptyList: [], mixed: [1, 'a', true, null, [1, 2], { k: 'v' }], big: 12345678901, neg: -3.5, s: '10' },
]

// Expressions that every event is asked about, as the returned value.
const expressions = String.raw`
nil
true
false
1
1.5
1e3
0x1F
010
1e15
1e16
2^53
1e100
0.1
1/3
-7
'a'
"a\n\t\65\"'"
[[long
string]]
[==[a]]b]==]
{}
{1,2,3}
{1,nil,3}
{nil,nil}
{a=1,b="x"}
{1,2,a=3}
{[1]="a",[2]="b"}
{[2]="b"}
{["x y"]=1}
{1,2,3;4}
{{1},{2}}
{{a=1},{b=2}}
{a={}}
1+2
7/2
7%3
-7%3
7%-3
5.5%2
2^10
2^0.5
"10"+5
"0x10"+1
"1e2"*2
10 .. 20
1 .. ""
"a".."b".."c"
1.5 .. "x"
1e20 .. ""
1e6 + 0.5 .. ""
0.00001 .. ""
-0.0 .. ""
1/0
-1/0
1 == 1.0
"1" == 1
"a" < "b"
"a" <= "a"
1 < 2
2 >= 3
1 ~= 2
nil == false
not nil
not 0
nil and 1
nil or 1
false or nil
1 and 2
1 or error("x")
#"abc"
#"é"
#{1,2,3}
#{1,2,nil}
#{}
-"2"
- -2
not not 1
2^3^2
-2^2
1 .. 2 == "12"
"a" .. 1 + 2
1 < 2 == true
(1)
("x"):upper()
("x"):rep(3)
type(nil)
type(1)
type("")
type({})
type(print)
type(event)
tostring(nil)
tostring(true)
tostring(1)
tostring(1.0)
tostring(1e100)
tostring(0.1)
tostring(123456.789)
tostring(1234567.5)
tostring("x")
tonumber("10")
tonumber("10.5")
tonumber("0x10")
tonumber("ff", 16)
tonumber("777", 8)
tonumber("z", 36)
tonumber("abc")
tonumber("")
tonumber(" 5 ")
tonumber("1e3")
tonumber("1.e3")
tonumber(nil)
tonumber({})
tonumber("9", 8)
tonumber(true)
select("#", 1, 2, 3)
select(2, "a", "b", "c")
select(-1, "a", "b", "c")
(select(2, "a", "b", "c"))
select(0)
select("x")
unpack({1,2,3})
(unpack({1,2,3}))
{unpack({1,2,3})}
{unpack({1,2,3}), 9}
{unpack({1,2,3}, 2)}
{unpack({1,2,3}, 2, 3)}
next({})
next({5})
next({a=1})
rawget({a=1}, "a")
rawequal("a", "a")
rawequal({}, {})
pcall(error)
pcall(error, "x")
{pcall(error, "x")}
{pcall(error, "x", 0)}
{pcall(function() error("x") end)}
{pcall(function() error("x", 0) end)}
{pcall(function() error("x", 2) end)}
{pcall(function() error({code=5}) end)}
{pcall(function() return 1, 2 end)}
{pcall(function() local x = nil; return x.y end)}
{pcall(function() return nil + 1 end)}
{pcall(function() return {} .. "x" end)}
{pcall(function() return 1 < "x" end)}
{pcall(function() return {} < {} end)}
{pcall(function() undefined_function() end)}
{pcall(nil)}
{pcall(5)}
{xpcall(function() error("x", 0) end, function(e) return "handled " .. e end)}
{pcall(string.rep)}
{pcall(string.rep, "x")}
{pcall(string.rep, {}, 1)}
{pcall(table.insert, 1)}
{pcall(setmetatable, 1, {})}
{pcall(ipairs)}
{pcall(ipairs, nil)}
assert(true, "no")
assert(1)
assert(false)
assert(nil, "reason")
assert(false, 5)
error("boom")
error("boom", 0)
error("boom", 2)
error({})
error()
nope()
nope.x
event.nope.x
event.a.b
event:nope()
("x").y
("x"):nope()
#5
-{}
{} + 1
"abc" + 1
nil .. "x"
{} .. "x"
1 < "2"
{} < 1
nil < nil
string.len("abc")
string.len("é")
string.upper("abcé")
string.lower("ABCÉ")
string.reverse("abc")
string.rep("ab", 3)
string.rep("ab", 0)
string.rep("ab", -1)
string.sub("hello", 2)
string.sub("hello", 2, 4)
string.sub("hello", -3)
string.sub("hello", -3, -2)
string.sub("hello", 0)
string.sub("hello", 10)
string.sub("hello", 4, 2)
string.sub("hello", 2, 100)
string.byte("A")
{string.byte("ABC", 1, 3)}
{string.byte("ABC", -1)}
{string.byte("ABC", 10)}
{string.byte("")}
string.char(72, 105)
string.char()
string.find("hello world", "wor")
{string.find("hello world", "o", 6)}
{string.find("hello", "l+")}
{string.find("hello", "(l)(l)")}
{string.find("hello", "xyz")}
{string.find("a.b", ".", 1, true)}
{string.find("a.b", "%.")}
{string.find("hello", "")}
{string.find("hello", "^h")}
{string.find("hello", "o$")}
{string.find("hello", "()ll()")}
string.match("key=value", "(%w+)=(%w+)")
{string.match("key=value", "(%w+)=(%w+)")}
string.match("2024-01-15", "%d+-%d+-%d+")
{string.match("2024-01-15", "(%d+)-(%d+)-(%d+)")}
string.match("abc", "%d")
string.match("  trim  ", "^%s*(.-)%s*$")
string.match("hello", "l*")
string.match("[[x]]", "%[(.-)%]")
string.match("f(a(b)c)d", "%b()")
string.match("abcabc", "(abc)%1")
string.match("THE (quick) fox", "%((%a+)%)")
string.match("x=1, y=2", "y=(%d)")
string.match("hello", ".-l")
string.match("hello", "[^l]+")
string.match("a-b", "[a%-]+")
string.match("a]b", "[]]")
string.match("a^b", "[%^]")
string.match("x1y2", "[a-z]%d$")
string.match("hello", "l", 4)
string.match("hello", "h", 2)
string.match("0x1F", "^0[xX](%x+)$")
string.match("é", "..")
{string.gsub("hello", "l", "L")}
{string.gsub("hello", "l", "L", 1)}
{string.gsub("hello", "(h)(e)", "%2%1")}
{string.gsub("hello", "%w", "%0%0")}
{string.gsub("hello", "", "-")}
{string.gsub("hello world", "%w+", "<%0>")}
{string.gsub("hello", "l", {l="L"})}
{string.gsub("hello", "l", function(c) return c:upper() end)}
{string.gsub("hello", "l", function() return nil end)}
{string.gsub("abc", "%w", {a=1, b=true})}
{string.gsub("$name is $age", "%$(%w+)", {name="bob", age=5})}
{string.gsub("a b c", "%s", "%%")}
{string.gsub("abc", "x*", "-")}
{string.gsub("abc", "b", "%1")}
{string.gsub("abc", "(b)", "[%1]")}
{string.gsub("a,b,c", ",", ";")}
{string.gsub("abc", "^a", "x")}
{string.gsub("aaa", "^a", "x")}
string.format("%d", 5)
string.format("%5d|%-5d|%05d", 1, 2, 3)
string.format("%s %s", "a", 1)
string.format("%s", nil)
string.format("%s", true)
string.format("%.2f", 3.14159)
string.format("%5.1f|", 2.25)
string.format("%g", 1e20)
string.format("%g", 0.1)
string.format("%e", 12345.678)
string.format("%x %X %o", 255, 255, 8)
string.format("%q", "a\"b")
string.format("%c", 65)
string.format("%%")
string.format("%d%%", 50)
string.format("%10s|%-10s|", "a", "b")
string.format("%.2s", "abc")
string.format("%i", 7)
string.format("%d", 3.7)
string.format("%s", 1.5)
string.format("%d", "10")
string.format("%d")
string.format("%s and %s", "one")
string.format("%+d % d", 5, 5)
string.format("%.3g", 1234.5678)
string.format("%.10g", 0.1)
string.format("%u", 5)
table.concat({1,2,3})
table.concat({"a","b"}, ",")
table.concat({1,2,3}, "-", 2)
table.concat({1,2,3}, "-", 2, 3)
table.concat({}, ",")
table.concat({1,{},3})
table.concat({1,2}, 5)
table.getn({1,2})
table.maxn({1,2,nil,4})
math.floor(1.7)
math.floor(-1.7)
math.ceil(1.2)
math.abs(-5)
math.max(1, 5, 3)
math.min(1, 5, 3)
math.max()
math.sqrt(16)
math.pow(2, 8)
math.fmod(7, 3)
math.fmod(-7, 3)
math.mod(-7, 3)
{math.modf(3.7)}
{math.modf(-3.7)}
{math.frexp(8)}
math.ldexp(1, 4)
math.pi
math.huge
math.log10(1000)
math.exp(0)
math.floor("3.7")
math.floor("x")
math.floor({})
math.floor()
os.time({year=2024, month=1, day=15, hour=12})
os.time({year=2024, month=1, day=15})
os.time({year="2024", month="02", day="08", hour=0})
os.date("!%Y-%m-%d %H:%M:%S", 86400)
os.date("!%A %B %d %j %p %I %y %%", 1705320000)
os.date("!*t", 86400).day
os.date("!%c", 0)
os.date("!%x %X %a %b %w", 1705320000)
os.difftime(10, 4)
getmetatable("x").__index == string
getmetatable({})
_VERSION
type(_G)
_G.event == event
event.a
event.b
event.c
event.list
event.list[1]
#event.list
event.nested
event.nested.x.y
event.none
event.kind == "Pod"
event.replicas and event.replicas > 2
event.labels
event.labels and event.labels.app
event.items
event.items and event.items[2].v
event.items and #event.items
event.empty
event.emptyList
event.mixed
event.mixed and #event.mixed
event.big
event.neg
event.s
event.s and event.s + 1
event
event.name
event.name and #event.name
event.name and event.name:upper()
event["a"]
(function() return 1, 2 end)()
((function() return 1, 2 end)())
{(function() return 1, 2 end)()}
{(function() return 1, 2 end)(), 3}
{((function() return 1, 2 end)())}
(function(...) return select("#", ...) end)(nil, nil)
(function(...) local a, b = ... return b end)(1, 2)
(function(...) return {...} end)(1, nil, 3)
(function(a, b) return b end)(1)
{n = select("#", unpack({1, nil, 3}, 1, 3))}
loadstring("return 1 + 1")()
loadstring("return +")
{loadstring("x =")}
setmetatable({}, {__index = {x = 5}}).x
setmetatable({}, {__index = function(t, k) return k .. "!" end}).foo
setmetatable({}, {__call = function(self, a) return a * 2 end})(4)
setmetatable({}, {__add = function(a, b) return 42 end}) + 1
1 + setmetatable({}, {__add = function(a, b) return 42 end})
-setmetatable({}, {__unm = function() return 7 end})
#setmetatable({}, {__len = function() return 9 end})
setmetatable({}, {__concat = function(a, b) return "cc" end}) .. "x"
tostring(setmetatable({}, {__tostring = function() return "me" end}))
getmetatable(setmetatable({}, {__metatable = "locked"}))
setmetatable(setmetatable({}, {__metatable = 1}), {})
setmetatable({}, {__is_array = true})
setmetatable({a = 1}, {__is_array = true})
setmetatable({1, 2}, {__is_array = true})
setmetatable({}, {__is_array = 1})
setmetatable({x = {}}, {})
{a = setmetatable({}, {__is_array = true})}
{f = 1/0}
{n = 0/0}
{k = {1, 2, {3}}}
{[1.5] = "x"}
{[true] = 1}
{[-1] = "neg", [0] = "zero"}
{["10"] = "s"}
{1, 2, nil, 4}
`
  .split('\n')
  .reduce((lines, line) => {
    // The long string spans two lines.
    if (line.startsWith('string]]')) return [...lines.slice(0, -1), `${lines.at(-1)}\n${line}`]
    return line === '' ? lines : [...lines, line]
  }, [])

const scripts = String.raw`
local x = 1 return x
---
x = 5 y = x + 1 return y
---
local a, b, c = 1, 2 return {a, b, tostring(c)}
---
local a, b = (function() return 1, 2 end)() return b
---
a, b = 1, 2 a, b = b, a return {a, b}
---
local t = {} t.x = 1 t["y"] = 2 t[1] = "one" return t
---
local t = {1,2,3} t[#t + 1] = 4 return t
---
local t = {} t[5] = 1 return t
---
local t = {1,2,3} t[2] = nil return t
---
local t = {1,2,3} t[3] = nil return #t
---
local t = {1,2,3} table.insert(t, 4) table.insert(t, 1, 0) return t
---
local t = {1,2,3} local r = table.remove(t) return {r, #t}
---
local t = {1,2,3} local r = table.remove(t, 1) return {r, t[1]}
---
local t = {3,1,2} table.sort(t) return t
---
local t = {3,1,2} table.sort(t, function(a, b) return a > b end) return t
---
local t = {"b","a","C"} table.sort(t) return t
---
local t = {1,"a"} table.sort(t) return t
---
local s = 0 for i = 1, 10 do s = s + i end return s
---
local s = 0 for i = 10, 1, -3 do s = s + i end return s
---
local t = {} for i = 1, 3 do t[i] = i * i end return t
---
for i = 1, "x" do end
---
for i = "1", 2 do end
---
for i = 1, 2, nil do end
---
local s = 0 for i, v in ipairs({5, 6, nil, 7}) do s = s + v end return s
---
local n = 0 for k, v in pairs({a=1, b=2, 3}) do n = n + v end return n
---
local keys = {} for k in pairs(event) do keys[#keys + 1] = k end table.sort(keys) return keys
---
local s = "" for w in string.gmatch("one two three", "%a+") do s = s .. w:sub(1, 1) end return s
---
local t = {} for k, v in string.gmatch("a=1,b=2", "(%w+)=(%w+)") do t[k] = v end return t
---
local i = 0 while true do i = i + 1 if i > 5 then break end end return i
---
local i = 0 repeat local j = i i = i + 1 until j >= 3 return i
---
local i = 0 while i < 3 do i = i + 1 end return i
---
if event.a == 1 then return true end return false
---
if event.a == 1 then return true elseif event.kind then return event.kind else return "other" end
---
if event.kind == "Pod" and event.replicas >= 3 then return true end
---
local function f(n) if n <= 1 then return 1 end return n * f(n - 1) end return f(10)
---
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end return fib(15)
---
local function f() return f() end local ok = pcall(function() local function g(n) if n == 0 then return "done" end return g(n - 1) end return g(10000) end) return ok
---
local function f(n) return 1 + f(n + 1) end return f(1)
---
local ok, e = pcall(function() local function f(n) return 1 + f(n + 1) end return f(1) end) return e
---
function g(a, ...) return a, ... end return {g(1, 2, 3)}
---
local t = {v = 1} function t.f(x) return x end function t:m() return self.v end return {t.f(5), t:m()}
---
local fs = {} for i = 1, 3 do fs[i] = function() return i end end return {fs[1](), fs[2](), fs[3]()}
---
local function counter() local n = 0 return function() n = n + 1 return n end end local c = counter() c() return {c(), counter()()}
---
do local x = 1 end return x
---
local x = 1 do local x = 2 end return x
---
local x = 1 local function f() x = x + 1 end f() f() return x
---
goto done do return 1 end ::done:: return 2
---
for i = 1, 3 do if i == 2 then goto continue end event["i" .. i] = i ::continue:: end return event
---
event.added = "yes" return event
---
event.list = nil return event
---
event.a = 5 event.nested = {z = 1} return event
---
return {original = event, extra = {1, 2}}
---
return
---
---
return 1, {}
---
return {}, 1
---
return {}, true
---
return nil
---
return function() end
---
return "x"
---
-- comment only
---
--[[ long
comment ]] return 1
---
return 1 -- trailing
---
return 1;
---
;return 1
---
local x
return x.y
---
local x = nil
local y = 1

return x.y
---
local t = {}
t.a.b = 1
---
local t = {}
t[nil] = 1
---
local t = {}
t[0/0] = 1
---
local s = "x"
s.y = 1
---
local a = 1
a()
---
local a = {}
a.b()
---
local a = {}
a:b()
---
local function f()
  error("inner")
end
f()
---
local function f()
  error("inner", 2)
end
f()
---
local function f()
  error("inner", 3)
end
f()
---
x = 
---
x = = 1
---
if x then
---
if x end
---
for i = 1 do end
---
for i in do end
---
return return
---
local 1 = 2
---
x
---
x.y
---
x y
---
1 = 2
---
f(
---
{}
---
return {1, 2
---
return "abc
---
return 'a\
b'
---
return [[abc
---
return 0x
---
return ~1
---
return 1 ~ 2
---
return @
---
return $x
---
break
---
while true do break break end
---
function f() return ... end
---
end
---
else
---
until
---
local function end
---
return a b
---
return (1
---
return 1 +
---
return not
---
x = function( end
---
x = function(a,) end
---
return {a=}
---
return {[1]}
---
return {,}
---
return #
---
return ..
---
goto nowhere
---
local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end}) t.x = 4 return t.x
---
local t = setmetatable({}, {__newindex = {}}) t.x = 4 return t.x
---
local mt = {__eq = function() return true end} return setmetatable({}, mt) == setmetatable({}, mt)
---
local mt = {__lt = function(a, b) return a.v < b.v end} local a, b = setmetatable({v=1}, mt), setmetatable({v=2}, mt) return {a < b, a > b, a <= b}
---
local mt = {__le = function(a, b) return true end} local a, b = setmetatable({}, mt), setmetatable({}, mt) return a <= b
---
local A = {} A.__index = A function A.new(v) return setmetatable({v = v}, A) end function A:get() return self.v end return A.new(7):get()
---
local t = {} t[1.0] = "a" t[2] = "b" return t
---
local t = {10, 20, 30} local out = {} for i = #t, 1, -1 do out[#out + 1] = t[i] end return out
---
local out = {} for i, item in ipairs(event.items or {}) do out[i] = item.id end return out
---
local out = {} for i, item in ipairs(event.items or {}) do out[#out + 1] = {name = "item-" .. item.id} end return {items = out, count = #out}
---
local out = {} for k, v in pairs(event.labels or {}) do out[k:upper()] = v .. "!" end return out
---
return {msg = string.format("%s has %d", event.kind or "?", event.replicas or 0)}
---
local parts = {} for p in ("a,b,,c"):gmatch("[^,]*") do parts[#parts + 1] = p end return parts
---
local a <const> = 1 return a
---
local x = 5 // 2 return x
---
return 1 & 2
---
return 3 | 4
---
return type(io), type(os.execute)
---
local t = {n = 0} local mt = {__index = function(t, k) return t.n end} setmetatable(t, mt) return t.zzz
---
return pcall(pcall, error, "x")
---
return select("#", pcall(error))
---
local r = {} r[#r+1] = tostring(1e15) r[#r+1] = tostring(1e14 + 0.5) r[#r+1] = tostring(-1e-7) r[#r+1] = tostring(123.456e10) return r
---
local t = {1, 2, 3} for i, v in ipairs(t) do t[i] = v * 2 end return t
---
local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end return next(t)
---
local s = {} for i = 1, 0 do s[1] = i end return s
---
local s = 0 for i = 0.1, 1, 0.3 do s = s + i end return s
---
local t = {} for w in ("x"):rep(5):gmatch(".") do t[#t + 1] = w end return #t
---
local n = 0 for _ in pairs({1, 2, nil, 4, x = 1}) do n = n + 1 end return n
---
return (("a"):rep(3) .. "b"):gsub("a", "c", 2)
---
return ("%d items"):format(3)
---
return #"\0a\0"
---
return "\104\105"
---
return 'it''s'
---
return "a" "b"
---
local f = string.upper return f "abc"
---
local t = {f = function(x) return x[1] end} return t.f{42}
---
return ({1, 2, 3})[2]
---
return (event.list or {})[2]
---
return event.a and event.b or event.c
---
return not (event.a == nil)
---
a.b.c = 1
---
function a.b.c() end
---
local function f(a, a) return a end return f(1, 2)
---
local a = {b = {c = {}}} a.b.c.d = 1 return a
---
local a = {b = {c = {}}} function a.b.c.f() return 3 end return a.b.c.f()
---
local i = 1 local t = {} i, t[i] = i + 1, 20 return {i, t[1], t[2]}
`
  .split('\n---\n')
  .map(script => script.replace(/^\n|\n$/g, ''))

// Arithmetic, comparisons and texts of values put together at random, as far as they run.
const operands = [
  '1',
  '2.5',
  '-3',
  '"4"',
  '"x"',
  'nil',
  'true',
  'event.a',
  'event.s',
  'event.neg',
  '{}',
  '0',
  '1e10',
  '"0x10"',
  'event.name',
  '#event.list',
  '"7.5"',
]
const operators = ['+', '-', '*', '/', '%', '..', '==', '~=', '<', '<=', '>', '>=', 'and', 'or']

function operation(depth) {
  const left = depth > 1 || below(3) > 0 ? pick(operands) : `(${operation(depth + 1)})`
  const right = depth > 1 || below(3) > 0 ? pick(operands) : `(${operation(depth + 1)})`
  return `${left} ${pick(operators)} ${right}`
}

const subjects = [
  '"hello world"',
  '"2024-01-15T10:00:00Z"',
  '"key=value; x=12"',
  '"  padded  "',
  '"a.b.c/d-e_f"',
  '"wéb 日本"',
  '""',
]
const patternParts = [
  '%a',
  '%d',
  '%s',
  '%w',
  '%p',
  '.',
  'l',
  'o',
  '=',
  '-',
  '%-',
  '[a-e]',
  '[^%s]',
  '[%w_]',
  '%.',
  '(%a+)',
  '(%d*)',
  '()',
  '%S',
  '%u',
  '%x',
]
const repeats = ['', '', '*', '+', '-', '?']

function patternText() {
  const parts = Array.from({ length: 1 + below(4) }, () => {
    const part = pick(patternParts)
    return part.endsWith(')') ? part : part + pick(repeats)
  })
  return (below(5) === 0 ? '^' : '') + parts.join('') + (below(6) === 0 ? '$' : '')
}

const patternCalls = [
  (subject, pattern) => `return {string.find(${subject}, "${pattern}")}`,
  (subject, pattern) => `return {string.match(${subject}, "${pattern}")}`,
  (subject, pattern) => `return {string.gsub(${subject}, "${pattern}", "<%0>")}`,
  (subject, pattern) => `local t = {} for m in string.gmatch(${subject}, "${pattern}") do t[#t + 1] = m end return t`,
]

const formats = [
  '%d',
  '%5d',
  '%-6d|',
  '%05d',
  '%+d',
  '%x',
  '%X',
  '%o',
  '%s',
  '%10s',
  '%-10s|',
  '%.3s',
  '%f',
  '%.1f',
  '%8.3f',
  '%e',
  '%.2e',
  '%g',
  '%.4g',
  '%c',
  '%i',
  '%q',
  '%%%d',
]
const formatted = ['1', '-42', '3.75', '255', '0', '65.9', '"text"', '"12"', '1e15', '0.000123', '123456789', '-0.5']

// Texts of tables and functions have addresses in them.
const isComparable = script => !/tostring\(\{\}|print\)\s*$/.test(script)

export const cases = [
  ...expressions.flatMap(expression => events.map(e => ({ s: `return ${expression}`, e }))),
  ...scripts.flatMap(s => events.map(e => ({ s, e }))),
  ...Array.from({ length: 700 }, () => ({ s: `return ${operation(0)}`, e: pick(events) })),
  ...Array.from({ length: 500 }, () => ({ s: pick(patternCalls)(pick(subjects), patternText()), e: {} })),
  ...Array.from({ length: 200 }, () => ({ s: `return string.format("${pick(formats)}", ${pick(formatted)})`, e: {} })),
].filter(({ s }) => isComparable(s))
