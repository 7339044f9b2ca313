import { expect, test } from 'vitest'
import type { NodeStatus, Workflow } from '../spec/workflow.ts'
import { createStatusKeeper } from './status-keeper.ts'

const workflow: Workflow = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'run' }, spec: {} }

const statusOf = (result: string) => {
  const node: NodeStatus = {
    id: 'run',
    name: 'run',
    displayName: 'run',
    type: 'Pod',
    phase: 'Running',
    outputs: { result },
  }
  return { phase: 'Running' as const, nodes: { run: node } }
}

test('nodes are compressed above 512 KiB, counted in bytes as the API counts them', async () => {
  const keeper = createStatusKeeper()
  for (const [text, isCompressed] of [
    ['a'.repeat(500_000), false],
    ['a'.repeat(530_000), true],
    ['日'.repeat(150_000), false],
    ['日'.repeat(180_000), true],
  ] as const) {
    const status = statusOf(text)
    const stored = await keeper.stored(workflow, status)
    expect([text[0], stored.compressedNodes !== undefined]).toEqual([text[0], isCompressed])
    expect((await keeper.whole({ ...workflow, status: stored })).status).toEqual(status)
  }
})
