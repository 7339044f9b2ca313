import { notAcceptable, notAcceptableRepresentations } from '../status-error.ts'

/** The form in which a client wants its answer. */
export type Representation =
  | { as: 'json' }
  | { as: 'yaml' }
  | { as: 'table'; version: string }
  | { as: 'partial'; kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList' }

interface Range {
  type: string
  parameters: Record<string, string>
  quality: number
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
export const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF]
const STREAM_TYPES = ['application/json;stream=watch', `${PROTOBUF};stream=watch`]
/** A collection is answered as a list or as a stream. */
export const COLLECTION_TYPES = [...OBJECT_TYPES, ...STREAM_TYPES]

const JSON_FORM: Representation = { as: 'json' }

export interface Offer {
  /** Tables and metadata in place of the objects. */
  allowsTransforms?: boolean
  isStream?: boolean
  /** A custom kind has no form in protobuf: who reads nothing else is refused. */
  isCustom?: boolean
}

/** The first form in the client's order of preference that can be served. Protobuf answers are never given: clients that ask
 *  for protobuf name JSON as their second choice, or read an answer as what it says it is. */
export function negotiate(accept: string | undefined, offer: Offer = {}): Representation {
  if (isPlainJson(accept)) return JSON_FORM
  const ranges = parseAccept(accept)
  for (const range of ranges) {
    const form = representation(range, offer)
    if (form) return form
  }
  if (offer.isCustom !== true) {
    for (const range of ranges) {
      if (range.type !== PROTOBUF || range.parameters.as === 'Table') continue
      const form = representation({ ...range, type: 'application/json' }, offer)
      if (form) return form
    }
  }
  throw notAcceptable(offer.isStream ? STREAM_TYPES : OBJECT_TYPES)
}

/** Refuses a client that names none of the types a path of the built-in API produces. Only whole names and the full
 *  wildcard count. */
export function requireProduced(accept: string | undefined, types: readonly string[]): void {
  if (isPlainJson(accept)) return
  const isProduced = accept.split(',').some(part => {
    const type = part.split(';')[0]?.trim() ?? ''
    return type === '*/*' || types.includes(type)
  })
  if (!isProduced) throw notAcceptableRepresentations(types)
}

/** True when the answer, whatever it is, shall be written as YAML. */
export function prefersYaml(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('yaml')) return false
  for (const range of parseAccept(accept)) {
    const form = representation({ ...range, parameters: {} }, {})
    if (form) return form.as === 'yaml'
  }
  return false
}

function isPlainJson(accept: string | undefined): accept is undefined | '' | '*/*' | 'application/json' {
  return accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*'
}

function representation({ type, parameters }: Range, offer: Offer): Representation | undefined {
  const isJson = type === 'application/json' || type === '*/*' || type === 'application/*'
  const isYaml = type === 'application/yaml' && !offer.isStream
  if (!isJson && !isYaml) return undefined
  if (parameters.as !== undefined) return offer.allowsTransforms ? transform(parameters) : undefined
  return isJson ? JSON_FORM : { as: 'yaml' }
}

function transform({ as, g, v = '' }: Record<string, string>): Representation | undefined {
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined
  if (as === 'Table') return { as: 'table', version: v }
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? { as: 'partial', kind: as } : undefined
}

export function parseAccept(accept: string): Range[] {
  const ranges: Range[] = []
  for (const part of accept.split(',')) {
    const [type = '', ...rest] = part.split(';').map(text => text.trim())
    if (type === '') continue
    const parameters: Record<string, string> = {}
    for (const parameter of rest) {
      const at = parameter.indexOf('=')
      if (at > 0) parameters[parameter.slice(0, at).toLowerCase()] = parameter.slice(at + 1).replace(/^"|"$/g, '')
    }
    insert(ranges, { type: type.toLowerCase(), parameters, quality: Number(parameters.q ?? 1) })
  }
  return ranges
}

/** The server's order is no total order (quality may lose to a wildcard), so the way of sorting decides. */
function insert(ranges: Range[], range: Range): void {
  let at = ranges.length
  while (at > 0 && isPreferred(range, ranges[at - 1] as Range)) at--
  ranges.splice(at, 0, range)
}

function isPreferred(one: Range, other: Range): boolean {
  if (one.quality > other.quality) return true
  if (!one.type.startsWith('*') && other.type.startsWith('*')) return true
  return !one.type.endsWith('*') && other.type.endsWith('*')
}
