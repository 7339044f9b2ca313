import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts'
import { requireText, validateNonNegative, validatePortNumber, validatePortNumberOrName } from '../field-checks.ts'
import { type Fields, listAt, numberAt, optionalNumberAt, optionalObjectAt, textAt, textsAt } from '../fields.ts'
import { checkHttpHeaderName } from '../names.ts'

export interface HandlerContext {
  gracePeriod: number | undefined
}

const PROBE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc']
const LIFECYCLE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep']

export function validateProbes(container: Fields, context: HandlerContext, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = optionalObjectAt(container, name)
    if (probe === undefined) continue
    const at = child(field, name)
    errors.push(...validateProbe(probe, context, at))
    if (name === 'readinessProbe') {
      const seconds = optionalNumberAt(probe, 'terminationGracePeriodSeconds')
      if (seconds !== undefined) {
        const detail = 'must not be set for readinessProbes'
        errors.push(invalid(child(at, 'terminationGracePeriodSeconds'), seconds, detail))
      }
    } else if (numberAt(probe, 'successThreshold') !== 1) {
      errors.push(invalid(child(at, 'successThreshold'), numberAt(probe, 'successThreshold'), 'must be 1'))
    }
  }
  return errors
}

function validateProbe(probe: Fields, context: HandlerContext, field: string): FieldError[] {
  const errors = validateHandler(probe, PROBE_HANDLERS, context, field)
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    errors.push(...validateNonNegative(numberAt(probe, name), child(field, name)))
  }
  const grace = optionalNumberAt(probe, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace <= 0) {
    errors.push(invalid(child(field, 'terminationGracePeriodSeconds'), grace, 'must be greater than 0'))
  }
  return errors
}

export function validateLifecycle(container: Fields, context: HandlerContext, field: string): FieldError[] {
  const lifecycle = optionalObjectAt(container, 'lifecycle')
  if (lifecycle === undefined) return []
  const at = child(field, 'lifecycle')
  const errors: FieldError[] = []
  for (const name of ['postStart', 'preStop']) {
    const handler = optionalObjectAt(lifecycle, name)
    if (handler !== undefined) errors.push(...validateHandler(handler, LIFECYCLE_HANDLERS, context, child(at, name)))
  }
  return errors
}

function validateHandler(
  parent: Fields,
  names: readonly string[],
  context: HandlerContext,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  let count = 0
  for (const name of names) {
    const handler = optionalObjectAt(parent, name)
    if (handler === undefined) continue
    count += 1
    if (count > 1) errors.push(forbidden(child(field, name), 'may not specify more than 1 handler type'))
    else errors.push(...validateAction(name, handler, context, child(field, name)))
  }
  if (count === 0) errors.push(required(field, 'must specify a handler type'))
  return errors
}

function validateAction(name: string, action: Fields, { gracePeriod }: HandlerContext, field: string): FieldError[] {
  switch (name) {
    case 'exec':
      return textsAt(action, 'command').length === 0 ? [required(child(field, 'command'))] : []
    case 'httpGet':
      return validateHttpGet(action, field)
    case 'tcpSocket':
      return validatePortNumberOrName(action, 'port', field)
    case 'grpc':
      return validatePortNumber(action, 'port', field)
    default: {
      const seconds = numberAt(action, 'seconds')
      if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return []
      const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`
      return [invalid(field, seconds, detail)]
    }
  }
}

function validateHttpGet(action: Fields, field: string): FieldError[] {
  const errors = [...requireText(action, 'path', field), ...validatePortNumberOrName(action, 'port', field)]
  const scheme = textAt(action, 'scheme')
  if (!['HTTP', 'HTTPS'].includes(scheme)) {
    errors.push(notSupported(child(field, 'scheme'), scheme, ['HTTP', 'HTTPS']))
  }
  for (const header of listAt(action, 'httpHeaders')) {
    const name = textAt(header, 'name')
    for (const reason of checkHttpHeaderName(name)) errors.push(invalid(child(field, 'httpHeaders'), name, reason))
  }
  return errors
}
