import { expect, it } from 'vitest'
import { orInterrupted } from './environment.ts'

it('what a task fails with is told, unless it was interrupted', async () => {
  const interruption = new AbortController()
  const failing = () => orInterrupted(interruption.signal, Promise.reject(new Error('a program ended by a signal')))
  await expect(failing()).rejects.toThrow('a program ended by a signal')
  interruption.abort()
  await expect(failing()).rejects.toBe(interruption.signal.reason)
  await expect(orInterrupted(interruption.signal, Promise.resolve())).rejects.toBe(interruption.signal.reason)
})
