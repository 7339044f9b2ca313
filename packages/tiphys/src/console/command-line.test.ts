import {
  fireLine,
  listLine,
  replayLine,
  resumeLine,
  retryParkedLine,
  runLine,
  submitLine,
} from '@tiphys/console/testing'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../arguments.ts'
import { COMMANDS } from '../commands.ts'
import { misunderstood } from './command-line.ts'

const run = { namespace: 'shop', name: 'reconcile-7' }
const ids = Array.from({ length: 30 }, (_, i) => i.toString(16).padStart(32, '0'))
const template = { kind: 'WorkflowTemplate', namespace: 'shop', name: 'hello' }

describe('command lines that the console shows', () => {
  it.each([
    listLine('events', '', ''),
    listLine('events', '-type:DELETE status:failed age:<1h "it\'s"', 'shop'),
    listLine('runs', 'status:failed', 'shop'),
    submitLine({ ...template, values: { name: "it's", mode: 'a b', empty: '' } }),
    fireLine('shop', 'orders', 'incoming'),
    fireLine('', '', ''),
    replayLine({ query: 'status:failed', ns: 'shop', mode: 'no-run', rate: 50 }),
    replayLine({ query: '' }),
    replayLine({ events: ids.slice(0, 3) }),
    replayLine({ events: ids, mode: 'failed' }),
    retryParkedLine({ ...run, part: 'reconcile' }),
    runLine('retry', run),
    runLine('retry', run, 'reconcile-7-123'),
    runLine('resubmit', run),
    resumeLine(run, 'approve it', { approve: 'yes, of course' }),
  ])('are ones that tiphys takes: %s', line => {
    expect(line).toMatch(/^tiphys /)
    expect(misunderstood(line)).toEqual([])
  })

  it('mean what the page does', () => {
    const parsed = (name: string, argv: readonly string[]) => {
      const command = COMMANDS.find(each => each.name === name)
      return command && parseArguments(command, argv)
    }
    expect(submitLine({ ...template, values: { size: '3' } })).toBe(
      'tiphys submit --from WorkflowTemplate/hello -n shop -p size=3',
    )
    expect(parsed('submit', ['--from', 'WorkflowTemplate/hello', '-n', 'shop', '-p', 'size=3'])).toMatchObject({
      operands: [],
      flags: { from: 'WorkflowTemplate/hello', parameter: ['size=3'] },
    })
    expect(replayLine({ query: 'source:orders', ns: 'shop', mode: 'failed' })).toBe(
      "tiphys replay 'source:orders ns:shop' --mode failed --rate 10",
    )
    // Events that are named take no mode: a query for them does.
    expect(replayLine({ events: ['a1', 'b2'] })).toBe('tiphys replay a1 b2 --rate 10')
    expect(replayLine({ events: ['a1', 'b2'], mode: 'no-run' })).toBe(
      'tiphys replay id:a1,b2 --mode without-run --rate 10',
    )
    expect(listLine('runs', 'status:failed', 'shop')).toBe('tiphys runs status:failed -n shop')
    const listed = parsed('events', ['-type:DELETE age:<1h', '-n', 'shop'])
    expect(listed).toEqual({ operands: ['-type:DELETE age:<1h'], flags: { namespace: 'shop' } })
    expect(runLine('retry', run, 'reconcile-7')).toBe(
      'tiphys retry reconcile-7 -n shop --node id=reconcile-7 --restart-successful',
    )
  })

  it('are found out when they are not: the judge knows commands, flags and operands', () => {
    expect(misunderstood('tiphys fly')).toHaveLength(1)
    expect(misunderstood('tiphys replay x --mode some')).toHaveLength(1)
    expect(misunderstood('tiphys fire orders/incoming')).toHaveLength(1)
    expect(misunderstood('kubectl get pods')).toEqual([])
  })
})
