import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'
import { parseYaml, readYaml } from './yaml.ts'
import { YamlFailure } from './yaml-failure.ts'
import { formatYaml } from './yaml-format.ts'

interface Answer {
  of: 'yaml' | 'yaml documents' | 'yaml format'
  text: string
  json?: string
  /** What Go says when duplicate keys are an error. */
  strict?: string
  documents?: string[]
  format?: string
  error?: string
}

const answers = readFileSync(new URL('../testdata/yaml.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as Answer)

/** Where we answer otherwise than Go, and why that may be. A test below keeps the list short: what is equal must leave. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  '- \ta\n': 'Go refuses a tab after the dash; it can mean only one thing',
  '- -\ta\n': 'the same',
  'a: 1\n\t\nb: 2\n': 'Go refuses a line with nothing but a tab',
  ' a: 1\nb: 2\n': 'Go stops reading at the second line without a word; we say that it is wrong',
  'a: \u0085b\n': 'a line break of YAML 1.1 that nobody writes',
  'a: \u2028b\n': 'the same',
  '...\n': 'Go refuses an end without a document; we find no document',
  'a: [?x]\n': 'Go reads a key here; to everybody else it is text',
  '{"k":"a\u0085b"}': 'Go writes a space: it changes the value',
  '{"k":"\ufeffa"}': 'Go escapes the character after a byte order mark, too',
  '{"k":"a\u007f"}': 'Go cannot write this character',
}

const REFUSED = 'refused'
const about = (of: Answer['of']) =>
  answers
    .filter(({ of: subject, text }) => subject === of && !(text in DIFFERENCES))
    .map(each => [each.text, each] as const)

async function orRefused<T>(read: () => Promise<T>): Promise<T | typeof REFUSED> {
  try {
    return await read()
  } catch (thrown) {
    if (thrown instanceof YamlFailure) return REFUSED
    throw thrown
  }
}

async function expectYaml({ text, json, strict }: Answer): Promise<void> {
  const document = await orRefused(() => parseYaml(text))
  if (json === undefined || document === REFUSED) {
    expect(document).toBe(json === undefined ? REFUSED : json)
    return
  }
  expect(document.value).toEqual(parseJson(json))
  const duplicates = document.duplicateKeys.map(line => `\n  ${line}`).join('')
  expect(duplicates && `yaml: unmarshal errors:${duplicates}`).toBe(strict ?? '')
}

async function expectDocuments({ text, documents = [], error }: Answer): Promise<void> {
  const found = await orRefused(async () => (await readYaml(text)).map(({ value }) => value))
  // kubectl skips documents that are empty.
  const expected = documents.filter(json => json !== '' && json !== 'null').map(parseJson)
  expect(found).toEqual(error === undefined ? expected : REFUSED)
}

async function expectFormat({ text, format }: Answer): Promise<void> {
  expect(formatYaml(parseJson(text))).toBe(format)
}

const EXPECT = { yaml: expectYaml, 'yaml documents': expectDocuments, 'yaml format': expectFormat }

describe('YAML means what sigs.k8s.io/yaml makes of it', () => {
  it.each(about('yaml'))('%j', (_text, answer) => expectYaml(answer))
})

describe('a manifest has the documents that kubectl finds in it', () => {
  it.each(about('yaml documents'))('%j', (_text, answer) => expectDocuments(answer))
})

describe('a value is written as kubectl writes it', () => {
  it.each(about('yaml format'))('%j', (_text, answer) => expectFormat(answer))
})

describe('the differences that are listed exist', () => {
  it.each(Object.entries(DIFFERENCES))('%j: %s', async text => {
    const answer = answers.find(each => each.text === text) as Answer
    await expect(EXPECT[answer.of](answer)).rejects.toThrow()
  })
})
