import { randomBytes } from 'node:crypto'
import type { Client } from '@tiphys/kube'
import type { Step } from '../transcript.ts'
import { ClusterSession, type IsKnown } from './cluster-session.ts'

/** One behaviour of a cluster's controllers, shown by the objects that are there at the end. Needs nothing but what it
 *  creates in its own namespace, so scenarios run in any order and side by side. Pods are simulated. */
export interface ClusterScenario {
  name: string
  run(t: ClusterSession): Promise<void>
}

export interface ClusterArea {
  name: string
  scenarios: ClusterScenario[]
  scenario(name: string, run: (t: ClusterSession) => Promise<void>): void
}

export function clusterArea(name: string): ClusterArea {
  const scenarios: ClusterScenario[] = []
  return {
    name,
    scenarios,
    scenario(behaviour, run) {
      if (scenarios.some(other => other.name === behaviour)) throw new Error(`${name} has "${behaviour}" twice`)
      scenarios.push({ name: behaviour, run })
    },
  }
}

/** Plays a scenario on a cluster and returns what it recorded. `isKnown`: see ClusterSession. */
export async function playOnCluster(scenario: ClusterScenario, client: Client, isKnown?: IsKnown): Promise<Step[]> {
  const session = new ClusterSession(client, `ns-${randomBytes(4).toString('hex')}`, isKnown)
  try {
    await session.prepare()
    await scenario.run(session)
    return session.steps
  } finally {
    await session.close()
  }
}
