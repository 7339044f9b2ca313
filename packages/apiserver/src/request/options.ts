import { type FieldError, forbidden, invalid, notSupported, tooLong } from '../field-error.ts'
import { badRequest, invalid as invalidStatus } from '../status-error.ts'
import { type ApiRequest, header } from './api-request.ts'
import { isTrue } from './request-info.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface WriteOptions {
  dryRun: boolean
  /** Given or derived from the client's name. */
  fieldManager: string
  fieldManagerGiven: boolean
  fieldValidation: FieldValidation
  force: boolean
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

export function writeOptions(request: ApiRequest, kind: OptionsKind, isApply = false): WriteOptions {
  const { query } = request
  const errors: FieldError[] = []
  const force = query.get('force')
  const fieldManager = query.get('fieldManager') ?? ''
  if (kind === 'PatchOptions') {
    if (!isApply && force !== null) errors.push(forbidden('force', 'may not be specified for non-apply patch'))
    if (isApply && fieldManager === '')
      errors.push({ type: 'FieldValueRequired', field: 'fieldManager', detail: 'is required for apply patch' })
  }
  if (Buffer.byteLength(fieldManager) > 128) errors.push(tooLong('fieldManager', 128))
  errors.push(...unprintable(fieldManager))
  const dryRun = query.getAll('dryRun')
  errors.push(...dryRunErrors(dryRun))
  const fieldValidation = query.get('fieldValidation') ?? ''
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']))
  }
  if (errors.length > 0) throw invalidStatus({ group: 'meta.k8s.io', kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager: fieldManager === '' ? managerFromUserAgent(header(request, 'user-agent')) : fieldManager,
    fieldManagerGiven: fieldManager !== '',
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force: isTrue(force),
  }
}

function unprintable(fieldManager: string): FieldError[] {
  let position = 0
  const errors: FieldError[] = []
  for (const character of fieldManager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
      errors.push(invalid('fieldManager', fieldManager, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(character)
  }
  return errors
}

function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every(value => value === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])]
}

/** `kubectl/v1.36 (linux)` → `kubectl`. */
function managerFromUserAgent(userAgent: string | undefined): string {
  const prefix = (userAgent ?? '').split('/')[0] ?? ''
  const printable = Array.from(prefix).filter(isPrintable).join('')
  return printable === '' ? 'unknown' : Buffer.from(printable).subarray(0, 128).toString()
}

const isPrintable = (text: string): boolean => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/u.test(text)

export interface ListOptions {
  labelSelector: string
  fieldSelector: string
  limit: number | undefined
  continue: string
  resourceVersion: string
  resourceVersionMatch: string
  watch: boolean
  allowWatchBookmarks: boolean
  sendInitialEvents: boolean | undefined
  timeoutSeconds: number | undefined
}

export function listOptions(query: URLSearchParams): ListOptions {
  const sendInitialEvents = query.get('sendInitialEvents')
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: integer(query.get('limit')),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    watch: isTrue(query.get('watch')),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
    timeoutSeconds: integer(query.get('timeoutSeconds')),
  }
  const errors = options.watch ? watchOptionErrors(options) : listOptionErrors(options)
  if (errors.length > 0) throw invalidStatus({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return options
}

const MATCHES = ['Exact', 'NotOlderThan']

function listOptionErrors(options: ListOptions): FieldError[] {
  const { resourceVersionMatch: match, resourceVersion: version } = options
  const errors: FieldError[] = []
  if (options.sendInitialEvents !== undefined)
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  if (match === '') return errors
  if (version === '')
    errors.push(
      forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    )
  if (options.continue !== '') {
    errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'))
  }
  if (!MATCHES.includes(match)) errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']))
  if (match === 'Exact' && version === '0') {
    errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
  }
  return errors
}

function watchOptionErrors(options: ListOptions): FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options
  const errors: FieldError[] = []
  const refuse = (why: string) => errors.push(forbidden('resourceVersionMatch', why))
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    refuse('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  if (match === '') return errors
  if (sendInitialEvents === undefined)
    refuse('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
  if (match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']))
  if (options.continue !== '') refuse('resourceVersionMatch is forbidden when continue is provided')
  return errors
}

function integer(value: string | null): number | undefined {
  if (value === null || value === '') return undefined
  const problem = integerProblem(value)
  if (problem !== undefined) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${problem}`)
  return Number(value)
}

const LARGEST = 2n ** 63n - 1n

function integerProblem(value: string): string | undefined {
  if (!/^[+-]?\d+$/.test(value)) return 'invalid syntax'
  const number = BigInt(value.replace(/^\+/, ''))
  return number > LARGEST || number < -LARGEST - 1n ? 'value out of range' : undefined
}

export interface DeleteOptions {
  dryRun: boolean
  gracePeriodSeconds: number | undefined
  propagationPolicy: 'Background' | 'Foreground' | 'Orphan' | undefined
  preconditions: { uid?: string; resourceVersion?: string }
}

const POLICIES = ['Foreground', 'Background', 'Orphan']

/** From the request's body (a DeleteOptions object) or, without one, from its query. */
export function deleteOptions(query: URLSearchParams, body: Record<string, unknown> | undefined): DeleteOptions {
  const given = body ?? {
    ...(query.has('gracePeriodSeconds') ? { gracePeriodSeconds: integer(query.get('gracePeriodSeconds')) } : {}),
    ...(query.has('propagationPolicy') ? { propagationPolicy: query.get('propagationPolicy') } : {}),
    ...(query.has('orphanDependents') ? { orphanDependents: isTrue(query.get('orphanDependents')) } : {}),
    dryRun: query.getAll('dryRun'),
  }
  const errors: FieldError[] = []
  const policy = given.propagationPolicy as string | undefined
  const orphan = given.orphanDependents as boolean | undefined
  if (policy !== undefined && orphan !== undefined) {
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (policy !== undefined && !POLICIES.includes(policy))
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']))
  const dryRun = (given.dryRun ?? []) as string[]
  errors.push(...dryRunErrors(dryRun))
  if (errors.length > 0) throw invalidStatus({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  return {
    dryRun: dryRun.length > 0 || query.getAll('dryRun').includes('All'),
    gracePeriodSeconds: given.gracePeriodSeconds as number | undefined,
    propagationPolicy:
      orphan === undefined ? (policy as DeleteOptions['propagationPolicy']) : orphan ? 'Orphan' : 'Background',
    preconditions: given.preconditions ?? {},
  }
}
