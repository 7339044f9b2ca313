import { describe, expect, it } from 'vitest'
import { rowOf } from './figure.ts'
import { formatTable } from './table.ts'

describe('a figure', () => {
  it('is met when the median of the ratios of each round reaches the bar', () => {
    const row = rowOf({
      what: 'start',
      unit: 'ms',
      better: 'less',
      bar: 12,
      ours: [10, 20, 10],
      peers: [100, 300, 130],
    })
    expect(row.ratio).toEqual({ median: 13, least: 10, most: 15 })
    expect(row.met).toBe(true)
  })

  it('divides the other way round when more is better', () => {
    const row = rowOf({ what: 'creates', unit: '/s', better: 'more', bar: 2, ours: [300], peers: [200] })
    expect(row.ratio?.median).toBe(1.5)
    expect(row.met).toBe(false)
  })

  it('has a limit where there is no peer', () => {
    const row = rowOf({ what: 'servers', unit: 'ms', better: 'less', limit: 2000, ours: [1500, 2500] })
    expect(row).toMatchObject({ bar: '≤ 2000 ms', met: true, peer: undefined })
  })

  it('says nothing about a bar when its peer was not measured', () => {
    expect(rowOf({ what: 'start', unit: 'ms', better: 'less', bar: 12, ours: [1] })).toMatchObject({
      bar: '',
      met: undefined,
    })
  })
})

it('prints one aligned table', () => {
  const rows = [rowOf({ what: 'list', unit: 'ms', better: 'less', bar: 1, ours: [81.23], peers: [409.4] })]
  expect(formatTable(rows, { peer: 'kube-apiserver + etcd', ratio: 'times better' }).split('\n')).toEqual([
    '| what | Tiphys  | kube-apiserver + etcd | times better (least to most) | bar  | met |',
    '| ---- | ------- | --------------------- | ---------------------------- | ---- | --- |',
    '| list | 81.2 ms | 409 ms                | 5.04× (5.04 to 5.04)         | ≥ 1× | yes |',
  ])
})
