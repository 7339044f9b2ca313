import { fieldsOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { error, warning } from './finding.ts'
import type { ProvidedEntry } from './manifest-set.ts'

/** What is at the top of the payloads of each type of source. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  resource: ['type', 'body', 'oldBody', 'group', 'version', 'resource', 'metadata'],
  webhook: ['header', 'body', 'metadata'],
  calendar: ['eventTime', 'metadata'],
  file: ['name', 'op', 'metadata'],
  nats: ['subject', 'body', 'header', 'metadata'],
  redis: ['channel', 'pattern', 'body', 'metadata'],
  redisStream: ['stream', 'message_id', 'values', 'metadata'],
  generic: ['body', 'metadata'],
}

/** What is wrong with a path of gjson into the payload of an entry, or into the payloads of several of which one may be
 *  meant. Nothing when nobody can tell. */
export function checkDataPath(dataPath: string, entry: ProvidedEntry, at: string): Problem[] {
  const names = plainNames(dataPath)
  return names ? checkNames(names, entry, at) : []
}

/** The same for the fields that a Go template reads from `.Input`. */
export function checkTemplatePaths(template: string, entry: ProvidedEntry, at: string): Problem[] {
  const paths = [...template.matchAll(/\.Input((?:\.[A-Za-z_]\w*)+)/g)].map(([, path = '']) => path.slice(1).split('.'))
  return paths.flatMap(names => checkNames(names, entry, at)).slice(0, 1)
}

/** The same for the names that an expression of a source's own filter uses. */
export function checkNames(names: readonly string[], { type, name, spec }: ProvidedEntry, at: string): Problem[] {
  const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined
  const [first = '', second] = names
  if (!fields) return []
  const what = `${type} events`
  if (!fields.includes(first)) {
    const known = fields.filter(field => field !== 'metadata').join(', ')
    const hint = fields.includes('body') ? `; did you mean "body.${names.join('.')}"?` : ''
    return [error(at, `${what} have no "${first}": they have ${known}${hint}`)]
  }
  if (first === 'metadata' && type !== 'file' && Object.keys(fieldsOf(spec.metadata)).length === 0)
    return [error(at, `the entry ${name} has no metadata, and its events have none`)]
  if (first === 'body' && second !== undefined && isText(type) && spec.jsonBody !== true)
    return [error(at, `the body of ${what} is a text: it has fields when the entry ${name} says jsonBody: true`)]
  if (first === 'header' && second !== undefined && second !== canonical(second) && type === 'webhook')
    return [warning(at, `names of headers are spelled ${canonical(second)} in webhook events`)]
  return []
}

const isText = (type: string): boolean => ['nats', 'redis', 'generic'].includes(type)

/** The names of a path that has nothing but names in it, escapes resolved; of another one, those before it gets clever. */
function plainNames(path: string): string[] | undefined {
  const names: string[] = []
  let name = ''
  for (let i = 0; i < path.length; i++) {
    const character = path[i] as string
    if (character === '\\') name += path[++i] ?? ''
    else if (character === '.') {
      names.push(name)
      name = ''
    } else if (/[*?#@|!{}[\]]/.test(character)) return names.length === 0 ? undefined : names
    else name += character
  }
  return [...names, name]
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}
