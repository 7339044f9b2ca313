import { createApiServer } from '@tiphys/apiserver'
import { systemEnv, VirtualClock } from '@tiphys/env'
import { type Client, type KubeObject, kindRef } from '@tiphys/kube'
import { workflowDefinitions } from '@tiphys/workflows'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTerminal } from '../terminal.ts'
import { Screen } from '../terminal-screen.ts'
import { installDefinitions } from './definitions.ts'
import { watchRun } from './run-watch.ts'

const WORKFLOW = kindRef<KubeObject>('argoproj.io/v1alpha1', 'Workflow')
const START = Date.UTC(2026, 0, 1)
const REF = { namespace: 'default', name: 'order' }
const step = (id: string, phase: string, more: object = {}) => ({
  id,
  name: id,
  displayName: id,
  type: 'Pod',
  phase,
  startedAt: new Date(START).toISOString(),
  finishedAt: phase === 'Running' ? null : new Date(START + 1000).toISOString(),
  ...more,
})

let server: Awaited<ReturnType<typeof createApiServer>>
let client: Client
let clock: VirtualClock
beforeEach(async () => {
  server = await createApiServer({ clusterDefaults: true })
  client = server.client()
  clock = new VirtualClock(START)
  await installDefinitions(workflowDefinitions, { client, env: systemEnv })
  const spec = { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] }
  await client.create({ ...WORKFLOW, metadata: REF, spec })
})
afterEach(() => server.close())

const say = (phase: string, steps: readonly ReturnType<typeof step>[]) => {
  const startedAt = new Date(START).toISOString()
  const nodes = Object.fromEntries(steps.map(step => [step.id, step]))
  const patch = { status: { phase, startedAt, nodes } }
  return client.patch({ ...WORKFLOW, ...REF }, { type: 'merge', patch })
}
const watchOn = (stdout: Screen, signal = new AbortController().signal) =>
  watchRun({ client, ...REF, terminal: createTerminal({ stdout, stderr: stdout }, {}), clock, signal })

it('keeps a tree on a small screen, lets its durations pass, and leaves the whole of it in the end', async () => {
  const screen = new Screen(40)
  const steps = Array.from({ length: 20 }, (_, i) => step(`step-${i}`, 'Succeeded'))
  const last = { message: 'a message that is longer than the screen is wide' }
  const ended = watchOn(screen)
  await say('Running', [...steps, step('last', 'Running', last)])
  await expect.poll(() => screen.lines.at(-2)).toBe('  ● last  <1s  a message that is lon…')
  expect(screen.lines[0]).toBe('● default/order  Running  <1s')
  expect([screen.lines.length, screen.lines.at(-1)]).toEqual([9, '  … 14 more steps'])
  await clock.advance(5000)
  expect([screen.lines[0], screen.lines.at(-2)]).toEqual([
    '● default/order  Running  5s',
    '  ● last  5s  a message that is long…',
  ])
  await say('Failed', [...steps, step('last', 'Failed', last)])
  expect(await ended).toBe('Failed')
  expect(screen.lines).toHaveLength(23)
  expect(screen.lines.slice(-3)).toEqual([
    '  ✔ step-19  1s',
    '  ✖ last  1s  a message that is longer than the screen is wide',
    '',
  ])
  expect(clock.waiting).toBe(0)
})

it('ends with the last phase when somebody has seen enough, or deletes the run', async () => {
  await say('Running', [step('last', 'Running')])
  const screen = new Screen(40)
  const stopping = new AbortController()
  const watching = watchOn(screen, stopping.signal)
  await expect.poll(() => screen.lines.length).toBe(2)
  stopping.abort()
  expect(await watching).toBe('Running')
  expect(screen.lines.at(-1)).toBe('')
  const other = new Screen(40)
  const deleted = watchOn(other)
  await expect.poll(() => other.lines.length).toBe(2)
  await client.delete({ ...WORKFLOW, ...REF })
  expect(await deleted).toBe('Running')
})
