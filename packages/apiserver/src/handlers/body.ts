import { type NumberTexts, parseJsonStrict, stringifyJson } from '@tiphys/kube'
import { header, type RequestBody } from '../request/api-request.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Json } from '../schema/schema.ts'
import { StatusError, unsupportedMediaType } from '../status-error.ts'

const BODY_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

export interface ParsedBody {
  value: Json
  /** What strict decoding refuses about the text itself: `duplicate field "data.a"`. */
  problems: readonly string[]
  /** How numbers were written in JSON. */
  numberTexts?: NumberTexts
  /** The start of the body as the real server shows it in errors. */
  summary: () => string
}

export type MediaType = 'json' | 'yaml' | 'protobuf'

/** A body that is not what its media type says. `message` is the decoder's; every caller words the refusal in its way. */
export class BodyFailure extends Error {
  readonly summary: string

  constructor(message: string, summary: string) {
    super(message)
    this.summary = summary
  }
}

export function mediaTypeOf(contentType: string | undefined): MediaType {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/json') return 'json'
  if (type === 'application/yaml') return 'yaml'
  if (type === 'application/vnd.kubernetes.protobuf') return 'protobuf'
  throw unsupportedMediaType(BODY_TYPES)
}

/** Reads the body in the media type that the request names. Throws a `BodyFailure`. */
export async function parseBody(context: RequestContext): Promise<ParsedBody> {
  const type = mediaTypeOf(header(context.request, 'content-type'))
  return decodeBytes(await context.request.body(), type)
}

/** Reads the body of a patch, whatever its media type. Throws a `BodyFailure`. */
export async function parsePatchBody(context: RequestContext, isYaml: boolean): Promise<ParsedBody> {
  return decodeBytes(await context.request.body(), isYaml ? 'yaml' : 'json')
}

export async function decodeBytes(body: RequestBody, type: MediaType): Promise<ParsedBody> {
  if ('value' in body)
    return { value: body.value, problems: [], summary: () => summarize(Buffer.from(stringifyJson(body.value))) }
  const bytes = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength)
  const summary = () => summarize(bytes)
  try {
    return { ...(await decodeText(bytes, type)), summary }
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.code !== 400) throw thrown
    throw new BodyFailure((thrown as Error).message, summary())
  }
}

async function decodeText(bytes: Buffer, type: MediaType): Promise<Omit<ParsedBody, 'summary'>> {
  if (type === 'protobuf') {
    const { decodeProtobuf } = await import('../protobuf/protobuf.ts')
    return { value: decodeProtobuf(bytes), problems: [] }
  }
  if (type === 'yaml') {
    const { readYamlBody } = await import('./yaml-body.ts')
    return readYamlBody(bytes.toString())
  }
  const { value, duplicateFields, numberTexts } = parseJsonStrict(bytes.toString())
  const problems = duplicateFields.map(field => `duplicate field ${JSON.stringify(field)}`)
  return { value: value as Json, problems, numberTexts }
}

const SUMMARY_LENGTH = 30

function summarize(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const start = bytes.subarray(0, SUMMARY_LENGTH)
  const more = bytes.length > SUMMARY_LENGTH ? ' ...' : ''
  return bytes[0] === 0x7b ? `${start.toString()}${more}` : `${start.toString('hex')}${more}`
}
