import { random } from './random.mjs'

const main = {
  s: 'hello',
  e: '',
  u: 'Grüße, 世界 😀',
  h: `<a href="x">O'Neil & Söhne</a>`,
  n: 42,
  f: 2.5,
  z: 0,
  neg: -17,
  big: 1e21,
  small: 0.000001234,
  t: true,
  no: false,
  nil: null,
  l: [1, 2, 3],
  words: ['a', 'b', 'c'],
  mixed: [1, 'two', null, true, [3], { four: 4 }],
  none: [],
  m: { a: 1, b: 'two', c: null, d: { e: { f: 'deep' } }, 'key with space': 5 },
  empty: {},
  people: [
    { name: 'Ann', age: 31, tags: ['x', 'y'] },
    { name: 'Bob', age: 7, tags: [] },
    { name: 'Cid', tags: null },
  ],
  __proto: 'data',
  constructor: 'not a function',
  Input: { body: { id: 'abc', count: 3, labels: { app: 'web', 'a/b': 'c' } } },
}

export const documents = { main, text: 'just text', number: 12.75, list: ['p', 'q'], nothing: null, yes: true }

const table = String.raw`
{{.}}
{{.s}}
{{ .s }}
{{- .s -}}
a {{- .s -}} b
a  {{- " x " -}}  b
a {{ .s -}}   b
{{/* comment */}}x
{{- /* comment */ -}} x
a {{- /* comment */ -}} b
{{/* never ends }}
{{ /* not a comment */ }}
{{/* a */ }}
{{.missing}}
{{.missing.deep}}
{{.nil}}
{{.nil.x}}
{{.s.x}}
{{.n.x}}
{{.m.a}}
{{.m.d.e.f}}
{{.m.d.e.f.g}}
{{.m.d.x.y}}
{{.m.c.y}}
{{(.m).a}}
{{(.m.d).e.f}}
{{(index .people 0).name}}
{{(index .people 0).name.x}}
{{index .people 0 "name"}}
{{.people.name}}
{{$}}
{{$.s}}
{{$x := .s}}{{$x}}
{{$x := 1}}{{$x = 2}}{{$x}}
{{$x := .m}}{{$x.a}} {{$x.d.e}}
{{$x := .n}}{{$x.foo}}
{{$x}}
{{$x = 1}}
{{if .t}}yes{{end}}
{{if .no}}yes{{else}}no{{end}}
{{if .z}}a{{else if .n}}b{{else}}c{{end}}
{{if .z}}a{{else if .e}}b{{else}}c{{end}}
{{if .missing}}a{{else}}b{{end}}
{{if $v := .s}}{{$v}}{{end}}
{{if $v := .e}}{{$v}}{{else}}[{{$v}}]{{end}}
{{with .m}}{{.a}}{{end}}
{{with .e}}{{.}}{{else}}empty{{end}}
{{with .e}}{{.}}{{else with .s}}{{.}}{{end}}
{{with $x := .m}}{{$x.b}}{{.b}}{{end}}
{{with .nil}}x{{else}}y{{end}}
{{range .l}}{{.}},{{end}}
{{range $i, $e := .words}}{{$i}}={{$e}};{{end}}
{{range $e := .words}}{{$e}}{{end}}
{{range .none}}x{{else}}none{{end}}
{{range .m}}[{{.}}]{{end}}
{{range $k, $v := .m}}{{$k}}:{{$v}} {{end}}
{{range .people}}{{.name}}-{{.age}}{{range .tags}} {{.}}{{else}} no tags{{end}};{{end}}
{{range .s}}{{.}}{{end}}
{{range .n}}{{.}}{{end}}
{{range .t}}{{.}}{{end}}
{{range .nil}}x{{else}}y{{end}}
{{range .missing}}x{{else}}y{{end}}
{{range 3}}{{.}}{{end}}
{{range $i := 3}}{{$i}}{{end}}
{{range $i, $j := 3}}{{$i}}{{end}}
{{range 0}}x{{else}}zero{{end}}
{{range -1}}x{{else}}negative{{end}}
{{range .l}}{{if eq . 2.0}}{{break}}{{end}}{{.}}{{end}}
{{range .l}}{{if eq . 2.0}}{{continue}}{{end}}{{.}}{{end}}
{{range .l}}{{range $.words}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}|{{end}}
{{break}}
{{continue}}
{{if .t}}{{break}}{{end}}
{{range .l}}{{break 1}}{{end}}
{{range $i, $e, $x := .l}}{{end}}
{{range $i, 3 := .l}}{{end}}
{{range $x := .l}}{{$x}}{{end}}{{$x}}
{{$x := 0}}{{range $x = .l}}{{end}}{{$x}}
{{$i := 0}}{{$e := 0}}{{range $i, $e = .words}}{{end}}{{$i}}{{$e}}
{{define "a"}}A{{.}}{{end}}{{template "a" .s}}
{{define "a"}}A{{end}}{{template "a"}}{{template "a" .}}
{{define "a"}}[{{.}}]{{end}}{{template "a"}}
{{define "a"}}{{$}}{{end}}{{template "a" .n}}
{{define "a"}}1{{end}}{{define "a"}}2{{end}}{{template "a"}}
{{define "a"}} {{end}}{{define "a"}}2{{end}}{{template "a"}}
{{define "param"}}x{{end}}
{{define "param"}}x{{end}}y
{{template "nope"}}
{{template "nope" .}}
{{template .s}}
{{template}}
{{template "a" .s .n}}
{{block "b" .m}}{{.a}}{{end}}
{{block "b" .}}1{{end}}{{define "b"}}2{{end}}
{{block "b"}}x{{end}}
{{define "a"}}{{.x.y}}{{end}}{{template "a" .m}}
{{define "a"}}{{template "b" .}}{{end}}{{define "b"}}{{.foo.bar.baz}}{{.n.x}}{{end}}{{template "a" .}}
{{define a}}{{end}}
{{define "a" .}}{{end}}
{{define "a"}}
{{if}}{{end}}
{{if .t}}
{{if .t}}{{else}}{{else}}{{end}}
{{else}}
{{end}}
{{range}}{{end}}
{{with}}{{end}}
{{}}
{{ }}
{{
{{.s
{{.s}
{{"unterminated}}
{{"a\qb"}}
{{'a'}} {{'\n'}} {{'世'}}
{{'ab'}}
{{'}}
{{1}} {{-1}} {{+1}} {{0x1F}} {{0b101}} {{0o17}} {{017}} {{1_000}} {{1e3}} {{1.5}} {{.5}} {{0x1p4}} {{1e400}}
{{1i}} {{1+2i}} {{2.5-1i}}
{{9223372036854775807}}
{{9223372036854775808}}
{{18446744073709551616}}
{{1x}}
{{1.2.3}}
{{08}}
{{true}} {{false}} {{nil}}
{{nil | print}}
{{print nil}}
{{"a" | print}}
{{"a" | print "b" | print "c"}}
{{.s | .n}}
{{.s | "x"}}
{{1 | 2}}
{{.s "x"}}
{{$x := .s}}{{$x "y"}}
{{(.s) "x"}}
{{.m.a "x"}}
{{"s".x}}
{{1.x}}
{{true.x}}
{{nil.x}}
{{(nil).x}}
{{print .s .n}}
{{print 1 2 "a" "b" 3}}
{{println .s .n}}
{{printf "%s-%v" .s .n}}
{{printf}}
{{printf 1}}
{{printf .n}}
{{printf "%d" 3 4}}
{{printf "%d %d" 3}}
{{printf "%!"}}
{{printf "%"}}
{{printf "100%"}}
{{printf "%[2]d %[1]d" 1 2}}
{{printf "%[3]d" 1 2}}
{{printf "%[x]d" 1 2}}
{{printf "%[1]*d" 3 2}}
{{printf "%*d|%-*d|%.*f" 5 1 5 2 1 3.14159}}
{{printf "%*d" "x" 1}}
{{printf "%.*d" -1 5}}
{{printf "%s" nil}}
{{printf "%v %v" .nil .missing}}
{{printf "%T %T %T %T %T %T" 1 1.5 "s" true .l .m}}
{{printf "%#v" .}}
{{printf "%+v" .m}}
{{printf "%v" .mixed}}
{{printf "%d" .l}}
{{printf "%s" .m}}
{{printf "%q" .words}}
{{printf "%x" .words}}
{{printf "%5v|%-5v|%05v" .l .l 7}}
{{printf "%-10s|%10s|%.3s|%10.3s" "hello" "hello" "hello" "hello"}}
{{printf "%t %t" true .n}}
{{printf "%c %c %U %#U %q" 65 19990 65 19990 65}}
{{printf "%x %X %#x % x %# x" "hello" "hello" "hello" "hello" "hello"}}
{{printf "%6.2f|%-8.1f|%+.3e|%g|%G" 3.14159 2.5 12345.678 1e21 1e-7}}
{{printf "%08b %o %O %#o %x %#X" 5 8 8 8 255 255}}
{{len .s}} {{len .u}} {{len .l}} {{len .m}} {{len .none}}
{{len .n}}
{{len .nil}}
{{len .missing}}
{{len nil}}
{{len}}
{{len 1 2}}
{{.l | len}}
{{index .l 0}} {{index .l 2}}
{{index .l 3}}
{{index .l -1}}
{{index .l "a"}}
{{index .l .n}}
{{index .m "a"}} {{index .m "zz"}} {{index .m "key with space"}}
{{index .m 1}}
{{index .m nil}}
{{index .m "d" "e" "f"}}
{{index .s 1}}
{{index .s 9}}
{{index .s 5}}
{{index .n 1}}
{{index .nil 1}}
{{index nil 1}}
{{index .mixed 4 0}} {{index .mixed 5 "four"}}
{{index .mixed 2 0}}
{{index .m "c" "x"}}
{{index .l}}
{{index}}
{{slice .s 1 3}} {{slice .s 2}} {{slice .s}} {{slice .u 0 4}}
{{slice .s 3 1}}
{{slice .s 1 9}}
{{slice .s 1 2 3}}
{{slice .words 1}} {{slice .words 1 2}} {{slice .words 0 1 2}}
{{slice .words 2 1}}
{{slice .words 0 2 1}}
{{slice .words 1 2 3 3}}
{{slice .n 1}}
{{slice nil}}
{{slice .words .n}}
{{and .t .s}} {{and .t .e .s}} {{and 1 2 3}} {{and 0 1}}
{{or .e .s}} {{or .e .no 0}} {{or 0 1}}
{{and}} 
{{or}}
{{and (index .l 9) .t}}
{{and .no (index .l 9)}}
{{or .t (index .l 9)}}
{{.s | and .t}} {{.e | or .no}}
{{not .t}} {{not .e}} {{not nil}} {{not}} 
{{not 1 2}}
{{html .h}} {{js .h}} {{urlquery .h}} {{html .h .n}} {{html .nil}} {{js .u}} {{urlquery .u " " 1}}
{{html}} {{js}} {{urlquery}}
{{call .s}}
{{call .nil}}
{{call nil}}
{{call}}
{{.s | call}}
{{eq .n 42.0}} {{eq .n 1.0 42.0}} {{eq .s "hello"}} {{eq .nil nil}} {{eq .missing nil}}
{{eq .n 42}}
{{eq 1}}
{{eq}}
{{eq .l .l}}
{{eq .l .m}}
{{eq .l nil}} {{eq .nil .l}}
{{eq .m .m}}
{{eq 'a' 97}} {{eq 1 1.0}}
{{ne 1 2}} {{ne "a" "a"}}
{{ne 1 2 3}}
{{lt 1 2}} {{lt "a" "b"}} {{lt 1.5 .f}} {{le 2 2}} {{gt 3 2}} {{ge 2 3}}
{{lt 1 "a"}}
{{lt true false}}
{{lt .l .l}}
{{lt nil 1}}
{{lt 1i 2i}}
{{unknown}}
{{.s | unknown}}
{{unknown .s}}
{{.s.}}
{{..}}
{{. .}}
{{.s .}}
{{.1}}
{{.ü}}
{{.a-b}}
{{.a b}}
{{$.}}
{{$1 := 2}}{{$1}}
{{$a, $b := .l}}
{{$a := }}
{{$a := 1 := 2}}
{{:= 1}}
{{a := 1}}
{{.s = 1}}
{{(.s}}
{{.s)}}
{{()}}
{{(print 1) | print 2}}
{{(print "a" | print "b")}}
{{if (and .t (or .no .s))}}ok{{end}}
{{# x}}
{{@}}
{{.s | }}
{{| .s}}
{{.s || .n}}
{{"\u00e9\x41\101\t\"" }}
{{"\xff\xc3\xa9"}} {{len "\xff\xc3\xa9"}}
{{${'`'}raw\n"string"${'`'}}}
{{${'`'}never ends}}
{{"line
break"}}
{{if .t}}
  indented
{{- end}}
line1
line2 {{.n.x}}
{{range .people}}
{{.name}}
{{.age.x}}
{{end}}
{{- range .people }}
{{ .name | printf "%s!" }}
{{- end }}
x{{- if .t -}}y{{- else -}}z{{- end -}}w
{{.Input.body.id}}-{{.Input.body.count}}
{{index .Input.body.labels "a/b"}}
{{with .Input.body}}{{.id}}{{$.s}}{{end}}
{{.__proto__}}
{{.constructor}} {{.toString}} {{.hasOwnProperty}}
{{index .m "__proto__"}} {{index .m "constructor"}}
{{.l.length}}
{{.s.length}}
{{- }}
{{-}}
{{ -}}
{{-1}}
{{- 1 -}}
{{-  1  -}}
{{3 -}} x
{{3-}} x
{{define "x"}}{{end}}{{define "y"}}{{template "x"}}{{end}}done{{template "y"}}
{{range $i, $p := .people}}{{if $i}}, {{end}}{{$p.name}}{{end}}
{{range $k, $v := .Input.body.labels}}{{$k}}={{$v}};{{end}}
{{$total := 0}}{{range .l}}{{$total = .}}{{end}}{{$total}}
{{.big}} {{.small}} {{.neg}} {{.f}} {{1000000.0}} {{100000.0}} {{123456789.0}} {{0.0001}} {{0.00001}}
{{print .big .small .t .nil .l .m}}
{{.n}}{{.n}}
{{with 1}}{{.}}{{end}}{{with 0}}x{{else}}zero{{end}}{{with "x"}}{{.}}{{end}}
{{with .people}}{{(index . 1).name}}{{end}}
{{template "t" (index .people 0)}}{{define "t"}}{{.name}}/{{$.age}}{{end}}
{{if not (eq .n 42.0)}}a{{else}}b{{end}}
{{if eq .s "hello" "world"}}match{{end}}
{{if and (gt .n 10.0) (lt .n 100.0)}}between{{end}}
{{len (slice .s 1 3)}}
{{print (len .l) (index .words 1)}}
{{println}}|
{{print}}|
{{printf "%v" (print 1 2)}}
{{break}}{{range .l}}{{end}}
{{else if}}
{{if .t}}{{else if}}{{end}}
{{if .t}}{{else with .s}}{{end}}
{{with .t}}{{else if .s}}{{end}}
{{range .l}}{{else range .l}}{{end}}
{{end end}}
{{else else}}
{{block}}
{{block "x" }}
{{nil}}
{{if nil}}{{end}}
{{with nil}}{{end}}
{{range nil}}{{end}}
{{template "x" nil}}{{define "x"}}{{.}}{{end}}
{{$x := nil}}
`
  .split('\n')
  .slice(1)
  .filter(line => line !== '')
  .map(line => line.replaceAll('\\n', '\n'))

const multiLine = [
  'line one\nline {{.s}}\n{{if .t}}\n  yes\n{{end}}\n',
  'a\nb\n  {{.n.x}}',
  'a\n{{\n.s\n}}b',
  'a\n{{\n.n.x\n}}b',
  '{{if .t}}\n\n{{.x}\n',
  '{{range .l}}\n{{.}}\n{{- end}}\nend',
  'x\n\n{{- 3}}\n\n{{3 -}}\n\ny',
  '{{"a\n"}}',
  '{{`a\nb`}}',
  '{{/* a\nb */}}c\n{{.n.x}}',
  'ü{{.n.x}}',
  'äöü\n世界 {{.n.x}}',
  '{{.s\n\n',
  'a\n{{.s',
  '{{if .t}}\n{{(print 1\n}}{{end}}',
  '\n\n{{unknown}}',
  '\n{{define "x"}}\n{{.n.y}}{{end}}\n{{template "x" .}}',
  '{{range $i, $e := .words -}}\n{{$i}}: {{$e}}\n{{end -}}\nlast',
  '{{ $a := 1 }}\n{{ $b := 2 -}}\n{{ $a }} {{ $b }}',
  '\r\n{{- 1 -}}\r\n\tx',
]

const operands = [
  '.s',
  '.n',
  '.f',
  '.t',
  '.nil',
  '.missing',
  '.l',
  '.m',
  '.e',
  '.z',
  '1',
  '42',
  '2.5',
  '"hello"',
  '"a"',
  'true',
  'nil',
  '$.n',
  '(index .l 0)',
  '(len .s)',
  "'a'",
  '.words',
  '-3',
  '(index .s 0)',
]

const r = random(20261116)

function comparisons() {
  const functions = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'and', 'or', 'index', 'slice']
  return Array.from({ length: 700 }, () => {
    const name = r.pick(functions)
    const count = r.pick([1, 2, 2, 2, 2, 3])
    return `{{${name} ${Array.from({ length: count }, () => r.pick(operands)).join(' ')}}}`
  })
}

const verbs = 'vvvdsqxXtfFgGeEcUboOTzwj'.split('')
const flags = ['', '', '', '+', '-', '#', '0', ' ', '+#', '-0', '# ']
const widths = ['', '', '', '1', '5', '12', '20']
const precisions = ['', '', '', '.', '.0', '.1', '.3', '.10']
const printed = [
  '.s',
  '.u',
  '.n',
  '.f',
  '.t',
  '.nil',
  '.missing',
  '.l',
  '.m',
  '.mixed',
  '.words',
  '.e',
  '0',
  '7',
  '-255',
  '1234567890123',
  '3.14159',
  '-0.5',
  '1e100',
  '1e-10',
  '123456.789',
  '"quo\\"te\\n"',
  '"`tick`"',
  '"\\xffé"',
  '1+2i',
  "'x'",
  '(index .s 0)',
  '(slice .words 0 0)',
  '.none',
  '.empty',
  '100000.0',
  '2.0',
]

function formats() {
  return Array.from({ length: 1100 }, () => {
    const format = `%${r.pick(flags)}${r.pick(widths)}${r.pick(precisions)}${r.pick(verbs)}`
    return `{{printf "[${format}]" ${r.pick(printed)}}}`
  })
}

const pieces = [
  '{{.s}}',
  'text ',
  '\n',
  '{{- .n }}',
  '{{ .n -}}',
  ' {{/* c */}} ',
  '{{if .t}}',
  '{{if .no}}',
  '{{else}}',
  '{{else if .s}}',
  '{{end}}',
  '{{end}}',
  '{{end -}}',
  '{{range .l}}',
  '{{range $i, $e := .words}}',
  '{{$i}}{{$e}}',
  '{{break}}',
  '{{continue}}',
  '{{with .m}}',
  '{{.a}}',
  '{{.}}',
  '{{$x := .n}}',
  '{{$x}}',
  '{{$x = .s}}',
  '{{define "d"}}',
  '{{template "d" .}}',
  '{{block "k" .s}}',
  '{{len .s}}',
  '{{index .l 1 | printf "%v"}}',
  '{{.missing.x}}',
  '{{.people}}',
]

function structures() {
  return Array.from({ length: 500 }, () => {
    const count = 2 + r.below(8)
    return Array.from({ length: count }, () => r.pick(pieces)).join('')
  })
}

/** Well-formed programs, made by a grammar. */
function program(depth) {
  const expression = () => {
    const simple = ['.s', '.n', '.l', '.m', '.t', '.', '$.s', '.missing', '.people', '"lit"', '7', '2.5', '.m.d.e']
    if (depth <= 0 || r.chance(0.5)) return r.pick(simple)
    const call = r.pick([
      'print',
      'len',
      'not',
      'printf "%v"',
      'html',
      'println',
      'index .l',
      'eq .s',
      'or .e',
      'and .t',
    ])
    return `(${call} ${r.pick(simple)})`
  }
  const body = () => program(depth - 1)
  const kinds = [() => `{{${expression()}}}`, () => ` word${r.below(9)} `, () => `{{${expression()} | print}}`]
  if (depth > 0) {
    kinds.push(
      () => `{{if ${expression()}}}${body()}{{else}}${body()}{{end}}`,
      () => `{{range ${expression()}}}${body()}{{else}}${body()}{{end}}`,
      () => `{{range $i, $e := ${expression()}}}{{$i}}:{{$e}} ${body()}{{end}}`,
      () => `{{with ${expression()}}}${body()}{{else}}${body()}{{end}}`,
      () => `{{$v := ${expression()}}}${body()}{{$v}}`,
      () => `{{if ${expression()}}}${body()}{{else if ${expression()}}}${body()}{{end}}`,
      () => `{{- with $w := ${expression()} -}}${body()}{{$w}}{{- end -}}`,
    )
  }
  return Array.from({ length: 1 + r.below(3) }, () => r.pick(kinds)()).join('')
}

const programs = () => Array.from({ length: 500 }, () => program(3))

/** One character too many, too few or another. */
function damaged(templates) {
  return Array.from({ length: 500 }, () => {
    const text = r.pick(templates)
    const at = r.below(text.length)
    const insert = r.pick([
      '',
      '',
      '{',
      '}',
      '(',
      ')',
      '"',
      '.',
      '$',
      '|',
      ' ',
      '-',
      ':',
      '=',
      ',',
      "'",
      '`',
      'x',
      '1',
      '\n',
    ])
    return text.slice(0, at) + insert + text.slice(at + r.below(2))
  })
}

const short = table.filter(text => text.length > 4)
const all = [...table, ...multiLine, ...comparisons(), ...formats(), ...structures(), ...programs(), ...damaged(short)]
const missing = [
  '{{.x}}',
  '{{.x.y}}',
  '{{.m.x}}',
  '{{.nil.x}}',
  '{{index .m "x"}}',
  '{{with .x}}a{{else}}b{{end}}',
  '{{$v := .m}}{{$v.q}}',
  '{{print .x}}',
  '{{.x | len}}',
]

export const cases = [
  ...all.map(t => ({ t, d: 'main', plain: true })),
  ...missing.flatMap(t => ['zero', 'error', 'invalid', 'default'].map(m => ({ t, d: 'main', m, plain: true }))),
  ...Object.keys(documents)
    .filter(name => name !== 'main')
    .flatMap(d =>
      [
        '{{.}}',
        '{{.x}}',
        '{{range .}}[{{.}}]{{end}}',
        '{{len .}}',
        '{{$}}',
        '{{printf "%T %v" . .}}',
        '{{if .}}a{{end}}',
        '{{$.x.y}}',
      ].map(t => ({ t, d, plain: true })),
    ),
]
