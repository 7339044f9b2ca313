import type { Archive, Flow, Scope } from '@tiphys/archive'
import type { FailedRun, FailingSensor } from '../api/answers.ts'

/** So many are looked into for what to say of them. */
const MOST_FAILURES = 3

/** Runs that failed as no other did: each says which step, and why, and leads there. Those that failed in the same way are
 *  told together. */
export async function lonelyFailures(archive: Archive, visible: { scope?: Scope }): Promise<readonly FailedRun[]> {
  const groups = await archive.runGroups('fingerprint', { query: 'status:failed,error age:<1d', ...visible })
  const lonely = groups.filter(({ count }) => count === 1).slice(0, MOST_FAILURES)
  const told = lonely.map(async ({ key, message, lastAt }) => {
    const { items } = await archive.runs({ query: `fingerprint:${key} age:<1d`, ...visible }, { limit: 1 })
    const [found] = items
    if (!found) return []
    const { namespace, name, uid } = found.run
    return [
      {
        type: 'failing' as const,
        title: `Run ${namespace}/${name} failed`,
        detail: message ?? '',
        count: 1,
        at: lastAt,
        fingerprint: key,
        run: { namespace, name, uid },
      },
    ]
  })
  return (await Promise.all(told)).flat()
}

/** Sensors at which events ended because a filter or a transformation could not be carried out, within what the flow looks at. Nothing
 *  else tells of them: the sensor is healthy, and no delivery waits for anybody. */
export async function failingSensors(
  archive: Archive,
  { nodes, edges }: Flow,
  visible: { scope?: Scope },
): Promise<readonly FailingSensor[]> {
  const failing = nodes
    .filter(({ column }) => column === 'sensor')
    .map(({ id, namespace, name }) => {
      const own = edges.filter(({ to, errors }) => to === id && errors > 0)
      const count = own.reduce((sum, { errors }) => sum + errors, 0)
      return { namespace, name, count, at: Math.max(...own.map(({ lastAt }) => lastAt)) }
    })
    .filter(({ count }) => count > 0)
    .slice(0, MOST_FAILURES)
  return Promise.all(
    failing.map(async ({ namespace, name, count, at }) => {
      const query = `sensor:${namespace}/${name} status:failed`
      const ended = count === 1 ? '1 event ended' : `${count} events ended`
      const last = await lastTrouble(archive, { namespace, name, query }, visible)
      return {
        type: 'failing',
        title: `Sensor ${namespace}/${name}: ${ended} at a filter that could not be carried out`,
        detail: last?.detail ?? '',
        count,
        at: last?.at ?? at,
        events: query,
      } as const
    }),
  )
}

/** What the sensor said of the newest of these events; one of them may have failed later, in its run. */
async function lastTrouble(
  archive: Archive,
  { namespace, name, query }: { namespace: string; name: string; query: string },
  visible: { scope?: Scope },
): Promise<{ detail: string; at: number } | undefined> {
  const { items } = await archive.events({ query, ...visible }, { limit: MOST_FAILURES })
  for (const { id } of items) {
    const trace = await archive.trace(id, { ...visible, depth: 0 })
    const told = trace?.decisions.findLast(
      ({ verdict, trigger }) => verdict === 'failed' && trigger.namespace === namespace && trigger.name === name,
    )
    if (told) return { detail: `${told.by ?? 'filters'}: ${told.message ?? 'it said nothing'}`, at: told.at }
  }
  return undefined
}
