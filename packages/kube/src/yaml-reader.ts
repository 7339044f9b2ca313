import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLParseError,
} from 'yaml'
import { YamlFailure } from './yaml-failure.ts'
import { indentFlow } from './yaml-flow.ts'
import { convertDocument, JsonMismatch, YamlValueError } from './yaml-value.ts'

export interface ReadDocument {
  value: unknown
  duplicateKeys: readonly string[]
  lineOf(path: readonly (string | number)[]): number
}

/** Reads the first document of a text. `firstLine` is the number of the text's first line in the file it came from. */
export function readDocument(text: string, firstLine: number): ReadDocument {
  try {
    if (FORBIDDEN_CHARACTER.test(text)) throw new YamlFailure('yaml: control characters are not allowed')
    if (isTooDeep(text)) throw new YamlFailure('yaml: exceeded max depth of 10000')
    const { document, parsed, lines } = parseLeniently(text)
    refuseDirectives(document)
    const error = document.errors.find(isError)
    if (error) throw syntaxFailure(error, lines, firstLine)
    return {
      ...convertDocument(document, parsed, lines),
      lineOf: path => lineOfPath(document, path, lines) + firstLine - 1,
    }
  } catch (thrown) {
    if (thrown instanceof YamlValueError) throw new YamlFailure(`yaml: ${thrown.message}`)
    if (thrown instanceof JsonMismatch) throw new YamlFailure(thrown.message)
    if (thrown instanceof RangeError) throw new YamlFailure('yaml: exceeded max depth of 10000')
    throw thrown
  }
}

/** Where the parts of a text stand that is JSON, and therefore needs no checks. */
export function locateInJson(text: string, firstLine: number): ReadDocument['lineOf'] {
  const lines = new LineCounter()
  const document = parse(text, lines)
  return path => lineOfPath(document, path, lines) + firstLine - 1
}

const FORBIDDEN_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

// Go goes down to 10,000 levels; the parser here is recursive, so it stops where no manifest ever was.
const DEEPEST_NESTING = 1000
const LONGEST_LINE_OF_INDICATORS = new RegExp(`(?:[-?:][ \\t]+){${DEEPEST_NESTING}}`)

/** Counts brackets wherever they stand: text with so many that nothing closes does not occur either. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > DEEPEST_NESTING) return true
  }
  return LONGEST_LINE_OF_INDICATORS.test(text)
}

/** Without a schema: every scalar stays text, and what it means is decided here, by Go's rules. */
function parse(text: string, lineCounter: LineCounter): Document.Parsed {
  return parseDocument(text, {
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

/** Go lets the lines inside brackets and quotes begin anywhere, the library wants them indented: what it refuses is given
 *  to it once more with those lines moved to the right. */
function parseLeniently(text: string): { document: Document.Parsed; parsed: string; lines: LineCounter } {
  const lines = new LineCounter()
  const document = parse(text, lines)
  const indented = document.errors.some(isError) ? indentFlow(text) : text
  if (indented === text) return { document, parsed: text, lines }
  const newLines = new LineCounter()
  return { document: parse(indented, newLines), parsed: indented, lines: newLines }
}

function isError({ code, message }: YAMLParseError): boolean {
  return code !== 'MULTIPLE_DOCS' && !message.startsWith('Comments must be separated')
}

function refuseDirectives(document: Document.Parsed): void {
  if (document.warnings.some(({ code, message }) => code === 'BAD_DIRECTIVE' && !message.includes('version'))) {
    throw new YamlFailure('yaml: found unknown directive name')
  }
  const { explicit, version } = document.directives.yaml
  if (document.warnings.some(({ code }) => code === 'BAD_DIRECTIVE') || (explicit && version !== '1.1')) {
    throw new YamlFailure('yaml: found incompatible YAML document')
  }
}

function lineOfPath(document: Document.Parsed, path: readonly (string | number)[], lines: LineCounter): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const step of path) {
    const found = childOf(document, node, step)
    if (!found) break
    offset = found.offset
    node = found.node
  }
  return Math.max(1, lines.linePos(offset).line)
}

function childOf(document: Document.Parsed, node: Node | null, step: string | number) {
  const target = isAlias(node) ? (node.resolve(document) ?? null) : node
  if (isSeq(target)) {
    const item = target.items[Number(step)] as Node | undefined
    return item && { node: item, offset: item.range?.[0] ?? 0 }
  }
  if (!isMap(target)) return undefined
  const pair = target.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(step))
  return pair && { node: pair.value as Node | null, offset: (pair.key as Node).range?.[0] ?? 0 }
}

/** The library's findings in the words of Go's parser, which is what people search for. */
const GO_WORDS: Readonly<Partial<Record<YAMLParseError['code'], string>>> = {
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

function syntaxFailure(error: YAMLParseError, lines: LineCounter, firstLine: number): YamlFailure {
  const { line } = lines.linePos(error.pos[0])
  const words = GO_WORDS[error.code] ?? error.message
  // Go leaves out the line when it is the first of the document.
  return new YamlFailure(`yaml: ${line > 1 ? `line ${line}: ` : ''}${words}`, line + firstLine - 1)
}
