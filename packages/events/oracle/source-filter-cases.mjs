// Cases for the filter expressions of event sources: expressions over the payloads that sources make. Deterministic.
import { random } from '../../expressions/oracle/cases/random.mjs'

/** Payloads, and what leads somewhere in them by its type. */
const payloads = [
  {
    data: '{"header":{"X-Event":["push"],"Content-Type":["application/json"]},"body":{"branch":"main","count":7,"ratio":1.5,"forced":false,"tags":["a","b","c"],"author":{"name":"Ann","id":42},"commits":[{"id":1,"ok":true,"files":["x.go"]},{"id":2,"ok":false,"files":[]}],"none":null,"empty":""},"metadata":{"team":"web"}}',
    string: [
      'body.branch',
      'body.author.name',
      'metadata.team',
      'body.empty',
      'header["X-Event"][0]',
      'body["branch"]',
    ],
    number: ['body.count', 'body.ratio', 'body.author.id', 'body.commits[0].id', 'len(body.tags)', 'len(body.commits)'],
    bool: ['body.forced', 'body.commits[0].ok', 'body.commits[1].ok'],
    list: ['body.tags', 'header["X-Event"]', 'map(body.commits, .id)', 'filter(body.commits, .ok)'],
    other: [
      'body.none',
      'body.missing',
      'missing',
      'body',
      'body.author?.name',
      'body.missing?.deep',
      'body.commits[5]',
    ],
  },
  {
    data: '{"stream":"orders","message_id":"1700000000000-0","values":{"item":"book","amount":"12","price":"9.50"},"metadata":{"a-b":"c"}}',
    string: ['stream', 'message_id', 'values.item', 'values.amount', 'values.price', 'metadata["a-b"]'],
    number: [
      'int(values.amount)',
      'float(values.price)',
      'asInt(values.amount)',
      'asFloat(values.price)',
      'len(stream)',
    ],
    bool: ['values.item == "book"', 'stream startsWith "or"', 'message_id contains "-"'],
    list: ['keys(metadata)', '["book", "pen"]', 'split(message_id, "-")'],
    other: ['values', 'values.none', 'metadata', 'int(values.item)', 'asInt(values.none)'],
  },
  {
    data: '{"x-event":"merge","a.b":{"c":[1,2,3]},"a.d":"e","f":{"g":"h"},"f.i":"j","body":{"n":-3,"big":9007199254740993,"e":1e21,"u":"grüße 😀","list":[[1],[2,3]],"mixed":[1,"1",true,null]}}',
    string: ['x_event', 'a.d', 'body.u', 'f.i'],
    number: ['body.n', 'body.big', 'body.e', 'a.b.c[1]', 'len(a.b.c)', 'body.list[1][0]'],
    bool: ['x_event == "merge"', '1 in a.b.c', '2 in a.b.c'],
    list: ['a.b.c', 'body.mixed', 'body.list'],
    other: ['a', 'f', 'f.g', 'body', 'a.b', 'x'],
  },
]

const { pick, chance, below } = random(20251117)
const strings = ['"main"', '"Ann"', '"book"', '"push"', '""', '"a"', '"12"', '"merge"', "'x'"]
const numbers = ['7', '0', '1.5', '42', '-3', '12', '9.5', '100', '2']
const patterns = ['"^m"', '"o+k"', '"[0-9]+$"', '"("', '".*"', '"(?i)ANN"']

function string(at, depth) {
  const forms = [
    () => pick(payloads[at].string),
    () => pick(strings),
    () => (depth > 0 ? `sprig.upper(${string(at, depth - 1)})` : pick(strings)),
    () => (depth > 0 ? `sprig.trim(${string(at, depth - 1)})` : pick(strings)),
    () => (depth > 0 ? `lower(${string(at, depth - 1)})` : pick(strings)),
    () => (depth > 0 ? `${string(at, depth - 1)} + ${string(at, depth - 1)}` : pick(strings)),
    () => (depth > 0 ? `string(${number(at, depth - 1)})` : pick(strings)),
    () =>
      `jsonpath(toJson(${pick(['body', 'values', 'metadata', 'header'])}), "$.${pick(['branch', 'item', 'team', 'u', 'none', 'author.name'])}")`,
    () => `sprig.default("x", ${pick(payloads[at].other)})`,
    () => `toJson(${pick([...payloads[at].list, ...payloads[at].other])})`,
    () => `sprig.replace("a", "b", ${pick(payloads[at].string)})`,
  ]
  return (chance(0.5) ? forms[0] : pick(forms))()
}

function number(at, depth) {
  if (chance(0.5) || depth === 0) return pick(chance(0.6) ? payloads[at].number : numbers)
  const forms = [
    () => `${number(at, depth - 1)} ${pick(['+', '-', '*', '/', '%', '**'])} ${number(at, depth - 1)}`,
    () => `len(${pick(payloads[at].list)})`,
    () => `len(${string(at, depth - 1)})`,
    () => `int(${number(at, depth - 1)})`,
    () => `count(${pick(payloads[at].list)}, # != nil)`,
    () => `-${pick(payloads[at].number)}`,
    () => `${pick(payloads[at].bool)} ? ${pick(numbers)} : ${pick(payloads[at].number)}`,
    () => `sprig.int(${string(at, 0)})`,
    () => `max(${pick(numbers)}, ${pick(payloads[at].number)})`,
    () => `abs(${pick(payloads[at].number)})`,
  ]
  return `(${pick(forms)()})`
}

function bool(at, depth) {
  const forms = [
    () => pick(payloads[at].bool),
    () => `${string(at, 1)} ${pick(['==', '!=', '<', '>='])} ${string(at, 1)}`,
    () => `${number(at, 1)} ${pick(['==', '!=', '<', '<=', '>', '>='])} ${number(at, 1)}`,
    () => `${string(at, 0)} ${pick(['contains', 'startsWith', 'endsWith'])} ${string(at, 0)}`,
    () => `${string(at, 0)} matches ${pick(patterns)}`,
    () => `${pick([string, number])(at, 0)} ${pick(['in', 'not in'])} ${pick(payloads[at].list)}`,
    () => `${pick(payloads[at].other)} ${pick(['==', '!='])} nil`,
    () =>
      `${pick(['any', 'all', 'none', 'one'])}(${pick(payloads[at].list)}, # ${pick(['==', '!=', '>'])} ${pick([...strings, ...numbers])})`,
    () => `${pick(['any', 'all'])}(body.commits, .ok ${pick(['== true', '&& .id > 1', '|| len(.files) == 0'])})`,
    () => `${pick(payloads[at].other)} ${pick(['==', '<'])} ${pick([...strings, ...numbers])}`,
    () => `sprig.hasPrefix(${pick(strings)}, ${pick(payloads[at].string)})`,
    () => `sprig.has(${pick([...strings, ...numbers])}, ${pick(payloads[at].list)})`,
    () => `sprig.empty(${pick(payloads[at].other)})`,
    () => (depth > 0 ? `!(${bool(at, depth - 1)})` : 'true'),
    () => (depth > 0 ? `not (${bool(at, depth - 1)})` : 'false'),
    () =>
      depth > 0 ? `(${bool(at, depth - 1)} ${pick(['&&', '||', 'and', 'or', '=='])} ${bool(at, depth - 1)})` : 'true',
    () => (depth > 0 ? `(${bool(at, depth - 1)} ? ${bool(at, depth - 1)} : ${bool(at, depth - 1)})` : 'false'),
    () => `(${pick(payloads[at].other)} ?? ${pick(strings)}) == ${pick(strings)}`,
  ]
  return pick(forms)()
}

/** What is no condition, or no expression. */
const others = at => [
  string(at, 1),
  number(at, 1),
  pick(payloads[at].list),
  pick(payloads[at].other),
  `${bool(at, 0)} &&`,
  `${string(at, 0)} ==`,
  `nosuch(${string(at, 0)})`,
  `sprig.nosuch(${string(at, 0)})`,
  `sprig.env("HOME") == ""`,
  `${string(at, 0)} > ${number(at, 0)}`,
  '',
  ')',
  'body.',
]

const notObjects = ['[1]', '"text"', '7', 'null', '{"a":', '']

export function sourceFilterCases(count) {
  return Array.from({ length: count }, () => {
    if (chance(0.01)) return { expression: 'true', data: pick(notObjects) }
    const at = below(payloads.length)
    const expression = chance(0.12) ? pick(others(at)) : bool(at, 2)
    return { expression, data: payloads[at].data }
  })
}
