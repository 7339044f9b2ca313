import { describe, expect, it } from 'vitest'
import { RecentTexts } from './recent-texts.ts'

const pod = (version: number, more = '') =>
  `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"${version}"}${more}}`
const event = (type: string, object: string) => `{"type":"${type}","object":${object}}`

describe('recent texts', () => {
  it('gives the object of an answer again when its event has the same text', () => {
    const texts = new RecentTexts()
    const answer = texts.object(pod(7))
    const told = texts.event(event('ADDED', pod(7))) as { type: string; object: unknown }
    expect(told.type).toBe('ADDED')
    expect(told.object).toBe(answer)
  })

  it('gives the object of an event that came before the answer', () => {
    const texts = new RecentTexts()
    texts.object(pod(1))
    const { object } = texts.event(event('MODIFIED', pod(7))) as { object: unknown }
    expect(texts.object(pod(7))).toBe(object)
  })

  it('reads a text that differs, also when the version is the same', () => {
    const texts = new RecentTexts()
    texts.object(pod(7))
    expect(texts.event(event('DELETED', pod(7, ',"spec":{}')))).toEqual({
      type: 'DELETED',
      object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', resourceVersion: '7' }, spec: {} },
    })
  })

  it('reads every line that is JSON as JSON', () => {
    const texts = new RecentTexts()
    texts.object(pod(1))
    const lines = [
      event('BOOKMARK', pod(9)),
      event('ADDED', '{"metadata":{}}'),
      event('ADDED', `${pod(3)},"more":{}`),
      `{"object":${pod(4)},"type":"ADDED"}`,
      event('ADDED', `{"metadata":{"generation":9007199254740993,"resourceVersion":"5"}}`),
    ]
    expect(lines.map(line => texts.event(line))).toEqual([
      { type: 'BOOKMARK', object: JSON.parse(pod(9)) },
      { type: 'ADDED', object: { metadata: {} } },
      { type: 'ADDED', object: JSON.parse(pod(3)), more: {} },
      { object: JSON.parse(pod(4)), type: 'ADDED' },
      { type: 'ADDED', object: { metadata: { generation: 9007199254740993n, resourceVersion: '5' } } },
    ])
    expect(() => texts.event('{"type":"ADDED","object":{"metadata"')).toThrow('unexpected end')
  })

  it('remembers nothing for who never writes', () => {
    const texts = new RecentTexts()
    const { object } = texts.event(event('ADDED', pod(7))) as { object: unknown }
    expect(texts.object(pod(7))).not.toBe(object)
  })

  it('forgets what is long ago', () => {
    const texts = new RecentTexts()
    const first = texts.object(pod(0))
    for (let version = 1; version <= 200; version++) texts.object(pod(version))
    const again = texts.object(pod(0))
    expect(again).toEqual(first)
    expect(again).not.toBe(first)
  })
})
