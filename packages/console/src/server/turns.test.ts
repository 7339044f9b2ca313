import type { Archive } from '@tiphys/archive'
import { describe, expect, it } from 'vitest'
import { archiveInTurns, createTurns } from './turns.ts'

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

it('exports take turns like all else that is asked of the archive, part by part', async () => {
  let isRead = 0
  const waiting: (() => void)[] = []
  const archive = {
    async *export() {
      for (const part of ['first', 'second']) {
        isRead++
        await new Promise<void>(resolve => waiting.push(resolve))
        for (let line = 0; line < 500; line++) yield part
      }
    },
  } as unknown as Archive
  const inTurns = archiveInTurns(archive, createTurns({ atOnce: 2, mostWaiting: 100 }), 'noisy')
  const settle = () => new Promise<void>(resolve => setImmediate(resolve))
  const exported = Array.from({ length: 50 }, async () => {
    const lines: string[] = []
    for await (const line of inTurns.export()) lines.push(line)
    return lines
  })
  await settle()
  expect(isRead).toBe(1)
  while (isRead < 100 || waiting.length > 0) {
    expect(waiting.length).toBeLessThanOrEqual(1)
    waiting.shift()?.()
    await settle()
  }
  for (const lines of await Promise.all(exported)) {
    expect(lines).toHaveLength(1000)
    expect([...new Set(lines)]).toEqual(['first', 'second'])
  }
})
