import { goQuote, type ListMeta, type Status, type StatusCause, type StatusDetails } from '@tiphys/kube'
import { type FieldError, formatFieldError, toCause } from './field-error.ts'

export interface GroupResource {
  group: string
  resource: string
}

/** A refusal as the API words it. Thrown anywhere in the handling of a request, answered as a Status. */
export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  readonly headers: Record<string, string> | undefined
  /** How to go on, where that is possible after the refusal. */
  metadata: ListMeta = {}

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    headers?: Record<string, string>,
  ) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
    this.headers = headers
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    }
  }
}

const qualified = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`)

const about = ({ group, resource }: GroupResource, name?: string): StatusDetails => ({
  ...(name === undefined || name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  kind: resource,
})

export const notFound = (resource: GroupResource, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(resource)} ${goQuote(name)} not found`, about(resource, name))

/** A path inside a served group and version that names no resource. */
export const resourceNotFound = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

export const alreadyExists = (resource: GroupResource, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualified(resource)} ${goQuote(name)} already exists`, about(resource, name))

export const conflict = (resource: GroupResource, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} ${goQuote(name)}: ${why}`,
    about(resource, name),
  )

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again'

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message)

export function forbidden(resource: GroupResource, name: string, why: string, causes?: StatusCause[]): StatusError {
  const subject =
    name === '' ? `${qualified(resource)} is forbidden` : `${qualified(resource)} ${goQuote(name)} is forbidden`
  const details = { ...about(resource, name), ...(causes ? { causes } : {}) }
  return new StatusError(403, 'Forbidden', `${subject}: ${why}`, details)
}

export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized')

/** Validation failed. The message lists every error once, in order. */
export function invalid(
  kind: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const texts = [...new Set(errors.map(formatFieldError))]
  const list = texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  return new StatusError(422, 'Invalid', `${subject} ${goQuote(name)} is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes: errors.map(toCause),
  })
}

export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** A method that custom resources do not have. */
export const methodNotSupported = (resource: GroupResource, verb: string): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${goQuote(qualified(resource))}`,
    about(resource),
  )

export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message)

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )

/** No type that the client accepts is produced at this path. */
export const notAcceptableRepresentations = (types: readonly string[]): StatusError =>
  new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {})

/** The types are produced at this path, but not in the form that the client asks for. */
export const notAcceptable = (types: readonly string[]): StatusError =>
  new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`)

export const tooLarge = (message: string): StatusError => new StatusError(413, 'RequestEntityTooLarge', message)

export const serviceUnavailable = (message: string): StatusError => new StatusError(503, 'ServiceUnavailable', message)

export const internalError = (message: string): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })

/** The asked resourceVersion lies in the future; it did not arrive while the request waited. */
export const resourceVersionTooLarge = (asked: number, current: number): StatusError =>
  new StatusError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${asked}, current: ${current}`,
    { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
    { 'retry-after': '1' },
  )
