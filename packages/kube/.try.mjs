var __defProp = Object.defineProperty
var __getOwnPropNames = Object.getOwnPropertyNames
var __esm = (fn, res, err) =>
  function __init() {
    if (err) throw err[0]
    try {
      return (fn && (res = (0, fn[__getOwnPropNames(fn)[0]])((fn = 0))), res)
    } catch (e) {
      throw ((err = [e]), e)
    }
  }
var __export = (target, all2) => {
  for (var name in all2) __defProp(target, name, { get: all2[name], enumerable: true })
}

// packages/env/src/clock.ts
var LONGEST_TIMEOUT, systemClock
var init_clock = __esm({
  'packages/env/src/clock.ts'() {
    'use strict'
    LONGEST_TIMEOUT = 2 ** 31 - 1
    systemClock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      schedule(delayMs, task) {
        let handle
        const arm = left => {
          const part = Math.min(left, LONGEST_TIMEOUT)
          handle = setTimeout(() => (left > part ? arm(left - part) : task()), Math.max(0, part))
          handle.unref()
        }
        arm(delayMs)
        return { cancel: () => clearTimeout(handle) }
      },
    }
  },
})

// packages/env/src/log.ts
function createLog({ now, write, level = 'info' }, bound = {}) {
  const at = lineLevel => (message, fields) => {
    if (RANK[lineLevel] < RANK[level]) return
    write({ time: now(), level: lineLevel, message, fields: fields ? { ...bound, ...fields } : bound })
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: fields => createLog({ now, write, level }, { ...bound, ...fields }),
  }
}
var RANK, silentLog
var init_log = __esm({
  'packages/env/src/log.ts'() {
    'use strict'
    RANK = { debug: 0, info: 1, warn: 2, error: 3 }
    silentLog = createLog({ now: () => 0, write: () => {} })
  },
})

// packages/env/src/random.ts
var POOL_SIZE, pool, HEX
var init_random = __esm({
  'packages/env/src/random.ts'() {
    'use strict'
    POOL_SIZE = 4096
    pool = new Uint8Array(POOL_SIZE)
    HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))
  },
})

// packages/env/src/env.ts
var init_env = __esm({
  'packages/env/src/env.ts'() {
    'use strict'
    init_clock()
    init_log()
    init_random()
  },
})

// packages/env/src/failure.ts
function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
var Failure, RetryableFailure, TerminalFailure
var init_failure = __esm({
  'packages/env/src/failure.ts'() {
    'use strict'
    Failure = class extends Error {
      code
      what
      why
      todo
      constructor(code, { what, why, todo, cause }) {
        super([why === void 0 ? what : `${what}: ${why}`, todo].filter(part => part !== void 0).join('. '), { cause })
        this.name = new.target.name
        this.code = code
        this.what = what
        this.why = why
        this.todo = todo
      }
    }
    RetryableFailure = class extends Failure {}
    TerminalFailure = class extends Failure {}
  },
})

// packages/env/src/virtual-clock.ts
var init_virtual_clock = __esm({
  'packages/env/src/virtual-clock.ts'() {
    'use strict'
  },
})

// packages/env/src/index.ts
var init_src = __esm({
  'packages/env/src/index.ts'() {
    'use strict'
    init_clock()
    init_env()
    init_failure()
    init_log()
    init_random()
    init_virtual_clock()
  },
})

// packages/kube/src/go-quote.ts
function goQuote(text2) {
  if (!NEEDS_ESCAPE.test(text2)) return `"${text2}"`
  let out = '"'
  for (const char of text2) out += SHORT_ESCAPES[char] ?? (PRINTABLE.test(char) ? char : escapeRune(char))
  return `${out}"`
}
function escapeRune(char) {
  const rune = char.codePointAt(0)
  if (rune < 32 || rune === 127) return `\\x${hex(rune, 2)}`
  if (rune >= 55296 && rune <= 57343) return '\\ufffd'
  return rune < 65536 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`
}
var SHORT_ESCAPES, NEEDS_ESCAPE, PRINTABLE, hex
var init_go_quote = __esm({
  'packages/kube/src/go-quote.ts'() {
    'use strict'
    SHORT_ESCAPES = {
      '\x07': '\\a',
      '\b': '\\b',
      '\f': '\\f',
      '\n': '\\n',
      '\r': '\\r',
      '	': '\\t',
      '\v': '\\v',
      '\\': '\\\\',
      '"': '\\"',
    }
    NEEDS_ESCAPE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/u
    PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
    hex = (value, width) => value.toString(16).padStart(width, '0')
  },
})

// packages/kube/src/yaml-failure.ts
var YamlFailure
var init_yaml_failure = __esm({
  'packages/kube/src/yaml-failure.ts'() {
    'use strict'
    init_src()
    YamlFailure = class extends TerminalFailure {
      /** Where in the text, counted from 1, when it is known. */
      line
      constructor(what, line) {
        super('kube-yaml-invalid', { what })
        this.line = line
      }
    }
  },
})

// packages/kube/src/yaml-flow.ts
function indentFlow(text2) {
  const out = []
  let open = { brackets: 0, quote: '' }
  let blockIndent = -1
  for (const line of text2.split('\n')) {
    const isInside = open.brackets > 0 || open.quote !== ''
    const indent = line.search(/\S/)
    if (!isInside && blockIndent >= 0) {
      if (indent < 0 || indent > blockIndent) {
        out.push(line)
        continue
      }
      blockIndent = -1
    }
    out.push(isInside ? MARGIN + line : line)
    open = scanLine(line, open)
    if (open.brackets === 0 && open.quote === '' && BLOCK_SCALAR.test(line)) blockIndent = Math.max(indent, 0)
  }
  return out.join('\n')
}
function scanLine(line, before) {
  let { brackets, quote } = before
  let isTokenStart = true
  for (let i = 0; i < line.length; i++) {
    const char = line[i]
    if (quote !== '') {
      if (quote === '"' && char === '\\') i++
      else if (char === quote) quote = ''
      continue
    }
    if (char === '#' && (i === 0 || /\s/.test(line[i - 1]))) break
    if ((char === '"' || char === "'") && isTokenStart) quote = char
    else if ((char === '[' || char === '{') && isTokenStart) brackets++
    else if ((char === ']' || char === '}') && brackets > 0) brackets--
    isTokenStart = startsToken(char, line[i - 1], line[i + 1], brackets > 0, isTokenStart)
  }
  return { brackets, quote }
}
function startsToken(char, before, after, isFlow, wasStart) {
  if (char === ' ' || char === '	') return wasStart || before === ':' || (before === '-' && wasStart)
  if (isFlow) return '[{,:'.includes(char)
  return (
    (char === '-' || char === ':' || char === '?') && (after === ' ' || after === void 0) && (char === ':' || wasStart)
  )
}
var MARGIN, BLOCK_SCALAR
var init_yaml_flow = __esm({
  'packages/kube/src/yaml-flow.ts'() {
    'use strict'
    MARGIN = ' '.repeat(80)
    BLOCK_SCALAR = /(?:^|[\s:-])[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/
  },
})

// packages/kube/src/go-float.ts
function formatGoFloat(value) {
  return formatShortest(value, value.toExponential())
}
function formatGoFloat32(value) {
  const rounded = Math.fround(value)
  for (let digits = 1; digits < 9; digits++) {
    const candidate = rounded.toExponential(digits - 1)
    if (Math.fround(Number(candidate)) === rounded) return formatShortest(rounded, candidate)
  }
  return formatShortest(rounded, rounded.toExponential(8))
}
function formatShortest(value, exponential) {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf'
  const [mantissa, exponent] = exponential.split('e')
  const power = Number(exponent)
  if (power >= -4 && power < SHORTEST_PRECISION) return String(Number(exponential))
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
var SHORTEST_PRECISION
var init_go_float = __esm({
  'packages/kube/src/go-float.ts'() {
    'use strict'
    SHORTEST_PRECISION = 6
  },
})

// packages/kube/src/yaml-scalar.ts
function resolveScalar(text2, tag, isPlain2) {
  if (tag === void 0) return isPlain2 ? resolvePlain(text2) : { type: 'str', value: text2 }
  const name = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : tag
  if (name === 'binary') return { type: 'str', value: decodeBinary(text2) }
  if (!RESOLVABLE.has(name) || name === 'str') return { type: 'str', value: text2 }
  const resolved = resolvePlain(text2)
  if (resolved.type === name) return resolved
  if (name === 'float' && resolved.type === 'int') return { type: 'float', value: Number(resolved.value) }
  throw new ScalarError(`cannot decode !!${resolved.type} \`${text2}\` as a !!${name}`)
}
function resolvePlain(text2) {
  const word = WORDS.get(text2)
  if (word) return word
  const first = text2[0]
  if (first === '.') return resolveFloat(text2.replace(/(?<=\d)_(?=\d)/g, '')) ?? { type: 'str', value: text2 }
  if (!/[-+0-9]/.test(first)) return { type: 'str', value: text2 }
  if (TIMESTAMP.test(text2)) return { type: 'timestamp', value: text2 }
  const digits = text2.replaceAll('_', '')
  return resolveInteger(digits) ?? resolveFloat(digits) ?? { type: 'str', value: text2 }
}
function resolveInteger(digits) {
  const match = INTEGER.exec(digits)
  if (!match) return void 0
  const [, sign, hex2, octal, binary, oldOctal, decimal] = match
  const magnitude =
    hex2 !== void 0
      ? BigInt(`0x${hex2}`)
      : binary !== void 0
        ? BigInt(`0b${binary}`)
        : decimal !== void 0
          ? BigInt(decimal)
          : BigInt(`0o${octal ?? oldOctal}`)
  const value = sign === '-' ? -magnitude : magnitude
  if (value < LEAST_INT642 || value > (sign === '' ? GREATEST_UINT64 : GREATEST_INT642)) return void 0
  return { type: 'int', value }
}
function resolveFloat(text2) {
  if (!FLOAT.test(text2)) return void 0
  const value = Number(text2)
  return Number.isFinite(value) ? { type: 'float', value } : void 0
}
function decodeBinary(text2) {
  const compact = text2.replace(/[\r\n]/g, '')
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) {
    throw new ScalarError('!!binary value contains invalid base64 data')
  }
  return Buffer.from(compact, 'base64').toString('utf8')
}
var ScalarError,
  TAG_PREFIX,
  RESOLVABLE,
  WORDS,
  spell,
  TIMESTAMP,
  FLOAT,
  INTEGER,
  LEAST_INT642,
  GREATEST_UINT64,
  GREATEST_INT642
var init_yaml_scalar = __esm({
  'packages/kube/src/yaml-scalar.ts'() {
    'use strict'
    ScalarError = class extends Error {}
    TAG_PREFIX = 'tag:yaml.org,2002:'
    RESOLVABLE = /* @__PURE__ */ new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp'])
    WORDS = /* @__PURE__ */ new Map()
    spell = (value, ...spellings) => {
      for (const spelling of spellings) WORDS.set(spelling, value)
    }
    spell({ type: 'bool', value: true }, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON')
    spell({ type: 'bool', value: false }, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF')
    spell({ type: 'null', value: null }, '', '~', 'null', 'Null', 'NULL')
    spell({ type: 'float', value: Number.NaN }, '.nan', '.NaN', '.NAN')
    spell({ type: 'float', value: Number.POSITIVE_INFINITY }, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF')
    spell({ type: 'float', value: Number.NEGATIVE_INFINITY }, '-.inf', '-.Inf', '-.INF')
    TIMESTAMP =
      /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/
    FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
    INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9]\d*))$/
    LEAST_INT642 = -(2n ** 63n)
    GREATEST_UINT64 = 2n ** 64n - 1n
    GREATEST_INT642 = 2n ** 63n - 1n
  },
})

// packages/kube/src/yaml-value.ts
import { isAlias, isMap, isScalar, isSeq } from 'yaml'

function convertDocument(document, text2, lines) {
  const converter = new Converter(text2, lines)
  converter.linkAliases(document.contents)
  const value = document.contents === null ? null : converter.convert(document.contents)
  return { value, duplicateKeys: converter.duplicateKeys }
}
function allowedAliasRatio(nodes) {
  if (nodes <= SMALL_DOCUMENT) return 0.99
  if (nodes >= LARGE_DOCUMENT) return 0.1
  return 0.99 - (0.89 * (nodes - SMALL_DOCUMENT)) / (LARGE_DOCUMENT - SMALL_DOCUMENT)
}
function pairsOf(mapping) {
  return mapping.items
}
function isMergeKey(node) {
  if (!node || !isScalar(node) || node.value !== '<<') return false
  return node.tag === void 0 ? node.type === 'PLAIN' : node.tag === 'tag:yaml.org,2002:merge'
}
function toJsonValue(scalar) {
  if (scalar.type === 'int') return toJsonNumber(scalar.value)
  if (scalar.type !== 'float') return scalar.value
  if (!Number.isFinite(scalar.value)) {
    const shown = Number.isNaN(scalar.value) ? 'NaN' : scalar.value > 0 ? '+Inf' : '-Inf'
    throw new JsonMismatch(`json: unsupported value: ${shown}`)
  }
  const digits = String(scalar.value)
  return /^-?\d+$/.test(digits) ? toJsonNumber(BigInt(digits)) : scalar.value
}
function toJsonNumber(value) {
  const number = Number(value)
  return Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value
}
function describe(value) {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return goQuote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(describe).join(', ')}}`
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([key, field]) => `${goQuote(key)}:${describe(field)}`)
    return `map[interface {}]interface {}{${fields.join(', ')}}`
  }
  return String(value)
}
var YamlValueError,
  JsonMismatch,
  ALIASES_BEFORE_CHECK,
  NODES_BEFORE_CHECK,
  SMALL_DOCUMENT,
  LARGE_DOCUMENT,
  Converter,
  GREATEST_INT643
var init_yaml_value = __esm({
  'packages/kube/src/yaml-value.ts'() {
    'use strict'
    init_go_float()
    init_go_quote()
    init_yaml_scalar()
    YamlValueError = class extends Error {}
    JsonMismatch = class extends Error {}
    ALIASES_BEFORE_CHECK = 100
    NODES_BEFORE_CHECK = 1e3
    SMALL_DOCUMENT = 4e5
    LARGE_DOCUMENT = 4e6
    Converter = class {
      duplicateKeys = []
      #text
      #lines
      #targets = /* @__PURE__ */ new Map()
      /** Aliases that are being followed: one that leads to itself never ends. */
      #following = /* @__PURE__ */ new Set()
      #nodes = 0
      #aliased = 0
      constructor(text2, lines) {
        this.#text = text2
        this.#lines = lines
      }
      /** An alias means the nearest anchor of its name before it, also when the name is used again later. */
      linkAliases(root) {
        const anchors = /* @__PURE__ */ new Map()
        const waiting = [root]
        while (waiting.length > 0) {
          const node = waiting.pop()
          if (!node) continue
          if (isAlias(node)) {
            const target = anchors.get(node.source)
            if (!target) throw new YamlValueError(`unknown anchor '${node.source}' referenced`)
            this.#targets.set(node, target)
            continue
          }
          if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor) anchors.set(node.anchor, node)
          const children = isMap(node)
            ? pairsOf(node).flatMap(({ key, value }) => [key, value])
            : isSeq(node)
              ? node.items
              : []
          for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i])
        }
      }
      convert(node) {
        this.#count()
        if (!node) return null
        if (isAlias(node)) return this.#follow(node, target2 => this.convert(target2))
        if (isScalar(node)) return toJsonValue(this.#resolve(node))
        if (isSeq(node)) return node.items.map(item => this.convert(item))
        const target = { object: {}, keys: /* @__PURE__ */ new Set() }
        this.#fill(target, node)
        return target.object
      }
      #fill(target, mapping) {
        for (const pair of pairsOf(mapping)) {
          if (isMergeKey(pair.key)) this.#merge(target, pair.value)
          else this.#setField(target, this.#keyOf(pair.key, pair.value), pair.value)
        }
      }
      /** What is merged overrides what stands above it and is overridden by what stands below. */
      #merge(target, node) {
        if (node && isSeq(node)) {
          for (const item of node.items.toReversed()) this.#mergeOne(target, item)
        } else {
          this.#mergeOne(target, node)
        }
      }
      #mergeOne(target, node) {
        const source = node && isAlias(node) ? this.#targets.get(node) : node
        if (!source || !isMap(source)) {
          throw new YamlValueError('map merge requires map or sequence of maps as the value')
        }
        this.#count()
        if (node && isAlias(node)) {
          this.#follow(node, () => {
            this.#count()
            this.#fill(target, source)
          })
        } else {
          this.#fill(target, source)
        }
      }
      #setField({ object, keys }, { text: text2, shown }, node) {
        const value = this.convert(node)
        if (keys.has(shown)) this.duplicateKeys.push(`line ${this.#lineOf(node)}: key ${shown} already set in map`)
        keys.add(shown)
        Object.defineProperty(object, text2, { value, enumerable: true, configurable: true, writable: true })
      }
      #keyOf(node, valueNode) {
        this.#count()
        if (node && isAlias(node)) return this.#follow(node, target => this.#keyOf(target, valueNode))
        if (node && !isScalar(node)) throw new YamlValueError(`invalid map key: ${describe(this.convert(node))}`)
        const resolved = node ? this.#resolve(node) : { type: 'null', value: null }
        switch (resolved.type) {
          case 'str':
          case 'timestamp':
            return { text: resolved.value, shown: goQuote(resolved.value) }
          case 'int':
            if (resolved.value > GREATEST_INT643) break
            return { text: String(resolved.value), shown: String(resolved.value) }
          case 'float':
            return { text: formatGoFloat32(resolved.value), shown: formatGoFloat(resolved.value) }
          case 'bool':
            return { text: String(resolved.value), shown: String(resolved.value) }
        }
        const [type, key] =
          resolved.type === 'null' ? ['%!s(<nil>)', '<nil>'] : ['uint64', `0x${resolved.value.toString(16)}`]
        throw new JsonMismatch(
          `unsupported map key of type: ${type}, key: ${key}, value: ${describe(this.convert(valueNode))}`,
        )
      }
      #resolve(node) {
        try {
          const text2 = this.#textOf(node)
          return resolveScalar(text2, node.tag, node.type === 'PLAIN' || node.type === void 0)
        } catch (thrown) {
          if (thrown instanceof ScalarError) throw new YamlValueError(thrown.message)
          throw thrown
        }
      }
      #textOf({ value, type, range }) {
        const text2 = typeof value === 'string' ? value : ''
        const [start, end] = range ?? [0, 0]
        if (type === 'QUOTE_DOUBLE' && /(?<!\\)(?:\\\\)*\\\//.test(this.#text.slice(start, end))) {
          throw new YamlValueError('found unknown escape character')
        }
        const isCutOff = end >= this.#text.length && !this.#text.endsWith('\n')
        return isCutOff && type?.startsWith('BLOCK') ? text2.replace(/\n$/, '') : text2
      }
      #follow(alias, then) {
        if (this.#following.has(alias)) throw new YamlValueError(`anchor '${alias.source}' value contains itself`)
        this.#following.add(alias)
        const result = then(this.#targets.get(alias))
        this.#following.delete(alias)
        return result
      }
      #count() {
        this.#nodes++
        if (this.#following.size > 0) this.#aliased++
        if (
          this.#aliased > ALIASES_BEFORE_CHECK &&
          this.#nodes > NODES_BEFORE_CHECK &&
          this.#aliased / this.#nodes > allowedAliasRatio(this.#nodes)
        ) {
          throw new YamlValueError('document contains excessive aliasing')
        }
      }
      #lineOf(node) {
        return this.#lines.linePos(node?.range?.[0] ?? 0).line
      }
    }
    GREATEST_INT643 = 2n ** 63n - 1n
  },
})

// packages/kube/src/yaml-reader.ts
var yaml_reader_exports = {}
__export(yaml_reader_exports, {
  locateInJson: () => locateInJson,
  readDocument: () => readDocument,
})

import {
  isAlias as isAlias2,
  isMap as isMap2,
  isScalar as isScalar2,
  isSeq as isSeq2,
  LineCounter,
  parseDocument,
} from 'yaml'

function readDocument(text2, firstLine) {
  try {
    if (FORBIDDEN_CHARACTER.test(text2)) throw new YamlFailure('yaml: control characters are not allowed')
    if (isTooDeep(text2)) throw new YamlFailure('yaml: exceeded max depth of 10000')
    const { document, parsed, lines } = parseLeniently(text2)
    refuseDirectives(document)
    const error = document.errors.find(isError)
    if (error) throw syntaxFailure(error, lines, firstLine)
    return {
      ...convertDocument(document, parsed, lines),
      lineOf: path3 => lineOfPath(document, path3, lines) + firstLine - 1,
    }
  } catch (thrown) {
    if (thrown instanceof YamlValueError) throw new YamlFailure(`yaml: ${thrown.message}`)
    if (thrown instanceof JsonMismatch) throw new YamlFailure(thrown.message)
    if (thrown instanceof RangeError) throw new YamlFailure('yaml: exceeded max depth of 10000')
    throw thrown
  }
}
function locateInJson(text2, firstLine) {
  const lines = new LineCounter()
  const document = parse(text2, lines)
  return path3 => lineOfPath(document, path3, lines) + firstLine - 1
}
function isTooDeep(text2) {
  let depth = 0
  for (const [bracket] of text2.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > DEEPEST_NESTING2) return true
  }
  return LONGEST_LINE_OF_INDICATORS.test(text2)
}
function parse(text2, lineCounter) {
  return parseDocument(text2, {
    version: '1.1',
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter,
  })
}
function parseLeniently(text2) {
  const lines = new LineCounter()
  const document = parse(text2, lines)
  const indented = document.errors.some(isError) ? indentFlow(text2) : text2
  if (indented === text2) return { document, parsed: text2, lines }
  const newLines = new LineCounter()
  return { document: parse(indented, newLines), parsed: indented, lines: newLines }
}
function isError({ code, message }) {
  return code !== 'MULTIPLE_DOCS' && !message.startsWith('Comments must be separated')
}
function refuseDirectives(document) {
  if (document.warnings.some(({ code, message }) => code === 'BAD_DIRECTIVE' && !message.includes('version'))) {
    throw new YamlFailure('yaml: found unknown directive name')
  }
  const { explicit, version } = document.directives.yaml
  if (document.warnings.some(({ code }) => code === 'BAD_DIRECTIVE') || (explicit && version !== '1.1')) {
    throw new YamlFailure('yaml: found incompatible YAML document')
  }
}
function lineOfPath(document, path3, lines) {
  let node = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const step of path3) {
    const found = childOf(document, node, step)
    if (!found) break
    offset = found.offset
    node = found.node
  }
  return Math.max(1, lines.linePos(offset).line)
}
function childOf(document, node, step) {
  const target = isAlias2(node) ? (node.resolve(document) ?? null) : node
  if (isSeq2(target)) {
    const item = target.items[Number(step)]
    return item && { node: item, offset: item.range?.[0] ?? 0 }
  }
  if (!isMap2(target)) return void 0
  const pair = target.items.findLast(({ key }) => isScalar2(key) && String(key.value) === String(step))
  return pair && { node: pair.value, offset: pair.key.range?.[0] ?? 0 }
}
function syntaxFailure(error, lines, firstLine) {
  const { line } = lines.linePos(error.pos[0])
  const words = GO_WORDS[error.code] ?? error.message
  return new YamlFailure(`yaml: ${line > 1 ? `line ${line}: ` : ''}${words}`, line + firstLine - 1)
}
var FORBIDDEN_CHARACTER, DEEPEST_NESTING2, LONGEST_LINE_OF_INDICATORS, GO_WORDS
var init_yaml_reader = __esm({
  'packages/kube/src/yaml-reader.ts'() {
    'use strict'
    init_yaml_failure()
    init_yaml_flow()
    init_yaml_value()
    FORBIDDEN_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/
    DEEPEST_NESTING2 = 1e3
    LONGEST_LINE_OF_INDICATORS = new RegExp(`(?:[-?:][ \\t]+){${DEEPEST_NESTING2}}`)
    GO_WORDS = {
      BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
      TAB_AS_INDENT: 'found character that cannot start any token',
      BAD_SCALAR_START: 'found character that cannot start any token',
      BAD_DQ_ESCAPE: 'found unknown escape character',
      BAD_ALIAS: 'did not find expected alphabetic or numeric character',
      MULTIPLE_ANCHORS: 'did not find expected node content',
      MULTILINE_IMPLICIT_KEY: "could not find expected ':'",
      KEY_OVER_1024_CHARS: "could not find expected ':'",
      MISSING_CHAR: 'did not find expected key',
      BAD_INDENT: 'did not find expected key',
    }
  },
})

// packages/kube/src/api-error.ts
init_src()
var ApiError = class extends Failure {
  status
  /** The HTTP status code. (`code` is the code of the failure, as in every Failure.) */
  statusCode
  constructor(status) {
    super('kube-api-error', { what: status.message ?? `the API server answered ${status.code ?? 'with a failure'}` })
    this.status = status
    this.statusCode = status.code ?? 500
  }
  get reason() {
    return this.status.reason
  }
  get details() {
    return this.status.details
  }
  /** When the server says that trying again later may help: after how long. */
  get retryAfterSeconds() {
    return this.status.details?.retryAfterSeconds
  }
}
var ConnectionFailure = class extends RetryableFailure {
  constructor(server, cause) {
    super('kube-connection-failed', { what: `no answer from ${server}`, why: describeCause(cause), cause })
  }
}
var UnknownKindFailure = class extends TerminalFailure {
  constructor({ apiVersion, kind }, unavailable = []) {
    const isUnavailable = unavailable.includes(apiVersion)
    super('kube-unknown-kind', {
      what: `the server does not know the kind ${kind} of ${apiVersion}`,
      ...(isUnavailable && { why: `${apiVersion} did not answer discovery` }),
      todo: isUnavailable
        ? `See why its API service is not available: kubectl get apiservices`
        : `Check the spelling, or install the CustomResourceDefinition that defines it`,
    })
  }
}
var isNotFound = error => hasReason(error, 'NotFound', 404)
var isAlreadyExists = error => error instanceof ApiError && error.reason === 'AlreadyExists'
var isConflict = error => hasReason(error, 'Conflict', 409) && !isAlreadyExists(error)
var isExpired = error => hasReason(error, 'Expired', 410)
function hasReason(error, reason, statusCode) {
  return error instanceof ApiError && (error.reason === reason || error.statusCode === statusCode)
}
function apiErrorFrom(answer) {
  const { status: code, headers, body } = answer
  const retryAfter = Number(headers['retry-after'])
  const hasRetryAfter = headers['retry-after'] !== void 0 && Number.isFinite(retryAfter)
  const status = isStatus(body) ? { ...body, code: body.code ?? code } : statusFor(code, body)
  if (hasRetryAfter && status.details?.retryAfterSeconds === void 0) {
    status.details = { ...status.details, retryAfterSeconds: retryAfter }
  }
  return new ApiError(status)
}
function isStatus(value) {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'
}
function statusFor(code, body) {
  const text2 = typeof body === 'string' ? body.trim().slice(0, 1e3) : ''
  const reason = REASONS[code]
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: text2 === '' ? `the server answered ${code}${reason ? ` (${reason})` : ''}` : text2,
    ...(reason !== void 0 && { reason }),
    code,
  }
}
var REASONS = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}
function describeCause(cause) {
  if (cause instanceof AggregateError && cause.errors.length > 0) {
    return cause.errors.map(error => (error instanceof Error ? error.message : String(error))).join(', ')
  }
  return cause.message
}

// packages/kube/src/list-watch.ts
init_src()

// packages/kube/src/label-selector.ts
init_src()
init_go_quote()

// packages/kube/src/label-name.ts
var LABEL_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
var LABEL_VALUE = `(${LABEL_NAME})?`
var DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
var DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`
var isLabelName = matcher(LABEL_NAME)
var isLabelValue = matcher(LABEL_VALUE)
var isDnsSubdomain = matcher(DNS_SUBDOMAIN)
var NAME_RULE = withExamples(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_NAME,
  ['MyName', 'my.name', '123-abc'],
)
var VALUE_RULE = withExamples(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  ['MyValue', 'my_value', '12345'],
)
var SUBDOMAIN_RULE = withExamples(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS_SUBDOMAIN,
  ['example.com'],
)
function matcher(pattern) {
  const regexp = new RegExp(`^(?:${pattern})$`)
  return text2 => regexp.test(text2)
}
function withExamples(rule, pattern, examples) {
  const quoted = examples.map(example => `'${example}', `).join(' or ')
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`
}

// packages/kube/src/object-store.ts
init_src()

// packages/kube/src/watch-trouble.ts
init_src()

// packages/kube/src/object.ts
function parseApiVersion(apiVersion) {
  const slash = apiVersion.indexOf('/')
  if (slash < 0) return { group: '', version: apiVersion }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}
function formatApiVersion({ group, version }) {
  return group === '' ? version : `${group}/${version}`
}

// packages/kube/src/connection.ts
init_src()

import { existsSync } from 'node:fs'
import { readFile as readFile3 } from 'node:fs/promises'
import { homedir } from 'node:os'
import path2 from 'node:path'

// packages/kube/src/credentials.ts
function fixedCredential(credential) {
  return { current: async () => credential, refused: () => {} }
}
function isSameCredential(a, b) {
  return a.authorization === b.authorization && isSameCertificate(a.certificate, b.certificate)
}
function isSameCertificate(a, b) {
  return a?.cert === b?.cert && a?.key === b?.key
}

// packages/kube/src/exec-plugin.ts
init_src()

import { spawn } from 'node:child_process'

var VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
var LONGEST_RUN_MS = 5 * 6e4
var EXPIRY_MARGIN_MS = 1e4
var ExecPluginFailure = class extends TerminalFailure {
  constructor(options) {
    super('kube-exec-plugin-failed', options)
  }
}
function execPlugin(options) {
  const { config, clock } = options
  refuseUnsupported(config)
  let kept
  let running
  const run = async () => {
    const status = statusOf(await runPlugin(options), config)
    const credential = credentialOf(status, config)
    const expires = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Number.POSITIVE_INFINITY
    kept = { credential, expires }
    return credential
  }
  return {
    async current() {
      if (kept && clock.now() < kept.expires - EXPIRY_MARGIN_MS) return kept.credential
      running ??= run().finally(() => {
        running = void 0
      })
      return running
    },
    refused(credential) {
      if (kept && isSameCredential(kept.credential, credential)) kept = void 0
    },
  }
}
function refuseUnsupported({ apiVersion, command, interactiveMode }) {
  if (!apiVersion || !VERSIONS.includes(apiVersion)) {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} speaks ${apiVersion || 'no version'}`,
      todo: `Set its apiVersion to ${VERSIONS[0]}; a plugin that does not know that version needs an update`,
    })
  }
  if (interactiveMode === 'Always') {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} needs a terminal`,
      why: 'its interactiveMode is Always',
      todo: 'Log in with the plugin by hand first, and set interactiveMode to IfAvailable',
    })
  }
}
async function runPlugin({ config, cluster, environment, clock, onOutput }) {
  const { command } = config
  const child = spawn(command, config.args ?? [], {
    env: {
      ...environment,
      ...pluginEnvironment(config),
      KUBERNETES_EXEC_INFO: JSON.stringify(requestFor(config, cluster)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text2 => {
    stdout += text2
  })
  child.stderr.setEncoding('utf8').on('data', text2 => {
    stderr = (stderr + text2).slice(-2e3)
    onOutput?.(text2)
  })
  let isOverdue = false
  const timer = clock.schedule(LONGEST_RUN_MS, () => {
    isOverdue = true
    child.kill()
  })
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (exitCode, signal) => resolve(exitCode ?? signal))
    })
    if (code === 0) return stdout
    const why = isOverdue ? `it did not end within ${LONGEST_RUN_MS / 6e4} minutes` : stderr.trim()
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} ended with ${code}`,
      ...(why !== '' && { why }),
      ...hint(config),
    })
  } catch (thrown) {
    if (thrown instanceof ExecPluginFailure) throw thrown
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} could not be started`,
      cause: thrown,
      ...whyNot(thrown, config),
    })
  } finally {
    timer.cancel()
  }
}
function whyNot(thrown, config) {
  const { code, message } = thrown
  const why = code === 'ENOENT' ? 'it is not installed' : code === 'EACCES' ? 'it is not executable' : message
  return { why, todo: config.installHint?.trim() || `Install ${config.command}, or put it into PATH` }
}
var hint = ({ installHint }) => (installHint ? { todo: installHint.trim() } : {})
function pluginEnvironment({ env }) {
  return Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]))
}
function requestFor({ apiVersion, provideClusterInfo }, cluster) {
  const { server, caData, serverName, insecure } = cluster
  const info = {
    server,
    ...(serverName !== void 0 && { 'tls-server-name': serverName }),
    ...(insecure && { 'insecure-skip-tls-verify': true }),
    ...(caData !== void 0 && { 'certificate-authority-data': caData }),
  }
  return {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo && { cluster: info }) },
  }
}
function statusOf(stdout, { command, apiVersion }) {
  const wrong = why => new ExecPluginFailure({ what: `the credential plugin ${command} gave no credential`, why })
  let answer
  try {
    answer = JSON.parse(stdout)
  } catch {
    throw wrong(`its output is no JSON: ${JSON.stringify(stdout.slice(0, 200))}`)
  }
  if (answer?.kind !== 'ExecCredential') throw wrong(`its output is no ExecCredential`)
  if (answer.apiVersion !== apiVersion)
    throw wrong(`it was asked in ${apiVersion} and answered in ${answer.apiVersion}`)
  if (!answer.status) throw wrong('its output has no status')
  return answer.status
}
function credentialOf(status, { command }) {
  const { token, clientCertificateData: cert, clientKeyData: key } = status
  if (!token && !cert && !key) {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} gave no credential`,
      why: 'its status has neither a token nor a certificate',
    })
  }
  if (Boolean(cert) !== Boolean(key)) {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} gave half a credential`,
      why: 'a certificate needs its key',
    })
  }
  return { ...(token && { authorization: `Bearer ${token}` }), ...(cert && key && { certificate: { cert, key } }) }
}

// packages/kube/src/http-transport.ts
init_src()

import http from 'node:http'
import https from 'node:https'
import { gunzip } from 'node:zlib'

// packages/kube/src/json-decoder.ts
init_src()
init_go_quote()
var JsonFailure = class extends TerminalFailure {
  constructor(what) {
    super('kube-json-invalid', { what })
  }
}
var DEEPEST_NESTING = 1e4
var MOST_DUPLICATES = 100
var GREATEST_INT64 = 2n ** 63n - 1n
var LEAST_INT64 = -(2n ** 63n)
var LITERALS = { t: ['true', true], f: ['false', false], n: ['null', null] }
var ESCAPES = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '	',
}
function decodeJson(text2) {
  return new Decoder(text2).decode()
}
function decodeJsonStream(text2) {
  const decoder = new Decoder(text2)
  const values = []
  while (!decoder.isAtEnd()) values.push({ value: decoder.decodeNext(), end: decoder.position })
  return values
}
var Decoder = class {
  #text
  #at = 0
  /** The containers around the current position, outermost first. A list, not recursion: nesting may be deep. */
  #open = []
  #duplicates = /* @__PURE__ */ new Set()
  #overflowing
  constructor(text2) {
    this.#text = text2
  }
  get position() {
    return this.#at
  }
  isAtEnd() {
    this.#skipSpace()
    return this.#at >= this.#text.length
  }
  decode() {
    const value = this.decodeNext()
    if (!this.isAtEnd()) throw this.#unexpected('after top-level value')
    if (this.#overflowing !== void 0) {
      throw new JsonFailure(`json: cannot unmarshal number ${this.#overflowing} into Go value of type float64`)
    }
    return { value, duplicateFields: [...this.#duplicates] }
  }
  decodeNext() {
    let value = this.#readValueOrOpen()
    for (let container = this.#open.at(-1); container; container = this.#open.at(-1)) {
      if (value !== OPENED) {
        this.#attach(container, value)
        if (!this.#readSeparator(container)) {
          this.#open.pop()
          value = container.value
          continue
        }
        if (container.type === 'object') this.#readKey(container)
      }
      value = this.#readValueOrOpen()
    }
    return value
  }
  /** A scalar or an empty container, or `OPENED` when a container with content begins here. */
  #readValueOrOpen() {
    this.#skipSpace()
    const char = this.#text[this.#at]
    switch (char) {
      case '{': {
        const object = { type: 'object', value: {}, key: '' }
        this.#enter()
        if (this.#endsWith('}')) return object.value
        this.#open.push(object)
        this.#readKey(object)
        return OPENED
      }
      case '[': {
        this.#enter()
        if (this.#endsWith(']')) return []
        this.#open.push({ type: 'array', value: [] })
        return OPENED
      }
      case '"':
        return this.#readString()
      case 't':
      case 'f':
      case 'n':
        return this.#readLiteral(char)
      default:
        if (char === '-' || isDigit(char)) return this.#readNumber()
        throw this.#unexpected('looking for beginning of value')
    }
  }
  #enter() {
    if (this.#open.length === DEEPEST_NESTING) throw this.#unexpected('exceeded max depth')
    this.#at++
    this.#skipSpace()
  }
  #endsWith(close) {
    if (this.#text[this.#at] !== close) return false
    this.#at++
    return true
  }
  #attach(container, value) {
    if (container.type === 'array') container.value.push(value)
    else setField(container.value, container.key, value)
  }
  /** True after a comma, false after the container's end. */
  #readSeparator(container) {
    this.#skipSpace()
    const char = this.#text[this.#at]
    const isArray = container.type === 'array'
    if (char !== ',' && char !== (isArray ? ']' : '}')) {
      throw this.#unexpected(isArray ? 'after array element' : 'after object key:value pair')
    }
    this.#at++
    return char === ','
  }
  #readKey(object) {
    this.#skipSpace()
    if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string')
    const key = this.#readString()
    if (Object.hasOwn(object.value, key) && this.#duplicates.size < MOST_DUPLICATES) {
      this.#duplicates.add(formatPath(this.#open, key))
    }
    object.key = key
    this.#skipSpace()
    if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key')
    this.#at++
  }
  #readString() {
    const text2 = this.#text
    let out = ''
    let from = ++this.#at
    while (true) {
      const char = text2[this.#at]
      if (char === '"') {
        out += text2.slice(from, this.#at++)
        return out
      }
      if (char === void 0 || char < ' ') throw this.#unexpected('in string literal')
      if (char === '\\') {
        out += text2.slice(from, this.#at)
        out += this.#readEscape()
        from = this.#at
      } else {
        this.#at++
      }
    }
  }
  #readEscape() {
    this.#at++
    const char = this.#text[this.#at]
    const short = char === void 0 ? void 0 : ESCAPES[char]
    if (short !== void 0) {
      this.#at++
      return short
    }
    if (char !== 'u') throw this.#malformed('in string escape code')
    this.#at++
    const unit = this.#readHexDigits()
    if (unit < 55296 || unit > 57343) return String.fromCharCode(unit)
    const pair = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(this.#text.slice(this.#at, this.#at + 6))
    if (unit > 56319 || !pair) return '\uFFFD'
    this.#at += 6
    return String.fromCharCode(unit, Number.parseInt(pair[1], 16))
  }
  #readHexDigits() {
    const start = this.#at
    for (; this.#at < start + 4; this.#at++) {
      if (!/^[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) throw this.#malformed('in \\u hexadecimal character escape')
    }
    return Number.parseInt(this.#text.slice(start, this.#at), 16)
  }
  #readLiteral(first) {
    const [word, value] = LITERALS[first]
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) throw this.#malformed(`in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
    return value
  }
  #readNumber() {
    const start = this.#at
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#text[this.#at] === '0') this.#at++
    else this.#readDigits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at++
      this.#readDigits('after decimal point in numeric literal')
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      this.#at++
      if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at++
      this.#readDigits('in exponent of numeric literal')
    }
    return this.#toNumber(this.#text.slice(start, this.#at))
  }
  #readDigits(where) {
    if (!isDigit(this.#text[this.#at])) throw this.#malformed(where)
    while (isDigit(this.#text[this.#at])) this.#at++
  }
  #toNumber(literal) {
    const value = Number(literal)
    if (Number.isSafeInteger(value)) return value
    if (/^-?\d+$/.test(literal) && literal.length <= 20) {
      const integer = BigInt(literal)
      if (integer >= LEAST_INT64 && integer <= GREATEST_INT64) return integer
    }
    if (!Number.isFinite(value)) this.#overflowing ??= literal
    return value
  }
  #skipSpace() {
    while (isSpace(this.#text[this.#at])) this.#at++
  }
  #unexpected(where) {
    if (this.#at >= this.#text.length) return new JsonFailure('unexpected end of JSON input')
    return this.#malformed(where)
  }
  /** A mistake inside a token. Go's decoder notices the end of the text there as a space. */
  #malformed(where) {
    const rune = this.#text.codePointAt(this.#at) ?? 32
    return new JsonFailure(`invalid character ${quoteByte(firstByte(rune))} ${where}`)
  }
}
var OPENED = /* @__PURE__ */ Symbol('a container begins')
var isDigit = char => char !== void 0 && char >= '0' && char <= '9'
var isSpace = char => char === ' ' || char === '\n' || char === '	' || char === '\r'
function setField(object, key, value) {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    object[key] = value
  }
}
function formatPath(open, key) {
  let path3 = ''
  for (const container of open.slice(0, -1)) {
    if (container.type === 'array') path3 += `[${container.value.length}]`
    else path3 += path3 === '' ? container.key : `.${container.key}`
  }
  return open.length === 1 ? key : `${path3}.${key}`
}
function firstByte(rune) {
  return Buffer.from(String.fromCodePoint(rune))[0]
}
function quoteByte(byte) {
  if (byte === 39) return "'\\''"
  if (byte === 34) return `'"'`
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`
}

// packages/kube/src/json.ts
function parseJson(text2) {
  const value = parsePlain(text2)
  return value === void 0 ? decodeJson(text2).value : value
}
function stringifyJson(value, indent) {
  try {
    return JSON.stringify(value, void 0, indent)
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || !thrown.message.includes('BigInt')) throw thrown
    return writeWithBigInts(value, indent)
  }
}
function parsePlain(text2) {
  let value
  try {
    value = JSON.parse(text2)
  } catch {
    return void 0
  }
  if (text2.includes('\\u') && SURROGATE_ESCAPE.test(text2)) return void 0
  return isPlain(value) ? value : void 0
}
var SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/
var SURVEYED_DEPTH = 500
var survey = { keys: 0 }
function isPlain(value) {
  survey.keys = 0
  return isPlainValue(value, 0)
}
function isPlainValue(value, depth) {
  if (typeof value === 'number') return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return true
  if (depth === SURVEYED_DEPTH) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlainValue(value[i], depth + 1)) return false
    return true
  }
  const object = value
  for (const key in object) {
    survey.keys++
    const field = object[key]
    if (typeof field !== 'string' && !isPlainValue(field, depth + 1)) return false
  }
  return true
}
function writeWithBigInts(value, indent = 0, margin = '') {
  if (typeof value === 'bigint') return value.toString()
  const data = hasToJson(value) ? value.toJSON() : value
  if (typeof data !== 'object' || data === null) return JSON.stringify(data)
  const inner = margin + ' '.repeat(indent)
  const isArray = Array.isArray(data)
  const parts = isArray
    ? data.map(item => (isOmitted(item) ? 'null' : writeWithBigInts(item, indent, inner)))
    : Object.entries(data)
        .filter(([, field]) => !isOmitted(field))
        .map(
          ([key, field]) => `${JSON.stringify(key)}:${indent > 0 ? ' ' : ''}${writeWithBigInts(field, indent, inner)}`,
        )
  const [open, close] = isArray ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  if (indent === 0) return `${open}${parts.join(',')}${close}`
  return `${open}
${parts.map(part => inner + part).join(',\n')}
${margin}${close}`
}
var isOmitted = value => value === void 0 || typeof value === 'function' || typeof value === 'symbol'
function hasToJson(value) {
  return typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'
}

// packages/kube/src/json-lines.ts
var NEWLINE = 10
var JsonLines = class {
  #longest
  /** The pieces of the line that has not ended yet. */
  #pending = []
  #pendingLength = 0
  constructor(longest) {
    this.#longest = longest
  }
  /** The lines that end in this piece. Empty lines are left out. */
  *push(piece) {
    let start = 0
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const line = this.#take(piece.subarray(start, end))
      if (line !== '') yield line
      start = end + 1
    }
    this.#keep(piece.subarray(start))
  }
  /** What came after the last line end. */
  rest() {
    return this.#take(new Uint8Array(0))
  }
  #take(last) {
    if (this.#pendingLength === 0) return text(last)
    const line = text(Buffer.concat([...this.#pending, last]))
    this.#pending = []
    this.#pendingLength = 0
    return line
  }
  #keep(piece) {
    if (piece.length === 0) return
    this.#pending.push(piece)
    this.#pendingLength += piece.length
    if (this.#pendingLength > this.#longest) throw new Error(`a line is longer than ${this.#longest} bytes`)
  }
}
var text = bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').trim()

// packages/kube/src/web-socket.ts
async function openWebSocket(options) {
  const { WebSocket, createWebSocketStream } = await import('ws')
  const { url, subprotocols, headers, tls, handshakeMs, signal } = options
  signal?.throwIfAborted()
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...subprotocols], {
    ...tls,
    headers,
    handshakeTimeout: handshakeMs,
    followRedirects: false,
    perMessageDeflate: false,
  })
  const onAbort = () => socket.terminate()
  signal?.addEventListener('abort', onAbort, { once: true })
  socket.once('close', () => signal?.removeEventListener('abort', onAbort))
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('unexpected-response', (_request, refusal) => resolve({ refusal }))
    socket.once('open', () => {
      const duplex = createWebSocketStream(socket, { readableObjectMode: true, writableObjectMode: true })
      resolve({ protocol: socket.protocol, socket: duplex })
    })
  })
}

// packages/kube/src/http-transport.ts
var DEFAULT_SILENCE_MS = 75e3
var DEFAULT_LARGEST_ANSWER = 256 * 1024 * 1024
var KEEP_ALIVE_PROBE_MS = 3e4
var IDLE_SOCKET_MS = 5e4
function createHttpTransport(options) {
  return new HttpTransport(options)
}
var HttpTransport = class {
  #base
  #options
  #clock
  #silenceMs
  #largest
  #credentials
  /** The last one is in use. Those before it had an older certificate: what still runs over them runs on. */
  #agents = []
  #open = /* @__PURE__ */ new Set()
  #isClosed = false
  constructor(options) {
    this.#base = new URL(options.server)
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#silenceMs = options.silenceMs ?? DEFAULT_SILENCE_MS
    this.#largest = options.largestAnswerBytes ?? DEFAULT_LARGEST_ANSWER
    this.#credentials = (this.#isSecure ? options.credentials : void 0) ?? fixedCredential({})
  }
  async request(request) {
    const { response } = await this.#exchange(request)
    try {
      return await this.#readAnswer(response)
    } catch (thrown) {
      throw this.#failure(thrown, request)
    }
  }
  async *stream(request) {
    const lines = new JsonLines(this.#largest)
    for await (const piece of this.bytes(request)) {
      for (const line of lines.push(piece)) yield parseJson(line)
    }
    const rest = lines.rest()
    if (rest !== '') throw this.#failure(new Error('the stream ended inside an event'), request)
  }
  async *bytes(request) {
    const { response } = await this.#exchange(request, { 'accept-encoding': 'identity' })
    try {
      if (!isSuccess(response)) throw apiErrorFrom(await this.#readAnswer(response))
      for await (const piece of response) yield piece
    } catch (thrown) {
      throw this.#failure(thrown, request)
    } finally {
      response.destroy()
    }
  }
  async upgrade(request, subprotocols) {
    this.#refuseWhenClosed()
    const credential = await this.#credentials.current()
    try {
      const opened = await openWebSocket({
        url: `${this.#base.origin}${this.#pathOf(request)}`,
        subprotocols,
        headers: this.#headersOf(request, credential),
        tls: this.#tlsOptions(credential.certificate),
        handshakeMs: this.#silenceMs,
        ...(request.signal && { signal: request.signal }),
      })
      if ('refusal' in opened) {
        this.#track(opened.refusal)
        throw apiErrorFrom(await this.#readAnswer(opened.refusal))
      }
      this.#track(opened.socket)
      return opened
    } catch (thrown) {
      throw this.#failure(thrown, request)
    }
  }
  async close() {
    this.#isClosed = true
    for (const open of this.#open) open.destroy()
    for (const { agent } of this.#agents) agent.destroy()
  }
  /** Sends a request and waits for the head of its answer. A refused credential that has a successor meanwhile is
   *  replaced and the request sent once more: a request without a valid credential had no effect. */
  async #exchange(request, headers = {}) {
    const body = request.body === void 0 ? void 0 : Buffer.from(stringifyJson(request.body))
    const credential = await this.#credentials.current()
    const response = await this.#send(request, body, headers, credential)
    if (response.statusCode !== 401) return { response, credential }
    this.#credentials.refused(credential)
    const newer = await this.#credentials.current()
    if (isSameCredential(newer, credential)) return { response, credential }
    response.resume()
    return { response: await this.#send(request, body, headers, newer), credential: newer }
  }
  async #send(request, body, headers, credential) {
    try {
      return await this.#sendOnce(request, body, headers, credential)
    } catch (thrown) {
      if (request.method === 'GET' && thrown instanceof StaleConnection) {
        return this.#sendOnce(request, body, headers, credential)
      }
      throw thrown
    }
  }
  #sendOnce(request, body, headers, credential) {
    this.#refuseWhenClosed()
    request.signal?.throwIfAborted()
    const { promise, resolve, reject } = withResolvers()
    const call = (this.#isSecure ? https : http).request({
      host: this.#base.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: this.#base.port,
      path: this.#pathOf(request),
      method: request.method,
      agent: this.#agentFor(credential.certificate),
      headers: {
        'accept-encoding': 'gzip',
        ...this.#headersOf(request, credential),
        ...headers,
        ...(body && { 'content-length': String(body.length) }),
      },
      ...(request.signal && { signal: request.signal }),
    })
    const silence = this.#clock.schedule(this.#silenceMs, () =>
      call.destroy(new Error(`no answer within ${this.#silenceMs} ms`)),
    )
    this.#track(call)
    call.on('socket', socket => {
      if (!call.reusedSocket) socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
    })
    call.on('response', response => {
      silence.cancel()
      this.#track(response)
      resolve(response)
    })
    call.on('error', error => {
      silence.cancel()
      reject(isStale(call, error) ? new StaleConnection(this.#base.origin, error) : this.#failure(error, request))
    })
    call.end(body)
    return promise
  }
  async #readAnswer(response) {
    const pieces = []
    let length = 0
    const giveUp = () => response.destroy(new Error(`the answer stopped for ${this.#silenceMs} ms`))
    let silence = this.#clock.schedule(this.#silenceMs, giveUp)
    try {
      for await (const piece of response) {
        silence.cancel()
        pieces.push(piece)
        length += piece.length
        if (length > this.#largest) throw new Error(`the answer is larger than ${this.#largest} bytes`)
        silence = this.#clock.schedule(this.#silenceMs, giveUp)
      }
    } finally {
      silence.cancel()
    }
    const text2 = await this.#textOf(response, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))
    const isJson = response.headers['content-type']?.includes('json') && text2 !== ''
    return { status: response.statusCode, headers: response.headers, body: isJson ? parseJson(text2) : text2 }
  }
  async #textOf(response, bytes) {
    if (response.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8')
    const { promise, resolve, reject } = withResolvers()
    gunzip(bytes, { maxOutputLength: this.#largest }, (error, plain) =>
      error ? reject(error) : resolve(plain.toString('utf8')),
    )
    return promise
  }
  get #isSecure() {
    return this.#base.protocol === 'https:'
  }
  #pathOf({ path: path3, query }) {
    const base = this.#base.pathname.replace(/\/$/, '')
    const search = query ? queryText(query) : ''
    return `${base}${path3}${search === '' ? '' : `?${search}`}`
  }
  #headersOf({ headers, body }, { authorization }) {
    const all2 = { accept: 'application/json', 'user-agent': 'tiphys' }
    if (body !== void 0) all2['content-type'] = 'application/json'
    for (const [name, value] of Object.entries({ ...this.#options.headers, ...headers })) {
      all2[name] = typeof value === 'string' ? value : [...value]
    }
    if (authorization !== void 0) all2.authorization = authorization
    return all2
  }
  #agentFor(certificate) {
    const latest = this.#agents.at(-1)
    if (latest && isSameCertificate(latest.certificate, certificate)) return latest.agent
    const kept = {
      keepAlive: true,
      timeout: IDLE_SOCKET_MS,
      maxFreeSockets: 64,
      scheduling: 'lifo',
    }
    const agent = this.#isSecure ? new https.Agent({ ...kept, ...this.#tlsOptions(certificate) }) : new http.Agent(kept)
    this.#agents.push({ agent, certificate })
    return agent
  }
  #tlsOptions(certificate) {
    const { ca, serverName, insecureSkipTlsVerify } = this.#options
    return {
      ...(ca !== void 0 && { ca }),
      ...(serverName !== void 0 && { servername: serverName }),
      ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
      ...certificate,
    }
  }
  /** So that `close` ends what still runs. */
  #track(open) {
    this.#open.add(open)
    open.once('close', () => this.#open.delete(open))
  }
  #refuseWhenClosed() {
    if (this.#isClosed) throw new ConnectionFailure(this.#base.origin, new Error('this connection was closed'))
  }
  #failure(thrown, { signal }) {
    if (signal?.aborted) return signal.reason
    if (thrown instanceof Failure) return thrown
    return new ConnectionFailure(this.#base.origin, asError(thrown))
  }
}
var StaleConnection = class extends ConnectionFailure {}
function isStale(call, error) {
  return call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
function isSuccess({ statusCode = 0 }) {
  return statusCode >= 200 && statusCode < 300
}
function queryText(query) {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === void 0) continue
    for (const each of typeof value === 'string' ? [value] : value) parameters.append(name, each)
  }
  return parameters.toString()
}
function withResolvers() {
  let resolve
  let reject
  const promise = new Promise((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

// packages/kube/src/kube-client.ts
init_src()

// packages/kube/src/discovery.ts
function createDiscovery(transport) {
  let catalogue
  let reading
  const read = () => {
    reading ??= readCatalogue(transport)
      .then(fresh => {
        catalogue = fresh
        return fresh
      })
      .finally(() => {
        reading = void 0
      })
    return reading
  }
  return {
    resources: async () => (catalogue ?? (await read())).resources,
    async resourceFor(kind) {
      const key = keyOf2(kind)
      const known = catalogue?.byKind.get(key)
      if (known) return known
      const fresh = await read()
      const found = fresh.byKind.get(key)
      if (!found) throw new UnknownKindFailure(kind, fresh.unavailable)
      return found
    },
  }
}
var keyOf2 = ({ apiVersion, kind }) => `${apiVersion}/${kind}`
var AGGREGATED = ['v2', 'v2beta1'].map(
  version => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
)
var ACCEPT = [...AGGREGATED, 'application/json'].join(',')
async function readCatalogue(transport) {
  const [core, groups] = await Promise.all([readRoot(transport, '/api'), readRoot(transport, '/apis')])
  const resources = [...core.resources, ...groups.resources]
  const byKind = /* @__PURE__ */ new Map()
  for (const resource of resources) {
    const key = keyOf2({ apiVersion: formatApiVersion(resource), kind: resource.kind })
    if (!byKind.has(key)) byKind.set(key, resource)
  }
  return { resources, byKind, unavailable: [...core.unavailable, ...groups.unavailable] }
}
async function readRoot(transport, path3) {
  const answer = await transport.request({ method: 'GET', path: path3, headers: { accept: ACCEPT } })
  if (answer.status >= 300) throw apiErrorFrom(answer)
  const body = answer.body
  return 'items' in body ? readAggregated(body) : readLegacy(transport, body)
}
function readAggregated({ items }) {
  const versions = items.flatMap(({ metadata, versions: versions2 = [] }) =>
    versions2.map(version => ({ ...version, group: metadata?.name ?? '' })),
  )
  return {
    resources: versions.flatMap(({ group, version, resources = [] }) =>
      resources
        .filter(resource => resource.responseKind?.kind)
        .map(resource => ({
          group,
          version,
          kind: resource.responseKind?.kind,
          resource: resource.resource,
          singular: resource.singularResource ?? '',
          namespaced: resource.scope === 'Namespaced',
          verbs: resource.verbs ?? [],
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
        })),
    ),
    unavailable: versions.filter(({ freshness }) => freshness === 'Stale').map(formatApiVersion),
  }
}
async function readLegacy(transport, root) {
  const apiVersions =
    'groups' in root
      ? root.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))
      : root.versions
  const answers = await Promise.all(apiVersions.map(apiVersion => readLegacyVersion(transport, apiVersion)))
  return {
    resources: answers.flatMap(resources => resources ?? []),
    unavailable: apiVersions.filter((_, i) => answers[i] === void 0),
  }
}
async function readLegacyVersion(transport, apiVersion) {
  const path3 = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`
  const { status, body } = await transport.request({
    method: 'GET',
    path: path3,
    headers: { accept: 'application/json' },
  })
  if (status >= 300) return void 0
  const { resources = [] } = body
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, singularName = '', namespaced, kind, verbs = [], shortNames = [], categories = [] }) => ({
      ...parseApiVersion(apiVersion),
      kind,
      resource: name,
      singular: singularName,
      namespaced,
      verbs,
      shortNames,
      categories,
      subresources: resources
        .filter(other => other.name.startsWith(`${name}/`))
        .map(other => other.name.slice(name.length + 1)),
    }))
}

// packages/kube/src/pod-exec.ts
import { once } from 'node:events'

var CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 }
var PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
async function execInPod(transport, request, options) {
  const { protocol, socket } = await transport.upgrade({ ...request, query: queryOf(options) }, PROTOCOLS)
  try {
    const [status] = await Promise.all([
      readStreams(socket, options),
      options.stdin ? writeStdin(socket, options.stdin, protocol) : void 0,
    ])
    return { exitCode: exitCodeOf(status) }
  } finally {
    socket.destroy()
  }
}
function queryOf({ command, container, tty, stdin, onStdout, onStderr }) {
  return {
    command,
    container,
    tty: tty ? 'true' : void 0,
    stdin: stdin ? 'true' : void 0,
    // The server refuses a command without any stream; a terminal has no separate error stream.
    stdout: onStdout || tty || !onStderr ? 'true' : void 0,
    stderr: onStderr && !tty ? 'true' : void 0,
  }
}
async function readStreams(socket, { onStdout, onStderr }) {
  for await (const message of socket) {
    const content = message.subarray(1)
    if (message[0] === CHANNEL.stdout && content.length > 0) onStdout?.(content)
    else if (message[0] === CHANNEL.stderr && content.length > 0) onStderr?.(content)
    else if (message[0] === CHANNEL.error) return JSON.parse(Buffer.from(content).toString())
  }
  return brokenOff()
}
async function writeStdin(socket, stdin, protocol) {
  for await (const chunk of stdin) {
    if (socket.destroyed) return
    if (!socket.write(Buffer.concat([Uint8Array.of(CHANNEL.stdin), chunk]))) {
      await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    }
  }
  if (protocol === 'v5.channel.k8s.io' && !socket.destroyed) socket.write(Uint8Array.of(CHANNEL.close, CHANNEL.stdin))
}
function brokenOff() {
  const message = 'the connection ended before the command did'
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    reason: 'InternalError',
    code: 500,
    message,
  }
}
function exitCodeOf(status) {
  if (status.status === 'Success') return 0
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')
  if (status.reason === 'NonZeroExitCode' && cause?.message !== void 0) return Number(cause.message)
  throw new ApiError(status)
}

// packages/kube/src/pod-port-forward.ts
async function forwardPort(_transport, _request, _port) {
  throw new Error('pending')
}

// packages/kube/src/resource-path.ts
init_src()
function resourcePath(info, { namespace, name, subresource }) {
  const root = info.group === '' ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`
  const scope = info.namespaced && namespace !== void 0 ? `/namespaces/${segment('namespace', namespace)}` : ''
  const object = name === void 0 ? '' : `/${segment('name', name)}`
  const below = subresource === void 0 ? '' : `/${subresource.split('/').map(encodeURIComponent).join('/')}`
  return `${root}${scope}/${info.resource}${object}${below}`
}
function segment(what, value) {
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new TerminalFailure('kube-name-invalid', {
      what: `${JSON.stringify(value)} cannot be the ${what} of an object`,
      todo: 'A name is not empty, not . or .., and has no / and no %',
    })
  }
  return encodeURIComponent(value)
}

// packages/kube/src/warning-header.ts
function parseWarnings(header) {
  if (header === void 0) return []
  const lines = typeof header === 'string' ? [header] : header
  return lines.flatMap(line => [...line.matchAll(WARNING)].map(([, text2]) => text2.replace(/\\(.)/g, '$1')))
}
var WARNING = /\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g

// packages/kube/src/kube-client.ts
function createClient(transport, options = {}) {
  return new KubeClient(
    transport,
    createDiscovery(transport),
    options,
    options.impersonate ? impersonation(options.impersonate) : {},
  )
}
var JSON_TYPE = 'application/json'
var PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}
var APPLY_TYPE = 'application/apply-patch+yaml'
var PAGE_SIZE = 500
var RESTARTS_OF_A_LIST = 3
var KubeClient = class {
  #transport
  #discovery
  #options
  /** The impersonation headers; none when this client speaks for itself. */
  #identity
  constructor(transport, discovery, options, identity) {
    this.#transport = transport
    this.#discovery = discovery
    this.#options = options
    this.#identity = identity
  }
  async get(ref, options = {}) {
    const path3 = await this.#objectPath(ref, options.subresource)
    const accept = options.metadataOnly ? metadataType('PartialObjectMetadata') : JSON_TYPE
    const object = await this.#send({ method: 'GET', path: path3, headers: { accept }, ...signalOf(options) })
    return options.metadataOnly ? metadataOf(object, ref) : object
  }
  async list(selection, options = {}) {
    const path3 = await this.#collectionPath(selection, options.subresource)
    const accept = options.metadataOnly ? metadataType('PartialObjectMetadataList') : JSON_TYPE
    const query = {
      ...selectorsOf(selection),
      limit: numberText(options.limit),
      continue: options.continue,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
    }
    const list = await this.#send({
      method: 'GET',
      path: path3,
      query,
      headers: { accept },
      ...signalOf(options),
    })
    list.items = (list.items ?? []).map(item =>
      options.metadataOnly ? metadataOf(item, selection) : named(item, selection),
    )
    return list
  }
  async listAll(selection, options = {}) {
    const limit = options.limit ?? PAGE_SIZE
    for (let restarts = 0; restarts < RESTARTS_OF_A_LIST; restarts++) {
      try {
        return await this.#listPages(selection, { ...options, limit })
      } catch (error) {
        if (!isExpired(error)) throw error
      }
    }
    const { limit: _, ...unlimited } = options
    return this.list(selection, unlimited)
  }
  async #listPages(selection, options) {
    const list = await this.list(selection, options)
    const { resourceVersion: _, resourceVersionMatch: __, ...later } = options
    for (let token = list.metadata.continue; token; ) {
      const page = await this.list(selection, { ...later, continue: token })
      for (const item of page.items) list.items.push(item)
      list.metadata = page.metadata
      token = page.metadata.continue
    }
    const { continue: _token, remainingItemCount: _count, ...metadata } = list.metadata
    list.metadata = metadata
    return list
  }
  async *watch(selection, options = {}) {
    const accept = options.metadataOnly ? metadataType('PartialObjectMetadata') : JSON_TYPE
    const query = {
      ...selectorsOf(selection),
      watch: 'true',
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
      sendInitialEvents: booleanText(options.sendInitialEvents),
      allowWatchBookmarks: booleanText(options.allowWatchBookmarks),
      timeoutSeconds: numberText(options.timeoutSeconds),
    }
    try {
      const path3 = await this.#collectionPath(selection)
      const request = this.#asUser({ method: 'GET', path: path3, query, headers: { accept }, ...signalOf(options) })
      for await (const value of this.#transport.stream(request)) {
        const event = value
        if (options.metadataOnly && event.type !== 'ERROR') event.object = metadataOf(event.object, selection)
        yield event
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error
    }
  }
  async create(object, options = {}) {
    const { namespace, name } = object.metadata
    const info = await this.#discovery.resourceFor(object)
    const target =
      options.subresource === void 0 ? { namespace } : { namespace, name, subresource: options.subresource }
    return this.#write('POST', this.#path(info, target), object, options)
  }
  async update(object, options = {}) {
    return this.#write('PUT', await this.#objectPath(refOf(object), options.subresource), object, options)
  }
  async patch(ref, patch, options = {}) {
    const body = patch.type === 'json' ? patch.operations : patch.patch
    const path3 = await this.#objectPath(ref, options.subresource)
    return this.#write('PATCH', path3, body, options, PATCH_TYPES[patch.type])
  }
  async apply(object, options) {
    const path3 = await this.#objectPath(refOf(object), options.subresource)
    return this.#write('PATCH', path3, object, options, APPLY_TYPE, { force: booleanText(options.force) })
  }
  async delete(ref, options = {}) {
    const path3 = await this.#objectPath(ref, options.subresource)
    return this.#send({ method: 'DELETE', path: path3, ...deletion(options), ...signalOf(options) })
  }
  async deleteCollection(selection, options = {}) {
    const path3 = await this.#collectionPath(selection, options.subresource)
    const query = selectorsOf(selection)
    const answer = await this.#send({
      method: 'DELETE',
      path: path3,
      query,
      ...deletion(options),
      ...signalOf(options),
    })
    if ('items' in answer) answer.items = (answer.items ?? []).map(item => named(item, selection))
    return answer
  }
  async subresource(verb, ref, subresource, body, options = {}) {
    const path3 = await this.#objectPath(ref, subresource)
    if (verb === 'get') return this.#send({ method: 'GET', path: path3, ...signalOf(options) })
    return this.#write(verb === 'create' ? 'POST' : 'PUT', path3, body, options)
  }
  resources() {
    return this.#discovery.resources()
  }
  resourceFor(kind) {
    return this.#discovery.resourceFor(kind)
  }
  serverVersion() {
    return this.#send({ method: 'GET', path: '/version' })
  }
  async *logs(pod, options = {}) {
    const { signal, ...asked } = options
    const query = Object.fromEntries(
      Object.entries(asked).map(([key, value]) => [key, value === void 0 ? void 0 : String(value)]),
    )
    const path3 = await this.#objectPath({ apiVersion: 'v1', kind: 'Pod', ...pod }, 'log')
    try {
      yield* this.#transport.bytes(this.#asUser({ method: 'GET', path: path3, query, ...signalOf(options) }))
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  }
  async exec(pod, options) {
    const path3 = await this.#objectPath({ apiVersion: 'v1', kind: 'Pod', ...pod }, 'exec')
    return execInPod(this.#transport, this.#asUser({ method: 'GET', path: path3, ...signalOf(options) }), options)
  }
  async portForward(pod, port, options = {}) {
    const path3 = await this.#objectPath({ apiVersion: 'v1', kind: 'Pod', ...pod }, 'portforward')
    return forwardPort(this.#transport, this.#asUser({ method: 'GET', path: path3, ...signalOf(options) }), port)
  }
  as(user) {
    return new BorrowedClient(this.#transport, this.#discovery, this.#options, impersonation(user))
  }
  close() {
    return this.#transport.close()
  }
  #write(method, path3, body, options, contentType = JSON_TYPE, more = {}) {
    const { dryRun, fieldManager, fieldValidation } = options
    const query = { ...more, dryRun: dryRun ? 'All' : void 0, fieldManager, fieldValidation }
    return this.#send({
      method,
      path: path3,
      query,
      body,
      headers: { 'content-type': contentType },
      ...signalOf(options),
    })
  }
  async #send(request) {
    const answer = await this.#transport.request(this.#asUser(request))
    const { onWarning } = this.#options
    if (onWarning) for (const text2 of parseWarnings(answer.headers.warning)) onWarning(text2)
    if (answer.status < 200 || answer.status >= 300) throw apiErrorFrom(answer)
    return answer.body
  }
  #asUser(request) {
    return { ...request, headers: { accept: JSON_TYPE, ...request.headers, ...this.#identity } }
  }
  async #objectPath(ref, subresource) {
    const info = await this.#discovery.resourceFor(ref)
    return this.#path(info, { namespace: ref.namespace, name: ref.name, subresource })
  }
  /** The path of one object, or of the collection that a new one goes into: a namespace is needed where there are any. */
  #path(info, target) {
    const namespace = target.namespace ?? this.#options.namespace
    if (info.namespaced && namespace === void 0) {
      throw new TerminalFailure('kube-namespace-missing', {
        what: `${info.kind}${target.name === void 0 ? '' : ` ${target.name}`} has no namespace`,
        todo: `Set the namespace: objects of this kind live in one`,
      })
    }
    return resourcePath(info, { ...target, namespace })
  }
  async #collectionPath(selection, subresource) {
    const info = await this.#discovery.resourceFor(selection)
    return resourcePath(info, { namespace: selection.namespace, subresource })
  }
}
var BorrowedClient = class extends KubeClient {
  close() {
    return Promise.resolve()
  }
}
var metadataType = as => `${JSON_TYPE};as=${as};g=meta.k8s.io;v=v1,${JSON_TYPE}`
function metadataOf(object, { apiVersion, kind }) {
  return { apiVersion, kind, metadata: object.metadata }
}
function named(item, { apiVersion, kind }) {
  return item.kind && item.apiVersion ? item : Object.assign({ apiVersion, kind }, item)
}
function refOf(object) {
  const { name, namespace } = object.metadata
  const { apiVersion, kind } = object
  return { apiVersion, kind, name: name ?? '', ...(namespace !== void 0 && { namespace }) }
}
function selectorsOf({ labelSelector, fieldSelector }) {
  return { labelSelector, fieldSelector }
}
function deletion({ dryRun, propagationPolicy, gracePeriodSeconds, preconditions }) {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(dryRun && { dryRun: ['All'] }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(gracePeriodSeconds !== void 0 && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
  }
  return { body, headers: { 'content-type': JSON_TYPE } }
}
function impersonation({ user, groups, uid, extra = {} }) {
  return {
    'impersonate-user': user,
    ...(groups && { 'impersonate-group': groups }),
    ...(uid !== void 0 && { 'impersonate-uid': uid }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        values,
      ]),
    ),
  }
}
var signalOf = ({ signal }) => (signal ? { signal } : {})
var numberText = value => (value === void 0 ? void 0 : String(value))
var booleanText = value => (value === void 0 ? void 0 : String(value))

// packages/kube/src/kubeconfig.ts
init_src()

import { readFile } from 'node:fs/promises'
import path from 'node:path'

// packages/kube/src/yaml.ts
init_yaml_failure()
async function readYaml(text2) {
  const { readDocument: readDocument2 } = await loadReader()
  const objects = /^\s*\{/.test(text2) ? await readJsonObjects(text2) : void 0
  if (objects) return objects
  return splitDocuments(text2)
    .map(({ text: text3, line }) => ({ ...readDocument2(text3, line), line }))
    .filter(({ value }) => value !== null)
}
var reader
function loadReader() {
  reader ??= Promise.resolve().then(() => (init_yaml_reader(), yaml_reader_exports))
  return reader
}
async function readJsonObjects(text2) {
  const { locateInJson: locateInJson2 } = await loadReader()
  try {
    let start = 0
    return decodeJsonStream(text2).map(({ value, end }) => {
      const own = text2.slice(start, end)
      const line = text2.slice(0, start + own.search(/\S/)).split('\n').length
      const lineOf = locateInJson2(own.trimStart(), line)
      start = end
      return { value, line, duplicateKeys: [], lineOf }
    })
  } catch (thrown) {
    if (thrown instanceof JsonFailure) return void 0
    throw thrown
  }
}
function splitDocuments(text2) {
  const chunks = []
  let lines = []
  let start = 1
  for (const [i, line] of text2.split('\n').entries()) {
    if (!line.startsWith('---')) {
      lines.push(line)
      continue
    }
    const after = line.slice(3).trim()
    if (after !== '' && !after.startsWith('#'))
      throw new YamlFailure(`invalid Yaml document separator: ${after}`, i + 1)
    chunks.push({ text: [...lines, ''].join('\n'), line: start })
    lines = []
    start = i + 2
  }
  return [...chunks, { text: lines.join('\n'), line: start }]
}

// packages/kube/src/kubeconfig.ts
var KubeconfigFailure = class extends TerminalFailure {
  constructor(options) {
    super('kube-kubeconfig-invalid', options)
  }
}
async function loadKubeconfig(files) {
  const parts = []
  for (const file of files) {
    const text2 = await readIfPresent(file)
    if (text2 !== void 0) parts.push(await parseKubeconfig(text2, file))
  }
  if (parts.length === 0) {
    throw new KubeconfigFailure({
      what: `there is no kubeconfig at ${files.join(', ')}`,
      todo: 'Give the path of one, set KUBECONFIG, or start a cluster with: tiphys cluster',
    })
  }
  return {
    clusters: mergeFirst(parts.map(part => part.clusters)),
    users: mergeFirst(parts.map(part => part.users)),
    contexts: mergeFirst(parts.map(part => part.contexts)),
    currentContext: parts.find(part => part.currentContext !== void 0)?.currentContext,
    files: parts.flatMap(part => part.files),
  }
}
async function parseKubeconfig(text2, file) {
  const content = await readContent(text2, file)
  const directory = path.dirname(path.resolve(file))
  const absolute = value => (typeof value === 'string' && value !== '' ? path.resolve(directory, value) : void 0)
  return {
    clusters: byName(content.clusters, 'cluster', file, cluster =>
      withPaths(cluster, ['certificate-authority'], absolute),
    ),
    users: byName(content.users, 'user', file, user => {
      const located = withPaths(user, ['client-certificate', 'client-key', 'tokenFile'], absolute)
      const command = user.exec?.command
      if (!user.exec || !command?.includes('/')) return located
      return { ...located, exec: { ...user.exec, command: path.resolve(directory, command) } }
    }),
    contexts: byName(content.contexts, 'context', file, context => context),
    currentContext: content['current-context'] || void 0,
    files: [file],
  }
}
function resolveContext(kubeconfig, contextName) {
  const { contexts, clusters, users, currentContext } = kubeconfig
  const from = kubeconfig.files.join(', ')
  const name = contextName ?? currentContext
  if (name === void 0) {
    throw new KubeconfigFailure({ what: `${from} has no current context`, todo: `Name one: ${choices(contexts)}` })
  }
  const context = contexts.get(name)
  if (!context) {
    throw new KubeconfigFailure({
      what: `there is no context ${name} in ${from}`,
      todo: `Choose one: ${choices(contexts)}`,
    })
  }
  const cluster = clusters.get(context.cluster)
  const missing = !cluster
    ? `cluster ${context.cluster}`
    : context.user && !users.has(context.user)
      ? `user ${context.user}`
      : ''
  if (!cluster || missing !== '') {
    throw new KubeconfigFailure({
      what: `the context ${name} names the ${missing}, which ${from} does not have`,
      todo: `Add it, or choose another context: ${choices(contexts)}`,
    })
  }
  if (!cluster.server) {
    throw new KubeconfigFailure({
      what: `the cluster ${context.cluster} in ${from} has no server`,
      todo: 'Set its server to a URL',
    })
  }
  return {
    name,
    cluster: { ...cluster, server: cluster.server },
    user: users.get(context.user) ?? {},
    namespace: context.namespace || void 0,
  }
}
var choices = named2 => (named2.size === 0 ? '(there are none)' : [...named2.keys()].join(', '))
async function readIfPresent(file) {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if (thrown.code === 'ENOENT') return void 0
    throw new KubeconfigFailure({
      what: `the kubeconfig ${file} cannot be read`,
      why: asError(thrown).message,
      cause: thrown,
    })
  }
}
async function readContent(text2, file) {
  try {
    const [document] = await readYaml(text2)
    const content = document?.value ?? {}
    if (typeof content !== 'object' || Array.isArray(content)) throw new Error('it is no mapping')
    return content
  } catch (thrown) {
    throw new KubeconfigFailure({ what: `${file} is no kubeconfig`, why: asError(thrown).message, cause: thrown })
  }
}
function byName(list, field, file, adjust) {
  const named2 = /* @__PURE__ */ new Map()
  if (list === void 0 || list === null) return named2
  if (!Array.isArray(list))
    throw new KubeconfigFailure({ what: `${file} is no kubeconfig`, why: `its ${field}s are no list` })
  for (const entry of list) {
    const name = entry?.name
    if (typeof name !== 'string') {
      throw new KubeconfigFailure({ what: `${file} is no kubeconfig`, why: `one of its ${field}s has no name` })
    }
    if (!named2.has(name)) named2.set(name, adjust(entry[field] ?? {}))
  }
  return named2
}
function withPaths(value, fields, absolute) {
  const paths = fields.map(field => [field, absolute(value[field])]).filter(([, located]) => located !== void 0)
  return { ...value, ...Object.fromEntries(paths) }
}
function mergeFirst(maps) {
  return new Map(maps.toReversed().flatMap(map => [...map]))
}

// packages/kube/src/watched-file.ts
init_src()

import { readFile as readFile2 } from 'node:fs/promises'

var WatchedFile = class {
  #path
  #clock
  #freshMs
  #content
  #readAt = 0
  constructor(path3, clock, freshMs = 1e4) {
    this.#path = path3
    this.#clock = clock
    this.#freshMs = freshMs
  }
  async content() {
    if (this.#content !== void 0 && this.#clock.monotonic() - this.#readAt < this.#freshMs) return this.#content
    try {
      this.#content = (await readFile2(this.#path, 'utf8')).trim()
    } catch (thrown) {
      if (this.#content === void 0) {
        throw new KubeconfigFailure({
          what: `${this.#path} cannot be read`,
          why: asError(thrown).message,
          cause: thrown,
        })
      }
    }
    this.#readAt = this.#clock.monotonic()
    return this.#content
  }
  /** The next reading is a fresh one. */
  expire() {
    this.#readAt = Number.NEGATIVE_INFINITY
  }
}

// packages/kube/src/connection.ts
async function connect(options = {}) {
  const { transport, namespace, impersonate } = await findConnection(options)
  const { onWarning } = options
  return createClient(createHttpTransport(transport), {
    namespace,
    ...(impersonate && { impersonate }),
    ...(onWarning && { onWarning }),
  })
}
async function findConnection(options = {}) {
  const environment = options.environment ?? process.env
  const chosen = options.kubeconfig ?? environment.KUBECONFIG
  const home = path2.join(environment.HOME ?? homedir(), '.kube', 'config')
  if (!chosen && isInCluster(environment) && !options.context) return inClusterConnection(options)
  const files = (chosen || home).split(path2.delimiter).filter(file => file !== '')
  const context = resolveContext(await loadKubeconfig(files), options.context)
  return connectionOf(context, options)
}
async function connectionOf(context, options = {}) {
  const { cluster, user } = context
  refuseUnsupported2(context)
  const ca = await pemOf(cluster['certificate-authority-data'], cluster['certificate-authority'])
  const impersonate = impersonationOf(user)
  return {
    transport: {
      server: cluster.server,
      ...(ca !== void 0 && !cluster['insecure-skip-tls-verify'] && { ca }),
      ...(cluster['tls-server-name'] && { serverName: cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] && { insecureSkipTlsVerify: true }),
      credentials: credentialsOf(context, ca, options),
      clock: options.clock ?? systemClock,
    },
    namespace: options.namespace ?? context.namespace ?? 'default',
    ...(impersonate && { impersonate }),
  }
}
var SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
function isInCluster(environment) {
  return Boolean(environment.KUBERNETES_SERVICE_HOST) && existsSync(`${SERVICE_ACCOUNT}/token`)
}
async function inClusterConnection(options = {}, directory = SERVICE_ACCOUNT) {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = options.environment ?? process.env
  if (!host || !port || !existsSync(`${directory}/token`)) {
    throw new KubeconfigFailure({
      what: 'this process does not run in a pod with a service account',
      todo: 'Give a kubeconfig, or let the pod mount its service account token',
    })
  }
  const clock = options.clock ?? systemClock
  const tokens = tokenFileSource(new WatchedFile(`${directory}/token`, clock))
  const namespace = existsSync(`${directory}/namespace`)
    ? (await readFile3(`${directory}/namespace`, 'utf8')).trim()
    : ''
  return {
    transport: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      ca: await readFile3(`${directory}/ca.crt`, 'utf8'),
      credentials: tokens,
      clock,
    },
    namespace: options.namespace ?? (namespace || 'default'),
  }
}
function refuseUnsupported2({ name, cluster, user }) {
  const provider = user['auth-provider']?.name
  if (provider !== void 0) {
    const successor = LEGACY_PROVIDERS[provider]
    throw new KubeconfigFailure({
      what: `the context ${name} uses the auth provider ${provider}, which Kubernetes removed`,
      todo: successor ? `Use the credential plugin ${successor} instead` : 'Use a credential plugin (exec) instead',
    })
  }
  if (cluster['proxy-url']) {
    throw new KubeconfigFailure({
      what: `the context ${name} goes through the proxy ${cluster['proxy-url']}`,
      why: 'proxies are not supported',
      todo: 'Reach the server directly, for example through an SSH tunnel and tls-server-name',
    })
  }
}
var LEGACY_PROVIDERS = {
  gcp: 'gke-gcloud-auth-plugin',
  azure: 'kubelogin',
  oidc: 'kubectl oidc-login',
}
function credentialsOf(context, ca, options) {
  const clock = options.clock ?? systemClock
  const { user, cluster } = context
  const { exec, token, tokenFile, username, password } = user
  const sources = [certificateSource(user, context.name, clock)]
  if (tokenFile) sources.push(tokenFileSource(new WatchedFile(tokenFile, clock)))
  else if (token) sources.push(fixedCredential({ authorization: `Bearer ${token}` }))
  else if (username)
    sources.push(
      fixedCredential({ authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` }),
    )
  else if (exec) {
    sources.push(
      execPlugin({
        config: exec,
        cluster: clusterInfo(cluster, ca),
        environment: options.environment ?? process.env,
        clock,
        onOutput: options.onPluginOutput ?? (text2 => process.stderr.write(text2)),
      }),
    )
  }
  return combine(sources)
}
function clusterInfo(cluster, ca) {
  return {
    server: cluster.server,
    ...(ca !== void 0 && { caData: Buffer.from(ca).toString('base64') }),
    ...(cluster['tls-server-name'] && { serverName: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { insecure: true }),
  }
}
function tokenFileSource(file) {
  return {
    current: async () => ({ authorization: `Bearer ${await file.content()}` }),
    refused: () => file.expire(),
  }
}
function certificateSource(user, context, clock) {
  const cert = pemSource(user['client-certificate-data'], user['client-certificate'], clock)
  const key = pemSource(user['client-key-data'], user['client-key'], clock)
  if (!cert && !key) return fixedCredential({})
  if (!cert || !key) {
    throw new KubeconfigFailure({
      what: `the user of the context ${context} has ${cert ? 'a client certificate without its key' : 'a client key without its certificate'}`,
      todo: 'Give both client-certificate(-data) and client-key(-data)',
    })
  }
  return {
    current: async () => ({ certificate: { cert: await cert.content(), key: await key.content() } }),
    refused() {
      cert.expire()
      key.expire()
    },
  }
}
var CERTIFICATE_FRESH_MS = 6e4
function pemSource(data, file, clock) {
  if (data) {
    const pem = decodeData(data)
    return { content: async () => pem, expire: () => {} }
  }
  return file ? new WatchedFile(file, clock, CERTIFICATE_FRESH_MS) : void 0
}
async function pemOf(data, file) {
  if (data) return decodeData(data)
  if (!file) return void 0
  try {
    return await readFile3(file, 'utf8')
  } catch (thrown) {
    throw new KubeconfigFailure({ what: `the certificate authority ${file} cannot be read`, cause: thrown })
  }
}
var decodeData = data => Buffer.from(data, 'base64').toString('utf8')
function combine(sources) {
  return {
    async current() {
      const parts = await Promise.all(sources.map(source => source.current()))
      return Object.assign({}, ...parts)
    },
    refused(credential) {
      for (const source of sources) source.refused(credential)
    },
  }
}
function impersonationOf(user) {
  if (!user.as) return void 0
  return {
    user: user.as,
    ...(user['as-groups'] && { groups: user['as-groups'] }),
    ...(user['as-uid'] && { uid: user['as-uid'] }),
    ...(user['as-user-extra'] && { extra: user['as-user-extra'] }),
  }
}

// packages/kube/src/index.ts
init_go_quote()

// packages/kube/src/yaml-format.ts
init_go_float()
init_yaml_scalar()

// packages/kube/src/leader-election.ts
init_src()

// packages/kube/src/work-queue.ts
init_src()
var NEVER = Number.POSITIVE_INFINITY

// packages/kube/src/index.ts
init_yaml_failure()

// ../../tmp/work/try-client.ts
var client = await connect({ kubeconfig: '/tmp/work/real.kubeconfig', onWarning: w2 => console.log('WARN', w2) })
console.log(await client.serverVersion().then(v => v.gitVersion))
console.log((await client.resources()).length, await client.resourceFor({ apiVersion: 'apps/v1', kind: 'Deployment' }))
var ns = 'kube-try-' + process.pid
await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } })
var cm = await client
  .create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: ns, labels: { x: '1' } },
    data: { \u00E9: '\xFC\u{1F600}' },
  })
  .catch(e => e.message)
console.log(cm)
var made = await client.create({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: ns, labels: { x: '1' } },
  data: { k: '\xFC\u{1F600}' },
})
console.log(made.metadata.resourceVersion, made.data)
var ac = new AbortController()
var events = []
var w = (async () => {
  for await (const e of client.watch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: ns },
    { resourceVersion: made.metadata.resourceVersion, signal: ac.signal, allowWatchBookmarks: true },
  ))
    events.push(e.type + ' ' + e.object.metadata.name)
})()
for (let i = 0; i < 20; i++)
  await client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'p-', namespace: ns },
    data: { big: '\xE9'.repeat(2e4) },
  })
var all = await client.listAll({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ns }, { limit: 7 })
console.log(all.items.length, all.metadata, all.items[0].kind)
console.log(
  (
    await client.list(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, labelSelector: 'x=1' },
      { metadataOnly: true },
    )
  ).items,
)
console.log(
  await client
    .patch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'a' },
      { type: 'merge', patch: { data: { m: '1' } } },
    )
    .then(o => o.data),
)
console.log(
  await client
    .patch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'a' },
      { type: 'json', operations: [{ op: 'add', path: '/data/j', value: '2' }] },
    )
    .then(o => o.data),
)
console.log(
  await client
    .apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: ns }, data: { s: '3' } },
      { fieldManager: 'me' },
    )
    .then(o => o.data),
)
console.log(await client.update({ ...made, data: {} }).catch(e => [isConflict(e), e.message]))
console.log(
  await client
    .get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'zz' })
    .catch(e => [isNotFound(e), e.message]),
)
console.log(
  await client
    .get({ apiVersion: 'v1', kind: 'Foo', namespace: ns, name: 'zz' })
    .catch(e => [e instanceof UnknownKindFailure, e.message]),
)
console.log(
  await client
    .as({ user: 'bob', groups: ['g1', 'g2'] })
    .get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'a' })
    .catch(e => e.message),
)
console.log(
  await client
    .create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} })
    .then(o => JSON.stringify(o.status)),
)
console.log(
  await client
    .as({ user: 'bob', groups: ['g1', 'g2', 'system:authenticated'], extra: { 'a/B': ['c'] } })
    .create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} })
    .then(o => JSON.stringify(o.status)),
)
console.log(
  await client
    .subresource('create', { apiVersion: 'v1', kind: 'ServiceAccount', namespace: ns, name: 'default' }, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {},
    })
    .then(o => o.kind)
    .catch(e => e.message),
)
console.log(
  await client
    .delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'a' }, { preconditions: { uid: 'nope' } })
    .catch(e => e.message),
)
console.log(
  await client
    .delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'a' }, { propagationPolicy: 'Background' })
    .then(o => o.kind),
)
console.log(await client.deleteCollection({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ns }).then(o => o.kind))
await new Promise(r => setTimeout(r, 500))
ac.abort()
await w
console.log(events.length, events.slice(0, 3), events.at(-1))
try {
  for await (const e of client.watch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: ns },
    { resourceVersion: '1', timeoutSeconds: 2 },
  ))
    console.log(e.type, e.object.message)
} catch (e) {
  console.log('threw', isExpired(e), e.message)
}
console.log(
  await client
    .create(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd', namespace: ns },
        spec: {
          foo: 1,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
        },
      },
      { dryRun: true },
    )
    .then(o => o.kind),
)
try {
  for await (const c of client.logs({ namespace: ns, name: 'none' })) console.log(c)
} catch (e) {
  console.log(e.message)
}
console.log(
  await client.exec({ namespace: ns, name: 'none' }, { command: ['ls'] }).catch(e => [e.constructor.name, e.message]),
)
await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: ns })
await client.close()
console.log(await client.serverVersion().catch(e => e.message))
