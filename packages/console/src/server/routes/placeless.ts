import type { ObjectHistory, Provenance, Relatives, Trace } from '@tiphys/archive'

// What the archive has found comes with its place in a list, also where it stands alone and nobody could use that.

export const traceOf = (trace: Trace): Trace => ({
  ...trace,
  ...(trace.cause && { cause: provenanceOf(trace.cause) }),
  effects: trace.effects.map(effect => ({ ...effect, ...(effect.trace && { trace: traceOf(effect.trace) }) })),
})

export const historyOf = (history: ObjectHistory): ObjectHistory => ({
  ...history,
  changes: history.changes.map(provenanceOf),
  runs: history.runs.map(placeless),
  ...(history.failedRun && { failedRun: placeless(history.failedRun) }),
})

export const relativesOf = (relatives: Relatives): Relatives => ({
  ...relatives,
  nodes: relatives.nodes.map(node => {
    if (node.type === 'event') return { ...node, event: placeless(node.event) }
    return node.type === 'run' ? { ...node, run: placeless(node.run) } : node
  }),
})

function provenanceOf(provenance: Provenance): Provenance {
  const { event, run, ...rest } = placeless(provenance)
  return { ...rest, ...(event && { event: placeless(event) }), ...(run && { run: placeless(run) }) }
}

function placeless<T extends object>(found: T): Omit<T, 'cursor'> {
  const { cursor: _, ...rest } = found as T & { cursor?: string }
  return rest
}
