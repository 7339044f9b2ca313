import { random } from './random.mjs'

// The documents are named by their place in this list, which only grows.
export const documents = [
  '{"name":{"first":"Tom","last":"Anderson"},"age":37,"children":["Sara","Alex","Jack"],"fav.movie":"Deer Hunter","friends":[{"first":"Dale","last":"Murphy","age":44,"nets":["ig","fb","tw"]},{"first":"Roger","last":"Craig","age":68,"nets":["fb","tw"]},{"first":"Jane","last":"Murphy","age":47,"nets":["ig","tw"]}]}',
  '{\n  "type": "UPDATE",\n  "body": {\n    "apiVersion": "apps/v1", "kind": "Deployment",\n    "metadata": {"name": "web-1", "labels": {"app.kubernetes.io/name": "web", "tier": "front end"}, "generation": 3},\n    "spec": {"replicas": 2, "paused": false, "template": {"spec": {"containers": [{"name": "main", "image": "nginx:1.25", "ports": [{"containerPort": 80}, {"containerPort": 443}]}, {"name": "side", "image": "busybox", "ports": []}]}}}\n  },\n  "oldBody": null\n}\n',
  '{"vals":[{"a":1,"b":true},{"a":2,"b":true},{"a":3,"b":false},{"a":"0","b":"1"},{"a":0,"b":"true"},{"a":"t"},{"b":null},{"a":null,"b":0},{"a":-1.5e3,"b":1e400}, 5, "a", "b", true, false, null, [1,2], [], {}]}',
  '[1, 2.50, -3e2, 12345678901234567890, 0.1, 1E5, -0, 1e-7, 100000000000000000000000, 123456789.125]',
  '{"a":"b\\nc","esc\\"aped":1,"uni\\u00e9":"\\ud83d\\ude00","lone":"\\ud800x","pair":"\\ud83dx\\ude00","sl":"a\\/b\\\\c","q":"say \\"hi\\"","é":"ü","日本":{"語":[1,"二",{"三":3}]},"😀":"smile","":"empty","*":"star","a*b":"ab","a?b":"qb","a|b":"pipe","@this":"at","#":"hash","!":"bang","1":"one","-1":"minus","a\\\\b":"back"}',
  '{"a":1,"a":2,"b":{"x":1},"b":{"y":2},"c":[1],"c":[2,3]}',
  '{"name":"Gilbert","age":61}\n{"name":"Alexa","age":34}\n{"name":"May","age":57}\n{"name":"Deloise","age":44}\n',
  '[[1,[2,[3,[4]]]],[],[[]],[5,6],{"k":[7]}]',
  '',
  '   ',
  'null',
  'true',
  '"text"',
  '"{\\"a\\":1}"',
  '42',
  '-1.0',
  'hello {"a":1}',
  '{"a":[1,2,3',
  '{"a":"unclosed',
  '{"a":nan,"b":Inf,"c":-inf,"d":+5,"e":1_000,"f":0x10p0,"g":NaN}',
  '{"str":"{\\"id\\":1023,\\"name\\":\\"alert\\"}","n":"5","arr":"[1,2]","bad":"{"}',
  '{"id":["123","456","789"],"val":[2,1],"x":5,"deep":{"id":["a"]}}',
  '[{"first":"Tom","age":37},{"age":41,"last":"Smith"},7,{"first":"Al"}]',
  '{"z":1,"y":{"b":[1,2,{"q":1,"p":2}],"a":"x"},"list":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35],"short":["ä","ö"],"nested":[[1,2],[3,[4,5]]],"e":{},"f":[],"A":null,"t":true,"ff":false,"wide":["äöüäöüäöüäöüäöüäöüäöüäöü","äöüäöüäöüäöüäöü"]}',
  '{"a":{"b":{"c":{"d":{"e":"deep"}}}},"b":{"c":"shallow"},"list":[{"b":{"c":1}},{"b":{"c":2}},{"b":3}]}',
  '{ "a" : [ 1 , { "b" : [ true , false , null ] } , "x" ] , "e" : { } }',
  '{"<html>":"<b>&amp;</b>","tab":"a\\tb","nul":"\\u0000","c":"\\u0001\\u001f","bad":"\\x","ctl":"a\tb\\n"}',
  '{"items":[{"metadata":{"name":"a"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}},{"metadata":{"name":"b"},"status":{"phase":"Pending","conditions":[{"type":"Ready","status":"False"},{"type":"Init","status":"True"}]}},{"metadata":{"name":"c"}}]}',
  '[]',
  '{}',
  '{"__proto__":{"x":1},"constructor":"c","toString":2,"list":[{"__proto__":5}]}',
  '[1,2,]',
  '{"a":1,}',
  'not json at all',
  '{"a":(1),"b":[(2),3]}',
]

const written = String.raw`
name.last
name
name.first.x
age
age.x
children
children.#
children.1
children.3
children.-1
children.01
children.00000000000000000000000000000001
children.18446744073709551617
children.x
child*.2
c?ildren.0
c?ildren
ch*ren
*
?
??
*.0
*.first
f*.#
fav\.movie
fav.movie
fav\*
fav\.mov*
fav\.mov?e
friends.#.first
friends.#.nets
friends.#.nets.#
friends.#.nets.0
friends.#.nets.#.x
friends.1.last
friends.1
friends.1.nets.#
friends.#(last=="Murphy").first
friends.#(last=="Murphy")#.first
friends.#(last=="Murphy")#
friends.#(last=="Murphy")
friends.#(last!="Murphy")#.first
friends.#(age>45)#.last
friends.#(age>=47)#.last
friends.#(age<47)#.last
friends.#(age<=47)#.last
friends.#(age=47).first
friends.#(age==47).first
friends.#(age==47.0).first
friends.#(first%"D*").last
friends.#(first%"?a*")#.last
friends.#(first!%"D*").last
friends.#(first!%"D*")#.last
friends.#(nets.#(=="fb"))#.first
friends.#(nets.#(=="ig")).first
friends.#(nets.#(%"i*"))#
friends.#(first)
friends.#(first)#
friends.#(missing)
friends.#(missing)#
friends.#(nets.#)#.first
friends.#(nets.#==3)#.first
friends.#(nets.#>2).first
friends.#[last="Murphy"].first
friends.#[last="Murphy"]#.first
friends.#(last=="Murphy"
friends.#(last=="Murphy)
friends.#(
friends.#()
friends.#()#
friends.#(=1)
friends.#(last=Murphy)#.first
friends.#( last == "Murphy" )#.first
friends.#(last == Murphy)#.first
friends.#(last=="Mur\"phy")#
friends.#(last>"D")#.last
friends.#(last<"D")#.last
friends.#(last>="Murphy")#.last
friends.#(last<="Craig")#.last
friends.#(first=="Dale").nets.#
friends.#(first=="Dale").nets|#
friends.#(age>45)#|#
friends.#(age>45)#.#
friends.#(age>45)#|0
friends.#(age>45)#.0
friends.#(age>45)#|0.first
friends.#(age>45)#.nets.#
friends.#(age>45)#.nets|#
friends.#(age>45)#.nets.@reverse
friends.#(age>45)#|@reverse
friends.#(age>45)#.{first,last}
friends.#(age>45)#.{"f":first,"n":nets.#}
friends.#(age>45)#.[first,last]
friends.#(age>45)#.{first,last}|#
friends.#.first|#
friends.#.first|0
friends.#.{first,age}
friends.#.[first,age]
friends.#.{"n":first,"a":age}|1
friends.#.nets|@flatten
friends.#.nets.@reverse
friends.#.nets|@flatten|#
friends|#
friends|0
friends|0|first
friends|0.first
friends.0|first
friends|#.first
friends|#(last="Craig").first
friends|@reverse|0.first
friends.@reverse
friends.@reverse.0.first
friends.@reverse.#.first
friends.@this
friends.@this.0
friends.@this.#(age>45)#.first
friends.#(first="Dale").@this
friends.#(first="Dale").@this.nets
friends.#(first="Dale").@this|nets
friends.#(first="Dale")|nets
@this
@this.name
@this|name.first
@this|@this|age
@
@@
@x
@x.y
@this:1
@this:
@reverse
@reverse|@reverse
@ugly
@pretty
@pretty:{"indent":"\t"}
@pretty:{"indent":"    ","prefix":" "}
@pretty:{"width":20}
@pretty:{"width":0}
@pretty:{"width":-1}
@pretty:{"sortKeys":true}
@pretty:{"sortKeys":true,"width":10,"indent":""}
@pretty:{"indent":"abc \t"}
@pretty:{"sortKeys":"1","width":"30"}
@pretty|@ugly
@pretty:x
@valid
@valid|@this
@keys
@values
name.@keys
name.@values
children.@keys
children.@values
age.@keys
age.@values
missing.@keys
missing|@keys
missing|@values
missing|@this
missing|!5
@flatten
@flatten:{"deep":true}
@flatten:{"deep":false}
@flatten:true
nested.@flatten
nested.@flatten:{"deep":true}
y.b|@flatten
@join
@join:{"preserve":true}
friends.@join
friends.@join:{"preserve":true}
@tostr
@tostr|@fromstr
@fromstr
str.@fromstr
str.@fromstr.id
str.@fromstr|name
n.@fromstr
arr.@fromstr.1
arr|@fromstr|#
bad.@fromstr
name.@tostr
age.@tostr
@group
@group.0
@group|#
deep.@group
x.@group
@dig:first
@dig:age
@dig:b.c
@dig:c
@dig:#
@dig:0
@dig:name|@this
@dig:@this
@dig:#(type="Ready").status
@dig:missing
items.@dig:status
items.@dig:type|#
@dig
@dig:@dig:name
{name,age}
{name.first,age}
{"n":name.first,"c":children.#}
{n:name.first}
{"n":name.first}.n
{"n":name.first}|n
{n\:x:age}
{"a":missing}
{a:missing,age}
{friends.#.first,"x":friends.#(age>45)#.last}
{friends.#.first}
{children.#}
{name.@keys}
{name.@this}
{name|@keys}
{@this}
{@keys}
{"x":@this.age}
{!5}
{"five":!5,"t":!true,"s":!"x","o":!{"k":[1]}}
{age:!"<&>"}
{<a>:age}
{"<a>":age}
{"a\"b":age}
{"a:b":age}
[name.first,age]
[name,age].1
[name,age]|1
[name,age]|#
[age,missing,age]
[age,[age,age],{age}]
[children.#,friends.#]
[missing]
{missing}
[]
{}
[
{
[age
{age
[age]x
[age]x.y
{age}name
{age}.age
[age].0.x
[!1,!2,!3].1
[!"a","b"]
name.{first,last}
name.[first,last]
name.{"f":first}|f
name.{"f":first}.f
children.[0,2]
children.{0,2}
children.{"a":0}
friends.0.{first,"n":nets.[0,1]}
!5
!5.x
!5|@this
!-5.2
!+1
!"text"
!"text"|@this
!"a.b"
!{"a":1}
!{"a":1}.a
!{"a":[1,2]}|a.1
![1,2,3]
![1,2,3].#
![1,2,3]|1
!true
!TRUE
!false.x
!null
!null|@this
!nan
!inf
!Inf|@this
!x
!
!!
age|!7
.
..
...
..#
..0
..1
..1.name
..#.name
..#.age
..#(name="May").age
..#(age>40)#.name
..#|0
..9
..#.name|1
..{name}
..0|name
..@this
.name
name.
name..first
name|
name||first
|name
|
||
#
#.
#.x
#.first
#.age
##
#x
#|x
0
1
2
3
4
0.first
0.0
1.0
0.1.1.0
3.#
-1
a
a.b
a.b.c
a.b.c.d.e
a.0
a.#
a.1
a.1.b
a.1.b.#
a.1.b.2
b.x
b.y
c.#
c.1
c
d
e
f
g
list.#.b.c
list.#.b
list.#(b.c=1).b
list.#(b.c=1).b.c
list.#(b.c>0)#.b.c
list.#(b=3)
list.#(b=3)#
body.metadata.name
body.metadata.labels
body.metadata.labels.app\.kubernetes\.io/name
body.metadata.labels.app*
body.metadata.labels.tier
body.spec.replicas
body.spec.paused
oldBody
oldBody.x
oldBody|@this
body.spec.template.spec.containers.#.name
body.spec.template.spec.containers.#(name=="main").image
body.spec.template.spec.containers.#(name=="main").ports.#.containerPort
body.spec.template.spec.containers.#.ports.#.containerPort
body.spec.template.spec.containers.#.ports.#.containerPort|@flatten
body.spec.template.spec.containers.#.ports|@flatten|#
body.spec.template.spec.containers.0.ports.1.containerPort
body.spec.template.spec.containers.#(ports.#(containerPort=443)).name
body.spec.template.spec.containers.#(image%"nginx:*").name
vals.#(a=1)
vals.#(b=true)#.a
vals.#(b=false)#.a
vals.#(b!=true)#.a
vals.#(b>false)#.a
vals.#(b>=false)#.a
vals.#(b<true)#.a
vals.#(b<=true)#.a
vals.#(b=null)#
vals.#(b==~true)#.a
vals.#(b==~false)#
vals.#(b==~null)#
vals.#(b==~*)#
vals.#(b!=~true)#
vals.#(b!=~false)#.a
vals.#(b!=~null)#.a
vals.#(b!=~*)#
vals.#(b>~true)#
vals.#(b>=~true)#
vals.#(b<~true)#
vals.#(b<=~true)#
vals.#(b=~x)#
vals.#(b%~true)#
vals.#(a==~true)#.a
vals.#(a==~false)#.a
vals.#(=5)
vals.#(="a")#
vals.#(>"a")#
vals.#(=true)#
vals.#(=false)
vals.#(=null)
vals.#(==~true)#
vals.#(==~null)#
vals.#(==~*)#
vals.#(a>0)#.a
vals.#(a<0)#.a
vals.#(a<=2)#.a
vals.#(a="0")#
vals.#(a=0)#
vals.#(a=0x1p0)#
vals.#(a=abc)#
vals.#(a!)#
vals.#(a!1)#
vals.#(a=)#
vals.#(a%)#
vals.#(a%"*")#
vals.#(a!%"0")#
vals.#(%"[ab]")#
vals.#(%"a")#
vals.#(!%"a")#
vals.#(b>1000)#
vals.#
vals.9
vals.15.1
vals.17
vals.#.a
vals.#.b
vals.#.0
é
uni*
uniÃ©
日本
日本.語
日本.語.1
日本.語.2.三
日本.語.#
日?
日*.語.0
?
😀
?*
esc\"aped
esc"aped
lone
pair
sl
q
\*
a\*b
a\?b
a*b
a\|b
a|b
\@this
\#
\!
\1
\-1
a\\b
a\\\\b
a\
a\\
tab
nul
ctl
<html>
\<html\>
c
id.#
id.#(%"4*")
id|@reverse
val.0
items.#.metadata.name
items.#(status.phase="Running").metadata.name
items.#(status.phase=="Pending")#.metadata.name
items.#(status.conditions.#(type="Ready").status="True").metadata.name
items.#(status.conditions.#(type="Ready"))#.metadata.name
items.#(status.conditions.#(type=="Ready")#.status)#.metadata.name
items.#.status.conditions.#(type="Ready").status
items.#.status.conditions.#.type
items.#.status.conditions.#.type|@flatten
items.#(metadata.name="c").status
items.#(metadata.name="c").status.phase
items.#(metadata.name!="c")#.status.phase
items.#(status.phase)#.metadata.name
__proto__
__proto__.x
list.#.__proto__
list.0.__proto__
constructor
toString
toString.length
list.@pretty
list.@pretty:{"width":40}
wide
short|@pretty
nested|@pretty
nested|@pretty:{"width":8}
y|@pretty:{"sortKeys":true}
y.b.@reverse
y.@reverse
z|@pretty
friends.#(age>45)#.first|@reverse|0
friends.#(age>45)#|@this|#.first
friends.#(last="Murphy")#|#(age>44).first
friends.#(last="Murphy")#.nets.#(="tw")
friends.#(last="Murphy")#.nets.#(="tw")#
friends.#(last="Murphy")#|#.nets.#(="tw")#
friends.#(last="Murphy")#.nets|0.1
friends.#(nets.#(="fb")#)#.first
friends.#(nets.#(="zz")#)#.first
friends.#(age>45).nets.#(%"t*")
friends.#.nets.#(="ig")
friends.#.nets.#(="ig")#
friends.#.nets.1|@tostr
friends.#(first="a|b").last|x
friends.#.{"a|b":first}|0
friends.#.x\|y|0
friends.#.x.#(a="|")|0
friends.#.x.#[a="]"]|0
friends.#.first.|0
friends.#.nets.#|0
`
  .split('\n')
  .filter(path => path !== '')

const { pick, below, chance } = random(61)

// Any piece of a path, some of them nonsense.
const pieces = [
  ...'name first last age children friends nets a b c d e x id val str list items metadata status conditions vals'.split(
    ' ',
  ),
  ...'body spec replicas * ? f* *e # 0 1 2 -1 @this @reverse @keys @values @flatten @ugly @pretty @valid @tostr'.split(
    ' ',
  ),
  ...'@fromstr @join @group @dig:a @dig:name !5 !"s" #(a>1) #(a>1)# #(age>45)# #(first="Dale") #(last="Murphy")#'.split(
    ' ',
  ),
  ...'#(="a") #(%"*a*")# #(b==~true)# [0,1] {a,b} {"k":a} [a,b] [name,age] {name,age} {"x":#} y z nested \\* \\.'.split(
    ' ',
  ),
]

function generatedPath() {
  let path = chance(0.05) ? '..' : ''
  for (let length = 1 + below(5); length > 0; length--) {
    path += pick(pieces) + (length > 1 ? pick(['.', '.', '.', '|']) : '')
  }
  return path
}

// Follows a document's own keys, with a detour now and then.
function followedPath(document) {
  const parts = []
  let value = document
  for (let depth = 0; depth < 6 && typeof value === 'object' && value !== null; depth++) {
    if (Array.isArray(value)) {
      const index = below(value.length + 1)
      const element = value[index]
      const keys = typeof element === 'object' && element !== null ? Object.keys(element) : []
      const key = keys.length > 0 ? pick(keys) : ''
      const operand = key === '' ? element : element[key]
      const query = `#(${escape(key)}${pick(['=', '==', '!=', '>', '<', '>=', '<=', '%', '!%'])}${JSON.stringify(operand)})`
      parts.push(chance(0.4) ? String(index) : chance(0.4) ? '#' : query + (chance(0.5) ? '#' : ''))
      value = element
    } else {
      const keys = Object.keys(value)
      if (keys.length === 0) break
      const key = pick(keys)
      parts.push(chance(0.8) ? escape(key) : `${escape(key.slice(0, below(3)))}*`)
      value = value[key]
    }
    if (chance(0.1))
      parts.push(pick(['@this', '@reverse', '@keys', '@values', '@flatten', '@ugly', '@tostr', '@pretty']))
    if (chance(0.15)) break
  }
  return parts.reduce((path, part) => path + (path === '' ? '' : chance(0.85) ? '.' : '|') + part, '')
}

function escape(key) {
  return key.replace(/[^a-zA-Z0-9_-]/gu, '\\$&')
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const followed = documents
  .map(parsed)
  .flatMap((document, j) =>
    typeof document === 'object' && document !== null
      ? Array.from({ length: 45 }, () => ({ j, p: followedPath(document) }))
      : [],
  )
const wild = documents.flatMap((_, j) => Array.from({ length: 22 }, () => ({ j, p: generatedPath() })))
// Every written path is asked of the documents that have something to say to it, and of a few that have not.
const table = written.flatMap(p =>
  documents.flatMap((text, j) => (concerns(p, text) || chance(0.06) ? [{ j, p }] : [])),
)

function concerns(path, text) {
  const key = /[a-zA-Z_é日😀]+/u.exec(path)?.[0]
  return key === undefined || path.startsWith('@') ? chance(0.35) : text.includes(`"${key}`)
}

export const cases = [...table, ...followed, ...wild]
