import type { KubeObject } from '@tiphys/kube'
import {
  DEFAULT_AUDIENCE,
  type ServiceAccountTokens,
  type TokenSubject,
} from '../authentication/service-account-tokens.ts'
import { builtinKindSchema } from '../builtin-schema.ts'
import { type FieldError, invalid as invalidField } from '../field-error.ts'
import { valueAnswer } from '../handlers/answer.ts'
import { checkNamespace } from '../handlers/create.ts'
import { readStored } from '../handlers/get.ts'
import { readObject } from '../handlers/read-object.ts'
import { decodeBuiltin } from '../registry/builtin-resources.ts'
import { peek } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import { timestamp } from '../registry/timestamp.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { writeOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Schema } from '../schema/schema.ts'
import { badRequest, conflict, invalid, notFound } from '../status-error.ts'

interface ObjectReference {
  kind?: string
  apiVersion?: string
  name?: string
  uid?: string
}

interface TokenRequest extends KubeObject {
  spec: { audiences?: string[] | null; expirationSeconds?: number | null; boundObjectRef?: ObjectReference | null }
}

const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }
const DEFAULT_LIFETIME = 3600
const SHORTEST_LIFETIME = 600
const LONGEST_LIFETIME = 2 ** 32

/** The `token` subresource of ServiceAccounts. */
export async function serveTokenRequest(context: RequestContext, tokens: ServiceAccountTokens): Promise<ApiResponse> {
  const { info, registry, user, warnings } = context
  const options = writeOptions(context.request, 'CreateOptions')
  const asked = await readTokenRequest(context)
  checkNamespace(asked.metadata.namespace, true, info.namespace)
  const admission = {
    operation: 'CREATE' as const,
    resource: context.resource,
    subresource: 'token',
    namespace: info.namespace,
    name: info.name,
    user,
    dryRun: options.dryRun,
    object: asked,
    old: undefined,
    warnings,
  }
  await registry.admission.mutate(admission)
  const account = await matchingAccount(context, asked)
  const lifetime = asked.spec.expirationSeconds ?? DEFAULT_LIFETIME
  checkLifetime(lifetime)
  await registry.admission.validate(admission)

  const uid = account.metadata.uid as string
  const audiences = asked.spec.audiences && asked.spec.audiences.length > 0 ? asked.spec.audiences : [DEFAULT_AUDIENCE]
  const bound = asked.spec.boundObjectRef ?? null
  const subject: TokenSubject = {
    namespace: info.namespace,
    name: info.name,
    uid,
    ...(bound ? boundTo(context, bound) : {}),
  }
  const { token, expires } = tokens.issue(subject, audiences, lifetime)
  return valueAnswer(201, {
    kind: KIND.kind,
    apiVersion: `${KIND.group}/${KIND.version}`,
    metadata: {
      ...asked.metadata,
      name: info.name,
      namespace: info.namespace,
      uid,
      creationTimestamp: timestamp(context.env.clock.now()),
    },
    spec: { audiences, expirationSeconds: lifetime, boundObjectRef: bound },
    status: { token, expirationTimestamp: timestamp(expires) },
  })
}

async function readTokenRequest(context: RequestContext): Promise<TokenRequest> {
  const schema = builtinKindSchema(KIND.group, KIND.version, KIND.kind) as Schema
  const resource: Resource = {
    ...context.resource,
    ...KIND,
    schema,
    decode: (value, texts) =>
      decodeBuiltin(value, schema, { hasGeneration: false }, { kind: KIND.kind, apiVersion: KIND.version }, texts),
  }
  const { fieldValidation } = writeOptions(context.request, 'CreateOptions')
  return (await readObject({ ...context, resource }, fieldValidation)) as TokenRequest
}

/** The account, if it is the one that the request's metadata may name. */
async function matchingAccount(context: RequestContext, { metadata }: TokenRequest): Promise<KubeObject> {
  const { name } = context.info
  if (metadata.name !== undefined && metadata.name !== '' && metadata.name !== name) {
    const error = invalidField('metadata.name', metadata.name, 'must match the service account name if specified')
    throw invalid(KIND, name, [error])
  }
  const account = (await readStored(context)).object
  const { uid } = account.metadata
  if (metadata.uid !== undefined && metadata.uid !== '' && metadata.uid !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`
    throw conflict({ group: KIND.group, resource: KIND.kind }, name, why)
  }
  return account
}

function checkLifetime(seconds: number): void {
  const field = 'spec.expirationSeconds'
  const errors: FieldError[] = []
  if (seconds < SHORTEST_LIFETIME)
    errors.push(invalidField(field, seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > LONGEST_LIFETIME)
    errors.push(invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds'))
  if (errors.length > 0) throw invalid(KIND, '', errors)
}

const BOUND_KINDS: Record<string, { resource: 'pods' | 'secrets' | 'nodes'; isNamespaced: boolean } | undefined> = {
  Pod: { resource: 'pods', isNamespaced: true },
  Secret: { resource: 'secrets', isNamespaced: true },
  Node: { resource: 'nodes', isNamespaced: false },
}

function boundTo({ registry, info }: RequestContext, bound: ObjectReference): Partial<TokenSubject> {
  const { kind = '', apiVersion = '', name = '' } = bound
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const found = group === '' && Object.hasOwn(BOUND_KINDS, kind) ? BOUND_KINDS[kind] : undefined
  if (!found) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  const object = peek(registry, '', found.resource, found.isNamespaced ? `${info.namespace}/${name}` : name)
  if (!object) throw notFound({ group: '', resource: found.resource }, name)
  const { serviceAccountName, nodeName } = (object.spec ?? {}) as { serviceAccountName?: string; nodeName?: string }
  if (kind === 'Pod' && serviceAccountName !== info.name) {
    const account = JSON.stringify(info.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    )
  }
  const uid = object.metadata.uid as string
  if (bound.uid !== undefined && bound.uid !== '' && bound.uid !== uid) {
    const why = `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: '', resource: kind }, name, why)
  }
  if (kind === 'Secret') return { secret: { name, uid } }
  if (kind === 'Node') return { node: { name, uid } }
  if (nodeName === undefined || nodeName === '') return { pod: { name, uid } }
  const nodeUid = peek(registry, '', 'nodes', nodeName)?.metadata.uid
  return { pod: { name, uid }, node: nodeUid === undefined ? { name: nodeName } : { name: nodeName, uid: nodeUid } }
}
