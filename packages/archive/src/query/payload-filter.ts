import type { Json } from '@tiphys/journal/records'
import { isRecordOf, member } from '../members.ts'
import type { FieldTerm, Value } from './query.ts'

/** Decides about an event by its payload. */
export type PayloadFilter = (payload: Json | undefined) => boolean

/** `data.spec.replicas:>3`, `label:team=shop`; undefined for every other field. Of an event about an object the path may begin in
 *  the payload or in the object itself. */
export function payloadFilter(term: FieldTerm): PayloadFilter | undefined {
  const dot = term.field.indexOf('.')
  const [root, path] = dot < 0 ? [term.field, ''] : [term.field.slice(0, dot), term.field.slice(dot + 1)]
  if (root === 'data' && path !== '') {
    const segments = path.split('.')
    return any(term, (payload, value) => valuesAt(payload, segments).some(found => isMet(found, value)))
  }
  if (root === 'label' && path === '') return any(term, hasLabel)
  return undefined
}

function any(term: FieldTerm, test: (payload: Json | undefined, value: Value) => boolean): PayloadFilter {
  return payload => term.values.some(value => test(payload, value)) !== term.isNegated
}

function hasLabel(payload: Json | undefined, value: Value): boolean {
  const equals = value.text.indexOf('=')
  const name = equals < 0 ? value.text : value.text.slice(0, equals)
  const labels = member(member(member(payload, 'body'), 'metadata'), 'labels')
  const found = member(labels, name)
  return equals < 0 ? found !== undefined : isMet(found, { ...value, text: value.text.slice(equals + 1) })
}

function valuesAt(payload: Json | undefined, path: readonly string[]): unknown[] {
  const direct = follow(payload, path)
  return direct.length > 0 ? direct : follow(member(payload, 'body'), path)
}

/** Where there is a list, one of its items is enough; a number chooses one. */
function follow(value: unknown, path: readonly string[]): unknown[] {
  const [first, ...rest] = path
  if (first === undefined) return value === undefined ? [] : [value]
  if (Array.isArray(value)) {
    if (/^\d+$/.test(first)) return follow(value[Number(first)], rest)
    return value.flatMap(item => follow(item, path))
  }
  if (!isRecordOf(value)) return []
  const found = follow(member(value, first), rest)
  // A name may have dots itself: `metadata.labels.app.kubernetes.io/name`.
  return found.length > 0 || rest.length === 0 ? found : follow(value, [`${first}.${rest[0]}`, ...rest.slice(1)])
}

function isMet(found: unknown, { comparison, text, isQuoted }: Value): boolean {
  if (Array.isArray(found)) return found.some(item => isMet(item, { comparison, text, isQuoted }))
  if (comparison === '=') return isEqual(found, text, isQuoted)
  const [left, right] = [typeof found === 'number' ? found : Number.NaN, Number(text)]
  const difference =
    Number.isNaN(left) || Number.isNaN(right) || text === ''
      ? typeof found === 'string' && !(found < text || found > text)
        ? 0
        : typeof found === 'string'
          ? found < text
            ? -1
            : 1
          : Number.NaN
      : left - right
  if (comparison === '<') return difference < 0
  if (comparison === '<=') return difference <= 0
  return comparison === '>' ? difference > 0 : difference >= 0
}

function isEqual(found: unknown, text: string, isQuoted: boolean): boolean {
  if (found === undefined) return false
  const written = typeof found === 'string' ? found : JSON.stringify(found)
  if (isQuoted || !text.includes('*')) return written === text
  // Not a regular expression: a pattern with many stars must not take for ever.
  const pieces = text.split('*')
  if (!written.startsWith(pieces[0] as string)) return false
  let at = (pieces[0] as string).length
  for (const piece of pieces.slice(1, -1)) {
    const next = written.indexOf(piece, at)
    if (next < 0) return false
    at = next + piece.length
  }
  const last = pieces.at(-1) as string
  return written.length - last.length >= at && written.endsWith(last)
}
