// Expressions that do not parse, and what the parser says about them.
const table = String.raw`
1 +
1 2
1 2 3
(1
(1, 2)
[1,2
[1 2]
{'a' 1}
{'a': 1
{'a':}
{'a'}
'abc
"abc
'abc\q'
$
a.true
a.false
a.null
f(,)
f(1,)
f(1 2)
f(1, 2
f(
1 + + 2
self.x &&
self..x
self.x == 'a
a ? b
a ? b :
a ? : b
for
if
while(1)
namespace
self.namespace
package.x
1 = 2
a = b
self.a[0
self.a[]
self.a(1
&& true
|| true
true &&
true & false
true | false
!
!!
-
has(self)
self.${'`'}a${'`'}
1.2.3
1..2
a.1
a.'b'
a.[1]
[1, 2]]
(1))
{}}
)
]
}
,
:
?
a,b
a;b
a b
#
@
a.b.
a.b.(c)
.a
.f(1)
..a
in
a in
in a
1 in [1] in [2]
!a!
a!
'a' 'b'
0x
0xg
1u2
1e
1e+
1.e3
1.
'\u12'
'\400'
b'
r'a
"""abc
a ?? b
a ?. b
a.?
a[?]
[?]
{?}
{?'a'}
[?1, 2]
true ? false
true ? false : true ? 1
x -> y
f(x => y)
self.a == "b" and true
self.a = 1 ? 2 : 3
/* c */ 1
1 // comment
1 + // comment
// only a comment
`

const nested = (open, close, depth) => `${open.repeat(depth)}1${close.repeat(depth)}`

export const syntaxCases = [
  '',
  ' ',
  '\n',
  '1 +\n2 +\n',
  'self.a\n  .b\n  .c(\n',
  'x\n\n+ y',
  '"日本語" + x',
  'é',
  nested('(', ')', 50),
  nested('[', ']', 50),
  Array.from({ length: 100 }, () => '1').join(' + '),
  Array.from({ length: 100 }, () => 'true').join(' && '),
  ...table.split('\n').filter(line => line !== ''),
].map(e => ({ e }))
