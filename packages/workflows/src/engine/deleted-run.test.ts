import { expect, test } from 'vitest'
import type { NodeStatus, Workflow, WorkflowStatus } from '../spec/workflow.ts'
import { endOfDeleted } from './deleted-run.ts'

const NOW = Date.parse('2026-05-01T10:00:00.700Z')

const run = (status?: WorkflowStatus, deletionTimestamp?: string): Workflow => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: {
    name: 'run',
    namespace: 'team',
    uid: 'u1',
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  },
  spec: {},
  ...(status && { status }),
})
const node = (id: string, phase: NodeStatus['phase']): NodeStatus => ({
  id,
  name: id,
  displayName: id,
  type: 'Pod',
  phase,
})

test('a deleted run ends when it was deleted, with the steps that were not over, and the others stay as they were', () => {
  const nodes = { a: node('a', 'Succeeded'), b: node('b', 'Running'), c: node('c', 'Pending'), d: node('d', 'Omitted') }
  const { status, transitions } = endOfDeleted(run({ phase: 'Running', nodes }, '2026-05-01T09:59:58Z'), NOW)
  const ended = { message: 'the Workflow was deleted before it ended', finishedAt: '2026-05-01T09:59:58Z' }
  expect(status).toMatchObject({ phase: 'Failed', ...ended })
  expect(transitions.map(({ node: { id, phase }, from }) => [id, from, phase])).toEqual([
    ['b', 'Running', 'Failed'],
    ['c', 'Pending', 'Failed'],
  ])
  expect(status.nodes).toEqual({
    ...nodes,
    b: { ...nodes.b, phase: 'Failed', ...ended },
    c: { ...nodes.c, phase: 'Failed', ...ended },
  })
})

test('a run that had not begun when it was deleted says so', () => {
  const { status, transitions } = endOfDeleted(run(), NOW)
  expect(status).toMatchObject({
    message: 'the Workflow was deleted before it began',
    finishedAt: '2026-05-01T10:00:00Z',
  })
  expect(transitions).toEqual([])
})
