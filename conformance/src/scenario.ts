import { randomBytes } from 'node:crypto'
import { normalise } from './normalise.ts'
import { Session, type SessionServer } from './session.ts'
import type { Step } from './transcript.ts'

export interface ScenarioOptions {
  /** Compare who owns which field too. Left out elsewhere, so that one mistake there does not hide every other. */
  managedFields?: boolean
}

/** One behaviour of the API server, shown by requests. Needs nothing but what it creates in its own namespace and
 *  API group, so scenarios run in any order and side by side. */
export interface Scenario {
  area: string
  name: string
  options: ScenarioOptions
  run(t: Session): Promise<void>
}

/** The scenarios of one file; their golden transcripts share one file too. */
export interface Area {
  name: string
  /** A program that the scenarios run; they are left out where it is not built. */
  tool?: string
  scenarios: Scenario[]
  scenario(name: string, run: (t: Session) => Promise<void>, options?: ScenarioOptions): void
}

export function area(name: string, defaults: ScenarioOptions & { tool?: string } = {}): Area {
  const scenarios: Scenario[] = []
  const { tool, ...options } = defaults
  return {
    name,
    ...(tool === undefined ? {} : { tool }),
    scenarios,
    scenario(behaviour, run, own = {}) {
      if (scenarios.some(other => other.name === behaviour)) throw new Error(`${name} has "${behaviour}" twice`)
      scenarios.push({ area: name, name: behaviour, options: { ...options, ...own }, run })
    },
  }
}

/** Plays a scenario on a server and returns its normalised transcript. */
export async function play(scenario: Scenario, server: SessionServer): Promise<Step[]> {
  const unique = randomBytes(4).toString('hex')
  const session = new Session(server, `ns-${unique}`, `g${unique}.conformance.dev`)
  try {
    const firstVersion = await session.prepare()
    await scenario.run(session)
    return normalise(session.steps, {
      namespace: session.namespace,
      group: session.group,
      firstVersion,
      port: server.port,
      invented: session.invented,
      keepManagedFields: scenario.options.managedFields ?? false,
    })
  } finally {
    await session.close()
  }
}
