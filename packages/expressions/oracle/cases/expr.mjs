// Expressions of both versions of expr: a table by hand, and generated ones of every kind that a parser and checker meet.

import { generated } from './expr-generated.mjs'
import { selectors } from './expr-selectors.mjs'
import { sprig } from './expr-sprig.mjs'
import { table } from './expr-table.mjs'

const int = value => ({ $int: String(value) })

export const environments = {
  event: {
    type: 'resource',
    body: {
      kind: 'Pod',
      metadata: { name: 'web-1', labels: { app: 'web', 'tier.io/x': 'front' }, generation: 3 },
      spec: { replicas: 2.5, ports: [80, 443, 8080], tags: ['a', 'b', 'b'], nothing: null, on: true },
      items: [
        { name: 'one', size: 3, ok: true },
        { name: 'two', size: 1, ok: false },
        { name: 'three', size: 2, ok: true },
      ],
    },
    header: { X_Event: ['push'], empty: {} },
    word: 'Grüße',
    numbers: [3, 1.5, -2, 1e21, 0.000001],
    nothing: null,
    on: true,
    off: false,
    count: 7,
    list: [[1, 2], [3, [4, 5]], []],
    date: '2024-02-29T10:20:30Z',
  },
  workflow: {
    inputs: { parameters: { message: 'hi', n: '5', json: '{"a":[1,2,{"b":null}]}', bad: '{"a":' } },
    retries: int(3),
    lastRetry: { exitCode: int(1), status: 'Failed', duration: '12' },
    item: { os: 'debian', version: int(9) },
    store: JSON.stringify({
      book: [
        { title: 'A', price: 8.95, tags: ['x', 'y'], isbn: '1' },
        { title: 'B', price: 12.99, tags: [] },
        { title: "C'd", price: 22, isbn: '3', sold: true },
        { title: 'D', price: 0, sold: false, more: null },
      ],
      bicycle: { color: 'red', price: 19.95 },
      limit: 10,
      'dotted.key': { a: 1 },
      'sp ace': 'yes',
      length: 7,
      list: [1, 2, 3, [4, [5]]],
      nothing: null,
      text: 'hello',
    }),
    x: int(10),
    y: 2.5,
    z: int(-4),
    big: int('9223372036854775807'),
    text: 'hello world',
    list: [int(1), int(2), int(3), int(4)],
    words: ['pear', 'apple', 'fig'],
    mixed: [int(1), 'two', 3.5, null, true],
    people: [
      { name: 'Ann', age: int(31), tags: ['x'] },
      { name: 'Bob', age: int(25), tags: [] },
      { name: 'Cid', age: int(31), tags: ['x', 'y'] },
    ],
    flag: true,
    nothing: null,
    m: { a: int(1), b: { c: 'deep' } },
  },
}

const seen = new Set()
export const cases = [...table, ...selectors, ...sprig, ...generated()].filter(({ d, n, e }) => {
  const key = `${d} ${n} ${e}`
  if (seen.has(key)) return false
  seen.add(key)
  return true
})
