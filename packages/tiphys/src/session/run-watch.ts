import { type Client, type KubeObject, kindRef } from '@tiphys/kube'
import type { Output } from '../terminal.ts'
import { drawRun, hasEnded, type RunTree, treeOfWorkflow } from './run-tree.ts'

const WORKFLOW = kindRef('argoproj.io/v1alpha1', 'Workflow')

/** Shows a run until it ends: on a terminal a tree that changes in place, elsewhere a line for every change. Resolves with
 *  its phase; with the last one seen when it was deleted or the signal was aborted. */
export async function watchRun(options: {
  client: Client
  namespace: string
  name: string
  out: Output
  signal: AbortSignal
  now: () => number
}): Promise<string> {
  const { client, namespace, name, out, signal, now } = options
  const show = out.isInteractive ? liveTree(out, now) : changes(out, now)
  let phase = 'Pending'
  for (;;) {
    const first = await client.get<KubeObject>({ ...WORKFLOW, namespace, name })
    for await (const workflow of versions(client, first, signal)) {
      if (!workflow) return phase
      const tree = treeOfWorkflow(workflow)
      phase = tree.phase
      show(tree)
      if (hasEnded(phase) || signal.aborted) return phase
    }
    if (signal.aborted) return phase
  }
}

/** The object as it changes; undefined when it is deleted. Ends when the server ends the watch. */
async function* versions(client: Client, first: KubeObject, signal: AbortSignal) {
  yield first
  const { namespace = '', name = '', resourceVersion = '' } = first.metadata
  const selection = { ...WORKFLOW, namespace, fieldSelector: `metadata.name=${name}` }
  for await (const event of client.watch<KubeObject>(selection, { resourceVersion, signal })) {
    if (event.type === 'ERROR') return
    if (event.type === 'DELETED') yield undefined
    else if (event.type !== 'BOOKMARK') yield event.object
  }
}

/** Draws over what it drew before. */
function liveTree(out: Output, now: () => number): (tree: RunTree) => void {
  let height = 0
  return tree => {
    const lines = drawRun(out, tree, now())
    if (height > 0) out.print(`\x1b[${height + 1}A`)
    for (const line of lines) out.print(`\x1b[2K${line}`)
    // A tree that has become shorter leaves lines behind.
    for (let rest = lines.length; rest < height; rest++) out.print('\x1b[2K')
    height = Math.max(height, lines.length)
  }
}

function changes(out: Output, now: () => number): (tree: RunTree) => void {
  let before: readonly string[] = []
  return tree => {
    // Durations change all the time; what counts is the rest.
    const lines = drawRun(
      out,
      {
        ...tree,
        startedAt: tree.finishedAt === undefined ? undefined : tree.startedAt,
        steps: tree.steps.map(step => ({
          ...step,
          startedAt: step.finishedAt === undefined ? undefined : step.startedAt,
        })),
      },
      now(),
    )
    for (const line of lines) if (!before.includes(line)) out.print(line)
    before = lines
  }
}
