import { compiled, type ExpressionEnv, evaluateExpression, expressionText, problemOfExpression } from './expression.ts'
import type { Scope } from './scope.ts'

/** A reference that cannot be resolved, with the place where it stands. */
export class VariableError extends Error {
  readonly path: string

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(path === '' ? message : `${path}: ${message}`, options)
    this.name = 'VariableError'
    this.path = path
  }
}

export interface SubstitutionOptions extends ExpressionEnv {
  /** Where the value stands in its manifest, for messages. */
  path?: string
  /** Leaves what cannot be resolved as it is, instead of refusing it. */
  lenient?: boolean
}

/** The names that belong to workflows. A tag that begins otherwise, as other template languages have them, is text. */
const roots = new Set([
  'cronworkflow',
  'inputs',
  'item',
  'lastRetry',
  'node',
  'outputs',
  'pod',
  'retries',
  'steps',
  'tasks',
  'workflow',
])

export const hasTags = (text: string) => text.includes('{{')

/** Whether a tag names something of a workflow. */
export function isWorkflowVariable(name: string): boolean {
  const dot = name.search(/[.[]/)
  return roots.has(dot < 0 ? name : name.slice(0, dot))
}

/**
 * Replaces `{{name}}` and `{{=expression}}` in all texts of a JSON value, in one pass: what is put in is data and is not looked
 * at again. Keys of objects count as text. What has no tags is returned as it is, by identity.
 */
export function substitute<T>(value: T, scope: Scope, options: SubstitutionOptions): T {
  return replaced(value, scope, options, options.path ?? '') as T
}

function replaced(value: unknown, scope: Scope, options: SubstitutionOptions, path: string): unknown {
  if (typeof value === 'string') return hasTags(value) ? replaceText(value, scope, options, path) : value
  if (typeof value !== 'object' || value === null || !containsTags(value)) return value
  if (Array.isArray(value)) return value.map((item, index) => replaced(item, scope, options, `${path}[${index}]`))
  const result: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const place = path === '' ? key : `${path}.${key}`
    result[hasTags(key) ? replaceText(key, scope, options, place) : key] = replaced(item, scope, options, place)
  }
  return result
}

/** Whether an object has tags anywhere: templates are looked through once, not once a step. */
const tagged = new WeakMap<object, boolean>()

export function containsTags(value: unknown): boolean {
  if (typeof value === 'string') return hasTags(value)
  if (typeof value !== 'object' || value === null) return false
  let answer = tagged.get(value)
  if (answer === undefined) {
    answer = Array.isArray(value)
      ? value.some(containsTags)
      : Object.entries(value).some(([key, item]) => hasTags(key) || containsTags(item))
    tagged.set(value, answer)
  }
  return answer
}

/** One text. Throws VariableError. */
export function replaceText(
  text: string,
  scope: Scope,
  options: SubstitutionOptions,
  path = options.path ?? '',
): string {
  let out = ''
  let at = 0
  for (;;) {
    const start = text.indexOf('{{', at)
    let end = start < 0 ? -1 : text.indexOf('}}', start + 2)
    if (end < 0) return out + text.slice(at)
    out += text.slice(at, start)
    let tag = text.slice(start + 2, end)
    if (tag.startsWith('=')) {
      out += ofExpression(tag, scope, options, path)
    } else {
      const outerEnd = tag.lastIndexOf('{{') < 0 ? -1 : text.indexOf('}}', end + 2)
      if (outerEnd >= 0) {
        tag = withInner(tag, scope, options, path) + text.slice(end + 2, outerEnd)
        end = outerEnd
      }
      out += ofName(tag, scope, options, path)
    }
    at = end + 2
  }
}

/** The expression of a text that is nothing but one `{{=…}}`. */
export const onlyExpression = (text: string): string | undefined => /^\s*\{\{=([\s\S]*)\}\}\s*$/.exec(text)?.[1]

/** An expression as it stands in a manifest: `{{…}}` is put into it first, and all of it may be one `{{=…}}`. What has no value
 *  stays as it is written. */
export function replaceInExpression(source: string, scope: Scope, options: SubstitutionOptions): string {
  if (!hasTags(source)) return source
  return onlyExpression(source) ?? replaceText(source, scope, { ...options, lenient: true })
}

/** The name in a text that is one reference, with or without braces. It may have variables in it. */
export function referredName(text: string, scope: Scope, options: SubstitutionOptions): string {
  const name = text.replace(/^\{\{|\}\}$/g, '').trim()
  return hasTags(name) ? replaceText(name, scope, options) : name
}

/** `{{inputs.parameters.{{item}}}}`: the inner name first. */
function withInner(tag: string, scope: Scope, options: SubstitutionOptions, path: string): string {
  const inner = tag.lastIndexOf('{{')
  return tag.slice(0, inner) + ofName(tag.slice(inner + 2), scope, options, path)
}

function ofName(tag: string, scope: Scope, options: SubstitutionOptions, path: string): string {
  const name = tag.trim()
  const value = scope.get(name)
  if (typeof value === 'string') return value
  if (options.lenient === true) return `{{${tag}}}`
  if (value === null) {
    throw new VariableError(
      path,
      `{{${name}}} has no value because the step was skipped or omitted; give the output a valueFrom.default, the input a default, or use {{=… ?? '…'}}`,
    )
  }
  if (!isWorkflowVariable(name)) return `{{${tag}}}`
  throw new VariableError(path, `failed to resolve {{${name}}}`)
}

function ofExpression(tag: string, scope: Scope, options: SubstitutionOptions, path: string): string {
  const source = tag.slice(1)
  try {
    const value = evaluateExpression(source, scope, options)
    if (value !== null && value !== undefined) return expressionText(value)
  } catch (error) {
    if (options.lenient === true) return `{{${tag}}}`
    const why = error instanceof Error ? error.message : String(error)
    throw new VariableError(path, `failed to evaluate {{=${source}}}: ${why}`, { cause: error })
  }
  if (options.lenient === true) return `{{${tag}}}`
  throw new VariableError(path, `{{=${source}}} has no value (nil); use ?? to give it one`)
}

/** The names that the tags of a text ask for, with the members of expressions. Expressions that do not parse are reported
 *  as such. */
export interface TagReference {
  /** The tag as it is written, without braces. */
  tag: string
  names: readonly string[]
  isExpression: boolean
  problem?: string
}

export function referencesIn(text: string): TagReference[] {
  const found: TagReference[] = []
  let at = 0
  for (;;) {
    const start = text.indexOf('{{', at)
    const end = start < 0 ? -1 : text.indexOf('}}', start + 2)
    if (end < 0) return found
    const tag = text.slice(start + 2, end)
    found.push(tag.startsWith('=') ? expressionReferences(tag) : nameReference(tag))
    at = end + 2
  }
}

function nameReference(tag: string): TagReference {
  const inner = tag.lastIndexOf('{{')
  const name = inner > 0 ? tag.slice(inner + 2).trim() : tag.trim()
  return { tag, names: [name], isExpression: false }
}

function expressionReferences(tag: string): TagReference {
  const problem = problemOfExpression(tag.slice(1))
  if (problem !== undefined) return { tag, names: [], isExpression: true, problem }
  const names = compiled(tag.slice(1)).references.map(({ path }) => path.join('.'))
  return { tag, names, isExpression: true }
}
