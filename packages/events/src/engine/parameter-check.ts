import { type Fields, fieldsOf } from '../fields.ts'
import type { Problem } from '../problem.ts'

/** Where a template has parameters, and whether one may go without a place: it is all of a payload then. */
const LISTS = { parameters: false, payload: true, dynamicHeaders: false } as const
const OPERATIONS = ['', 'overwrite', 'append', 'prepend']

/** What is wrong with the parameters of a trigger: beside its template, and in what the template says of its type. Without
 *  `dependencies` nothing is known of their names. */
export function parameterProblems(trigger: Fields, type: string, dependencies: readonly string[]): Problem[] {
  const spec = fieldsOf(fieldsOf(trigger.template)[type])
  return [
    ...(isThere(trigger.parameters) && !Array.isArray(trigger.parameters)
      ? [error('parameters', 'must be a list')]
      : []),
    ...checkList(trigger.parameters, 'parameters', false, dependencies),
    ...Object.entries(LISTS).flatMap(([name, isPayload]) =>
      checkList(spec[name], `template.${type}.${name}`, isPayload, dependencies),
    ),
  ]
}

function checkList(list: unknown, path: string, isPayload: boolean, dependencies: readonly string[]): Problem[] {
  // What a type says of itself is checked by the type, lists that are none among it.
  if (!Array.isArray(list)) return []
  return list.flatMap((item, i) => checkParameter(fieldsOf(item), `${path}[${i}]`, isPayload, dependencies))
}

function checkParameter(parameter: Fields, at: string, isPayload: boolean, dependencies: readonly string[]): Problem[] {
  const { src, dest, operation } = parameter
  const { dependencyName: name } = fieldsOf(src)
  const problems: Problem[] = []
  if (!isThere(src)) problems.push(error(`${at}.src`, 'must be specified'))
  else if (name === undefined || name === '') problems.push(error(`${at}.src.dependencyName`, 'must be specified'))
  else if (typeof name === 'string' && !dependencies.includes(name))
    problems.push({
      path: `${at}.src.dependencyName`,
      message: `there is no dependency "${name}", so that nothing is set: there are ${dependencies.join(', ')}`,
      severity: 'warning',
    })
  if (!isPayload && (!isThere(dest) || dest === '')) problems.push(error(`${at}.dest`, 'must be specified'))
  if (typeof operation === 'string' && !OPERATIONS.includes(operation))
    problems.push(error(`${at}.operation`, `"${operation}" is none of overwrite, append and prepend`))
  return problems
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null

const error = (path: string, message: string): Problem => ({ path, message, severity: 'error' })
