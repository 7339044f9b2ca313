const NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const

export type GrpcStatus = (typeof NAMES)[number]

/** What a server answered instead of a message. */
export class GrpcFailure extends Error {
  readonly status: GrpcStatus

  constructor(status: GrpcStatus, message: string) {
    super(message === '' ? status : `${status}: ${message}`)
    this.name = 'GrpcFailure'
    this.status = status
  }
}

export const grpcStatus = (code: string | undefined): GrpcStatus => NAMES[Number(code ?? 2)] ?? 'UNKNOWN'

/** What an answer of plain HTTP means, for proxies and servers of something else. */
export function statusOfHttp(code: number): GrpcStatus {
  if (code === 401) return 'UNAUTHENTICATED'
  if (code === 403) return 'PERMISSION_DENIED'
  if (code === 404) return 'UNIMPLEMENTED'
  return code === 429 || (code >= 502 && code <= 504) ? 'UNAVAILABLE' : 'UNKNOWN'
}
