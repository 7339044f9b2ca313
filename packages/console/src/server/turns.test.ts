import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

/** Tasks that end when they are told to, and what has happened so far. */
function stage(atOnce: number, mostWaiting = 1000) {
  const turns = createTurns({ atOnce, mostWaiting })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (who: string, name: string, isFailing = false) =>
    turns.run(who, async () => {
      begun.push(name)
      await new Promise<void>(resolve => ends.push(resolve))
      if (isFailing) throw new Error(name)
      return name
    })
  const settle = () => new Promise<void>(resolve => setImmediate(resolve))
  const endOne = async () => {
    ends.shift()?.()
    await settle()
  }
  return { ask, begun, endOne, settle }
}

describe('turns', () => {
  it('of somebody who asks once come after one of those who ask a hundred times', async () => {
    const { ask, begun, endOne, settle } = stage(1)
    for (let i = 0; i < 100; i++) void ask('noisy', `noisy ${i}`)
    void ask('quiet', 'quiet')
    await settle()
    await endOne()
    await endOne()
    expect(begun).toEqual(['noisy 0', 'noisy 1', 'quiet'])
  })

  it('leave half of the places free when one alone asks', async () => {
    const { ask, begun, settle } = stage(4)
    for (let i = 0; i < 10; i++) void ask('noisy', `noisy ${i}`)
    void ask('quiet', 'quiet')
    await settle()
    expect(begun).toEqual(['noisy 0', 'noisy 1', 'quiet'])
  })

  it('go on after a task that failed, and hand the failure on', async () => {
    const { ask, begun, endOne, settle } = stage(1)
    const failing = expect(ask('a', 'first', true)).rejects.toThrow('first')
    const second = ask('a', 'second')
    await settle()
    await endOne()
    await failing
    await endOne()
    expect(await second).toBe('second')
    expect(begun).toEqual(['first', 'second'])
  })

  it('are refused to whoever has too many waiting, and to nobody else', async () => {
    const { ask, begun, settle, endOne } = stage(1, 2)
    for (const name of ['first', 'second', 'third']) void ask('noisy', name)
    await expect(ask('noisy', 'fourth')).rejects.toMatchObject({ code: 'console-busy', status: 429 })
    void ask('quiet', 'quiet')
    await settle()
    await endOne()
    await endOne()
    expect(begun).toContain('quiet')
  })
})
