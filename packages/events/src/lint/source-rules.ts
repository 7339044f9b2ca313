import { identifiersOf } from '@tiphys/expressions/expr'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { sourceEntries } from '../sources/index.ts'
import { checkAnnotations } from '../sources/resource-spec.ts'
import { error, warning } from './finding.ts'
import type { ManifestSet, ProvidedEntry } from './manifest-set.ts'
import { checkNames } from './payload.ts'

/** What an expression may call beside what the payload has. */
const FUNCTIONS = new Set(['sprig', 'asInt', 'asFloat', 'jsonpath', 'toJson'])

/** What is wrong with an EventSource. */
export function checkEventSource(
  object: Fields,
  account: { namespace: string; name: string },
  set: ManifestSet,
): Problem[] {
  const spec = fieldsOf(object.spec)
  const { entries, unsupported, problems } = sourceEntries(spec)
  const annotations = fieldsOf(fieldsOf(object.metadata).annotations) as Record<string, string>
  return [
    ...problems
      .filter(({ message }) => !message.startsWith('unknown field'))
      .map(problem => ({ ...problem, path: `spec.${problem.path}` })),
    ...unsupported.map(({ type, name, message }) => error(`spec.${type}.${name}`, message)),
    ...checkAnnotations(annotations).map(problem => ({ ...problem, path: `metadata.annotations.${problem.path}` })),
    ...entries.flatMap(({ type, name, spec: entry }) => {
      const provided = { type: type.type, name, spec: fieldsOf(entry) }
      const at = `spec.${type.type}.${name}`
      return [...checkExpression(provided, `${at}.filter.expression`), ...checkRights(provided, at, account, set)]
    }),
    ...(entries.length + unsupported.length === 0 ? [warning('spec', 'has no entries: it makes no events')] : []),
  ]
}

function checkExpression(entry: ProvidedEntry, at: string): Problem[] {
  const expression = textOf(fieldsOf(entry.spec.filter).expression)
  if (expression === '') return []
  let references: ReturnType<typeof identifiersOf>
  try {
    references = identifiersOf(expression, '1.15')
  } catch {
    // What does not parse has been said.
    return []
  }
  return references.flatMap(({ name, path, isCalled }) => {
    if (FUNCTIONS.has(name)) return []
    if (isCalled && path.length === 1) return [error(at, `there is no function ${name}: every event is held back`)]
    return checkNames(path, entry, at)
  })
}

/** A source that watches needs to be allowed to. */
function checkRights(
  { type, spec }: ProvidedEntry,
  at: string,
  account: { namespace: string; name: string },
  set: ManifestSet,
): Problem[] {
  const [group, resource, namespace] = [spec.group, spec.resource, spec.namespace].map(textOf) as [
    string,
    string,
    string,
  ]
  if (type !== 'resource' || resource === '') return []
  const missing = ['list', 'watch'].filter(verb => !set.allows(account, verb, group, resource, namespace))
  if (missing.length === 0) return []
  return [
    warning(
      at,
      `nothing in these manifests lets the ServiceAccount ${account.name} ${missing.join(' and ')} ${resource}`,
    ),
  ]
}
