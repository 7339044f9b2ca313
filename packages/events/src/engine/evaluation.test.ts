import { systemEnv } from '@tiphys/env'
import { expect, it } from 'vitest'
import { createLanguages } from '../sensor/languages.ts'
import { judge } from './evaluation.ts'

const EVENT = {
  id: 'a'.repeat(32),
  source: 'shop',
  subject: 'orders',
  type: 'webhook',
  time: '2026-01-05T08:00:00Z',
  data: '{"body":{"amount":30,"country":"US"}}',
}
const FILTERS = {
  data: [{ path: 'body.amount', type: 'number', comparator: '>=', value: ['100'] }],
  exprs: [{ expr: 'country == "DE"', fields: [{ name: 'country', path: 'body.country' }] }],
}

it('a decision tells what every filter saw that said something, not only the one that decided', async () => {
  const dependency = { name: 'order', eventSourceName: 'shop', eventName: 'orders', filters: FILTERS }
  const scripts = { run: () => Promise.reject(new Error('there are none')) }
  const { decision } = await judge(dependency, EVENT, createLanguages(systemEnv), scripts)
  expect(decision).toMatchObject({ verdict: 'filtered', by: 'exprs' })
  expect(decision.inputs).toEqual([
    { path: 'body.amount', value: 30 },
    { path: 'body.country', value: 'US' },
  ])
})
