// Expressions without variables. Blank lines and lines that start with // are left out.
const table = String.raw`
// literals
1
-1
-9223372036854775808
9223372036854775807
9223372036854775808
0x7fffffffffffffff
-0x1f
18446744073709551615u
18446744073709551616u
0xFFu
1.5
-1.5
.5
1e3
1.5e-7
1e400
1e21
123456789.0
0.0001
0.00001
-0.0
true
false
null
'a'
"a"
"a\tb\nc\"d\\e'f"
'\x41\101\u0042\U00000043\?\a\b\f\v\r'
r'raw\n'
R"raw\"
'''triple 'quoted' '''
"""multi
line"""
b'abc'
b'\xff\000'
b"\u0041"
'\ud800'
'\xff'
'日本語'
'😀'.size()
"\u00e9"
[1, 2, 3]
[]
[[1], [2, 3], []]
{'a': 1, 'b': 2}
{}
{1: 'a', 2: 'b'}
{true: 1, false: 0}
{1u: 1}
[1, 2u]
[1, 'a']
[1, 2.0]
[dyn(1), dyn('a')]
[1, dyn('a')]
{'a': 1, 'b': 'c'}
{'a': 1, 2: 3}
{'a': dyn(1), 'b': dyn('c')}
[null, 1]
[1, null]
[null]
[1, 2,]
{'a': 1,}
[,]
{,}
// arithmetic
1 + 2
1 - 2
3 * 4
7 / 2
-7 / 2
7 % 3
-7 % 3
7 / 0
7 % 0
7.0 / 0.0
-7.0 / 0.0
0.0 / 0.0
9223372036854775807 + 1
-9223372036854775808 - 1
9223372036854775807 * 2
-9223372036854775808 / -1
-9223372036854775808 % -1
-(-9223372036854775808)
--5
---5
- 5
-(5)
-5.0
!true
!!true
!!!true
1u + 2u
1u - 2u
18446744073709551615u + 1u
18446744073709551615u * 2u
5u / 2u
5u % 2u
5u / 0u
5u % 0u
1.5 + 2.5
1.5 - 2.5
1.5 * 2.0
'a' + 'b'
b'a' + b'b'
[1] + [2]
[] + [1]
[1] + []
1 + 1u
1 + 1.0
1 + 'a'
'a' + 1
'a' * 2
'a' - 'b'
true + true
null + null
1 + 2 * 3
(1 + 2) * 3
1 - 2 - 3
2 * 3 % 4
1 + 2 == 3 && 4 > 3
dyn(1) + dyn(2)
dyn(1) + dyn('a')
dyn('a') + dyn('b')
dyn('a') - dyn('b')
dyn(true) + dyn(true)
dyn([1]) + dyn([2])
dyn(1) * dyn(2.0)
dyn(1u) - dyn(2u)
-dyn(1)
-dyn('a')
-dyn(true)
!dyn(1)
!dyn(true)
dyn(1) % dyn(0)
dyn(1.5) % dyn(1.5)
duration('1h') + duration('1m')
duration('1h') - duration('1m')
duration('1h') + timestamp('2020-01-01T00:00:00Z')
timestamp('2020-01-01T00:00:00Z') + duration('1h')
timestamp('2020-01-01T00:00:00Z') - duration('1h')
timestamp('2020-01-01T00:00:00Z') - timestamp('2019-01-01T00:00:00Z')
timestamp('9999-12-31T23:59:59Z') + duration('1s')
timestamp('0001-01-01T00:00:00Z') - duration('1s')
timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')
duration('2562047h') + duration('2562047h')
-duration('1h')
// comparison
1 < 2
2 <= 2
3 > 2
2 >= 3
1 == 1
1 != 1
1 < 2u
1u < 2
1 < 1.5
1.5 > 1
1u < 1.5
1 == 1u
1 == 1.0
1u == 1.0
dyn(1) == dyn(1u)
dyn(1) == dyn(1.0)
dyn(1) == dyn('1')
dyn(9223372036854775807) == dyn(9223372036854775808.0)
dyn(1) < dyn(1.5)
dyn(1) < dyn('a')
dyn('a') < dyn(1)
dyn(0.0/0.0) < dyn(1)
0.0/0.0 == 0.0/0.0
0.0/0.0 != 0.0/0.0
'a' < 'b'
'a' < 'B'
'ab' < 'b'
'é' < 'z'
'😀' > '￿'
b'a' < b'b'
false < true
true < false
timestamp('2020-01-01T00:00:00Z') < timestamp('2021-01-01T00:00:00Z')
duration('1m') < duration('1h')
null == null
null != null
null == 1
1 == null
dyn(null) == dyn(1)
'a' == null
timestamp('2020-01-01T00:00:00Z') == null
duration('1s') == null
[1, 2] == [1, 2]
[1, 2] == [2, 1]
[1, 2] == [1]
[1] == [1.0]
[dyn(1)] == [dyn(1.0)]
{'a': 1} == {'a': 1}
{'a': 1} == {'b': 1}
{'a': 1, 'b': 2} == {'b': 2, 'a': 1}
{1: 'a'} == {1: 'a'}
dyn({1: 'a'}) == dyn({1u: 'a'})
type(1) == int
type(1) == type(2)
type(1) == type('a')
type(1)
type('a')
type([1])
type({})
type(null)
type(type(1))
type(1u)
type(1.0)
type(true)
type(b'')
type(duration('1s'))
type(timestamp('2020-01-01T00:00:00Z'))
type(optional.none())
int
string
list
map
bool
bytes
double
uint
null_type
google.protobuf.Timestamp
google.protobuf.Duration
type(duration('1s')) == google.protobuf.Duration
type(dyn(1)) == int
type(ip('1.2.3.4')) == net.IP
type(cidr('1.2.3.0/24')) == net.CIDR
net.IP
optional_type
// logic
true && true
true && false
false || true
true && 1
1 || true
(1 / 0 > 0) || true
true || (1 / 0 > 0)
(1 / 0 > 0) && false
false && (1 / 0 > 0)
(1 / 0 > 0) && true
(1 / 0 > 0) || (2 / 0 > 0)
(1 / 0 > 0) || (2 % 0 > 0)
dyn(1) && true
dyn(1) || true
dyn('a') || false
true && true && true && false
true || false || true
false || false || false || (1/0 == 1) || true
true ? 1 : 2
false ? 1 : 2
true ? 1 : 'a'
true ? 1 : dyn('a')
(1 / 0 > 0) ? 1 : 2
true ? 1 : 1 / 0
false ? 1 : 1 / 0
dyn(1) ? 1 : 2
true ? true ? 1 : 2 : 3
true ? [1] : [2]
(true ? {'a': 1} : {'a': 2}).a
(false ? {'a': 1} : {'b': 2}).b
(true ? [1, 2] : [3])[1]
// membership and indexing
1 in [1, 2, 3]
4 in [1, 2, 3]
1 in []
1u in [1u, 2u]
dyn(1) in [1u, 2u]
dyn(1u) in [1, 2]
dyn(1.0) in [1, 2]
1.0 in [1.0, 2.0]
dyn('a') in [1, 2]
'a' in ['a', 'b']
'a' in {'a': 1}
'b' in {'a': 1}
1 in {1: 'a'}
dyn(1u) in {1: 'a'}
dyn(1.0) in {1: 'a'}
dyn(1) in {'a': 1}
dyn('a') in dyn(1)
null in [null]
[1] in [[1], [2]]
[3] in [[1], [2]]
b'a' in [b'a', b'b']
true in [true]
1 in [1, 2].map(x, x + 1)
2 in [1, 2].map(x, x + 1)
dyn([1, 2]).exists(x, x in [2, 3])
[1, 2, 3][0]
[1, 2, 3][3]
[1, 2, 3][-1]
[1, 2, 3][1u]
[1, 2, 3][dyn(1u)]
[1, 2, 3][dyn(1.0)]
[1, 2, 3][dyn(1.5)]
[1, 2, 3][dyn('a')]
[1, 2, 3][1 + 1]
[[1, 2], [3]][0][1]
{'a': 1}['a']
{'a': 1}['b']
{'a': 1}.a
{'a': 1}.b
{'a': {'b': 1}}.a.b
{'a': {'b': 1}}['a'].b
{1: 'a'}[1]
{1: 'a'}[dyn(1u)]
{1: 'a'}[dyn(1.0)]
{1: 'a'}[2]
{1: 'a'}['a']
{true: 'a'}[true]
{'a': 1}[dyn(1)]
dyn({'a': 1})['a']
dyn([1])[0]
dyn(1)[0]
dyn(1).a
dyn('a').b
dyn({'a': 1}).a
dyn({'a': 1}).b
dyn([1]).a
'a'[0]
'a'.b
1.a
has({'a': 1}.a)
has({'a': 1}.b)
has({'a': {'b': 1}}.a.b)
has({'a': {'b': 1}}.a.c)
has({'a': {'b': 1}}.c.b)
has(dyn({'a': 1}).a)
has(dyn(1).a)
has(dyn([1]).a)
has({'a': null}.a)
has({'a': 1})
has(1)
has({'a': 1}['a'])
!has({'a': 1}.b)
// size
size('abc')
size('日本語')
'abc'.size()
size(b'abc')
size([1, 2])
[1, 2].size()
size({'a': 1})
{'a': 1}.size()
size(1)
size(dyn(1))
size(dyn('abc'))
dyn([1, 2]).size()
size(null)
// macros
[1, 2, 3].all(x, x > 0)
[1, 2, 3].all(x, x > 1)
[].all(x, x > 0)
[1, 2, 3].exists(x, x > 2)
[1, 2, 3].exists(x, x > 3)
[].exists(x, x > 0)
[1, 2, 3].exists_one(x, x > 2)
[1, 2, 3].exists_one(x, x > 1)
[1, 2, 3].existsOne(x, x > 2)
[1, 2, 3].map(x, x * 2)
[1, 2, 3].map(x, x > 1, x * 2)
[1, 2, 3].filter(x, x > 1)
{'a': 1, 'b': 2}.all(k, k != 'c')
{'b': 2}.exists(k, k == 'b')
{'a': 1}.map(k, k + '!')
{'a': 1}.filter(k, k == 'a')
[0, 1].all(x, 1 / x > 0)
[0, 2].exists(x, 1 / x > 0)
[2, 0].exists(x, 4 / x == 2)
[0, 2].all(x, 4 / x == 3)
[0, 2].exists_one(x, 4 / x == 2)
[0, 2].map(x, 4 / x)
[0, 2].filter(x, 4 / x == 2)
[1, 2].all(x, 'a')
[1, 2].all(x, dyn('a'))
[1, 2].map(x, [x].map(y, y + x))
[[1, 2], [3]].all(l, l.all(x, x > 0))
[[1, 2], [3]].map(l, l.map(x, x + 1))
[1, 2].all(x, [3, 4].exists(y, y > x))
[1, 2].map(x, x).filter(x, x > 1)
1.all(x, true)
'abc'.all(x, true)
dyn(1).all(x, true)
dyn([1, 2]).all(x, x > 0)
dyn({'a': 1}).all(k, k == 'a')
dyn('a').map(x, x)
[1].all(1, true)
[1].all(x.y, true)
[1].map(1, true)
[1].filter(1, true)
[1].exists(__result__, true)
[1].map(__result__, true)
[1].all(x)
[1].all()
[1, 2, 3].all(i, v, i < v)
[1, 2, 3].exists(i, v, i == 2 && v == 3)
[1, 2, 3].exists_one(i, v, v > 2)
[1, 2, 3].existsOne(i, v, v > 2)
{'a': 1, 'b': 2}.all(k, v, v > 0)
{'b': 2}.exists(k, v, k == 'b' && v == 2)
[1, 2, 3].transformList(i, v, i * v)
[1, 2, 3].transformList(i, v, v > 1, i * v)
{'a': 1}.transformList(k, v, k)
{'a': 1, 'b': 2}.transformMap(k, v, v + 1)
{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1)
[1, 2].transformMap(i, v, v * 2)
{'a': 'x', 'b': 'y'}.transformMapEntry(k, v, {v: k})
{'a': 'x', 'b': 'x'}.transformMapEntry(k, v, {v: 1})
{'a': 'x', 'b': 'y'}.transformMapEntry(k, v, k == 'a', {v: k})
[1, 2].transformMapEntry(i, v, {'k' + string(i): v})
[1].all(x, x, true)
[1].transformList(1, v, v)
dyn(1).transformList(i, v, v)
cel.bind(x, 1, x + 1)
[3, 1, 2].sortBy(x, x)
[3, 1, 2].sortBy(x, -x)
['b', 'a'].sortBy(x, x)
[{'n': 2}, {'n': 1}].sortBy(m, m.n)
lists.range(100).size()
{'a': 1}.sortBy(x, x)
'abc'.sortBy(x, x)
[1, 2].sortBy(x, [x])
[].sortBy(x, x)
// optionals
optional.of(1)
optional.none()
optional.of(1).hasValue()
optional.none().hasValue()
optional.of(1).value()
optional.none().value()
optional.of(1).orValue(2)
optional.none().orValue(2)
optional.of(1).or(optional.of(2))
optional.none().or(optional.of(2)).value()
optional.ofNonZeroValue(0)
optional.ofNonZeroValue(1)
optional.ofNonZeroValue('')
optional.ofNonZeroValue([])
optional.ofNonZeroValue({})
optional.ofNonZeroValue(null)
optional.ofNonZeroValue(false)
optional.ofNonZeroValue(0.0)
optional.ofNonZeroValue(0u)
optional.ofNonZeroValue(b'')
optional.ofNonZeroValue(duration('0s'))
optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z'))
optional.of(1) == optional.of(1)
optional.of(1) == optional.of(2)
optional.of(1) == optional.none()
optional.none() == optional.none()
{'a': 1}.?a
{'a': 1}.?b
{'a': 1}.?a.value()
{'a': {'b': 1}}.?a.b
{'a': {'b': 1}}.?a.?b
{'a': {'b': 1}}.?c.b
{'a': {'b': 1}}.?a.c
{'a': {'b': 1}}.?a.?c.orValue(5)
{'a': 1}[?'a']
{'a': 1}[?'b']
{'a': 1}[?'b'].orValue(3)
[1, 2][?0]
[1, 2][?5]
[1, 2][?5].orValue(9)
[[1], [2]][?0][0]
[[1], [2]][?3][0]
optional.of({'a': 1}).a
optional.of({'a': 1}).?a
optional.of([1])[0]
optional.of([1])[?0]
optional.of(1).optMap(x, x + 1)
optional.none().optMap(x, x + 1)
optional.of(1).optFlatMap(x, optional.of(x + 1))
optional.of(1).optFlatMap(x, optional.none())
optional.of(1).optMap(1, 2)
[?optional.of(1), ?optional.none(), 2]
{?'a': optional.of(1), ?'b': optional.none()}
[?1]
{?'a': 1}
[?dyn(1)]
{?'a': dyn(1)}
has({'a': {'b': 1}}.?a.b)
has({'a': {'b': 1}}.?c.b)
optional.unwrap([optional.of(1), optional.none()])
[optional.of(1), optional.none()].unwrapOpt()
[1, 2].first()
[].first()
[1, 2].last().value()
[].last().hasValue()
dyn(1).?a
dyn({'a': 1}).?a
dyn({'a': 1}).?a.hasValue()
1.?a
// conversions
int('1')
int('-5')
int('+5')
int('a')
int('')
int('1.5')
int('9223372036854775808')
int(1.9)
int(-1.9)
int(1e19)
int(1u)
int(18446744073709551615u)
int(duration('1s'))
int(timestamp('2020-01-01T00:00:00Z'))
int(timestamp('1969-12-31T23:59:59.5Z'))
int(true)
int(dyn('1'))
int(dyn(true))
uint(1)
uint(-1)
uint('5')
uint('-5')
uint(1.5)
uint(-1.5)
uint(1e20)
double(1)
double('1.5')
double('a')
double('NaN')
double('Infinity')
double('-inf')
double('1e400')
double('0x1p4')
double('1_000')
double(1u)
string(1)
string(-1)
string(1u)
string(1.5)
string(1.0)
string(1e20)
string(1e21)
string(100000.0)
string(1000000.0)
string(123456.789)
string(0.0001)
string(0.00001)
string(0.0/0.0)
string(1.0/0.0)
string(true)
string('a')
string(b'abc')
string(b'\xff')
string(duration('1h30m'))
string(duration('1.5s'))
string(duration('1ns'))
string(duration('-1.5s'))
string(timestamp('2020-01-01T00:00:00Z'))
string(timestamp('2020-01-01T00:00:00.123456789Z'))
string(timestamp('2020-01-01T00:00:00.100Z'))
string(timestamp('2020-01-01T00:00:00+01:30'))
string(timestamp('2020-01-01T00:00:00-08:00') + duration('1h'))
string(null)
string([1])
string(dyn(null))
string(type(1))
bool('true')
bool('TRUE')
bool('t')
bool('1')
bool('yes')
bool(true)
bool(1)
bytes('abc')
bytes(b'abc')
bytes(1)
dyn(1)
duration('1h')
duration('1h1m1s1ms1us1ns')
duration('1.5h')
duration('-1h')
duration('+1h')
duration('.5s')
duration('1')
duration('')
duration('0')
duration('1d')
duration('9223372036s')
duration('9223372037s')
duration(1)
duration(dyn('abc'))
duration(dyn('5s'))
timestamp('2020-01-01T00:00:00Z')
timestamp('2020-01-01')
timestamp('2020-01-01T00:00:00')
timestamp('2020-13-01T00:00:00Z')
timestamp('2020-02-30T00:00:00Z')
timestamp('2020-01-01T24:00:00Z')
timestamp('2020-01-01T00:00:60Z')
timestamp('2020-01-01t00:00:00z')
timestamp('2020-01-01T1:00:00Z')
timestamp('0000-01-01T00:00:00Z')
timestamp('2020-01-01T00:00:00,5Z')
timestamp('2020-01-01T00:00:00+25:00')
timestamp(1577836800)
timestamp(253402300800)
timestamp(dyn('x'))
// time accessors
timestamp('2020-02-29T12:34:56.789Z').getFullYear()
timestamp('2020-02-29T12:34:56.789Z').getMonth()
timestamp('2020-02-29T12:34:56.789Z').getDayOfYear()
timestamp('2020-02-29T12:34:56.789Z').getDayOfMonth()
timestamp('2020-02-29T12:34:56.789Z').getDate()
timestamp('2020-02-29T12:34:56.789Z').getDayOfWeek()
timestamp('2020-02-29T12:34:56.789Z').getHours()
timestamp('2020-02-29T12:34:56.789Z').getMinutes()
timestamp('2020-02-29T12:34:56.789Z').getSeconds()
timestamp('2020-02-29T12:34:56.789Z').getMilliseconds()
timestamp('2020-02-29T12:34:56.789Z').getHours('America/New_York')
timestamp('2020-07-29T12:34:56.789Z').getHours('America/New_York')
timestamp('2020-02-29T23:34:56.789Z').getDate('Asia/Tokyo')
timestamp('2020-02-29T12:34:56.789Z').getHours('+05:30')
timestamp('2020-02-29T12:34:56.789Z').getMinutes('-05:30')
timestamp('2020-02-29T12:34:56.789Z').getHours('Nowhere/Land')
timestamp('2020-02-29T12:34:56.789Z').getHours('a:b')
timestamp('2020-02-29T12:34:56.789Z').getHours('1:b')
timestamp('2020-02-29T12:34:56.789Z').getHours('UTC')
timestamp('2020-02-29T12:34:56.789Z').getHours('')
timestamp('2020-12-31T23:59:59Z').getDayOfYear()
timestamp('0001-01-01T00:00:00Z').getFullYear()
timestamp('1969-12-31T23:59:59Z').getSeconds()
duration('3h2m1.5s').getHours()
duration('3h2m1.5s').getMinutes()
duration('3h2m1.5s').getSeconds()
duration('3h2m1.5s').getMilliseconds()
duration('-90s').getMinutes()
dyn(1).getHours()
dyn(duration('1h')).getHours()
// strings
'hello'.contains('ell')
'hello'.startsWith('he')
'hello'.endsWith('lo')
'hello'.contains('')
'hello'.contains(1)
dyn('hello').contains('ell')
dyn(1).contains('a')
'hello'.matches('^h.*o$')
'hello'.matches('l+')
'hello'.matches('[')
matches('hello', 'h')
matches('[', 'h')
'hello'.matches(dyn('['))
dyn('hello').matches('h')
dyn(1).matches('h')
'a'.matches('(?i)A')
'abc'.charAt(1)
'abc'.charAt(3)
'abc'.charAt(4)
'abc'.charAt(-1)
'日本語'.charAt(1)
'hello'.indexOf('l')
'hello'.indexOf('z')
'hello'.indexOf('')
'hello'.indexOf('l', 3)
'hello'.indexOf('l', 4)
'hello'.indexOf('l', -1)
'hello'.indexOf('', 2)
'hello'.indexOf('o', 10)
'hello'.lastIndexOf('l')
'hello'.lastIndexOf('l', 2)
'hello'.lastIndexOf('')
'hello'.lastIndexOf('z')
'hello'.lastIndexOf('h', -1)
'hello'.lastIndexOf('o', 9)
'hello'.lastIndexOf('', 3)
'HeLLo Ünï'.lowerAscii()
'HeLLo ünï'.upperAscii()
'hello'.replace('l', 'L')
'hello'.replace('l', 'L', 1)
'hello'.replace('l', 'L', 0)
'hello'.replace('l', 'L', -1)
'hello'.replace('', '-')
'hello'.replace('', '-', 2)
'héllo'.replace('é', '$&')
'a,b,c'.split(',')
'a,b,c'.split(',', 2)
'a,b,c'.split(',', 0)
'a,b,c'.split(',', 1)
'a,b,c'.split(',', -1)
'abc'.split('')
''.split(',')
''.split('')
'hello'.substring(2)
'hello'.substring(5)
'hello'.substring(6)
'hello'.substring(-1)
'hello'.substring(1, 3)
'hello'.substring(3, 1)
'hello'.substring(0, 9)
'hello'.substring(9, 10)
'  hi \t\n'.trim()
'\u00a0\u2003hi\u0085'.trim()
'\ufeffhi'.trim()
['a', 'b'].join()
['a', 'b'].join('-')
[].join('-')
[1].join()
dyn(['a', 'b']).join('-')
dyn(['a', dyn(1)]).join('-')
strings.quote('a"b\n\\')
strings.quote('日本')
'abc'.reverse()
// format
'%s'.format(['a'])
'%d'.format([1])
'%d %s'.format([1, 'a'])
'%s %s'.format(['a'])
'%s'.format(['a', 'b'])
'%s'.format([])
'%%'.format([])
'%'.format(['a'])
'%z'.format(['a'])
'%.2f'.format([1.5])
'%f'.format([1234567.891])
'%.0f'.format([2.5])
'%.10f'.format([1.0])
'%f'.format([0.0/0.0])
'%f'.format([1.0/0.0])
'%f'.format([-1.0/0.0])
'%e'.format([1234.5678])
'%.2e'.format([1234.5678])
'%e'.format([0.0])
'%e'.format([1e100])
'%.3e'.format([-0.00012])
'%e'.format([0.0/0.0])
'%e'.format([1.0/0.0])
'%.30e'.format([1.5])
'%.300f'.format([0.1])
'%.256f'.format([1.5])
'%.257f'.format([1.5])
'%.100f'.format([1.5])
'%.30f'.format([0.1])
'%.1000001f'.format([1.5])
'%.10000009f'.format([1.5])
'%.99999999999f'.format([1.5])
'%.99999999999999999999f'.format([1.5])
'%.3f'.format([-1e22])
'%.1f'.format([0.25])
'%.1f'.format([0.35])
'%.2f'.format([-0.125])
'%.0f'.format([-0.4])
'%b'.format([5])
'%b'.format([-5])
'%b'.format([true])
'%b'.format([5u])
'%x'.format([255])
'%X'.format([255])
'%x'.format([-26])
'%x'.format(['hello'])
'%X'.format([b'\xff'])
'%o'.format([8])
'%o'.format([8u])
'%s'.format([1])
'%s'.format([1.5])
'%s'.format([1e10])
'%s'.format([true])
'%s'.format([null])
'%s'.format([b'abc'])
'%s'.format([[1, 2, 3]])
'%s'.format([['a', 'b']])
'%s'.format([[1.5, 2.0]])
'%s'.format([{'a': 1, 'b': 2}])
'%s'.format([{'b': 'x', 'a': 'y'}])
'%s'.format([{1: 'a', 2: 'b'}])
'%s'.format([{true: 1}])
'%s'.format([duration('1h')])
'%s'.format([timestamp('2020-01-01T00:00:00Z')])
'%s'.format([[duration('1h')]])
'%s'.format([[timestamp('2020-01-01T00:00:00Z')]])
'%s'.format([type(1)])
'%s'.format([[null]])
'%s'.format([[true]])
'%s'.format([[b'abc']])
'%s'.format([['a"b\n', 'é', '\u200b']])
'%s'.format([[[1], [2]]])
'%s'.format([[{'a': [1]}]])
'%d'.format(['a'])
'%d'.format([1.5])
'%d'.format([dyn('a')])
'%f'.format([1])
'%f'.format([dyn(1)])
'%f'.format(['NaN'])
'%f'.format(['x'])
'%e'.format([1])
'%x'.format([1.5])
'%o'.format(['a'])
'%b'.format(['a'])
'%s'.format([optional.none()])
'%s'.format([dyn(optional.none())])
'%.f'.format([1.0])
'%.3'.format([1.0])
'%.3d'.format([1])
'%5d'.format([1])
dyn('%s').format(['a'])
'%s'.format(dyn(['a']))
('%' + 'd').format([1])
('%' + 's %s').format([1])
// lists
[1, 2, 3].isSorted()
[1, 3, 2].isSorted()
['a', 'b'].isSorted()
[].isSorted()
[1.0, 2.0].isSorted()
[false, true].isSorted()
[duration('1s'), duration('2s')].isSorted()
[b'a', b'b'].isSorted()
[1u, 2u].isSorted()
dyn([1, 2]).isSorted()
dyn([[1]]).isSorted()
[[1]].isSorted()
[1, 2, 3].sum()
[].sum()
[1.5, 2.5].sum()
[1u, 2u].sum()
[duration('1s'), duration('2s')].sum()
['a'].sum()
[9223372036854775807, 1].sum()
[1, 2, 3].max()
[1, 2, 3].min()
[].max()
[].min()
['b', 'a'].min()
['b', 'a'].max()
[timestamp('2020-01-01T00:00:00Z'), timestamp('2021-01-01T00:00:00Z')].max()
dyn([1, 2u]).max()
dyn([]).max()
[1, 2, 3, 2].indexOf(2)
[1, 2, 3, 2].lastIndexOf(2)
[1, 2, 3, 2].indexOf(5)
['a', 'b'].indexOf('b')
[1, 2].indexOf('a')
dyn([1, 2]).indexOf(2)
[1, 2, 3, 4].slice(1, 3)
[1, 2, 3, 4].slice(0, 0)
[1, 2, 3, 4].slice(3, 1)
[1, 2, 3, 4].slice(-1, 1)
[1, 2, 3, 4].slice(0, 5)
[[1], [2, 3]].flatten()
[[1], [[2]]].flatten()
[[1], [[2]]].flatten(2)
[1, [2]].flatten()
[[1]].flatten(-1)
[[1]].flatten(0)
[1, 2].flatten()
lists.range(3)
lists.range(0)
lists.range(-1)
[3, 1, 2].sort()
['b', 'a'].sort()
[].sort()
[true, false].sort()
[[1]].sort()
dyn([3, 1]).sort()
dyn([3, 'a']).sort()
[1, 2, 3].reverse()
[1, 2, 1].distinct()
[1, 2, 1].distinct().size()
[[1], [1]].distinct()
[].distinct()
sets.contains([1, 2, 3], [1, 2])
sets.contains([1, 2], [3])
sets.contains([], [])
sets.contains([1], [])
sets.equivalent([1, 2], [2, 1, 1])
sets.equivalent([1], [2])
sets.intersects([1, 2], [2, 3])
sets.intersects([1], [2])
sets.intersects([], [])
sets.contains(['a'], [1])
sets.contains([1], [dyn(1.0)])
// regex
'abc 123'.find('[0-9]+')
'abc'.find('[0-9]+')
'abc 123 456'.findAll('[0-9]+')
'abc 123 456'.findAll('[0-9]+', 1)
'abc 123 456'.findAll('[0-9]+', 0)
'abc 123 456'.findAll('[0-9]+', -1)
'abc'.find('[')
'abc'.findAll('[')
'abc'.find(dyn('['))
'abc'.findAll('')
'aaa'.findAll('a*')
'baab'.findAll('a*')
'héé'.findAll('é')
// urls
url('https://user:pw@example.com:8080/a%20b/c?x=1&y=2&x=3#frag')
url('https://example.com:80/').getScheme()
url('https://example.com:80/').getHost()
url('https://example.com:80/').getHostname()
url('https://example.com:80/').getPort()
url('https://[::1]:80/').getHostname()
url('https://[::1]:80/').getPort()
url('https://[::1]/').getHost()
url('https://example.com').getPort()
url('https://example.com').getEscapedPath()
url('https://example.com/a b').getEscapedPath()
url('https://example.com/a%20b').getEscapedPath()
url('https://example.com/a!b').getEscapedPath()
url('/a/b?c=d').getEscapedPath()
url('/a/b?c=d').getQuery()
url('https://example.com/?a=1&b=2&a=3').getQuery()
url('https://example.com/?a=%zz&b=1').getQuery()
url('https://example.com/?a;b').getQuery()
url('https://example.com/?a+b=c+d').getQuery()
url('https://example.com/').getQuery()
url('').getHost()
url('example.com')
url('../a')
url('http://a b/')
url('http://a%zz/')
url('http://a:b/')
url('http://[::1/')
url('http://[1.2.3.4]/')
url(':foo')
url('mailto:a@b')
url('http://a/%zz')
url('http://a\n')
url('HTTP://Example.COM/').getScheme()
url('http://x/') == url('http://x/')
url('http://x/') == url('http://y/')
url('http://x/') != url('http://y/')
isURL('https://example.com')
isURL('x')
isURL('')
isURL('/x')
isURL('http://a b')
isURL(1)
// quantities
quantity('1Gi')
quantity('1.5Gi')
quantity('500m')
quantity('abc')
quantity('')
quantity('1Zi')
isQuantity('1Gi')
isQuantity('abc')
isQuantity('')
quantity('1Gi').isGreaterThan(quantity('1G'))
quantity('1Gi').isLessThan(quantity('1G'))
quantity('1Gi').compareTo(quantity('1024Mi'))
quantity('1').compareTo(quantity('2'))
quantity('1Gi') == quantity('1024Mi')
quantity('1Gi') != quantity('1024Mi')
quantity('1Gi') == quantity('1G')
quantity('50k').asInteger()
quantity('1500m').asInteger()
quantity('50k').isInteger()
quantity('1500m').isInteger()
quantity('9999999999999999999999').isInteger()
quantity('1.7').asApproximateFloat()
quantity('50.703k').asApproximateFloat()
sign(quantity('-5'))
sign(quantity('0'))
sign(quantity('5'))
quantity('1').add(quantity('2'))
quantity('1Gi').add(quantity('1Mi'))
quantity('1').add(5)
quantity('1').sub(5)
quantity('1Gi').sub(quantity('1Mi'))
quantity('1').add(quantity('2')) == quantity('3')
quantity('3') == quantity('1').add(quantity('2'))
quantity('1').add(quantity('2')).add(3)
quantity(1)
dyn(quantity('1')) == dyn(1)
dyn(1) == dyn(quantity('1'))
type(quantity('1'))
// addresses
ip('192.168.0.1')
ip('::1')
ip('::ffff:1.2.3.4')
ip('fe80::1%eth0')
ip('1.2.3')
ip('1.2.3.256')
ip('1.2.3.04')
ip('1.2.3.4.5')
ip('1..2.3')
ip('abc')
ip('1:2')
ip('1:2:3:4:5:6:7:8:9')
ip('1::2::3')
ip('12345::')
ip('g::')
ip('::1:')
ip('2001:DB8::1')
ip('2001:db8:0:0:1:0:0:1')
ip('0:0:0:0:0:0:0:0')
ip('::1.2.3.4')
ip('1:2:3:4:5:6:1.2.3.4')
ip('')
isIP('1.2.3.4')
isIP('::1')
isIP('x')
isIP('::ffff:1.2.3.4')
ip.isCanonical('127.0.0.1')
ip.isCanonical('2001:db8::abcd')
ip.isCanonical('2001:DB8::ABCD')
ip.isCanonical('x')
string(ip('192.168.0.1'))
ip('1.2.3.4').family()
ip('::1').family()
ip('0.0.0.0').isUnspecified()
ip('::').isUnspecified()
ip('127.0.0.1').isLoopback()
ip('::1').isLoopback()
ip('224.0.0.1').isLinkLocalMulticast()
ip('ff02::1').isLinkLocalMulticast()
ip('169.254.1.1').isLinkLocalUnicast()
ip('fe80::1').isLinkLocalUnicast()
ip('8.8.8.8').isGlobalUnicast()
ip('255.255.255.255').isGlobalUnicast()
ip('2001:db8::1').isGlobalUnicast()
ip('224.0.0.1').isGlobalUnicast()
ip('1.2.3.4') == ip('1.2.3.4')
ip('1.2.3.4') != ip('1.2.3.5')
ip('::1') == ip('0:0:0:0:0:0:0:1')
cidr('10.0.0.0/8')
cidr('10.1.2.3/8')
cidr('10.0.0.0/33')
cidr('10.0.0.0/08')
cidr('10.0.0.0/-1')
cidr('10.0.0.0/')
cidr('10.0.0.0')
cidr('::ffff:1.2.3.0/120')
cidr('fe80::%eth0/64')
cidr('x/8')
isCIDR('10.0.0.0/8')
isCIDR('x')
cidr('10.0.0.0/8').containsIP('10.1.2.3')
cidr('10.0.0.0/8').containsIP('11.1.2.3')
cidr('10.0.0.0/8').containsIP(ip('10.1.2.3'))
cidr('10.0.0.0/8').containsIP('::1')
cidr('10.0.0.0/8').containsIP('x')
cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')
cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16'))
cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')
cidr('10.0.0.0/8').containsCIDR('x')
cidr('0.0.0.0/0').containsCIDR('10.0.0.0/8')
cidr('::/0').containsCIDR('10.0.0.0/8')
cidr('10.1.2.3/8').ip()
cidr('10.1.2.3/8').masked()
cidr('10.1.2.3/8').prefixLength()
cidr('2001:db8:1:2::/48').masked()
cidr('10.1.2.3/8') == cidr('10.1.2.3/8')
cidr('10.1.2.3/8') == cidr('10.0.0.0/8')
cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')
string(cidr('10.1.2.3/8'))
// formats
format.dns1123Label().validate('my-name')
format.dns1123Label().validate('My-Name')
format.dns1123Label().validate('a.b')
format.dns1123Label().validate('')
format.dns1123Subdomain().validate('a.b')
format.dns1123Subdomain().validate('A.b')
format.dns1035Label().validate('1a')
format.dns1035Label().validate('a1')
format.qualifiedName().validate('a/b')
format.qualifiedName().validate('a/b/c')
format.qualifiedName().validate('/b')
format.qualifiedName().validate('A/')
format.qualifiedName().validate('name')
format.dns1123LabelPrefix().validate('my-')
format.dns1123SubdomainPrefix().validate('my.-')
format.dns1035LabelPrefix().validate('my-')
format.labelValue().validate('')
format.labelValue().validate('a b')
format.uri().validate('http://a')
format.uri().validate('x')
format.uuid().validate('123e4567-e89b-12d3-a456-426614174000')
format.uuid().validate('x')
format.byte().validate('aGVsbG8=')
format.byte().validate('x')
format.byte().validate('')
format.date().validate('2020-01-01')
format.date().validate('2020-1-1')
format.datetime().validate('2020-01-01T00:00:00Z')
format.datetime().validate('2020-01-01')
format.datetime().validate('2020-01-01T25:00:00Z')
format.named('dns1123Label').value().validate('a')
format.named('nope')
format.named('dns1123Label').hasValue()
format.dns1123Label() == format.dns1123Label()
format.dns1123Label() == format.uri()
!format.dns1123Label().validate('x').hasValue()
format.dns1123Label().validate('X').orValue([]).size()
// versions
semver('1.2.3')
semver('1.2')
semver('v1.2.3')
semver('01.2.3')
semver('1.02.3')
semver('1.2.03')
semver('a.2.3')
semver('1.b.3')
semver('1.2.c')
semver('1.2.3-alpha.1+build.5')
semver('1.2.3-')
semver('1.2.3-01')
semver('1.2.3-a_b')
semver('1.2.3+')
semver('1.2.3+a_b')
semver('')
semver('99999999999999999999.0.0')
semver('v1.2', true)
semver('1', true)
semver('01.02.03', true)
semver('v1.0-alpha', true)
isSemver('1.2.3')
isSemver('1.2')
isSemver('v1', true)
semver('1.2.3').major()
semver('1.2.3').minor()
semver('1.2.3').patch()
semver('1.2.3').isLessThan(semver('1.2.4'))
semver('1.2.3').isGreaterThan(semver('1.2.4'))
semver('1.2.3').compareTo(semver('1.2.3-alpha'))
semver('1.2.3-alpha').compareTo(semver('1.2.3-alpha.1'))
semver('1.2.3-alpha.1').compareTo(semver('1.2.3-alpha.beta'))
semver('1.2.3-2').compareTo(semver('1.2.3-11'))
semver('1.2.3') == semver('1.2.3+build')
semver('1.2.3') != semver('1.2.4')
// authorization
authorizer.path('/healthz').check('get').allowed()
authorizer.path('/healthz').check('post').allowed()
authorizer.path('/healthz').check('post').reason()
authorizer.path('').check('get')
authorizer.path('  ').check('get').allowed()
authorizer.group('').resource('pods').check('get').allowed()
authorizer.group('').resource('pods').check('get').reason()
authorizer.group('apps').resource('deployments').subresource('scale').namespace('ns').name('web').check('update').reason()
authorizer.group('apps').resource('deployments').check('update').allowed()
authorizer.group('').resource('').check('get')
authorizer.group('').resource('pods').check('fail').errored()
authorizer.group('').resource('pods').check('fail').error()
authorizer.group('').resource('pods').check('get').error()
authorizer.group('').resource('pods').check('fail').allowed()
authorizer.serviceAccount('default', 'sa').group('').resource('pods').check('get').reason()
authorizer.serviceAccount('Default', 'sa').group('').resource('pods').check('get').reason()
authorizer.serviceAccount('default', 'S A').group('').resource('pods').check('get').reason()
authorizer.group('').resource('pods').labelSelector('a=b').fieldSelector('metadata.name=x').check('get').allowed()
authorizer.group('').resource('pods').labelSelector('a in (b').check('get').allowed()
authorizer.group('').resource('pods')
authorizer
authorizer == authorizer
authorizer.group('') == authorizer.group('')
authorizer.foo()
authorizer.group(1)
['get', 'list'].all(v, authorizer.group('').resource('pods').check(v).allowed())
// undeclared and wrong
x
x.y
x.y.z(1)
foo()
foo(1, 2)
'a'.foo()
1.foo()
size()
size(1, 2)
self.foo(
oldSelf
int(1, 2)
true.x
optional.of()
lists.range('a')
string
dyn
dyn()
Foo{}
Foo{a: 1}
int{}
math.greatest(1, 2)
base64.encode(b'a')
'a' in 'abc'
1 in 1
{}.a
[].a
[1].all(x, y)
[1].map(x, x.y)
[1].map(x, x + 'a')
self.a.b.c
duration('x') == duration('y')
timestamp('x')
'a'.matches('(') || true
1 && 2
true && 'a' && 1
!1
-'a'
-true
-1u
true ? 1
1 ? 2 : 3
'a' ? 1 : 2
[1, 2, 3].all(x, x > 'a')
{'a': 1}.all(k, k > 1)
sets.contains(1, 2)
ip(1)
'a'.format([1]).format([2])
// values read through optionals, and operands that functions do not expect
optional.of(quantity('1')).optMap(q, q)
optional.of(ip('1.2.3.4')).optMap(q, q)
optional.of(cidr('1.2.3.0/24')).optMap(q, q)
optional.of(url('http://x/')).optMap(q, q)
optional.of(semver('1.2.3')).optMap(q, q)
optional.of(format.uri()).optMap(q, q)
optional.of(quantity('1')).optMap(q, q).value()
optional.of(quantity('1')).optMap(q, q).hasValue()
optional.of(optional.of(1)).optMap(q, q)
optional.of(optional.none()).optMap(q, q)
[optional.of(1)].map(x, x)
[optional.of(quantity('1'))].map(x, x.hasValue())
[optional.of(quantity('1'))].map(x, x.value().asInteger())
[optional.of(duration('1s'))].map(x, x)
[optional.of(b'a')].map(x, x)
[optional.of([quantity('1')])].map(x, x.value()[0].asInteger())
true ? optional.of(ip('1.2.3.4')) : optional.none()
dyn({'a':1}).flatten()
dyn(1).flatten(2)
dyn([[1]]).flatten(dyn('a'))
!-1
!-true
- -1
-!1
!-x
--!x
dyn(1).distinct()
dyn({}).distinct()
dyn(true).distinct()
dyn(null).distinct()
dyn(quantity('1')).distinct()
dyn(optional.none()).all(x, true)
dyn(quantity('1')).all(x, true)
dyn(quantity('1')).a
dyn(1u).all(x, true)
dyn(type(1)).all(x, true)
dyn(null).all(x, true)
dyn(duration('1s')).all(x, true)
{'a':1}[dyn([1])]
{'a':1}[dyn(null)]
{'a':1}[dyn({})]
{'a':1}[dyn(duration('1s'))]
// cost-relevant shapes
'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' == 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'
'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' + 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('a{1,10}b?[c-z]*')
'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' < 'b'
['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'].max()
['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'].join('---------------')
[[1, 2, 3], [4, 5, 6]].map(x, x.map(y, y * 2)).size()
{'a': [1, 2], 'b': [3]}.transformMap(k, v, v.size())
[1, 2, 3].map(x, {'k': x})
[1, 2, 3].map(x, {'k': [x, x]}).filter(m, m.k[0] > 1)
[dyn(1), dyn('a')].map(x, type(x))
[1, 2, 3].exists(x, x == 2 || x == 3)
[1, 2, 3].all(x, x in [1, 2, 3])
'abc'.size() > 2 ? 'abc'.substring(1) : 'x'
{'a': 1}['a'] + {'b': 2}['b']
{'a': {'b': [1, 2]}}.a.b[1]
[1, 2, 3][[0, 1][1]]
[1, 2, 3].map(x, x > 1 ? 'big' : 'small')
optional.of('x').optMap(v, v + 'y').orValue('z')
{'a': 1}.?b.optMap(v, v + 1).orValue(0)
[1, 2, 3].map(x, [x]).flatten()
lists.range(5).map(i, i * i).sum()
['b', 'a'].sortBy(s, s)[0]
[[1, 2], [3]].map(l, l.sum()).max()
`

export const tableCases = table
  .split('\n')
  .reduce(joinContinuations, [])
  .filter(line => line.trim() !== '' && !line.startsWith('//'))
  .map(e => ({ e }))

// A triple-quoted literal may go over two lines.
function joinContinuations(lines, line) {
  const last = lines.at(-1)
  if (last?.startsWith('"""') && (last.match(/"""/g) ?? []).length === 1) lines[lines.length - 1] = `${last}\n${line}`
  else lines.push(line)
  return lines
}
