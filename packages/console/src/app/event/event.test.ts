import { filterText } from '@tiphys/journal/filter-text'
import { describe, expect, it } from 'vitest'
import { bodiesOf, differencesOf } from './diff.ts'
import { scaleOf } from './scale.ts'

describe('differences', () => {
  it('are the fields that changed, without what machines keep for themselves', () => {
    const from = {
      metadata: { resourceVersion: '1', generation: 1, managedFields: [1], labels: { a: 'x' } },
      spec: { size: 1, ports: [1, 2] },
    }
    const to = {
      metadata: { resourceVersion: '2', generation: 2, managedFields: [2], labels: { a: 'x', b: 'y' } },
      spec: { size: 3, ports: [1] },
    }
    expect(differencesOf(from, to)).toEqual([
      { path: 'metadata.labels.b', to: 'y' },
      { path: 'spec.ports[1]', from: 2 },
      { path: 'spec.size', from: 1, to: 3 },
    ])
    expect(differencesOf(from, from)).toEqual([])
    expect(differencesOf({ a: null }, { a: {} })).toEqual([{ path: 'a', from: null, to: {} }])
    expect(differencesOf({ labels: {} }, { labels: { 'app.kubernetes.io/name': 'x' } })).toEqual([
      { path: 'labels["app.kubernetes.io/name"]', to: 'x' },
    ])
  })

  it('of an object that came or went are the whole of it, without what machines keep for themselves', () => {
    const object = { kind: 'Memcached', metadata: { name: 'a', managedFields: [1], resourceVersion: '1' }, spec: {} }
    const shown = { kind: 'Memcached', metadata: { name: 'a' }, spec: {} }
    expect(differencesOf(null, object)).toEqual([{ path: '', to: shown }])
    expect(differencesOf(object, undefined)).toEqual([{ path: '', from: shown }])
  })

  it('are found in the payload of a resource event', () => {
    expect(bodiesOf({ type: 'UPDATE', oldBody: { a: 1 }, body: { a: 2 } })).toEqual({ from: { a: 1 }, to: { a: 2 } })
    expect(bodiesOf({ hello: 'world' })).toBeUndefined()
    expect(bodiesOf('text')).toBeUndefined()
  })
})

it('a recorded filter reads as its manifest had it, whatever is masked of it', () => {
  expect(filterText({ by: 'data', paths: ['body.size'], says: '>= 3', passed: true })).toBe('body.size >= 3')
  expect(filterText({ by: 'data', paths: ['body.password'], says: '(masked)' })).toBe('body.password (masked)')
  expect(filterText({ by: 'exprs', paths: ['body.a'], says: 'a > 1' })).toBe('a > 1')
  expect(filterText({ by: 'context', says: 'type = resource' })).toBe('type = resource')
  expect(filterText({ by: 'time', says: '08:00:00 – 09:00:00 UTC' })).toBe('between 08:00:00 – 09:00:00 UTC')
  expect(filterText({ by: 'script', says: 'return true' })).toBe('script: return true')
})

describe('a scale', () => {
  it('goes from 0 to 1 and never back', () => {
    const scale = scaleOf([
      { from: 0, to: 100 },
      { from: 60_000, to: 60_100 },
      { from: 60_050, to: 61_000 },
    ])
    const places = Array.from({ length: 611 }, (_, i) => scale.at(i * 100))
    expect(places[0]).toBe(0)
    expect(places.at(-1)).toBeCloseTo(1)
    for (let i = 1; i < places.length; i++) expect(places[i]).toBeGreaterThanOrEqual(places[i - 1] as number)
  })

  it('folds a long time in which nothing happens, and says how long it was', () => {
    const scale = scaleOf([
      { from: 0, to: 1000 },
      { from: 3_600_000, to: 3_601_000 },
    ])
    expect(scale.folds).toMatchObject([{ ms: 3_599_000 }])
    expect(scale.at(1000)).toBeGreaterThan(0.4)
  })

  it('says which moment is at a place, also beside what is folded', () => {
    const scale = scaleOf([
      { from: 0, to: 1000 },
      { from: 3_600_000, to: 3_601_000 },
    ])
    for (const moment of [0, 400, 1000, 1_800_000, 3_600_000, 3_600_500, 3_601_000])
      expect(scale.timeAt(scale.at(moment))).toBeCloseTo(moment, 3)
    expect(scale.timeAt(0.25)).toBeLessThan(1000)
    expect(scale.timeAt(0.75)).toBeGreaterThan(3_600_000)
  })

  it('folds nothing that is short, or that was zoomed into', () => {
    expect(
      scaleOf([
        { from: 0, to: 0 },
        { from: 4, to: 4 },
      ]).folds,
    ).toEqual([])
    expect(
      scaleOf(
        [
          { from: 0, to: 1 },
          { from: 90_000, to: 90_001 },
        ],
        { from: 0, to: 90_000 },
      ).folds,
    ).toEqual([])
    expect(scaleOf([]).at(5)).toBe(1)
  })
})
