import { decodeJsonStream, JsonFailure } from './json-decoder.ts'
import { YamlFailure } from './yaml-failure.ts'

/** One document of a text, and where its parts stand. */
export interface YamlDocument {
  /** As JSON: integers that a double cannot hold are BigInt. */
  value: unknown
  /** The line where the document begins, counted from 1. */
  line: number
  /** Go's words for the keys that are given twice (`line 6: key "a" already set in map`); the last one counts. */
  duplicateKeys: readonly string[]
  /** The line where the value at a path stands (in an object: its key), or the nearest part above it that is there. */
  lineOf(path: readonly (string | number)[]): number
}

/** Reads a manifest as kubectl does: documents between `---` lines, or JSON objects one after the other; empty documents
 *  are left out. Throws a `YamlFailure`. */
export async function readYaml(text: string): Promise<YamlDocument[]> {
  const { readDocument } = await loadReader()
  const objects = /^\s*\{/.test(text) ? await readJsonObjects(text) : undefined
  if (objects) return objects
  return splitDocuments(text)
    .map(({ text, line }) => ({ ...readDocument(text, line), line }))
    .filter(({ value }) => value !== null)
}

/** Reads one document as the API server reads a request body; what follows the first document is not looked at. */
export async function parseYaml(text: string): Promise<YamlDocument> {
  const { readDocument } = await loadReader()
  return { ...readDocument(text, 1), line: 1 }
}

// Loaded on first use: most processes read no YAML, and its parser takes longer to load than the rest of this package.
let reader: Promise<typeof import('./yaml-reader.ts')> | undefined
function loadReader() {
  reader ??= import('./yaml-reader.ts')
  return reader
}

async function readJsonObjects(text: string): Promise<YamlDocument[] | undefined> {
  const { locateInJson } = await loadReader()
  try {
    let start = 0
    return decodeJsonStream(text).map(({ value, end }) => {
      const own = text.slice(start, end)
      const line = text.slice(0, start + own.search(/\S/)).split('\n').length
      const lineOf = locateInJson(own.trimStart(), line)
      start = end
      return { value, line, duplicateKeys: [], lineOf }
    })
  } catch (thrown) {
    if (thrown instanceof JsonFailure) return undefined // YAML may begin with a brace, too
    throw thrown
  }
}

function splitDocuments(text: string): { text: string; line: number }[] {
  const chunks: { text: string; line: number }[] = []
  let lines: string[] = []
  let start = 1
  for (const [i, line] of text.split('\n').entries()) {
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
