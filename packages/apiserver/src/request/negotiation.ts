import { notAcceptableRepresentations } from '../status-error.ts'

/** The form in which a client wants its answer. */
export type Representation = { as: 'json' } | { as: 'yaml' } | { as: 'table'; version: string } | { as: 'partial' }

interface Range {
  type: string
  parameters: Record<string, string>
  quality: number
}

const JSON_FORM: Representation = { as: 'json' }

/** The first form in the client's order of preference that can be served. Protobuf answers are never given: every client
 *  that asks for protobuf names JSON as its second choice. */
export function negotiate(accept: string | undefined, { allowsTransforms = true } = {}): Representation {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return JSON_FORM
  for (const range of parseAccept(accept)) {
    const form = representation(range, allowsTransforms)
    if (form) return form
  }
  throw notAcceptableRepresentations()
}

function representation({ type, parameters }: Range, allowsTransforms: boolean): Representation | undefined {
  const { as } = parameters
  if (as !== undefined) {
    if (!allowsTransforms || parameters.g !== 'meta.k8s.io') return undefined
    if (type !== 'application/json' && type !== '*/*') return undefined
    if (as === 'Table' && (parameters.v === 'v1' || parameters.v === 'v1beta1'))
      return { as: 'table', version: parameters.v }
    if (
      (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') &&
      (parameters.v === 'v1' || parameters.v === 'v1beta1')
    )
      return { as: 'partial' }
    return undefined
  }
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return JSON_FORM
  if (type === 'application/yaml') return { as: 'yaml' }
  return undefined
}

export function parseAccept(accept: string): Range[] {
  const ranges = accept.split(',').map(part => {
    const [type = '', ...rest] = part.split(';').map(text => text.trim())
    const parameters: Record<string, string> = {}
    for (const parameter of rest) {
      const at = parameter.indexOf('=')
      if (at > 0) parameters[parameter.slice(0, at).toLowerCase()] = parameter.slice(at + 1).replace(/^"|"$/g, '')
    }
    return { type: type.toLowerCase(), parameters, quality: Number(parameters.q ?? 1) }
  })
  return ranges.filter(range => range.type !== '').sort((a, b) => b.quality - a.quality)
}
