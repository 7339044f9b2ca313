import { random } from './random.mjs'

// The documents are named by their place in this list, which only grows.
export const documents = [
  '{"name":{"first":"Tom","last":"Anderson"},"age":37,"children":["Sara","Alex","Jack"],"fav.movie":"Deer Hunter","friends":[{"first":"James","last":"Murphy"},{"first":"Roger","last":"Craig"}]}',
  '{"apiVersion":"argoproj.io/v1alpha1","kind":"Workflow","metadata":{"generateName":"special-","labels":{"app.kubernetes.io/name":"x"}},"spec":{"entrypoint":"whalesay","arguments":{"parameters":[{"name":"message","value":"hello"},{"name":"other","value":"1"}]},"templates":[{"name":"whalesay","container":{"image":"docker/whalesay","args":["{{x}}"],"env":[]}}]}}',
  '{\n  "a": 1,\n  "b": [ 1, 2, 3 ],\n  "c": { "d": null, "e": {} },\n  "f": []\n}\n',
  '[1,2,{"a":[3]},[4,5],"x"]',
  '  [ 1 , 2 ]  ',
  '{}',
  '[]',
  '',
  ' ',
  'null',
  '5',
  '"text"',
  'true',
  '{"a":"x","a":"y","é":"ü","日本":{"語":[1]},"😀":1,"q\\"k":{"z":1},"b\\\\s":2,"":3,"-1":"m","0":"zero","__proto__":{"x":1}}',
  '{"a":{"b":{"c":{"d":1}}},"l":[[[1]]]}',
  '{"a":1,"b":"x,y:z[1]{2}","c":"\\"quoted\\"","d":{"e":"f,g"},"h":[",",":","["]}',
  '{ }',
  '[ ]',
  '{"a":[],"b":{}}',
  '{"a":[{"n":"x","v":[1,2]},{"n":"y","v":[3]},{"n":"x","v":[]},{"n":"é","v":[4]}]}',
  '{"a":1',
  '[1,2',
  'text {"a":1}',
  '{"é":[{"ü":1,"n":2},{"ü":3,"n":4}],"t":[{"n":"a","v":1},{"n":"b","v":2}]}',
]

const written = String.raw`
name.last
name.middle
name
name.first.x
age
age.x
age.0
children
children.0
children.1
children.2
children.3
children.5
children.-1
children.x
children.:1
children.:-1
children.
children.1.x
children.-1.x
children.-1.0
children.-1.-1
fav\.movie
fav.movie
fav\.movie.x
friends.0.first
friends.1.age
friends.2.first
friends.-1.first
friends.-1
friends.#(last=="Murphy").first
friends.#(last=="Craig").age
friends.#(last=="Nobody").first
friends.#(last=="Murphy")#.first
friends.#(first%"*")#.last
friends.#(last!="x")#
friends.#(last=="Murphy")
friends.#.first
friends.#.last
friends.#.missing
friends.#
friends|0
friends|0.first
friends|0|first
friends|#.first
friends.@reverse.0.first
friends.0.@this
friends.@this.0
friends.#(last=="Murphy").@this.first
friends.#(last=="Murphy").@this|first
friends.#(last=="Murphy")#|0
{name,age}
[name,age]
@this
@this.name
!5
n*e
n?me
*
?
na\*me
na\?me
na\#me
na\|me
na\@me
na\\me
na\me
na\
\
\\
:a
:0
:
:a.:0
a.:1.b
0
1
2
3
7
-1
-1.x
-1.-1
0.x
2.a
2.a.0
2.a.1
2.a.-1
2.a.3
2.b
3.1
3.2
3.-1
4.x
a
a.b
a.b.c
a.b.c.d
a.b.c.d.e
a.b.c.x
a.x.y.z
a.0
a.1
a.2
a.-1
a.0.0
a.-1.b.-1.c
a.1.b.2.c
b
b.0
b.1
b.3
b.-1
b.x
c
c.d
c.d.x
c.e
c.e.x
c.x
f
f.0
f.1
f.2
f.-1
f.-1.x
f.x
h.0
h.1
h.-1
d.e
d.x
l.0.0.0
l.0.0.1
l.0.-1
l.1.1.1
x
x.0
x.1
x.2.y
x.-1
x.-1.y
x.y.z
x..y
x.
.
..
.x
..x
é
日本.語
日本.語.0
日本.語.-1
日本.x
😀
😀.x
ü.ö
q"k
q\"k.z
q"k.z
b\\s
__proto__
__proto__.x
__proto__.y
constructor.x
metadata.name
metadata.labels.app\.kubernetes\.io/name
metadata.labels.new
metadata.annotations.a\.b/c
spec.arguments.parameters.0.value
spec.arguments.parameters.1.value
spec.arguments.parameters.2.value
spec.arguments.parameters.-1
spec.arguments.parameters.-1.name
spec.arguments.parameters.#(name=="message").value
spec.arguments.parameters.#(name=="other").value
spec.arguments.parameters.#(name=="none").value
spec.arguments.parameters.#(name=="message")
spec.arguments.parameters.#(name=="message").valueFrom
spec.arguments.parameters.#(name%"*")#.value
spec.arguments.parameters.#.value
spec.arguments.parameters
spec.arguments
spec.templates.0.container.args.0
spec.templates.0.container.args.1
spec.templates.0.container.args.-1
spec.templates.0.container.env.-1.name
spec.templates.0.container.env.0.name
spec.templates.#(name=="whalesay").container.image
spec.templates.#(name=="whalesay").container.args.0
spec.templates.#(name=="whalesay").container.args.#
spec.templates.#(container.image%"docker*").name
a.#(n=="x").v
a.#(n=="x").v.0
a.#(n=="x")#.v
a.#(n=="x")#.n
a.#(n=="x")#.v.0
a.#(n=="é").v
a.#(n=="é").v.0
a.#.n
a.#.v
a.#.v.0
a.#.v.#
a.#.v.@reverse
a.#(v.#>0)#.n
a.#(v.#(>2)).n
a|#.n
a|#(n=="x")#.n
a|1.n
é.#.ü
é.#.n
é.#(ü=3).n
t.#(n=="b").v
t.#(n>"a")#.v
t.#.v|0
t.#(n=="b")|v
t.{0,1}
999
a.500
a.9.9
`
  .split('\n')
  .filter(path => path !== '')

const values = [
  '',
  'text',
  'a"b\\c',
  '<b>&',
  'é<',
  'line\nfeed',
  '\u2028',
  1,
  1.5,
  -0.25,
  1e21,
  1e-7,
  123456789012,
  true,
  false,
  null,
]
  .map(v => ({ v }))
  .concat([[], {}, [1, 'x'], { b: 1, a: { z: '<', y: [null] } }, { é: 1e21, '<': 1e-7 }].map(v => ({ v })))
  .concat(['1', '"x"', '{"k": [1, 2]}', '', 'null', '12345678901234567890'].map(r => ({ r })))
  .concat([{ d: true }, { d: true }, { d: true }, { d: true }, { d: true }, { d: true }, { d: true }, { d: true }])

const { pick, below, chance } = random(62)

const table = written.flatMap(p =>
  documents.flatMap((text, j) => {
    const key = /[a-zA-Z_é日😀]+/u.exec(p)?.[0]
    const wanted = key === undefined || text.includes(`"${key}`) ? 0.75 : 0.12
    return chance(wanted) ? [{ j, p, ...pick(values) }] : []
  }),
)

const pieces =
  'a b c d e f l x name first last friends children spec arguments parameters 0 1 2 3 5 -1 :0 :a é 日本 \\. a\\.b n v t'.split(
    ' ',
  )
const queries = '#.n #.v #(n=="x") #(n=="x")# #(n=="b").v #(first=="James").last *.0 n* @this | #'.split(' ')

function generatedPath() {
  const parts = Array.from({ length: 1 + below(4) }, () => (chance(0.9) ? pick(pieces) : pick(queries)))
  return parts.join('.')
}

const generated = documents.flatMap((_, j) =>
  Array.from({ length: 45 }, () => ({ j, p: generatedPath(), ...pick(values) })),
)

export const cases = [...table, ...generated]
