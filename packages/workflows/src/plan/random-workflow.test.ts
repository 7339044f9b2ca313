import { describe, expect, test } from 'vitest'
import type { NodeStatus } from '../spec/workflow.ts'
import { isEnded } from './phase.ts'
import { plan } from './plan.ts'
import { randomEndings, randomWorkflow } from './testing/random-workflow.ts'
import { type Simulation, simulate } from './testing/simulation.ts'

const count = process.env.TIPHYS_FULL === undefined ? 50 : 1000

describe('random workflows', () => {
  test('end, whatever their steps do', () => {
    for (let seed = 1; seed <= count; seed++) {
      const run = simulate(randomWorkflow(seed), { endings: randomEndings(seed), seed })
      expect(run.status.phase, `seed ${seed}: ${run.status.message ?? ''}`).toMatch(/^(Succeeded|Failed|Error)$/)
      for (const node of Object.values(run.status.nodes ?? {}))
        expect(isEnded(node.phase), `seed ${seed}: ${node.name} is ${node.phase}`).toBe(true)
      for (const pod of run.world.pods.values())
        expect(pod.state, `seed ${seed}: ${pod.action.nodeName}`).not.toMatch(/Pending|Running/)
    }
  })

  test('come to the same end in whatever order things happen, and however often the engine dies', () => {
    for (let seed = 1; seed <= count; seed++) {
      const workflow = randomWorkflow(seed)
      const endings = randomEndings(seed)
      const calm = summary(simulate(workflow, { endings, seed }))
      const wild = simulate(workflow, { endings, seed: seed + 1_000_000, crashes: 0.4 })
      expect(summary(wild), `seed ${seed}`).toEqual(calm)
      for (const [pod, times] of wild.world.created) expect(times, `seed ${seed}: ${pod}`).toBe(1)
    }
  })

  test('are planned again without a change as long as nothing happens', () => {
    for (let seed = 1; seed <= count / 4; seed++) {
      const endings = randomEndings(seed)
      simulate(randomWorkflow(seed), {
        endings,
        seed,
        control: (workflow, world) => {
          const input = { templates: world.templates, now: Date.parse('2026-03-29T12:00:00Z') }
          const first = plan({ ...input, workflow, observed: world.observed() })
          const settled = {
            ...workflow,
            status: JSON.parse(JSON.stringify(first.status)) as NonNullable<typeof workflow.status>,
          }
          const second = plan({ ...input, workflow: settled, observed: world.observed() })
          expect(second.changed, `seed ${seed}`).toBe(false)
          expect(second.status).toBe(settled.status)
          expect(second.actions).toEqual(first.actions)
          return workflow
        },
      })
    }
  })

  test('refer only to nodes that are there', () => {
    for (let seed = 1; seed <= count; seed++) {
      const { status } = simulate(randomWorkflow(seed), { endings: randomEndings(seed), seed })
      const nodes = status.nodes ?? {}
      const reached = new Set<string>()
      const visit = (id: string) => {
        if (reached.has(id)) return
        reached.add(id)
        for (const child of nodes[id]?.children ?? []) visit(child)
      }
      for (const node of Object.values(nodes)) {
        for (const id of [...(node.children ?? []), ...(node.outboundNodes ?? [])])
          expect(nodes[id], `seed ${seed}: ${node.name} → ${id}`).toBeDefined()
        if (node.boundaryID !== undefined) expect(nodes[node.boundaryID], `seed ${seed}: ${node.name}`).toBeDefined()
      }
      visit('random')
      for (const node of Object.values(nodes)) {
        if (!node.name.includes('.onExit'))
          expect(reached.has(node.id), `seed ${seed}: ${node.name} hangs nowhere`).toBe(true)
      }
    }
  })
})

/** What a run came to, without times and the order of children. */
function summary({ status }: Simulation): unknown {
  const nodes = Object.values(status.nodes ?? {}).map(
    ({ name, type, phase, message, outputs, inputs }: NodeStatus) =>
      [name, { type, phase, message, outputs, inputs }] as const,
  )
  return {
    phase: status.phase,
    message: status.message,
    outputs: status.outputs,
    nodes: Object.fromEntries(nodes.sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
