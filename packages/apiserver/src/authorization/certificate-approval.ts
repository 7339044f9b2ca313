import type { Clock } from '@tiphys/env'
import { goQuote, type KubeObject } from '@tiphys/kube'
import {
  duplicate,
  type FieldError,
  forbidden as forbiddenField,
  index,
  invalid,
  notSupported,
  required,
} from '../field-error.ts'
import { jsonCopy, jsonEqual } from '../json-value.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import type { AdmissionPlugin } from '../registry/admission-chain.ts'
import { groupResource } from '../registry/resource.ts'
import { timestamp } from '../registry/timestamp.ts'
import { forbidden, invalid as invalidObject } from '../status-error.ts'
import type { Authorizer } from './authorizer.ts'

interface Condition {
  type?: string
  status?: string
  lastUpdateTime?: string | null
  lastTransitionTime?: string | null
}

interface SigningRequest extends KubeObject {
  spec: { signerName?: string }
  status?: { conditions?: Condition[]; certificate?: string }
}

const GROUP = 'certificates.k8s.io'
/** Decisions that stay, and are never false. */
const FINAL = ['Approved', 'Denied', 'Failed']
const DECIDED_BY_APPROVERS = ['Approved', 'Denied']

/** What becomes of a CertificateSigningRequest: only who may `approve` for its signer decides about it, only who may
 *  `sign` for it gives the certificate, and neither changes what the other one says. */
export function certificateApprovalAdmission(authorizer: Authorizer, clock: Clock): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    mutate(request) {
      const [object, old] = signingRequests(request)
      if (!object || !old) return
      if (request.subresource === 'approval') {
        object.spec = jsonCopy(old.spec)
        object.status = { ...jsonCopy(old.status), conditions: object.status?.conditions ?? [] }
      } else keepDecisions(object, old)
      setTimes(object, old, timestamp(clock.now()))
    },
    validate(request) {
      const [object, old] = signingRequests(request)
      if (!object || !old) return
      const errors = validateDecision(object, old, request.subresource)
      if (errors.length > 0) throw invalidObject(request.resource, request.name, errors)
      const isApproval = request.subresource === 'approval'
      if (!isApproval && jsonEqual(object.status ?? {}, old.status ?? {})) return
      requireSigner(request, isApproval ? 'approve' : 'sign', old.spec.signerName ?? '')
    },
  }

  function requireSigner({ resource, user, name }: AdmissionRequest, verb: string, signer: string): void {
    const may = (signers: string) =>
      authorizer.authorize({
        user,
        verb,
        group: GROUP,
        version: '*',
        resource: 'signers',
        subresource: '',
        namespace: '',
        name: signers,
      }).allowed
    if (may(signer) || may(`${signer.split('/')[0]}/*`)) return
    throw forbidden(
      groupResource(resource),
      name,
      `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`,
    )
  }
}

function signingRequests(request: AdmissionRequest): [SigningRequest | undefined, SigningRequest | undefined] {
  const { resource, subresource, operation } = request
  const isDecision = subresource === 'approval' || subresource === 'status'
  const isMeant = resource.group === GROUP && resource.kind === 'CertificateSigningRequest' && isDecision
  if (!isMeant || operation !== 'UPDATE') return [undefined, undefined]
  return [request.object as SigningRequest | undefined, request.old as SigningRequest | undefined]
}

const conditionsOf = ({ status }: SigningRequest, type?: string): Condition[] =>
  (status?.conditions ?? []).filter(condition => type === undefined || condition.type === type)

/** Who signs sends the decisions back; small differences in them (times) are not his to make. */
function keepDecisions(object: SigningRequest, old: SigningRequest): void {
  for (const type of DECIDED_BY_APPROVERS) {
    const kept = conditionsOf(old, type)
    const given = conditionsOf(object, type)
    if (kept.length !== given.length || !object.status?.conditions) continue
    object.status.conditions = object.status.conditions.map(condition =>
      condition.type === type ? jsonCopy(kept.shift() as Condition) : condition,
    )
  }
}

function setTimes(object: SigningRequest, old: SigningRequest, now: string): void {
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ??= now
    const same = conditionsOf(old, condition.type).find(({ status }) => status === condition.status)
    condition.lastTransitionTime ??= same?.lastTransitionTime ?? now
  }
}

function validateDecision(object: SigningRequest, old: SigningRequest, subresource: string): FieldError[] {
  const field = 'status.conditions'
  const errors = validateConditions(conditionsOf(object), field)
  for (const type of FINAL) {
    if (conditionsOf(object, type).length < conditionsOf(old, type).length)
      errors.push(forbiddenField(field, `updates may not remove a condition of type ${goQuote(type)}`))
  }
  if (subresource === 'approval') return errors
  for (const type of DECIDED_BY_APPROVERS) {
    if (conditionsOf(object, type).length > conditionsOf(old, type).length)
      errors.push(forbiddenField(field, `updates may not add a condition of type ${goQuote(type)}`))
  }
  const { certificate = '' } = old.status ?? {}
  if (certificate !== '' && certificate !== (object.status?.certificate ?? ''))
    errors.push(forbiddenField('status.certificate', 'updates may not modify existing certificate content'))
  const given = Buffer.from(object.status?.certificate ?? '', 'base64').toString('latin1')
  if (given !== '' && !given.includes('-----BEGIN CERTIFICATE-----')) {
    const detail = 'must contain at least one CERTIFICATE PEM block'
    errors.push(invalid('status.certificate', '<certificate data>', detail))
  }
  return errors
}

function validateConditions(conditions: readonly Condition[], field: string): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { type = '', status = '' }] of conditions.entries()) {
    const at = index(field, i)
    if (type === '') errors.push(required(`${at}.type`))
    const allowed = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (status === '') errors.push(required(`${at}.status`))
    else if (!allowed.includes(status)) errors.push(notSupported(`${at}.status`, status, allowed))
    if ((type === 'Approved' && seen.has('Denied')) || (type === 'Denied' && seen.has('Approved')))
      errors.push(invalid(field, type, 'Approved and Denied conditions are mutually exclusive'))
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type))
    seen.add(type)
  }
  return errors
}
