import { getJson } from '@tiphys/expressions/gjson'
import { compileTemplate } from '@tiphys/expressions/go-template'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import type { LintedDependency } from './dependency-rules.ts'
import { error, unreadable, warning } from './finding.ts'
import { checkDataPath, checkTemplatePaths } from './payload.ts'

const CONTEXT = ['id', 'source', 'specversion', 'type', 'datacontenttype', 'subject', 'time', 'dataschema']
const OPERATIONS = ['', 'overwrite', 'append', 'prepend']
/** sjson fills lists up to an index. */
const LARGEST_INDEX = 100_000
const PROTOTYPE = /(?:^|\.):?__proto__(?:\.|$)/

/** What is wrong with one parameter of a trigger. `target` is what it is set in, as JSON, when that is known; an empty
 *  `dest` is fine in a payload. */
export function checkParameter(
  parameter: Fields,
  at: string,
  dependencies: readonly LintedDependency[],
  target: { json?: string; isPayload?: boolean },
): Problem[] {
  const operation = textOf(parameter.operation)
  return [
    ...checkSource(fieldsOf(parameter.src), `${at}.src`, dependencies),
    ...checkDest(textOf(parameter.dest), `${at}.dest`, target),
    ...(OPERATIONS.includes(operation)
      ? []
      : [error(`${at}.operation`, `"${operation}" is none of overwrite, append and prepend`)]),
  ]
}

function checkSource(src: Fields, at: string, dependencies: readonly LintedDependency[]): Problem[] {
  const problems: Problem[] = []
  const [dependencyName, contextKey, contextTemplate, dataKey, dataTemplate] = [
    src.dependencyName,
    src.contextKey,
    src.contextTemplate,
    src.dataKey,
    src.dataTemplate,
  ].map(textOf) as [string, string, string, string, string]
  const dependency = dependencies.find(({ name }) => name === dependencyName)
  if (dependencyName === '') problems.push(error(`${at}.dependencyName`, 'must be specified'))
  else if (!dependency) {
    const names = dependencies.map(({ name }) => name).join(', ')
    problems.push(error(`${at}.dependencyName`, `there is no dependency "${dependencyName}": there are ${names}`))
  }
  for (const [field, template] of Object.entries({ contextTemplate, dataTemplate }))
    if (template !== '')
      problems.push(...unreadable(`${at}.${field}`, () => compileTemplate(template, { funcs: 'sprig' })))
  if (contextKey !== '' && !CONTEXT.includes(contextKey.split('.')[0] ?? ''))
    problems.push(
      error(`${at}.contextKey`, `an event's context has no "${contextKey}": it has ${CONTEXT.slice(0, 7).join(', ')}`),
    )
  const entry = dependency && !dependency.isTransformed ? dependency.entry : undefined
  if (!entry) return problems
  // Where a value stands in, a path that leads nowhere is no failure; somebody will still wonder.
  const found = [
    ...(dataKey === '' ? [] : checkDataPath(dataKey, entry, `${at}.dataKey`)),
    ...(dataTemplate === '' ? [] : checkTemplatePaths(dataTemplate, entry, `${at}.dataTemplate`)),
  ]
  const isOptional = src.value !== undefined || (dataTemplate !== '' && dataKey !== '')
  return [...problems, ...found.map(problem => (isOptional ? { ...problem, severity: 'warning' as const } : problem))]
}

function checkDest(
  dest: string,
  at: string,
  { json, isPayload = false }: { json?: string; isPayload?: boolean },
): Problem[] {
  if (dest === '') return isPayload ? [] : [error(at, 'must be specified')]
  if (PROTOTYPE.test(dest)) return [error(at, `"${dest}" is no place for a value`)]
  const index = dest.split('.').find(part => /^\d+$/.test(part) && Number(part) > LARGEST_INDEX)
  if (index !== undefined) return [error(at, `no list has an item ${index}`)]
  if (/\{\{/.test(dest)) return [error(at, 'a template is not carried out here: dest is a path')]
  if (json === undefined || !/[#*?|@]/.test(dest.replace(/\\./g, ''))) return []
  // A query sets what it finds, and nothing when it finds nothing.
  return getJson(json, dest).exists ? [] : [error(at, `sets nothing: no part of the object is found by "${dest}"`)]
}

/** A template outside of the fields that are templates stays as it is. */
export function checkTemplateMarks(value: unknown, at: string): Problem[] {
  if (typeof value === 'string')
    return /\{\{[^}]*\.Input\b/.test(value)
      ? [warning(at, 'a template is not carried out here: use dataTemplate or contextTemplate of a parameter')]
      : []
  if (Array.isArray(value)) return value.flatMap((item, i) => checkTemplateMarks(item, `${at}[${i}]`))
  return Object.entries(fieldsOf(value)).flatMap(([name, field]) =>
    /^(?:data|context)Template$|^template$/.test(name) && typeof field === 'string'
      ? []
      : checkTemplateMarks(field, `${at}.${name}`),
  )
}
