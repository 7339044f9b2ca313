import { problemOfExpression } from '../variables/expression.ts'
import { hasTags, isWorkflowVariable, referencesIn } from '../variables/substitution.ts'
import type { Problems } from './problem.ts'

/** The variables that some text may use, as far as that can be said before a run. */
export interface KnownNames {
  /** Undefined: nobody can say. */
  has(name: string): boolean | undefined
}

export class Names implements KnownNames {
  readonly #names = new Set<string>()
  readonly #prefixes: string[] = []
  readonly #outer: KnownNames | undefined

  constructor(outer?: KnownNames) {
    this.#outer = outer
  }

  add(...names: string[]): this {
    for (const name of names) this.#names.add(name)
    return this
  }

  /** Everything that begins so. */
  addAll(prefix: string): this {
    this.#prefixes.push(prefix)
    return this
  }

  has(name: string): boolean {
    return (
      this.#names.has(name) || this.#prefixes.some(prefix => name.startsWith(prefix)) || this.#outer?.has(name) === true
    )
  }
}

/** What can be said of steps or tasks that others refer to. */
export interface VisibleCalls {
  /** Whether what is being looked at may refer to this one. */
  isVisible(name: string): boolean
  /** The outputs that it declares; undefined: nobody can say. */
  outputs(name: string): { parameters: ReadonlySet<string>; artifacts: ReadonlySet<string> } | undefined
}

const states = new Set([
  'id',
  'ip',
  'status',
  'exitCode',
  'startedAt',
  'finishedAt',
  'hostNodeName',
  'outputs.result',
  'outputs.parameters',
])

/** `steps.NAME.…` or `tasks.NAME.…`. */
export class CallNames implements KnownNames {
  readonly #outer: KnownNames
  readonly #kind: 'steps' | 'tasks'
  readonly #calls: VisibleCalls

  constructor(outer: KnownNames, kind: 'steps' | 'tasks', calls: VisibleCalls) {
    this.#outer = outer
    this.#kind = kind
    this.#calls = calls
  }

  has(name: string): boolean | undefined {
    const start = this.#kind.length + 1
    const dot = name.startsWith(`${this.#kind}.`) ? name.indexOf('.', start) : -1
    if (dot < 0) return this.#outer.has(name)
    const call = name.slice(start, dot)
    if (!this.#calls.isVisible(call)) return this.#outer.has(name)
    const rest = name.slice(dot + 1)
    if (states.has(rest)) return true
    const outputs = this.#calls.outputs(call)
    if (outputs === undefined) return undefined
    if (rest.startsWith('outputs.parameters.')) return outputs.parameters.has(rest.slice('outputs.parameters.'.length))
    // A step whose logs are archived has one more artifact.
    return (
      rest.startsWith('outputs.artifacts.') &&
      (outputs.artifacts.has(rest.slice('outputs.artifacts.'.length)) || rest === 'outputs.artifacts.main-logs')
    )
  }
}

const maxText = 2_000_000

/** Looks for references in all texts of a value. */
export function checkReferences(value: unknown, names: KnownNames, path: string, problems: Problems): void {
  if (typeof value === 'string') {
    if (value.length <= maxText && value.includes('{{')) checkText(value, names, path, problems)
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkReferences(item, names, `${path}[${index}]`, problems)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      checkText(key, names, `${path}.${key}`, problems)
      checkReferences(item, names, `${path}.${key}`, problems)
    }
  }
}

/** Looks at an expression that is to be evaluated; what has variables in it can be read only when they have their values. */
export function checkExpression(source: string | undefined, names: KnownNames, path: string, problems: Problems): void {
  if (source === undefined || source === '') return
  const problem = hasTags(source) ? undefined : problemOfExpression(source)
  if (problem !== undefined) problems.add(path, `${source} is no expression: ${problem}`)
  checkText(source, names, path, problems)
}

function checkText(text: string, names: KnownNames, path: string, problems: Problems): void {
  for (const { tag, names: found, isExpression, problem } of referencesIn(text)) {
    if (problem !== undefined) {
      problems.add(path, `{{${tag}}} is no expression: ${problem}`)
      continue
    }
    for (const name of found) {
      if (!isWorkflowVariable(name)) continue
      if (isExpression ? isUnknownInExpression(name, names) : names.has(name) === false) {
        problems.add(
          path,
          `failed to resolve {{${isExpression ? tag : name}}}${isExpression ? `: there is no ${name}` : ''}`,
        )
      }
    }
  }
}

/** Members of a value, and parts of a name that are computed, cannot be told from names: only what must be there is looked
 *  for. */
function isUnknownInExpression(name: string, names: KnownNames): boolean {
  const [root, second, third] = name.split('.')
  if ((root === 'steps' || root === 'tasks') && second !== undefined && second !== 'name') {
    return names.has(`${root}.${second}.status`) === false
  }
  if (root === 'inputs' && second === 'parameters' && third !== undefined)
    return names.has(`inputs.parameters.${third}`) === false
  return false
}
