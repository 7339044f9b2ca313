import { type RunObject, WORKFLOW } from './scene.ts'

export const workflow = (
  name: string,
  spec: Record<string, unknown>,
  metadata: Record<string, unknown> = {},
): RunObject => ({
  ...WORKFLOW,
  metadata: { name, namespace: 'default', ...metadata },
  spec,
})

/** A step that pretends. */
export const pretend = (
  name: string,
  simulation: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) => ({
  name,
  metadata: { annotations: { 'tiphys.dev/simulate': JSON.stringify(simulation) } },
  container: { image: 'alpine', command: ['true'] },
  ...more,
})

/** The spec of a Workflow of one such step. */
export const single = (simulation: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  entrypoint: 'main',
  templates: [pretend('main', simulation, more)],
})
