import { open, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { asError, TerminalFailure } from '@tiphys/env'
import { type KubeObject, parseYaml, sendOutbound } from '@tiphys/kube'
import type { Problem } from '../problem.ts'
import { isFields } from './merge.ts'
import type { TriggerHost } from './trigger.ts'
import { apiFailure, invalidTrigger } from './trigger-failures.ts'

/** Where the object of a trigger comes from, as manifests write it. */
export interface ObjectSource {
  resource?: unknown
  /** YAML or JSON. */
  inline?: string
  configmap?: { name?: string; key?: string }
  /** Its certificate is verified unless the manifest says `verifyCert: false`. */
  url?: { path?: string; verifyCert?: boolean }
  file?: { path?: string }
  git?: unknown
  s3?: unknown
}

const MOST_BYTES = 3 * 1024 * 1024
const TIMEOUT_MS = 10_000
const SUPPORTED = ['resource', 'inline', 'configmap', 'url', 'file'] as const
const UNSUPPORTED = ['git', 's3'] as const

/** The shape of a source, for checks. */
export const OBJECT_SOURCE_SHAPE = {
  resource: 'any',
  inline: 'string',
  configmap: { name: 'string', key: 'string', optional: 'boolean' },
  url: { path: 'string', verifyCert: 'boolean' },
  file: { path: 'string' },
  git: 'any',
  s3: 'any',
} as const

export function checkObjectSource(source: ObjectSource | undefined, path: string): Problem[] {
  const error = (message: string, at = path): Problem => ({ path: at, message, severity: 'error' })
  if (!source) return [error('is missing: it says which object to write')]
  const unsupported = UNSUPPORTED.filter(name => source[name] !== undefined)
  if (unsupported.length > 0)
    return unsupported.map(name => ({ ...error(notSupported(name), `${path}.${name}`), isLasting: true }))
  return SUPPORTED.some(name => source[name] !== undefined) ? [] : [error(`needs one of ${SUPPORTED.join(', ')}`)]
}

/** Reads the object. Throws `RetryableFailure` when the source may answer later. */
export async function fetchObject(source: ObjectSource | undefined, host: TriggerHost): Promise<KubeObject> {
  const [problem] = checkObjectSource(source, 'source')
  if (!source || problem) throw invalidTrigger(`${problem?.path} ${problem?.message}`)
  if (source.resource !== undefined) return asObject(source.resource, 'resource')
  if (source.inline !== undefined) return parse(source.inline, 'inline')
  if (source.configmap !== undefined) return parse(await fromConfigMap(source.configmap, host), 'configmap')
  if (source.url !== undefined) return parse(await fromUrl(source.url, host), 'url')
  return parse(await fromFile(source.file?.path ?? '', host), 'file')
}

async function fromConfigMap(
  { name = '', key = '' }: { name?: string; key?: string },
  host: TriggerHost,
): Promise<string> {
  if (name === '' || key === '') throw invalidTrigger('source.configmap needs name and key')
  try {
    return await host.configMap({ name, key })
  } catch (thrown) {
    throw apiFailure(thrown, `The key ${key} of the ConfigMap ${name} cannot be read`)
  }
}

async function fromUrl(
  { path = '', verifyCert = true }: { path?: string; verifyCert?: boolean },
  host: TriggerHost,
): Promise<string> {
  const answer = await sendOutbound({
    url: path,
    method: 'GET',
    headers: { accept: 'application/yaml, application/json, text/plain, */*' },
    tls: { rejectUnauthorized: verifyCert },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
    access: host.access.outbound ?? {},
    clock: host.env.clock,
    signal: host.signal,
  })
  if (answer.status !== 200)
    throw invalidTrigger(`The object cannot be read from ${path}`, { why: `status code ${answer.status}` })
  if (answer.isCut)
    throw invalidTrigger(`The object cannot be read from ${path}`, { why: `it is larger than ${MOST_BYTES} bytes` })
  return answer.body
}

async function fromFile(path: string, { access: { folder } }: TriggerHost): Promise<string> {
  if (folder === undefined)
    throw new TerminalFailure('trigger-file-refused', {
      what: `The file ${path} is not read`,
      why: 'no folder is allowed to be the source of objects',
      todo: 'Put the object into the manifest or a ConfigMap, or let whoever runs Tiphys allow a folder',
    })
  try {
    const root = await realpath(folder)
    // Links are followed before the comparison.
    const file = await realpath(resolve(root, path))
    if (file.startsWith(root + sep)) return await readSome(file)
  } catch (thrown) {
    throw invalidTrigger(`The file ${path} cannot be read`, { why: asError(thrown).message, cause: thrown })
  }
  throw new TerminalFailure('trigger-file-refused', {
    what: `The file ${path} is not read`,
    why: 'it is not in the folder that is allowed',
  })
}

async function readSome(path: string): Promise<string> {
  const file = await open(path)
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new Error('it is no regular file')
    if (found.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

async function parse(text: string, from: string): Promise<KubeObject> {
  let value: unknown
  try {
    value = (await parseYaml(text)).value
  } catch (thrown) {
    throw invalidTrigger(`The object of source.${from} cannot be read`, { why: asError(thrown).message, cause: thrown })
  }
  return asObject(value, from)
}

/** With all that makes it an object. Its parts are those of `value`: nobody changes them. */
export function asObject(value: unknown, from: string): KubeObject {
  if (!isFields(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string')
    throw invalidTrigger(`source.${from} is no object of Kubernetes`, { why: 'it has no apiVersion or no kind' })
  if (value.metadata !== undefined && value.metadata !== null && !isFields(value.metadata))
    throw invalidTrigger(`source.${from} is no object of Kubernetes`, { why: 'its metadata are no fields' })
  return { ...value, apiVersion: value.apiVersion, kind: value.kind, metadata: value.metadata ?? {} }
}

const notSupported = (name: string): string => `${name} is not supported by Tiphys yet: use ${SUPPORTED.join(', ')}`
