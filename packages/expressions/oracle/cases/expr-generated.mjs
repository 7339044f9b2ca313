// Trees of operators and builtins over the environments: mostly well typed, with a share of mistakes.
import { random } from './random.mjs'

const perDialect = 2600

const leaves = {
  event: {
    number: [
      '1',
      '2',
      '0',
      '3.5',
      '-1',
      'body.metadata.generation',
      'body.spec.replicas',
      'numbers[1]',
      'count',
      '0x10',
      '7',
    ],
    text: ['"a"', "'Pod'", 'body.kind', 'word', 'body.metadata.name', '"x,y"', '""', 'body.metadata.labels["app"]'],
    bool: ['true', 'false', 'on', 'off', 'body.spec.on'],
    list: ['[1, 2, 3]', 'body.spec.ports', 'numbers', '1..4', '[]', '[2.5, 1]'],
    texts: ['body.spec.tags', '["b", "a"]', 'split("a-b-c", "-")'],
    map: ['body.spec', 'body.metadata.labels', '{"a": 1}', 'header'],
    any: ['nothing', 'missing', 'nil', 'body.items[0]', 'body.items', 'body.missing', 'list'],
  },
  workflow: {
    number: ['1', '2', '0', '3.5', '-1', 'x', 'y', 'z', 'retries', 'item.version', 'big', '1_0'],
    text: ['"a"', "'Pod'", 'text', 'words[0]', 'inputs.parameters.message', 'item.os', '""'],
    bool: ['true', 'false', 'flag'],
    list: ['[1, 2, 3]', 'list', 'map(people, .age)', '1..4', '[]', '[x, y]'],
    texts: ['words', '["b", "a"]', 'split(text, " ")', 'map(people, .name)'],
    map: ['m', 'item', '{"a": 1}', 'inputs.parameters', 'm.b'],
    any: ['nothing', 'unknownName', 'nil', 'people', 'mixed', 'm.zz', 'people[0]'],
  },
}

export function generated() {
  return ['1.15', '1.17'].flatMap((dialect, index) => {
    const { pick, below, chance } = random(20_240_600 + index)
    return Array.from({ length: perDialect }, (_, at) => {
      const n = at % 2 === 0 ? 'event' : 'workflow'
      const write = writer(leaves[n], dialect, { pick, below, chance })
      return { d: dialect, n, e: write(pick(kinds), 1 + below(3)) }
    }).filter(({ e }) => !isOverriding(dialect, e))
  })
}

// The event has a `count`, which makes a call of the builtin a call of a number; the table has such cases.
const isOverriding = (dialect, e) => dialect === '1.17' && e.includes('count(')

const kinds = ['number', 'number', 'text', 'bool', 'bool', 'list', 'texts', 'map']

function writer(leaf, dialect, { pick, below, chance }) {
  const isNew = dialect === '1.17'
  const write = (kind, depth) => {
    if (chance(0.04)) return pick(leaf[pick(Object.keys(leaf))])
    if (depth <= 0) return pick(leaf[kind])
    const next = wanted => write(wanted, depth - 1 - below(2))
    return forms[kind](next)
  }
  const predicate = next =>
    pick([
      () => `# ${pick(['>', '<', '>=', '==', '!='])} ${next('number')}`,
      () => `{# ${pick(['>', '<'])} ${next('number')} ${pick(['and', '||'])} ${next('bool')}}`,
      () => `not (# in ${next('list')})`,
      () => `${next('bool')}`,
    ])()
  const forms = {
    number: next =>
      pick([
        () => `${next('number')} ${pick(['+', '-', '*', '/', '%', '**', '^'])} ${next('number')}`,
        () =>
          `(${next('number')} ${pick(['+', '-', '*'])} ${next('number')}) ${pick(['*', '/', '-'])} ${next('number')}`,
        () => `-${next('number')}`,
        () => `${pick(['abs', 'ceil', 'floor', 'round', 'int', 'float'])}(${next('number')})`,
        () => `len(${next(pick(['text', 'list', 'texts', 'map']))})`,
        () => `${next('list')}[${next('number')}]`,
        () => `${pick(['max', 'min'])}(${next('number')}, ${next('number')})`,
        () => `${pick(['sum', 'mean', 'median', 'first', 'last'])}(${next('list')})`,
        () => `count(${next('list')}, ${predicate(next)})`,
        () => `${pick(['find', 'findIndex'])}(${next('list')}, ${predicate(next)})`,
        () => `reduce(${next('list')}, #acc ${pick(['+', '*', '-'])} #${chance(0.5) ? `, ${next('number')}` : ''})`,
        () => `${pick(['indexOf', 'lastIndexOf'])}(${next('text')}, ${next('text')})`,
        () => `(${next('bool')} ? ${next('number')} : ${next('number')})`,
        () => `(${next('any')} ?? ${next('number')})`,
        () => `let v = ${next('number')}; v + ${next('number')}`,
        () =>
          isNew
            ? `${pick(['bitand', 'bitor', 'bitshr'])}(${next('number')}, ${next('number')})`
            : `int(${next('text')})`,
        () =>
          isNew ? `if ${next('bool')} { ${next('number')} } else { ${next('number')} }` : `asInt(${next('number')})`,
        () => (isNew ? `sum(${next('list')}, # * ${next('number')})` : `half(${next('number')})`),
        () => `lib.double(${next('number')})`,
      ])(),
    text: next =>
      pick([
        () => `${next('text')} + ${next('text')}`,
        () => `${pick(['upper', 'lower', 'trim', 'shout', 'lib.greet', 'toBase64'])}(${next('text')})`,
        () => `string(${next(pick(['number', 'list', 'map', 'text', 'bool', 'any']))})`,
        () => `${next('text')}[${below(3)}:${below(5)}]`,
        () => `join(${next('texts')}, ${next('text')})`,
        () => `replace(${next('text')}, ${next('text')}, ${next('text')})`,
        () => `repeat(${next('text')}, ${next('number')})`,
        () => `type(${next(pick(['number', 'list', 'map', 'text', 'bool', 'any']))})`,
        () => `toJSON(${next(pick(['number', 'list', 'text', 'bool', 'any']))})`,
        () => `(${next('bool')} ? ${next('text')} : ${next('text')})`,
        () => `(${next('any')} ?? ${next('text')})`,
        () => `${next('texts')}[${below(3)}]`,
        () => `(${next('text')} | upper() | trimPrefix(${next('text')}))`,
        () => `${next('map')}.${pick(['a', 'kind', 'app', 'os', 'c'])}`,
        () => `${next('map')}?.${pick(['a', 'kind', 'app', 'os', 'c'])}`,
        () => `toJson(${next('list')})`,
      ])(),
    bool: next =>
      pick([
        () => `${next('number')} ${pick(['<', '>', '<=', '>=', '==', '!='])} ${next('number')}`,
        () =>
          `${next('text')} ${pick(['==', '!=', '<', 'contains', 'startsWith', 'endsWith', 'not contains'])} ${next('text')}`,
        () => `${next('text')} matches ${pick(['"^[a-z]+$"', '"o"', '"(Pod|web)"', '"["', next('text')])}`,
        () => `${next('bool')} ${pick(['and', 'or', '&&', '||', '==', '!='])} ${next('bool')}`,
        () => `${pick(['not ', '!'])}${next('bool')}`,
        () => `${next('number')} ${pick(['in', 'not in'])} ${next('list')}`,
        () => `${next('text')} in ${next(pick(['texts', 'map']))}`,
        () => `${pick(['all', 'any', 'none', 'one'])}(${next('list')}, ${predicate(next)})`,
        () => `${next('any')} == ${pick(['nil', next('number'), next('text')])}`,
        () => `${next('list')} == ${next('list')}`,
        () => `(${next('bool')})`,
        () => `${pick(['hasPrefix', 'hasSuffix'])}(${next('text')}, ${next('text')})`,
        () =>
          isNew ? `${next('number')} < ${next('number')} <= ${next('number')}` : `(${next('any')} ?? ${next('bool')})`,
      ])(),
    list: next =>
      pick([
        () => `map(${next('list')}, # ${pick(['+', '*', '-'])} ${next('number')})`,
        () => `map(${next('list')}, #index)`,
        () => `filter(${next('list')}, ${predicate(next)})`,
        () => `[${next('number')}, ${next('number')}]`,
        () => `${next('list')}[${below(3)}:${below(4)}]`,
        () => `sort(${next('list')}${chance(0.4) ? `, ${pick(['"desc"', '"asc"'])}` : ''})`,
        () => `take(${next('list')}, ${below(4)})`,
        () => `${below(4)}..${next('number')}`,
        () => (isNew ? `${pick(['reverse', 'uniq', 'flatten'])}(${next('list')})` : `(${next('list')})`),
        () => (isNew ? `concat(${next('list')}, ${next('list')})` : `[${next('any')}]`),
        () => (isNew ? `sortBy(${next('list')}, -#)` : `sort(${next('list')})`),
        () => `(${next('list')} | filter(${predicate(next)}) | map(# ${pick(['+', '*'])} ${next('number')}))`,
        () => `(${next('bool')} ? ${next('list')} : ${next('list')})`,
      ])(),
    texts: next =>
      pick([
        () => `split(${next('text')}, ${next('text')})`,
        () => `map(${next('texts')}, ${pick(['upper(#)', '# + "!"', 'shout(#)', 'len(#)'])})`,
        () => `filter(${next('texts')}, # ${pick(['contains', 'startsWith', '!='])} ${next('text')})`,
        () => `[${next('text')}, ${next('text')}]`,
        () => `sort(${next('texts')})`,
        () => `splitAfter(${next('text')}, ${next('text')}, ${below(4)})`,
      ])(),
    map: next =>
      pick([
        () => `{"a": ${next('number')}, "b": ${next(pick(['text', 'list', 'any']))}}`,
        () => `{(${next('text')}): ${next('number')}}`,
        () => `groupBy(${next('list')}, ${pick(['# > 1', '#', 'string(#)'])})`,
        () => `fromPairs([[${next('text')}, ${next('number')}]])`,
        () => `{"k": ${next('map')}}.k`,
      ])(),
    any: next => next(pick(kinds)),
  }
  return write
}
