import { describe, expect, it } from 'vitest'
import { parseYaml, readYaml } from './yaml.ts'
import { YamlFailure } from './yaml-failure.ts'

describe('readYaml', () => {
  const manifest = [
    '# first',
    'a: 1',
    '---',
    '',
    'kind: Pod',
    'spec:',
    '  containers:',
    '  - name: c',
    '    args: [x,',
    '      y]',
    '',
  ].join('\n')

  it('tells where every document begins', async () => {
    expect((await readYaml(manifest)).map(({ line }) => line)).toEqual([1, 4])
  })

  it('tells the line of any path, counted in the whole file', async () => {
    const [, pod] = await readYaml(manifest)
    expect(pod?.lineOf(['kind'])).toBe(5)
    expect(pod?.lineOf(['spec', 'containers'])).toBe(7)
    expect(pod?.lineOf(['spec', 'containers', 0, 'name'])).toBe(8)
    expect(pod?.lineOf(['spec', 'containers', 0, 'args', 1])).toBe(10)
  })

  it('tells the nearest line of a path that is not there', async () => {
    const [, pod] = await readYaml(manifest)
    expect(pod?.lineOf(['spec', 'containers', 0, 'image'])).toBe(8)
    expect(pod?.lineOf(['spec', 'volumes', 3])).toBe(6)
  })

  it('tells the lines of JSON', async () => {
    const documents = await readYaml('{\n  "a": {\n    "b": 1\n  }\n}\n\n{\n  "c": 2\n}\n')
    expect(documents.map(({ value }) => value)).toEqual([{ a: { b: 1 } }, { c: 2 }])
    expect(documents[0]?.lineOf(['a', 'b'])).toBe(3)
    expect(documents[1]?.lineOf(['c'])).toBe(8)
  })

  it('follows an alias to the line of its anchor', async () => {
    const [document] = await readYaml('base: &b\n  x: 1\nuse: *b\n')
    expect(document?.lineOf(['use', 'x'])).toBe(2)
  })

  it('names the line of a mistake in the whole file', async () => {
    const failure = await readYaml('a: 1\n---\nb: 2\nc: [1\n').catch(thrown => thrown)
    expect(failure).toBeInstanceOf(YamlFailure)
    expect(failure.line).toBeGreaterThanOrEqual(4)
  })

  it('says the common mistakes in the words people search for', async () => {
    await expect(parseYaml('x: 1\na: b: c\n')).rejects.toThrow(
      'yaml: line 2: mapping values are not allowed in this context',
    )
    await expect(parseYaml('x: 1\na: @b\n')).rejects.toThrow(
      'yaml: line 2: found character that cannot start any token',
    )
    await expect(parseYaml('a: *b\n')).rejects.toThrow("yaml: unknown anchor 'b' referenced")
  })
})

describe('hostile YAML', () => {
  it('does not expand a bomb of aliases', async () => {
    const levels = 'abcdefghij'.split('')
    const bomb = levels.map(
      (name, i) =>
        `${name}: &${name} [${Array(10)
          .fill(i === 0 ? 'x' : `*${levels[i - 1]}`)
          .join(',')}]`,
    )
    await expect(parseYaml(bomb.join('\n'))).rejects.toThrow('yaml: document contains excessive aliasing')
  })

  it('refuses a nesting that would exhaust the stack', async () => {
    await expect(parseYaml('['.repeat(100_000))).rejects.toThrow(YamlFailure)
    await expect(parseYaml(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).rejects.toThrow(YamlFailure)
  })

  it('treats __proto__ as data', async () => {
    const { value } = await parseYaml('__proto__:\n  polluted: true\n')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('reads a wide document in good time', async () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `key-${i}: value ${i}`).join('\n')
    expect(Object.keys((await parseYaml(text)).value as object)).toHaveLength(20_000)
  })
})
