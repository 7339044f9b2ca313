// Random expressions that mostly type-check: operators, macros and functions over all types, nested a few levels deep.
import { random } from './random.mjs'

const { below, pick, chance } = random(20241116)

const literals = {
  int: ['0', '1', '-1', '2', '7', '42', '9223372036854775807', '-9223372036854775808', 'size("abc")', 'self.n'],
  uint: ['0u', '1u', '5u', '18446744073709551615u'],
  double: ['0.0', '1.5', '-2.25', '1e10', '3.0', '0.1', 'self.d'],
  bool: ['true', 'false', 'self.b'],
  string: ["''", "'a'", "'abc'", "'hello world'", "'10.0.0.1'", "'日本語'", "'1.2.3'", "'5'", 'self.s'],
  bytes: ["b''", "b'abc'", "b'\\xff\\x00'"],
  duration: ["duration('1h')", "duration('90s')", "duration('-5m')", "duration('0s')"],
  timestamp: ["timestamp('2020-02-29T12:00:00Z')", "timestamp('1999-12-31T23:59:59.999Z')", 'timestamp(0)'],
  null: ['null'],
}

const scalars = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'duration', 'timestamp']
const comparables = scalars

const rules = {
  int: [
    d => `${expr('int', d)} + ${expr('int', d)}`,
    d => `${expr('int', d)} - ${expr('int', d)}`,
    d => `${expr('int', d)} * ${expr('int', d)}`,
    d => `${expr('int', d)} / ${expr('int', d)}`,
    d => `${expr('int', d)} % ${expr('int', d)}`,
    d => `-(${expr('int', d)})`,
    d => `size(${expr('string', d)})`,
    d => `${list(d)}.size()`,
    d => `int(${expr(pick(['double', 'string', 'uint', 'duration', 'timestamp', 'int']), d)})`,
    d => `${expr('string', d)}.indexOf(${expr('string', d)})`,
    d =>
      `${expr('timestamp', d)}.${pick(['getFullYear', 'getMonth', 'getDate', 'getHours', 'getDayOfYear', 'getMilliseconds'])}()`,
    d => `${expr('duration', d)}.${pick(['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'])}()`,
    d => `${listOf('int', d)}.${pick(['sum', 'max', 'min'])}()`,
    d => `${listOf('int', d)}[${below(3)}]`,
    d => `{'a': ${expr('int', d)}}.${pick(['a', 'b'])}`,
    d => `{'a': ${expr('int', d)}}[?'${pick(['a', 'b'])}'].orValue(${expr('int', d)})`,
    d => `optional.of(${expr('int', d)}).optMap(v, v + 1).orValue(0)`,
    () => `quantity('${pick(['1', '5k', '1Gi', '100m'])}').${pick(['asInteger()', "compareTo(quantity('2'))"])}`,
  ],
  uint: [
    d => `${expr('uint', d)} + ${expr('uint', d)}`,
    d => `${expr('uint', d)} - ${expr('uint', d)}`,
    d => `${expr('uint', d)} % ${expr('uint', d)}`,
    d => `uint(${expr(pick(['int', 'double', 'string']), d)})`,
  ],
  double: [
    d => `${expr('double', d)} + ${expr('double', d)}`,
    d => `${expr('double', d)} / ${expr('double', d)}`,
    d => `${expr('double', d)} * ${expr('double', d)}`,
    d => `double(${expr(pick(['int', 'uint', 'string']), d)})`,
    d => `${listOf('double', d)}.${pick(['sum', 'max', 'min'])}()`,
  ],
  bool: [
    d => `${comparison(d)}`,
    d => `${comparison(d)}`,
    d => `(${expr('bool', d)} && ${expr('bool', d)})`,
    d => `(${expr('bool', d)} || ${expr('bool', d)})`,
    d => `!(${expr('bool', d)})`,
    d => `${expr('string', d)}.${pick(['contains', 'startsWith', 'endsWith'])}(${expr('string', d)})`,
    d => `${expr('string', d)}.matches('${pick(['^a', '[a-z]+$', 'b|c', '.', '\\\\d+', '^$'])}')`,
    d =>
      within(
        'int',
        d,
        x => `${listOf('int', d)}.${pick(['all', 'exists', 'exists_one'])}(${x}, ${expr('bool', d - 1)})`,
      ),
    d => within('string', d, x => `${listOf('string', d)}.${pick(['all', 'exists'])}(${x}, ${expr('bool', d - 1)})`),
    d => `(${expr('int', d)} in ${listOf('int', d)})`,
    d => `(${expr('string', d)} in ${listOf('string', d)})`,
    d => `(${expr('string', d)} in {'a': 1, 'abc': 2})`,
    d => `has({'a': ${expr('int', d)}}.${pick(['a', 'b'])})`,
    d => `optional.ofNonZeroValue(${expr(pick(scalars), d)}).hasValue()`,
    d => `${listOf(pick(comparables), d)}.isSorted()`,
    d => {
      const type = pick(['int', 'string'])
      return `sets.${pick(['contains', 'equivalent', 'intersects'])}(${listOf(type, d)}, ${listOf(type, d)})`
    },
    d => `is${pick(['IP', 'CIDR', 'URL', 'Quantity', 'Semver'])}(${expr('string', d)})`,
    d => `type(${expr(pick(scalars), d)}) == ${pick(['int', 'string', 'double', 'bool'])}`,
    d => `dyn(${expr(pick(scalars), d)}) == dyn(${expr(pick(scalars), d)})`,
    d => `dyn(${expr(pick(scalars), d)}) ${pick(['<', '>=', '>'])} dyn(${expr(pick(scalars), d)})`,
    () => `cidr('10.0.0.0/8').containsIP(${pick(["'10.1.2.3'", "'11.0.0.1'", "ip('10.0.0.1')"])})`,
    d => `bool(${pick(["'true'", "'0'", expr('string', d)])})`,
  ],
  string: [
    d => `${expr('string', d)} + ${expr('string', d)}`,
    d => `string(${expr(pick(scalars), d)})`,
    d =>
      `${expr('string', d)}.${pick(['lowerAscii()', 'upperAscii()', 'trim()', "replace('a', 'xy')", 'substring(1)', 'charAt(0)', 'substring(0, 1)'])}`,
    d => `${listOf('string', d)}.join(${expr('string', d)})`,
    d => `'%s %s'.format([${expr(pick(scalars), d)}, ${expr(pick(scalars), d)}])`,
    d => `'%d|%b|%x|%o'.format([${expr('int', d)}, ${expr('int', d)}, ${expr('int', d)}, ${expr('int', d)}])`,
    d => `'%.3f'.format([${expr('double', d)}])`,
    d => `strings.quote(${expr('string', d)})`,
    d => `${expr('string', d)}.find('[a-z]+')`,
    d => `(${expr('bool', d)} ? ${expr('string', d)} : ${expr('string', d)})`,
    d => `{'a': ${expr('string', d)}}['a']`,
  ],
  bytes: [d => `bytes(${expr('string', d)})`, d => `${expr('bytes', d)} + ${expr('bytes', d)}`],
  duration: [
    d => `${expr('duration', d)} + ${expr('duration', d)}`,
    d => `${expr('timestamp', d)} - ${expr('timestamp', d)}`,
    d => `${listOf('duration', d)}.sum()`,
  ],
  timestamp: [
    d => `${expr('timestamp', d)} + ${expr('duration', d)}`,
    d => `timestamp(${expr('int', d)})`,
    d => `${listOf('timestamp', d)}.max()`,
  ],
}

// Values whose type is only known at run time, and operations that may not suit them.
const loose = [
  d => `dyn(${expr(pick(scalars), d)})`,
  d => `dyn(${list(d)})`,
  d => `dyn({'a': ${expr('int', d)}, 'b': ${expr('string', d)}}.size())`,
  d => `dyn({'a': ${expr(pick(scalars), d)}})`,
  d => `(${any(d)} ${pick(['+', '-', '*', '/', '%', '<', '<=', '>', '>=', '==', '!=', 'in', '&&', '||'])} ${any(d)})`,
  d => `(${expr('bool', d)} ? ${any(d)} : ${any(d)})`,
  d =>
    `${any(d)}.${pick(['a', 'b', '?a', 'size()', 'contains("a")', 'matches("a")', 'sum()', 'max()', 'isSorted()', 'sort()', 'reverse()', 'join("-")', 'getHours()', 'getMonth("UTC")', 'value()', 'hasValue()', 'flatten()', 'distinct()', 'charAt(0)', 'first()', 'upperAscii()'])}`,
  d => `${any(d)}[${pick(['0', '1', '-1', "'a'", '1u', 'dyn(1.0)', 'true'])}]`,
  d => `${any(d)}[?${pick(['0', '5', "'a'", "'z'"])}]`,
  d =>
    `${pick(['int', 'uint', 'double', 'string', 'bool', 'bytes', 'duration', 'timestamp', 'type', 'size', 'dyn'])}(${any(d)})`,
  d =>
    `optional.${pick(['of', 'ofNonZeroValue'])}(${any(d)}).${pick(['orValue(dyn(1))', 'hasValue()', 'value()', 'optMap(o, type(o))', 'or(optional.none())'])}`,
  d =>
    `${any(d)}.${pick(['all', 'exists', 'exists_one', 'map', 'filter'])}(w, ${pick(['w == w', 'w > 1', 'dyn(w) == 1', 'has(dyn(w).a)', 'true'])})`,
  d =>
    `${any(d)}.${pick(['all', 'exists', 'transformList', 'transformMap'])}(w1, w2, ${pick(['dyn(w1) == w2', 'dyn(w2) == 1', 'true'])})`,
  d => `'%${pick(['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o', '.1f', 'q', ''])}'.format([${any(d)}])`,
  d => `-${any(d)}`,
  d => `!${any(d)}`,
  d => `has({'a': ${any(d)}}.a.b)`,
  d => `{'a': ${any(d)}}.${pick(['a', 'a.a', '?a.?b'])}`,
  d => `[${any(d)}, ${any(d)}]`,
  d => `${pick(['quantity', 'ip', 'cidr', 'semver', 'url'])}(${expr('string', d)})`,
  d =>
    `${expr('string', d)}.${pick(["split('')", "split(',')", "split('a', 2)", "findAll('[a-z]')", "findAll('.', 2)", "replace('', '-')", 'substring(2)', 'indexOf("c", 1)', 'lastIndexOf("a")'])}`,
  () => pick(['self', 'self.l', 'self.missing', 'oldSelf', 'nope', 'self.n', 'self.s.x']),
]

function any(depth) {
  if (depth <= 0)
    return chance(0.5)
      ? `dyn(${pick(literals[pick(scalars)])})`
      : pick(['self', 'self.l', '[]', '{}', 'null', "dyn('a')", 'optional.none()'])
  return pick(loose)(depth - 1)
}

const scopes = []
let names = 0

function within(type, depth, build) {
  const name = `v${names++ % 6}`
  scopes.push({ name, type })
  const text = build(name)
  scopes.pop()
  return depth < 0 ? 'true' : text
}

function expr(type, depth) {
  const locals = scopes.filter(scope => scope.type === type)
  if (locals.length > 0 && chance(0.35)) return pick(locals).name
  if (depth <= 0 || chance(0.2)) return pick(literals[type])
  const text = pick(rules[type])(depth - 1)
  return chance(0.5) ? `(${text})` : text
}

function list(depth) {
  return listOf(pick(['int', 'string', 'double', 'bool']), depth)
}

function listOf(type, depth) {
  if (type === 'int' && chance(0.15)) return 'self.l'
  const kind = below(6)
  if (depth > 0 && kind === 0)
    return within(type, depth, x => `${literalList(type, depth - 1)}.map(${x}, ${expr(type, depth - 1)})`)
  if (depth > 0 && kind === 1)
    return within(type, depth, x => `${literalList(type, depth - 1)}.filter(${x}, ${expr('bool', depth - 1)})`)
  if (depth > 0 && kind === 2) return `(${literalList(type, depth - 1)} + ${literalList(type, depth - 1)})`
  if (depth > 0 && kind === 3)
    return `${literalList(type, depth - 1)}.${pick(['reverse()', 'distinct()', 'sort()', 'slice(0, 1)'])}`
  return literalList(type, depth)
}

function literalList(type, depth) {
  return `[${Array.from({ length: below(4) }, () => expr(type, depth - 1)).join(', ')}]`
}

function comparison(depth) {
  const type = pick(comparables)
  const operator = pick(['==', '!=', '<', '<=', '>', '>='])
  if (chance(0.15))
    return `${expr(pick(['int', 'uint', 'double']), depth)} ${operator} ${expr(pick(['int', 'uint', 'double']), depth)}`
  if (chance(0.1)) return `${listOf('int', depth)} ${pick(['==', '!='])} ${listOf('int', depth)}`
  return `${expr(type, depth)} ${operator} ${expr(type, depth)}`
}

export const generatedSchema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    d: { type: 'number' },
    b: { type: 'boolean' },
    s: { type: 'string', maxLength: 12 },
    l: { type: 'array', items: { type: 'integer' }, maxItems: 4 },
  },
}
export const generatedSelf = { n: 3, d: 0.25, b: true, s: 'abc', l: [3, 1, 2] }

export const generatedCases = Array.from({ length: 1800 }, (_, index) => {
  if (index % 5 === 4)
    return { e: any(1 + (index % 3)), ...(chance(0.3) ? { schema: 'generated' } : {}), value: 'generated' }
  const e = expr(
    pick(['bool', 'bool', 'int', 'string', 'double', 'uint', 'duration', 'timestamp', 'bytes']),
    1 + (index % 4),
  )
  return index % 3 === 0 ? { e, schema: 'generated', value: 'generated' } : { e, value: 'generated' }
})
