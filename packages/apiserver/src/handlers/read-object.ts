import { type KubeObject, parseApiVersion, stringifyJson } from '@tiphys/kube'
import { builtinTypeName } from '../builtin-schema.ts'
import { invalid as invalidField } from '../field-error.ts'
import { jsonTypeName } from '../json-value.ts'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { FieldValidation } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { badRequest, invalid, type StatusError } from '../status-error.ts'
import { BodyFailure, type ParsedBody, parseBody } from './body.ts'

/** The object of a create or update, as the version of the resource that the path names. Unknown and duplicate fields
 *  are refused, warned about or ignored, as the request asks. */
export async function readObject(context: RequestContext, fieldValidation: FieldValidation): Promise<KubeObject> {
  const { resource } = context
  return decodeObject(context, resource, await readBodyAs(context, resource), fieldValidation)
}

/** The body of a request that should carry one object of a kind; what cannot be read is refused in the kind's name. */
export async function readBodyAs(
  context: RequestContext,
  resource: Pick<Resource, 'kind' | 'version' | 'isCustom'>,
): Promise<ParsedBody> {
  try {
    return await parseBody(context)
  } catch (thrown) {
    if (!(thrown instanceof BodyFailure)) throw thrown
    // A number that no Go type holds is noticed only after the kind was read.
    if (resource.isCustom && thrown.message.includes('cannot unmarshal number'))
      throw unhandled(resource, thrown.message)
    throw unrecognized(resource.kind, parseError(thrown), thrown.summary)
  }
}

/** JSON is looked at for its kind first, and that is where bad JSON is noticed. */
const parseError = ({ message }: BodyFailure): string =>
  /^(yaml|proto|provided data|empty data|unable)/.test(message)
    ? message
    : `couldn't get version/kind; json parse error: ${message}`

export function decodeObject(
  context: RequestContext,
  resource: Resource,
  parsed: ParsedBody,
  fieldValidation: FieldValidation,
): KubeObject {
  const value = objectOf(resource.kind, parsed)
  if (resource.isCustom) checkCustomType(resource, value, parsed)
  else checkBuiltinType(resource, value)
  const { object, problems } = resource.decode(value, parsed.numberTexts)
  const isYaml = parsed.problems[0]?.startsWith('line ') === true
  const all = isYaml ? [...parsed.problems, ...problems] : [...problems, ...parsed.problems]
  if (all.length > 0 && fieldValidation !== 'Ignore') {
    if (fieldValidation === 'Strict') {
      const texts = isYaml ? [yamlErrors(parsed.problems), ...problems] : all
      throw unhandled(resource, `strict decoding error: ${texts.join(', ')}`)
    }
    context.warnings.push(...all)
  }
  object.apiVersion = apiVersionOf(resource)
  object.kind = resource.kind
  return object
}

/** Go's YAML reader says all that is wrong at once. */
export const yamlErrors = (lines: readonly string[]): string =>
  `yaml: unmarshal errors:\n${lines.map(line => `  ${line}`).join('\n')}`

const unhandled = ({ kind, version }: Pick<Resource, 'kind' | 'version'>, why: string): StatusError =>
  badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)

const unrecognized = (kind: string, why: string, summary: string): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary})`)

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** The object that a body carries; its fields are whatever the caller sent, but for its type, which is text. */
export function objectOf(kind: string, { value, summary }: ParsedBody): JsonObject {
  if (value === null) return {}
  const problem = typeMetaProblem(value)
  if (problem !== undefined) throw unrecognized(kind, problem, summary())
  return value as JsonObject
}

/** Why the type of an object cannot be read, in the words of the decoder that looks for it first. */
export function typeMetaProblem(value: Json): string | undefined {
  const start = "couldn't get version/kind; json parse error: json: cannot unmarshal"
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${start} ${jsonTypeName(value)} into Go value of type ${TYPE_META}`
  for (const field of ['apiVersion', 'kind'] as const) {
    const given = value[field]
    if (given === undefined || given === null || typeof given === 'string') continue
    return `${start} ${jsonTypeName(given)} into Go struct field .${field} of type string`
  }
  return undefined
}

/** Custom resources name their kind and version themselves. */
function checkCustomType(resource: Resource, value: JsonObject, { summary }: ParsedBody): void {
  const { apiVersion = '', kind = '' } = value as { apiVersion?: string; kind?: string }
  const text = () => stringifyJson(value)
  if (kind === '') throw unrecognized(resource.kind, `Object 'Kind' is missing in '${text()}'`, summary())
  const expected = apiVersionOf(resource)
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
  }
  if (kind !== resource.kind) {
    const { name = '' } = (value.metadata ?? {}) as { name?: string }
    const error = invalidField('kind', kind, `must be ${resource.kind}`)
    throw invalid({ group: resource.group, kind }, name, [error])
  }
}

/** Built-in kinds are what the path says when they do not say it themselves. */
function checkBuiltinType(resource: Resource, value: JsonObject): void {
  const expected = apiVersionOf(resource)
  const { apiVersion, kind } = value as { apiVersion?: string | null; kind?: string | null }
  const given = { apiVersion: apiVersion || expected, kind: kind || resource.kind }
  if (given.apiVersion === expected && given.kind === resource.kind) return
  const { version } = parseApiVersion(given.apiVersion)
  const why = typeMismatch(resource, given)
  throw badRequest(
    `${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${why}`,
  )
}

/** Why an object of another type cannot be this one, in Go's words. */
export function typeMismatch(resource: Resource, given: { apiVersion: string; kind: string }): string {
  const { group, version } = parseApiVersion(given.apiVersion)
  if (builtinTypeName(group, version, given.kind) === undefined) return notRegistered(given)
  return `converting (${version}.${given.kind}) to (${internalPackage(resource.group)}.${resource.kind}): unknown conversion`
}

export const notRegistered = ({ apiVersion, kind }: { apiVersion: string; kind: string }): string =>
  `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`

/** The Go package of a group's internal types. */
const internalPackage = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] as string))
