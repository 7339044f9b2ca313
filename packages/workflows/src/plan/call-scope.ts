import type { Call as CallSpec } from '../spec/template.ts'
import type { TemplateContext } from '../spec/template-library.ts'
import type { Artifact, NodeStatus } from '../spec/workflow.ts'
import { loopVariables, nodeVariables } from '../variables/node-variables.ts'
import { textOf } from '../variables/parameter-text.ts'
import type { Scope, ScopeEntry, Value, Variables } from '../variables/scope.ts'
import { isLoop } from './loop.ts'
import { attemptsOf } from './retry-node.ts'
import type { Run } from './run.ts'

/** A step or task that others can refer to. */
export interface Callee {
  readonly spec: CallSpec
  /** Its node, or the group of its rounds. */
  readonly node: NodeStatus
  /** The rounds of a loop, in order. */
  rounds(): readonly NodeStatus[] | undefined
}

export interface Callees {
  find(name: string): Callee | undefined
  names(): Iterable<string>
}

/** `steps.NAME.…` or `tasks.NAME.…` inside of one template. Nothing is computed before somebody refers to it. */
export class CallScope implements Scope {
  readonly #run: Run
  readonly #kind: 'steps' | 'tasks'
  readonly #callees: Callees
  readonly #context: TemplateContext
  readonly #loops = new Map<string, Variables>()

  constructor(run: Run, kind: 'steps' | 'tasks', callees: Callees, context: TemplateContext) {
    this.#run = run
    this.#kind = kind
    this.#callees = callees
    this.#context = context
  }

  get(name: string): Value | undefined {
    const parts = this.#split(name)
    if (parts === undefined) return undefined
    const callee = this.#callees.find(parts.callee)
    if (callee === undefined) return undefined
    return this.#loop(callee)?.get(parts.rest) ?? this.#own(callee).get(parts.rest) ?? this.#absent(callee, parts.rest)
  }

  artifact(name: string): Artifact | null | undefined {
    const parts = this.#split(name)
    const callee = parts === undefined ? undefined : this.#callees.find(parts.callee)
    if (parts === undefined || callee === undefined) return undefined
    const found = this.#own(callee).artifact(parts.rest)
    return found === undefined && didNotRun(callee.node) ? null : found
  }

  *under(root: string, members?: ReadonlySet<string>): Generator<ScopeEntry> {
    if (root !== this.#kind) return
    for (const name of members ?? this.#callees.names()) {
      const callee = this.#callees.find(name)
      if (callee === undefined) continue
      const prefix = `${root}.${name}.`
      for (const part of ['id', 'startedAt', 'finishedAt', 'ip', 'status', 'hostNodeName', 'exitCode', 'outputs']) {
        for (const [own, value] of this.#own(callee).under(part)) yield [prefix + own, value]
      }
      for (const [own, value] of this.#loop(callee)?.under('outputs') ?? []) yield [prefix + own, value]
      if (didNotRun(callee.node)) {
        for (const [own, value] of this.#declared(callee)) yield [prefix + own, value]
      }
    }
  }

  #split(name: string): { callee: string; rest: string } | undefined {
    const start = this.#kind.length + 1
    if (!name.startsWith(`${this.#kind}.`)) return undefined
    const dot = name.indexOf('.', start)
    return dot < 0 ? undefined : { callee: name.slice(start, dot), rest: name.slice(dot + 1) }
  }

  /** Of a retry the last attempt counts. */
  #own({ node }: Callee): Variables {
    const isRetry = node.type === 'Retry' && node.memoizationStatus?.hit !== true
    return nodeVariables((isRetry ? attemptsOf(this.#run, node).at(-1) : undefined) ?? node)
  }

  #loop(callee: Callee): Variables | undefined {
    const { name } = callee.spec
    let variables = this.#loops.get(name)
    if (variables === undefined) {
      const rounds = callee.rounds()
      if (rounds === undefined) return undefined
      variables = loopVariables(rounds)
      this.#loops.set(name, variables)
    }
    return variables
  }

  /** Of a step that never ran: the default of its output, or null. */
  #absent(callee: Callee, rest: string): Value | undefined {
    if (!didNotRun(callee.node)) return undefined
    for (const [name, value] of this.#declared(callee)) if (name === rest) return value
    // A loop over nothing has no rounds that could have given something.
    return rest === 'outputs.parameters' && isLoop(callee.spec) ? null : undefined
  }

  *#declared({ spec }: Callee): Generator<readonly [string, Value]> {
    const template = this.#run.templateOf(spec, this.#context)
    for (const { name, valueFrom } of template?.outputs?.parameters ?? []) {
      yield [`outputs.parameters.${name}`, textOf(valueFrom?.default) ?? null]
    }
    yield ['outputs.result', null]
  }
}

const didNotRun = ({ phase, outputs }: NodeStatus) =>
  (phase === 'Skipped' || phase === 'Omitted') && outputs === undefined
