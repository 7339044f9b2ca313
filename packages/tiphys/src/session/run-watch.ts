import type { Clock, Timer } from '@tiphys/env'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import type { Output, Terminal } from '../terminal.ts'
import { WORKFLOW } from './instance.ts'
import { drawRun, drawRunWithin, hasEnded, type RunTree, treeOfWorkflow } from './run-tree.ts'

/** Shows a run until it ends: on a terminal a tree that changes in place, elsewhere a line for every change. Resolves with
 *  its phase; with the last one seen when it was deleted or the signal was aborted. */
export async function watchRun(options: {
  client: Client
  namespace: string
  name: string
  terminal: Terminal
  clock: Clock
  signal: AbortSignal
}): Promise<string> {
  const { client, namespace, name, terminal, clock, signal } = options
  const view = terminal.canPin ? liveTree(terminal, clock) : changes(terminal.out, clock)
  let phase = 'Pending'
  try {
    for (;;) {
      const first = await client.get<KubeObject>({ ...WORKFLOW, namespace, name })
      for await (const workflow of versions(client, first, signal)) {
        if (!workflow) return phase
        const tree = treeOfWorkflow(workflow)
        phase = tree.phase
        view.show(tree)
        if (hasEnded(phase) || signal.aborted) return phase
      }
      if (signal.aborted) return phase
    }
  } catch (thrown) {
    if (isNotFound(thrown)) return phase
    throw thrown
  } finally {
    view.end()
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

interface View {
  show(tree: RunTree): void
  /** What was shown last stays. */
  end(): void
}

const SECOND_MS = 1000

/** Draws over what it drew before, every second for the sake of the durations, as much as the screen has room for; in the end
 *  the whole tree. */
function liveTree(terminal: Terminal, clock: Clock): View {
  const { out } = terminal
  let tree: RunTree | undefined
  const pinned = terminal.pin((_, height) => (tree ? drawRunWithin(out, tree, clock.now(), height) : []))
  let timer: Timer
  const tick = () => {
    pinned.renew()
    timer = clock.schedule(SECOND_MS, tick)
  }
  tick()
  return {
    show(changed) {
      tree = changed
      pinned.renew()
    },
    end() {
      timer.cancel()
      pinned.remove()
      if (tree) for (const line of drawRun(out, tree, clock.now())) out.print(line)
    },
  }
}

function changes(out: Output, clock: Clock): View {
  let before: readonly string[] = []
  return {
    show(tree) {
      // Durations change all the time; what counts is the rest.
      const startOf = ({ startedAt, finishedAt }: Pick<RunTree, 'startedAt' | 'finishedAt'>) =>
        finishedAt === undefined ? undefined : startedAt
      const steps = tree.steps.map(step => ({ ...step, startedAt: startOf(step) }))
      const lines = drawRun(out, { ...tree, startedAt: startOf(tree), steps }, clock.now())
      for (const line of lines) if (!before.includes(line)) out.print(line)
      before = lines
    },
    end() {},
  }
}
