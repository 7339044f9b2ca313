import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seededRandom, silentLog, systemClock, systemRandom, TerminalFailure } from '@tiphys/env'
import { LOOPBACK_RANGES, parseJson, stringifyJson } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyFilter } from '../sensor/filter.ts'
import { createLanguages } from '../sensor/languages.ts'
import { applyParameters, constructPayload, type TriggerParameter } from '../sensor/parameters.ts'
import { sourceFilter } from '../sources/source-filter.ts'
import { httpTrigger } from './http-trigger.ts'
import { withParameters } from './k8s-trigger.ts'
import { mergeOver, mergePatched } from './merge.ts'
import { triggerHost } from './trigger-scene.ts'

const env = { clock: systemClock, random: systemRandom, log: silentLog }
const languages = createLanguages(env)

/** What shells, templates, patterns, paths and terminals would take for something else. */
const HOSTILE = [
  '$(touch /tmp/x)',
  '`id`; rm -rf / #',
  '"\'\\"\\\'',
  '{{ .Input.secret }} {{workflow.parameters.a}} {{=1+1}}',
  'line\nline\r\nline\ttab',
  '\u0000\u001b[31m\u2028\u2029',
  '../../etc/passwd',
  'a.b.#(c=="d").e|@reverse',
  '__proto__',
  'grüße 😀 \ud83d\ude00',
  ' spaces at both ends ',
  '"},"injected":{"a":"',
  '%s%n%x %d',
  'null',
  '1e400',
]

function hostWith(value: unknown) {
  const { events } = triggerHost()
  const { dep } = events
  if (!dep) throw new Error('the scene has an event')
  return triggerHost({
    env,
    languages,
    access: { outbound: { allow: LOOPBACK_RANGES } },
    events: { dep: { ...dep, data: JSON.stringify({ body: { value, secret: 'hidden' } }) } },
  })
}

describe('values of events arrive as they are', () => {
  let server: Server
  let bodies: string[]
  beforeAll(async () => {
    bodies = []
    server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      request.on('end', () => {
        bodies.push(body)
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
  })
  afterAll(() => new Promise(resolve => server.close(resolve)))

  it.each(HOSTILE)('%j in objects', value => {
    const host = hostWith(value)
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '' } }
    const src = { dependencyName: 'dep', dataKey: 'body.value' }
    const template = { dependencyName: 'dep', dataTemplate: '{{ .Input.body.value }}' }
    for (const source of [src, template]) {
      const made = withParameters(object, [{ src: source, dest: 'data.a' }], host)
      expect(made).toEqual({ ...object, data: { a: value } })
      const appended = withParameters(made, [{ src: source, dest: 'data.a', operation: 'append' }], host)
      expect(appended.data).toEqual({ a: value + value })
    }
  })

  it.each(HOSTILE)('%j in requests', async value => {
    const { port } = server.address() as AddressInfo
    const payload = [{ src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'a.b' }]
    await httpTrigger.execute({ url: `http://127.0.0.1:${port}/`, payload }, hostWith(value))
    expect(JSON.parse(bodies.at(-1) as string)).toEqual({ a: { b: value } })
  })

  it('and are not looked into again: one pass, whatever comes out', () => {
    const host = hostWith('{{ .Input.body.secret }}')
    const twice: TriggerParameter[] = [
      { src: { dependencyName: 'dep', dataTemplate: '{{ .Input.body.value }}' }, dest: 'first' },
      { src: { dependencyName: 'dep', dataTemplate: 'x {{ .Input.body.value }}' }, dest: 'second' },
    ]
    expect(applyParameters('{}', twice, host.events, languages)).toBe(
      '{"first":"{{ .Input.body.secret }}","second":"x {{ .Input.body.secret }}"}',
    )
  })
})

describe('places that are none', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  const src = { dependencyName: 'dep', dataKey: 'body.value' }

  it.each([
    '__proto__.x',
    '__proto__',
    'a.__proto__.b',
    ':__proto__.x',
    'list.1000000000',
    'list.99999999999999999999',
  ])('%s is refused for good', dest => {
    expect(() => withParameters(object, [{ src, dest }], hostWith('x'))).toThrow(TerminalFailure)
    expect(() => constructPayload([{ src, dest }], hostWith('x').events, languages)).toThrow()
  })

  it('keys of all objects stay data, and change no other object', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort()
    const random = seededRandom(7)
    const passes = sourceFilter('a == 1 || constructor == nil', env)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'valueOf',
      'a',
      'b',
      '0',
      '-1',
      '\\.',
    ]
    const value = (depth: number): string =>
      depth === 0 || random.next() < 0.3
        ? pick(['1', 'null', '"x"', '{}', '[]', 'true'])
        : `{${Array.from({ length: 3 }, () => `${JSON.stringify(pick(names))}:${value(depth - 1)}`).join(',')}}`
    for (let i = 0; i < 2000; i++) {
      const [one, other] = [value(3), value(3)]
      const events = hostWith(JSON.parse(value(2))).events
      const dest = Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => pick(names)).join('.')
      const parameter = { src: { ...src, useRawData: random.next() < 0.5 }, dest }
      attempt(() => applyParameters(one, [parameter], events, languages))
      attempt(() => constructPayload([parameter], events, languages))
      const merged = [mergeOver(parseJson(one), parseJson(other)), mergePatched(parseJson(one), parseJson(other))]
      for (const result of merged) JSON.parse(stringifyJson(result))
      attempt(() => passes(other))
    }
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before)
    const empty = {} as Record<string, unknown>
    for (const name of ['x', 'a', 'b', 'polluted', '0']) expect(empty[name]).toBeUndefined()
  })
})

/** What cannot be done may say so. */
function attempt(call: () => unknown): void {
  try {
    call()
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Error)
  }
}

describe('programs that would never end', () => {
  /** Of the processor's time: other programs of the machine do not count. */
  const milliseconds = (since: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(since)
    return (user + system) / 1000
  }
  const within = async (work: () => unknown) => {
    const began = process.cpuUsage()
    await expect(Promise.resolve().then(work)).rejects.toThrow()
    expect(milliseconds(began)).toBeLessThan(1050)
  }

  it.each([
    '{{ repeat 1000000000 "x" }}',
    '{{ range until 1000000000 }}x{{ end }}',
    '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
    '{{ $x := "x" }}{{ range until 60 }}{{ $x = cat $x $x }}{{ end }}{{ $x }}',
  ])('the template %s is stopped', async template => {
    const parameters = [{ src: { dependencyName: 'dep', dataTemplate: template }, dest: 'a' }]
    await within(() => applyParameters('{}', parameters, hostWith('x').events, languages))
  })

  it('patterns take no longer than the text is long', async () => {
    const event = hostWith(`${'a'.repeat(50_000)}!`).events.dep
    if (!event) throw new Error('the scene has an event')
    const filter = { data: [{ path: 'body.value', type: 'string', value: ['^(a+)+$', '(a|aa)+$', '(.*a){20}$'] }] }
    const began = process.cpuUsage()
    const scripts = { filter: () => Promise.resolve(true) }
    expect(await applyFilter(filter, 'and', event, languages, scripts)).toMatchObject({ passed: false, by: 'data' })
    expect(milliseconds(began)).toBeLessThan(1050)
  })
})
