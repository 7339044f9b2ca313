import { type Random, seededRandom } from '@tiphys/env'
import type { Call } from '../../spec/template.ts'
import type { DagTask, Template, Workflow, WorkflowStep } from '../../spec/workflow.ts'
import { fnv32a } from '../node-id.ts'
import type { Endings } from './simulated-world.ts'

/** A valid Workflow that uses what templates have: steps, dags, loops, conditions, retries, hooks, outputs. */
export function randomWorkflow(seed: number): Workflow {
  const maker = new Maker(seededRandom(seed))
  maker.composite(0)
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'random' },
    spec: {
      entrypoint: 'c0',
      arguments: { parameters: [{ name: 'word', value: 'hello' }] },
      templates: maker.templates,
      ...(maker.chance(0.3) ? { onExit: 'leaf' } : {}),
      ...(maker.chance(0.2) ? { parallelism: 1 + maker.below(3) } : {}),
    },
  }
}

/** Every step ends as its name and the seed say: most succeed. The same step ends the same way at every try. */
export function randomEndings(seed: number): Endings {
  return (nodeName, action) => {
    const lot = fnv32a(`${seed}/${nodeName}`) / 2 ** 32
    const parameters = Object.fromEntries(
      (action.template.outputs?.parameters ?? []).map(({ name }) => [name, `${name} of ${nodeName}`]),
    )
    if (lot < 0.12) return { phase: 'Failed', outcome: { exitCode: 1, message: 'main: Error (exit code 1)' } }
    if (lot < 0.16) return { phase: 'Error', outcome: { message: 'the image cannot be had' } }
    return {
      phase: 'Succeeded',
      outcome: {
        exitCode: 0,
        parameters,
        ...(action.do === 'createPod' && action.needsResult ? { result: lot < 0.6 ? 'yes' : 'no' } : {}),
      },
    }
  }
}

const leaf: Template = {
  name: 'leaf',
  inputs: { parameters: [{ name: 'text', default: 'nothing' }] },
  container: { image: 'x', command: ['echo', '{{inputs.parameters.text}} {{workflow.parameters.word}}'] },
  outputs: { parameters: [{ name: 'out', valueFrom: { path: '/tmp/out', default: 'none' } }] },
}

class Maker {
  readonly templates: Template[] = [
    leaf,
    { ...leaf, name: 'again', retryStrategy: { limit: 2, retryPolicy: 'Always' } },
  ]
  readonly #random: Random
  #names = 0

  constructor(random: Random) {
    this.#random = random
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit)
  }

  chance(likelihood: number): boolean {
    return this.#random.next() < likelihood
  }

  /** Adds a steps or dag template with everything that it calls. */
  composite(depth: number): string {
    const name = `c${this.#names++}`
    const place = this.templates.length
    this.templates.push({ name })
    this.templates[place] = this.chance(0.5) ? this.#steps(name, depth) : this.#dag(name, depth)
    return name
  }

  #steps(name: string, depth: number): Template {
    const groups: WorkflowStep[][] = []
    const before: string[] = []
    for (let group = 0; group <= this.below(3); group++) {
      const steps = Array.from({ length: 1 + this.below(3) }, (_, index) =>
        this.#call(`s${group}${index}`, 'steps', before, depth, group > 0),
      )
      groups.push(steps)
      before.push(...steps.map(step => step.name))
    }
    return this.#withLimits({ name, steps: groups })
  }

  #dag(name: string, depth: number): Template {
    const tasks: DagTask[] = []
    // A dag speaks of dependencies in one of two ways.
    const usesDepends = this.chance(0.4)
    for (let index = 0; index <= this.below(5); index++) {
      const before = tasks.map(task => task.name).filter(() => this.chance(0.4))
      const call = this.#call(`t${index}`, 'tasks', before, depth, before.length > 0)
      if (usesDepends) {
        const { continueOn: _, ...rest } = call
        const depends = before.map(other => this.#result(other)).join(this.chance(0.5) ? ' && ' : ' || ')
        tasks.push({ ...rest, ...(before.length > 0 ? { depends } : {}) })
      } else {
        tasks.push({ ...call, ...(before.length > 0 ? { dependencies: before } : {}) })
      }
    }
    return this.#withLimits({ name, dag: { tasks, ...(this.chance(0.2) ? { failFast: false } : {}) } })
  }

  #result(task: string): string {
    const results = ['', '.Succeeded', '.Failed', '.Errored', '.Skipped', '.Omitted']
    const one = `${task}${results[this.below(results.length)] ?? ''}`
    return this.chance(0.3) ? `(${one} || ${task}.Succeeded)` : one
  }

  #withLimits(template: Template): Template {
    return { ...template, ...(this.chance(0.15) ? { parallelism: 1 + this.below(2) } : {}) }
  }

  #call(name: string, kind: 'steps' | 'tasks', before: readonly string[], depth: number, canRefer: boolean): Call {
    const isNested = depth < 2 && this.chance(0.25)
    const template = isNested ? this.composite(depth + 1) : this.chance(0.2) ? 'again' : 'leaf'
    const other = canRefer ? before[this.below(before.length)] : undefined
    const isLoop = this.chance(0.2)
    const texts = [
      '{{workflow.name}}',
      ...(isLoop ? ['{{item}}'] : []),
      ...(other === undefined ? [] : [`{{${kind}.${other}.status}}`]),
    ]
    const hooks = this.chance(0.1)
      ? {
          hooks: {
            exit: { template: 'leaf' },
            running: { template: 'leaf', expression: `${kind}.${name}.status == "Succeeded"` },
          },
        }
      : {}
    return {
      name,
      template,
      ...(isNested
        ? {}
        : { arguments: { parameters: [{ name: 'text', value: texts[this.below(texts.length)] ?? '' }] } }),
      ...(isLoop ? { withItems: ['a', 2, { key: 'value' }] } : {}),
      ...(this.chance(0.15)
        ? { when: other === undefined ? 'yes == no' : `{{${kind}.${other}.status}} == Succeeded` }
        : {}),
      ...(this.chance(0.2) ? { continueOn: { failed: true, error: this.chance(0.5) } } : {}),
      ...hooks,
    }
  }
}
