import type { KubeObject } from '@tiphys/kube'
import {
  DEFAULT_AUDIENCE,
  type ServiceAccountTokens,
  type TokenSubject,
} from '../authentication/service-account-tokens.ts'
import { type FieldError, invalid as invalidField } from '../field-error.ts'
import { valueAnswer } from '../handlers/answer.ts'
import { parseBody } from '../handlers/body.ts'
import { readStored } from '../handlers/get.ts'
import { peek } from '../registry/registry.ts'
import { timestamp } from '../registry/timestamp.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { JsonObject } from '../schema/schema.ts'
import { badRequest, conflict, invalid, notFound } from '../status-error.ts'

interface TokenRequestSpec {
  audiences?: string[]
  expirationSeconds?: number
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string }
}

const DEFAULT_LIFETIME = 3600
const SHORTEST_LIFETIME = 600
const LONGEST_LIFETIME = 2 ** 32

/** The `token` subresource of ServiceAccounts. */
export async function serveTokenRequest(context: RequestContext, tokens: ServiceAccountTokens): Promise<ApiResponse> {
  const { info } = context
  const account = (await readStored(context)).object
  const { value } = await parseBody(context)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body is not a TokenRequest')
  const spec = ((value as JsonObject).spec ?? {}) as TokenRequestSpec
  const lifetime = spec.expirationSeconds ?? DEFAULT_LIFETIME
  checkLifetime(info.name, lifetime)
  const audiences = spec.audiences && spec.audiences.length > 0 ? spec.audiences : [DEFAULT_AUDIENCE]
  const subject: TokenSubject = { namespace: info.namespace, name: info.name, uid: account.metadata.uid as string }
  const bound = spec.boundObjectRef
  if (bound) Object.assign(subject, boundTo(context, bound))
  const { token, expires } = tokens.issue(subject, audiences, lifetime)
  const answer: KubeObject = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: info.name, namespace: info.namespace, creationTimestamp: timestamp(context.env.clock.now()) },
    spec: { audiences, expirationSeconds: lifetime, boundObjectRef: bound ?? null },
    status: { token, expirationTimestamp: timestamp(expires) },
  }
  return valueAnswer(201, answer)
}

function checkLifetime(name: string, seconds: number): void {
  const field = 'spec.expirationSeconds'
  const errors: FieldError[] = []
  if (seconds < SHORTEST_LIFETIME)
    errors.push(invalidField(field, seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > LONGEST_LIFETIME)
    errors.push(invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds'))
  if (errors.length > 0) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, errors)
}

const BOUND_KINDS: Record<
  string,
  { resource: 'pods' | 'secrets' | 'nodes'; claim: 'pod' | 'secret' | 'node'; namespaced: boolean }
> = {
  Pod: { resource: 'pods', claim: 'pod', namespaced: true },
  Secret: { resource: 'secrets', claim: 'secret', namespaced: true },
  Node: { resource: 'nodes', claim: 'node', namespaced: false },
}

function boundTo(
  { registry, info }: RequestContext,
  bound: NonNullable<TokenRequestSpec['boundObjectRef']>,
): Partial<TokenSubject> {
  const kind = BOUND_KINDS[bound.kind ?? '']
  if (!kind || bound.apiVersion !== 'v1') {
    throw badRequest(
      `cannot bind token for serviceaccount to a type: ${bound.apiVersion ?? ''}, Kind=${bound.kind ?? ''}`,
    )
  }
  const name = bound.name ?? ''
  const object = peek(registry, '', kind.resource, kind.namespaced ? `${info.namespace}/${name}` : name)
  if (!object) throw notFound({ group: '', resource: kind.resource }, name)
  const uid = object.metadata.uid as string
  if (bound.uid !== undefined && bound.uid !== uid) {
    throw conflict(
      { group: '', resource: kind.resource },
      name,
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  }
  return { [kind.claim]: { name, uid } }
}
