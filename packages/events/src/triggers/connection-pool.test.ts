import { VirtualClock } from '@tiphys/env'
import { beforeEach, expect, it } from 'vitest'
import { ConnectionPool } from './connection-pool.ts'

class Connection {
  isClosed = false
  isOpen = () => !this.isClosed
  close = () => {
    this.isClosed = true
    return Promise.resolve()
  }
}

let clock: VirtualClock
let pool: ConnectionPool<Connection>
let opened: Connection[]

beforeEach(() => {
  clock = new VirtualClock()
  pool = new ConnectionPool()
  opened = []
})

const open = () => {
  const connection = new Connection()
  opened.push(connection)
  return Promise.resolve(connection)
}
const use = (key = 'a', work: (connection: Connection) => Promise<unknown> = () => Promise.resolve()) =>
  pool.use(key, clock, open, work)

it('opens one connection for all who use it at once, and one for each key', async () => {
  await Promise.all([use(), use(), use('b')])
  expect(opened).toHaveLength(2)
  await use()
  expect(opened).toHaveLength(2)
})

it('keeps it for a second after the last use', async () => {
  await use()
  await clock.advance(900)
  await use()
  await clock.advance(900)
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([false])
  await clock.advance(100)
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true])
  await use()
  expect(opened).toHaveLength(2)
})

it('does not use one again on which something failed, and closes it when nobody is left', async () => {
  let leave = () => {}
  const staying = use('a', () => new Promise<void>(resolve => (leave = resolve)))
  await expect(use('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(opened[0]?.isClosed).toBe(false)
  await use()
  expect(opened).toHaveLength(2)
  leave()
  await staying
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false])
})

it('does not use one again that has ended by itself, nor one that was never open', async () => {
  await use()
  await opened[0]?.close()
  await use()
  expect(opened).toHaveLength(2)
  await expect(
    pool.use(
      'b',
      clock,
      () => Promise.reject(new Error('refused')),
      () => Promise.resolve(),
    ),
  ).rejects.toThrow('refused')
  await use('b')
  expect(opened).toHaveLength(3)
})
