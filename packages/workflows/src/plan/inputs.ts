import { hasLocation } from '../spec/artifact.ts'
import type { Arguments, Artifact, Inputs, Parameter, Template } from '../spec/workflow.ts'
import { parametersJson, textOf } from '../variables/parameter-text.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import { containsTags, referencesIn, referredName, replaceText, substitute } from '../variables/substitution.ts'
import { readConfigMapKey } from './config-map.ts'
import { NodeFault, type Run } from './run.ts'

/** Arguments of a call, resolved: values are data from here on. An argument that is null refers to an output of a step that
 *  never ran. */
export interface ResolvedArguments {
  parameters: ReadonlyMap<string, Parameter | null>
  artifacts: ReadonlyMap<string, Artifact | null>
}

/** Puts variables into the arguments of a call. `lenient`: what is not known stays as it is written. Throws VariableError, NodeFault. */
export function resolveArguments(
  run: Run,
  args: Arguments | undefined,
  scope: Scope,
  path: string,
  lenient = false,
): ResolvedArguments {
  const parameters = new Map<string, Parameter | null>()
  for (const [index, parameter] of (args?.parameters ?? []).entries()) {
    const place = `${path}.parameters[${index}]`
    const isAbsent = typeof parameter.value === 'string' && pureReference(parameter.value, scope) === null
    parameters.set(parameter.name, isAbsent ? null : substitute(parameter, scope, { ...run.env, path: place, lenient }))
  }
  const artifacts = new Map<string, Artifact | null>()
  for (const [index, artifact] of (args?.artifacts ?? []).entries()) {
    const found = resolveArtifact(run, artifact, scope, `${path}.artifacts[${index}]`)
    if (found !== undefined) artifacts.set(artifact.name, found)
  }
  return { parameters, artifacts }
}

/** The value of a text that is nothing but one `{{name}}`. */
function pureReference(text: string, scope: Scope) {
  if (!text.startsWith('{{') || !text.endsWith('}}') || text.startsWith('{{=')) return undefined
  const name = text.slice(2, -2)
  return name.includes('{{') || name.includes('}}') ? undefined : scope.get(name.trim())
}

/** An artifact with the location that its reference has by now; undefined when it is optional and not there. */
export function resolveArtifact(run: Run, artifact: Artifact, scope: Scope, path: string): Artifact | null | undefined {
  const { from, fromExpression, ...own } = artifact
  if (isUnset(from) && isUnset(fromExpression)) return substitute(artifact, scope, { ...run.env, path })
  const found = isUnset(fromExpression)
    ? scope.artifact(referredName(from as string, scope, { ...run.env, path: `${path}.from` }))
    : artifactOf(run.evaluate(fromExpression, scope, `${path}.fromExpression`))
  if (found === undefined || found === null) {
    if (artifact.optional === true) return undefined
    if (found === null) return null
    throw new NodeFault(`${path}: unable to resolve the artifact ${isUnset(from) ? fromExpression : from}`)
  }
  const subPath =
    own.subPath === undefined ? undefined : replaceText(own.subPath, scope, { ...run.env, path: `${path}.subPath` })
  return { ...(subPath === undefined || subPath === '' ? found : withSubPath(found, subPath)), name: artifact.name }
}

const isUnset = (text: string | undefined) => text === undefined || text === ''

function artifactOf(value: unknown): Artifact | undefined {
  return typeof value === 'object' && value !== null && 'name' in value ? (value as Artifact) : undefined
}

/** Locations that have keys get longer ones; the driver's store knows nothing of sub paths. */
function withSubPath(artifact: Artifact, subPath: string): Artifact {
  for (const kind of ['s3', 'gcs', 'oss', 'azure', 'hdfs'] as const) {
    const location = artifact[kind] as { key?: string } | undefined
    if (location?.key !== undefined) return { ...artifact, [kind]: { ...location, key: `${location.key}/${subPath}` } }
  }
  throw new NodeFault(`artifact ${artifact.name}: subPath ${subPath} needs a location with a key`)
}

/** The inputs of a node: its template's, with the values of the call or the defaults. Undefined: a ConfigMap has to be read
 *  first. Throws NodeFault, VariableError. */
export function resolveInputs(run: Run, template: Template, args: ResolvedArguments, scope: Scope): Inputs | undefined {
  const declared = template.inputs?.parameters ?? []
  const values = inputValues(run, template, args, scope)
  if (values.size < declared.length) return undefined
  const parameters = declared.map((input, index) => withValue(input, values.get(index) as string))
  const full = joinScopes(inputScope({ parameters }), scope)
  const artifacts = (template.inputs?.artifacts ?? []).map(input => inputArtifact(run, template, input, args, full))
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
  }
}

/** The values of the inputs by their places, as far as they are known. One that nobody gives may be made of the others. */
function inputValues(run: Run, template: Template, args: ResolvedArguments, scope: Scope): Map<number, string> {
  const declared = template.inputs?.parameters ?? []
  const values = new Map<number, string>()
  const known = new Variables()
  const full = joinScopes(known, scope)
  const seen = new Set<number>()
  const resolve = (input: Parameter, index: number) => {
    if (seen.has(index)) return
    seen.add(index)
    const argument = args.parameters.get(input.name)
    if (argument === undefined || argument === null)
      for (const name of inputsIn(input)) declared.forEach((other, at) => other.name === name && resolve(other, at))
    const place = `templates.${template.name ?? ''}.inputs.parameters[${index}]`
    const value = inputValue(run, input, argument, full, place)
    if (value === undefined) return
    values.set(index, value)
    known.set(`inputs.parameters.${input.name}`, value)
  }
  declared.forEach(resolve)
  return values
}

/** The inputs that the default of another one names. */
function inputsIn({ value, default: fallback, valueFrom }: Parameter): string[] {
  const texts = [
    textOf(value) ?? textOf(fallback) ?? '',
    ...Object.values(valueFrom?.configMapKeyRef ?? {}).map(String),
  ]
  return texts
    .flatMap(referencesIn)
    .flatMap(({ names }) => names)
    .flatMap(name => (name.startsWith(INPUTS) ? [name.slice(INPUTS.length)] : []))
}

const INPUTS = 'inputs.parameters.'

/** What is in `enum` is for people who choose; upstream holds only the Workflow's own arguments to it. */
function withValue(input: Parameter, value: string): Parameter {
  const { valueFrom: _, ...rest } = input
  return { ...rest, value }
}

/** Undefined: its ConfigMap is not read yet. */
function inputValue(
  run: Run,
  input: Parameter,
  argument: Parameter | null | undefined,
  scope: Scope,
  place: string,
): string | undefined {
  const given = textOf(argument?.value)
  if (given !== undefined) return given
  const source = argument?.valueFrom ?? (argument === undefined || argument === null ? input.valueFrom : undefined)
  const own = textOf(input.value) ?? textOf(input.default)
  if (own !== undefined && argument?.valueFrom === undefined)
    return replaceText(own, scope, { ...run.env, path: place })
  if (source?.configMapKeyRef !== undefined) {
    const ref = substitute(source.configMapKeyRef, scope, { ...run.env, path: `${place}.valueFrom.configMapKeyRef` })
    return readConfigMapKey(run, ref, textOf(source.default), `inputs.parameters.${input.name}`)
  }
  if (source?.expression !== undefined) return run.text(source.expression, scope, `${place}.valueFrom.expression`)
  if (source?.default !== undefined) return textOf(source.default) ?? ''
  if (argument === null) {
    throw new NodeFault(
      `inputs.parameters.${input.name}: the argument refers to an output of a step that was skipped or omitted and has no default`,
    )
  }
  throw new NodeFault(`inputs.parameters.${input.name} was not supplied`)
}

function inputArtifact(run: Run, template: Template, input: Artifact, args: ResolvedArguments, scope: Scope): Artifact {
  const { path, mode, recurseMode, optional } = input
  const shape = {
    ...(path === undefined ? {} : { path: replaceText(path, scope, run.env) }),
    ...(mode === undefined ? {} : { mode }),
    ...(recurseMode === undefined ? {} : { recurseMode }),
    ...(optional === undefined ? {} : { optional }),
  }
  const argument = args.artifacts.get(input.name)
  if (argument !== undefined && argument !== null) {
    const { globalName: _, ...rest } = argument
    return { ...rest, name: input.name, ...shape }
  }
  if (hasLocation(input)) {
    return {
      ...substitute(input, scope, {
        ...run.env,
        path: `templates.${template.name ?? ''}.inputs.artifacts.${input.name}`,
      }),
    }
  }
  if (optional === true) return { name: input.name, ...shape }
  throw new NodeFault(`inputs.artifacts.${input.name} was not supplied`)
}

const scopes = new WeakMap<Inputs, Variables>()

/** `inputs.*` of a node. */
export function inputScope(inputs: Inputs | undefined): Variables {
  if (inputs === undefined) return new Variables()
  let scope = scopes.get(inputs)
  if (scope === undefined) {
    scope = new Variables([['inputs.parameters', parametersJson(inputs.parameters)]])
    for (const parameter of inputs.parameters ?? [])
      scope.set(`inputs.parameters.${parameter.name}`, textOf(parameter.value) ?? '')
    for (const artifact of inputs.artifacts ?? []) {
      if (artifact.path !== undefined) scope.set(`inputs.artifacts.${artifact.name}.path`, artifact.path)
      scope.setArtifact(`inputs.artifacts.${artifact.name}`, hasLocation(artifact) ? artifact : null)
    }
    scopes.set(inputs, scope)
  }
  return scope
}

/** Fields that are read on their own, in other scopes than the pod's. */
const apart = new Set([
  'inputs',
  'retryStrategy',
  'hooks',
  'onExit',
  'metrics',
  'memoize',
  'synchronization',
  'timeout',
  'pendingTimeout',
])

/** The template of a leaf with all variables put in: what the driver carries out. */
export function resolveLeaf(run: Run, template: Template, inputs: Inputs | undefined, scope: Scope): Template {
  const resolved: Template = {}
  const full = joinScopes(outputPaths(run, template, scope), scope)
  for (const [field, value] of Object.entries(template)) {
    if (apart.has(field)) continue
    resolved[field] = containsTags(value)
      ? substitute(value, full, { ...run.env, path: `templates.${template.name ?? ''}.${field}` })
      : value
  }
  if (inputs !== undefined && Object.keys(inputs).length > 0) resolved.inputs = inputs
  return resolved
}

/** `outputs.parameters.X.path` and `outputs.artifacts.X.path`. */
function outputPaths(run: Run, template: Template, scope: Scope): Variables {
  const variables = new Variables()
  for (const { name, valueFrom } of template.outputs?.parameters ?? []) {
    if (valueFrom?.path !== undefined)
      variables.set(`outputs.parameters.${name}.path`, replaceText(valueFrom.path, scope, run.env))
  }
  for (const { name, path } of template.outputs?.artifacts ?? []) {
    if (path !== undefined) variables.set(`outputs.artifacts.${name}.path`, replaceText(path, scope, run.env))
  }
  return variables
}
