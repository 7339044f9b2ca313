import type { DagTask, DagTemplate } from './workflow.ts'

/** The tasks of a dag have no order; the message says why. */
export class GraphError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GraphError'
  }
}

/** The graph of a dag template, read once. */
export interface TaskGraph {
  readonly tasks: ReadonlyMap<string, GraphTask>
  /** The tasks that have to be run, every one behind those it depends on. */
  readonly order: readonly GraphTask[]
  readonly targets: readonly GraphTask[]
}

export interface GraphTask {
  readonly spec: DagTask
  readonly index: number
  readonly dependencies: readonly string[]
  /** The expression of `depends`, with all results written out. Undefined: `dependencies`, or none. */
  readonly depends: string | undefined
}

const maxTargets = 16
const graphs = new WeakMap<DagTemplate, Map<string, TaskGraph>>()

/** `target` has the variables of the template put in. Throws GraphError for tasks that are not there and for circles. */
export function taskGraph(dag: DagTemplate, path: string, target = dag.target ?? ''): TaskGraph {
  let known = graphs.get(dag)
  if (known === undefined) graphs.set(dag, (known = new Map()))
  let graph = known.get(target)
  if (graph === undefined) {
    if (known.size >= maxTargets) known.clear()
    known.set(target, (graph = readGraph({ ...dag, target }, path)))
  }
  return graph
}

function readGraph(dag: DagTemplate, path: string): TaskGraph {
  const specs = new Map((dag.tasks ?? []).map(spec => [spec.name, spec]))
  const tasks = new Map<string, GraphTask>()
  for (const [index, spec] of (dag.tasks ?? []).entries()) {
    const { names, depends } = dependsOf(spec, specs)
    for (const name of names) {
      if (!specs.has(name))
        throw new GraphError(`${path}.tasks[${index}]: ${spec.name} depends on ${name}, which is no task of this dag`)
    }
    tasks.set(spec.name, { spec, index, dependencies: names, depends })
  }
  const targets = targetsOf(dag, tasks, path)
  // Without a target everything has to be run, also what only leads in a circle.
  const wanted = dag.target === undefined || dag.target === '' ? [...tasks.values()] : targets
  return { tasks, order: ordered(tasks, wanted, path), targets }
}

function targetsOf(dag: DagTemplate, tasks: ReadonlyMap<string, GraphTask>, path: string): GraphTask[] {
  if (dag.target !== undefined && dag.target !== '') {
    return dag.target
      .split(/\s+/)
      .filter(Boolean)
      .map(name => {
        const task = tasks.get(name)
        if (task === undefined) throw new GraphError(`${path}.target: ${name} is no task of this dag`)
        return task
      })
  }
  const inner = new Set([...tasks.values()].flatMap(({ dependencies }) => dependencies))
  return [...tasks.values()].filter(({ spec }) => !inner.has(spec.name))
}

/** Depth first without recursion: a chain may have any length. */
function ordered(tasks: ReadonlyMap<string, GraphTask>, starts: readonly GraphTask[], path: string): GraphTask[] {
  const result: GraphTask[] = []
  const state = new Map<string, 'open' | 'done'>()
  for (const start of starts) {
    const stack: { task: GraphTask; next: number }[] = [{ task: start, next: 0 }]
    while (stack.length > 0) {
      const top = stack.at(-1) as { task: GraphTask; next: number }
      const { name } = top.task.spec
      if (top.next === 0) {
        if (state.get(name) === 'done') {
          stack.pop()
          continue
        }
        state.set(name, 'open')
      }
      const dependency = top.task.dependencies[top.next++]
      if (dependency === undefined) {
        state.set(name, 'done')
        result.push(top.task)
        stack.pop()
      } else if (state.get(dependency) === 'open') {
        const circle = [...stack.map(({ task }) => task.spec.name), dependency]
        throw new GraphError(
          `${path}: the tasks depend on each other in a circle: ${circle.slice(circle.indexOf(dependency)).join(' → ')}`,
        )
      } else if (state.get(dependency) !== 'done') {
        stack.push({ task: tasks.get(dependency) as GraphTask, next: 0 })
      }
    }
  }
  return result
}

const word = /([a-zA-Z0-9][-\w]*?)\.([A-Z][a-zA-Z]+)|([a-zA-Z0-9_][-\w]*)/g

export const taskResults = [
  'Succeeded',
  'Failed',
  'Errored',
  'Skipped',
  'Omitted',
  'Daemoned',
  'AnySucceeded',
  'AllFailed',
] as const

/** The names in `depends`, and its expression: a bare name stands for a good end. */
function dependsOf(
  spec: DagTask,
  specs: ReadonlyMap<string, DagTask>,
): { names: string[]; depends: string | undefined } {
  if (spec.depends === undefined || spec.depends === '')
    return { names: [...new Set(spec.dependencies ?? [])], depends: undefined }
  const names = new Set<string>()
  const depends = spec.depends.replaceAll(
    word,
    (whole, task: string | undefined, result: string | undefined, bare: string | undefined) => {
      if (task !== undefined && result !== undefined) {
        names.add(task)
        return `${identifier(task)}.${result}`
      }
      const name = bare ?? whole
      names.add(name)
      return `(${goodEnds(specs.get(name))
        .map(end => `${identifier(name)}.${end}`)
        .join(' || ')})`
    },
  )
  return { names: [...names], depends }
}

/** The results after which a task that just names another goes on. */
export function goodEnds(spec: DagTask | undefined): (typeof taskResults)[number][] {
  return [
    'Succeeded',
    'Skipped',
    'Daemoned',
    ...(spec?.continueOn?.error === true ? (['Errored'] as const) : []),
    ...(spec?.continueOn?.failed === true ? (['Failed'] as const) : []),
  ]
}

/** A name that expressions can read, one for every task. */
export const identifier = (name: string) => `t_${name.replaceAll(/[^a-zA-Z0-9]/g, char => `_${char.charCodeAt(0)}_`)}`
