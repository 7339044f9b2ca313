import { everywhere, inputs, single } from './jq-table.mjs'
import { random } from './random.mjs'

// Programs put together at random from parts that mostly work on each other.
const { pick, below, chance } = random(20260)

const documents = [
  { a: 1, b: [1, 2, 3], c: { d: 'x', e: null } },
  [
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
    { a: 1, c: [true] },
  ],
  { metadata: { name: 'web-1', labels: { app: 'web', tier: 'x' } }, spec: { replicas: 3, ports: [80, 443] } },
  [5, 3, 8, 1.5, -2],
]

const paths = [
  '.',
  '.a',
  '.b',
  '.c.d',
  '.[0]',
  '.[-1]',
  '.b[1]',
  '.[]?',
  '.metadata.name',
  '.spec.ports[]?',
  '.[1:]?',
  '.metadata.labels',
  '..',
  '.[0].a?',
]
const unary = [
  'length',
  'type',
  'keys',
  'tojson',
  'tostring',
  'not',
  'add',
  'sort',
  'unique',
  'reverse',
  'first',
  'last',
  'to_entries',
  'map(.)',
  'flatten',
  'min',
  'max',
  'floor',
  'tonumber',
  'ascii_upcase',
  'explode',
  '@json',
  '@base64',
  '@csv',
  'any',
  'all',
  'values',
  'numbers',
  'strings',
  'select(.)',
  'has("a")',
  'map(type)',
  'join(",")',
  'paths',
  'tostream',
  'isempty(.[]?)',
  'limit(2; .[]?)',
  'map_values(. // 0)',
  'test("a")',
  'split("-")',
  'sub("e";"E")',
  'gsub("[a-z]";"z")',
  'group_by(.a?)',
  'sort_by(.b?)',
  'with_entries(.value |= type)',
  'del(.a?)',
  'walk(.)',
  'range(3)',
  'recurse(.a?; . != null)',
]
const operators = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'and', 'or', '//', ',', '|']
const literals = ['1', '2.5', '"x"', 'null', 'true', 'false', '[1,2]', '{"a":1}', '"a-b"', '[]', '{}', '0', '-1']

function atom(depth) {
  const kind = below(depth > 2 ? 2 : 9)
  if (kind === 0) return pick(paths)
  if (kind === 1) return pick(literals)
  if (kind <= 3) return `(${query(depth + 1)})`
  if (kind === 4) return `[${query(depth + 1)}]`
  if (kind === 5) return `{k: (${query(depth + 1)}), ${pick(['a', '"s"', '$x'])}: ${atom(depth + 1)}}`
  if (kind === 6) return `try (${query(depth + 1)}) catch ${chance(0.5) ? '.' : '"c"'}`
  if (kind === 7) return `if ${atom(depth + 1)} then ${atom(depth + 1)} else ${atom(depth + 1)} end`
  return `reduce (${query(depth + 1)}) as $y (${pick(['0', 'null', '[]'])}; . ${pick(['+', ','])} ${pick(['$y', '[$y]', '1'])})`
}

function query(depth) {
  const kind = below(8)
  if (kind === 0) return `${atom(depth)} | ${pick(unary)}`
  if (kind === 1) return `${atom(depth)} ${pick(operators)} ${atom(depth)}`
  if (kind === 2) return `${atom(depth)} | ${pick(unary)} | ${pick(unary)}`
  if (kind === 3) return `${atom(depth)} as $${pick(['x', 'y'])} | ${atom(depth)} ${pick(['+', ',', '==', '//'])} $x`
  if (kind === 4)
    return `${pick(['.a', '.b', '.[0]', '.c.d', '.[]?', '.spec.replicas', '(.a, .b)', '.b[1:]?', '..'])} ${pick(['=', '|=', '+=', '-=', '*=', '//='])} ${atom(depth)}`
  if (kind === 5) return `path(${pick(paths)})${pick(['', ' | length', ' , 1'])}`
  if (kind === 6) return `first(${atom(depth)}), [limit(3; ${atom(depth)})]`
  return atom(depth)
}

const generated = Array.from({ length: 1500 }, () => ({ p: `1 as $x | ${query(0)}`, i: pick(documents) }))

// Not a number among several items is sorted as the algorithm has it.
const isSettled = ({ p }) => !/now\b/.test(p) || p === 'now | type'

export const cases = [
  ...everywhere.flatMap((p, index) => {
    const isLong = /\[(tostream|paths|\.\.)|^\.\.|^paths|^tostream/.test(p)
    return inputs.filter((_input, at) => isLong || (at + index) % 2 === 0).map(i => ({ p, i }))
  }),
  ...single,
  ...generated,
].filter(isSettled)
