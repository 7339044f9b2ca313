import { random } from './random.mjs'

const parameters = {
  a: 1,
  b: 2.5,
  n: -3,
  zero: 0,
  big: 1e21,
  s: 'text',
  empty: '',
  num: '5',
  t: true,
  f: false,
  nil: null,
  list: [1, 'a', true, null, [1], { k: 1 }],
  words: ['x', 'y'],
  map: { k: 1, a: [1, 2], z: null, é: 'ü' },
  'with space': 'spaced',
  'dash-ed': 'dashed',
  é: 'umlaut',
  re: '^t.x',
  badre: '(',
  date: '2014-01-02',
  unix: 1388620800,
  phase: 'Running',
  replicas: 3,
  'a.b': 'dotted',
  __proto__x: 1,
}

// One expression a line; all of them see the parameters above.
const written = String.raw`
1
1.5
.5
5.
1.2.3
.
0
00
01
0x10
0xfF
0x
0xg
0x1FFFFFFFFFFFFFFFFF
0xFFFFFFFFFFFFFFFF
0x 5
1_000
1e3
1\e3
123456789
1000000
12345678901234567890
0.0001
0.00001
${'9'.repeat(400)}
true
false
True
'text'
"text"
'text"
"it\'s"
'it\'s'
'unclosed
"
''
""
'a\\b'
'a\nb'
'é日本'
é
日本
a
b
[a]
[with space]
[with space
[]
[ ]
[dash-ed]
dash\-ed
dash-ed
[a\]b]
[a.b]
a.b
a.B
map.K
map.k
s.Length
list.Len()
list.Len(1, 2)
missing.Field
map.K.L
a..B
a.
.a
map.K(missing)
map.K + 1
missing
missing + 1
missing && false
false && missing
true || missing
true && missing
nil
nil == nil
nil ?? 5
nil ?? nil ?? 6
a ?? 5
missing ?? 5
1 + 1
1+1
1 +1
1+ 1
1 - 1
1 -1
1-1
1 --1
1 - -1
-1
- 1
--1
-a
-s
-t
!t
! t
!!t
!(!t)
!a
!s
!nil
~a
~5
~-1
~b
~s
~1.9
+1
2 * 3
2 / 3
1 / 0
-1 / 0
0 / 0
7 % 3
-7 % 3
7 % -3
7.5 % 2
7 % 0
2 ** 3
2 ** 3 ** 2
2 ** -1
2 ** 0.5
-2 ** 2
(-2) ** 2
(-2) ** 0.5
(-8) ** 3
0 ** 0
0 ** -1
10 ** 308
10 ** 309
10 ** -400
1.1 ** 10
3 ** 40
7 ** 23
1.0000001 ** 1000000
2 ** 1023
2 ** 1024
2 ** -1074
2 ** -1075
0.5 ** 3.5
1 ** 999
big ** 2
1 + 2 * 3
(1 + 2) * 3
1 * 2 + 3 * 4
1 + 2 + 3 + 4
10 - 3 - 2
100 / 10 / 2
2 * 3 % 4
2 % 3 * 4
1 - 2 + 3
1 - (2 + 3)
((1))
(((1 + 2)))
()
(())
( )
(1
1)
)(
(1))
((1)
(1) 2
(1) (2)
((1) 2)
((1) (2))
((1) 2 + 3)
(1)(2) + 3
(1) + 2
(1 + )
(1 + ) + 2
( + 1)
(1 == )
(t && )
(- )
(! )
1 +
1 + + 2
1 2
a b
a 'x'
'x' 'y'
1 'x'
t f
* 1
&& t
1 == 1
1 == 2
1 != 1
1 = 1
1 === 1
a == 1
a == '1'
s == 'text'
s == "text"
s == text
'a' == 'a'
'a' == 'b'
t == true
t == 1
nil == 0
list == list
map == map
words == ('x', 'y')
words == words
list == words
map == words
1 < 2
1 <= 1
2 > 1
2 >= 2
'a' < 'b'
'a' < 'A'
'é' > 'z'
'日' < '😀'
'\ud7ff' < '😀'
'b' >= 'a'
1 < 'a'
'a' < 1
t < f
t > 1
nil < 1
list < 1
1 < 2 < 3
1 < 2 == true
(1 < 2) == true
1 + 1 == 2
1 == 1 == true
a > 0 && b > 0
a > 0 || missing
a > 0 && missing > 0
a < 0 && missing > 0
t && t
t && f
t || f
f || f
f || t && f
t || t && f
(t || t) && f
t && t || f && f
t && 1
1 && t
f && 1
t || 1
f || 1
's' && t
t && 's'
nil && t
t && nil
!t || t
!(t && f)
! t && f
t and f
t & f
t | f
1 & 3
5 & 3
5 | 3
5 ^ 3
5 ^ 3 | 8
1 | 2 & 4
1 << 4
256 >> 4
1 << 63
1 << 64
1 << 65
1 << -1
-1 << 1
-1 >> 1
-16 >> 2
1.9 << 1.9
1.5 | 2.5
-1.5 | 0
9007199254740993 | 0
1e3 | 1
9223372036854775807 | 0
9223372036854775808 | 0
18446744073709551615 | 0
18446744073709551615 >> 1
18446744073709551616 >> 1
99999999999999999999 & 1
~9223372036854775808
big | 1
big >> 1
1 / 0 | 1
(0/0) | 1
(0/0) << 1
1 | 's'
's' | 1
s << 1
1 + 2 << 3
1 << 2 + 3
1 & 2 == 0
(1 & 3) == 1
1 | 2 > 2
1 + 'a'
'a' + 1
'a' + 'b'
'a' + true
true + 'a'
'a' + nil
nil + 'a'
'a' + list
'a' + map
'a' + 1.5
'a' + 1e21
'a' + big
'a' + 1000000
'a' + 123456
'a' + 0.00001
'a' + (1/0)
'a' + (0/0)
'a' + -0
'a' + words
'a' + b + 1
1 + 2 + 'a'
'a' + 1 + 2
'a' + (1 + 2)
1 + true
true + true
1 + nil
nil + nil
list + list
map + 1
'a' - 'b'
1 - 'b'
'a' * 2
2 * 'a'
t * 2
nil * 2
2 * nil
list * 2
2 / s
s % 2
s ** 2
t ? 1 : 2
f ? 1 : 2
t ? 1
f ? 1
f ? missing : 2
t ? 1 : missing
t ? missing : 2
1 ? 2 : 3
's' ? 2 : 3
nil ? 2 : 3
missing ? 2 : 3
t ? f ? 1 : 2 : 3
t ? (f ? 1 : 2) : 3
f ? 1 : f ? 2 : 3
(t ? 1 : 2) + 3
t ? 1 : 2 + 3
a > 0 ? 'yes' : 'no'
a < 0 ? 'yes' : 'no'
t ? nil : 5
t ? 'a' : 'b' == 'b'
1 : 2
nil : 2
t : f
t ? , 1
? 1
: 1
t ? : 2
t ?? f
f ?? t
nil ?? t ? 1 : 2
t ? nil ?? 1 : 2
t ?1:2
t?1:2
s =~ 't.x'
s =~ '^T'
s =~ '(?i)^T'
s !~ 't.x'
s !~ 'z'
s =~ re
s !~ re
s =~ badre
s !~ badre
s =~ '('
s =~ '[z-a]'
s =~ 1
s =~ nil
1 =~ 'a'
nil =~ 'a'
'text' =~ 'x'
'text' =~ s
'text' =~ (s)
'text' =~ ('x')
'text' =~ ('(')
'text' =~ 'a' + 'b'
'ab' =~ 'a' + 'b'
s =~ '2014-01-02'
'2014-01-02' =~ 'x'
s =~ ''
s =~ t
'a' == 'a' =~ 'a'
'x' =~ 'x' == true
1 in (1, 2)
3 in (1, 2)
'a' in ('a', 'b')
'c' in ('a', 'b')
a in (1, 2)
a in list
'a' in list
nil in list
t in list
b in list
s in words
'x' in words
words in (1, 2)
list in list
map in list
words in (words, 1)
1 in (1)
1 in 1
1 in 's'
1 in nil
1 in map
1 in missing
1 IN (1, 2)
1 In (1, 2)
1 in (1, 2, 3) && t
(1 in (1, 2)) == true
1 in (2, 1) ? 'y' : 'n'
!(1 in (2, 3))
('a') in ('a', 'b')
(1, 2)
1, 2
1, 2, 3
(1, 2), 3
1, (2, 3)
1, 2 + 3, 'a'
(1, 2) == (1, 2)
(1, 2) == (1, 3)
(1, (2, 3)) == (1, (2, 3))
(1,)
(,1)
,
1,
,1
(1, 2) + 'a'
'2014-01-02' == 1388620800
'2014-01-02' > '2014-01-01'
'2014-01-02' < '2014-01-01 14:12'
'2014-01-02' == date
unix == '2014-01-02'
'2014-01-02 14:12' + 1
'2014-01-02 14:12:22' + 0
'2014-01-02 14:12:22.5' + 0
'2014-01-02 14:12:22+02:00' + 0
'2014-01-02 14:12:22-02:30' + 0
'2014-01-02T14' + 0
'2014-01-02T14Z' + 0
'2014-01-02T14+0200' + 0
'2014-01-02T14:12Z' + 0
'2014-01-02T14:12+0100' + 0
'2014-01-02T14:12:22Z' + 0
'2014-01-02T14:12:22.999Z' + 0
'2014-01-02T14:12:22,5Z' + 0
'2014-01-02T14:12:22+01:00' + 0
'2014-01-02T14:12:22+0100' + 0
'2014-01-02T14:12:22.123456789123+0100' + 0
'2014-01-02T14:12:22' + 0
'2014-01-02T4:12:22Z' + 0
'2014-01-02 4:12' + 0
'2014-01-02  14:12' + 0
'2014-1-2' + 0
'2014-13-02' + 0
'2014-00-02' + 0
'2014-02-29' + 0
'2012-02-29' + 0
'2014-01-32' + 0
'2014-01-00' + 0
'2014-01-02 24:00' + 0
'2014-01-02 23:60' + 0
'2014-01-02 23:59:60' + 0
'0001-01-01' + 0
'0000-01-01' + 0
'9999-12-31' + 0
'10000-01-01' + 0
'3:04PM' + 0
'03:04PM' + 0
'12:00AM' + 0
'12:00PM' + 0
'13:00PM' + 0
'0:30AM' + 0
'3:04pm' + 0
'3:4PM' + 0
'Mon Jan  2 15:04:05 2006' + 0
'Mon Jan 2 15:04:05 2006' + 0
'Tue Jan 2 15:04:05 2006' + 0
'mon jan 2 15:04:05 2006' + 0
'Mon Jan 12 15:04:05 2006' + 0
'Mon Jan  2 15:04:05 MST 2006' + 0
'Mon Jan  2 15:04:05 UTC 2006' + 0
'Mon Jan  2 15:04:05 GMT 2006' + 0
'Mon Jan  2 15:04:05 GMT+3 2006' + 0
'Mon Jan  2 15:04:05 CEST 2006' + 0
'Mon Jan  2 15:04:05 WITA 2006' + 0
'Mon Jan  2 15:04:05 ABCD 2006' + 0
'Mon Jan  2 15:04:05 XX 2006' + 0
'Mon Jan 02 15:04:05 -0700 2006' + 0
'Mon Jan 2 15:04:05 -0700 2006' + 0
'Monday Jan 2 15:04:05 2006' + 0
'2014-01-02 ' + 0
' 2014-01-02' + 0
'2014-01-02T14:12:22+25:00' + 0
'2014-01-02T14:12:22+24:00' + 0
'2014-01-02T14:12:22+01:61' + 0
'2014-01-02' 1
1 '2014-01-02'
1 '2014-01-02T14:12:22+02:00'
1 '2014-01-02T14:12:22.25+00:00'
1 'Mon Jan  2 15:04:05 MST 2006'
1 'Mon Jan  2 15:04:05 GMT-3 2006'
'2014-01-02' ? 1 : 2
'2014-01-02' in ('2014-01-02', 1)
-'2014-01-02'
!'text'
-'text'
foo()
foo(1)
a(1)
[a](1)
a (1)
1(2)
'a'(1)
t(1)
a[b]
a [b]
[a][b]
a @ b
a # b
a $ 1
a == 1;
a := 1
a += 1
a <> 1
a =< 1
a => 1
a <=> 1
a ! b
a != b
a !== b
a &&& b
a ||| b
a ?: b
a ??? b
a ** ** b
a *** b
a // b
\a
\1
a\ b
a\\b
[a\\b]
1 \+ 1
t \&& t
\i\n
1 \i\n (1,2)
{a}
a == {}
'x' == 'x' && 'y' != 'z' || !(1 > 2)
phase == 'Running' && replicas >= 3
phase =~ '^Run' && replicas in (1, 2, 3)
(phase == 'Running') || (phase == 'Succeeded')
[phase] == "Running"
replicas * 2 > 5 ? phase : 'none'
'{{steps.flip.outputs.result}}' == 'heads'
heads == heads
'heads' == 'heads'
heads == 'heads'
dep\-1 && dep\-2
__proto__
__proto__x
toString
constructor
[__proto__]
hasOwnProperty
`
  .split('\n')
  .filter(expression => expression !== '')
  .map(e => ({ e, p: parameters }))

const { pick, below, chance } = random(63)

const atoms = [
  ...'1 2 3 0 5 7.25 0x1F 100 1000000 a b n zero num s empty t f nil list words map é [with space] date unix'.split(
    / (?!space)/,
  ),
  ..."'a' 'b' 'text' '5' '' 'é' '2014-01-02' '2014-01-02T14:12:22Z' true false missing phase replicas".split(' '),
]
const binary = '+ - * / % ** & | ^ << >> == != < > <= >= =~ !~ && || in ? : ?? ,'.split(' ')

function generated(depth) {
  if (depth === 0 || chance(0.25)) return pick(atoms)
  const kind = below(12)
  if (kind === 0) return `${pick(['-', '!', '~'])}${generated(depth - 1)}`
  if (kind <= 2) return `(${generated(depth - 1)})`
  if (kind === 3) return `${generated(depth - 1)} ? ${generated(depth - 1)} : ${generated(depth - 1)}`
  if (kind === 4) return `${generated(depth - 1)} in (${generated(depth - 1)}, ${generated(depth - 1)})`
  const space = chance(0.9) ? ' ' : ''
  return generated(depth - 1) + space + pick(binary) + space + generated(depth - 1)
}

// Expressions whose operands have the types that the operators want.
function number(depth) {
  if (depth === 0 || chance(0.2))
    return pick(['1', '2', '3', '10', '0.5', 'a', 'b', 'n', 'zero', 'replicas', '-4', '0xff', "'2014-01-02'"])
  if (chance(0.2)) return `(${number(depth - 1)})`
  if (chance(0.1)) return `(${truth(depth - 1)} ? ${number(depth - 1)} : ${number(depth - 1)})`
  return `${number(depth - 1)} ${pick('+ - * / % & | ^ << >> + - *'.split(' '))} ${number(depth - 1)}`
}

function text(depth) {
  if (depth === 0 || chance(0.4)) return pick(["'a'", "'Running'", 's', 'phase', 'empty', 'num', '[with space]', 'é'])
  return `${text(depth - 1)} + ${chance(0.7) ? text(depth - 1) : `(${number(depth - 1)})`}`
}

function truth(depth) {
  if (depth === 0 || chance(0.1)) return pick(['t', 'f', 'true', 'false'])
  switch (below(8)) {
    case 0:
      return `!(${truth(depth - 1)})`
    case 1:
      return `(${truth(depth - 1)})`
    case 2:
      return `${number(depth - 1)} ${pick(['<', '>', '<=', '>=', '==', '!='])} ${number(depth - 1)}`
    case 3:
      return `${text(depth - 1)} ${pick(['<', '>', '<=', '>=', '==', '!='])} ${text(depth - 1)}`
    case 4:
      return `${text(0)} ${pick(['=~', '!~'])} ${pick(["'^R'", "'.'", "'a|b'", 're', "'ing$'"])}`
    case 5:
      return `${text(0)} in (${text(0)}, ${text(0)}, ${text(0)})`
    default:
      return `${truth(depth - 1)} ${pick(['&&', '||'])} ${truth(depth - 1)}`
  }
}

// A valid expression with one character too many, too few or another one.
function damaged(expression) {
  const at = below(expression.length + 1)
  return (
    expression.slice(0, at) +
    pick([...'()[]\'"\\.,+-*!?:&|=<>~ 0x1a'.split(''), '', '']) +
    expression.slice(at + below(2))
  )
}

const makers = [
  () => generated(3),
  () => number(4),
  () => truth(4),
  () => text(3),
  () => damaged(truth(3)),
  () => damaged(generated(2)),
]

export const shared = parameters
export const cases = [...written, ...Array.from({ length: 2600 }, () => ({ e: pick(makers)(), p: parameters }))]
