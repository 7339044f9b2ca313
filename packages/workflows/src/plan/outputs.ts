import { hasLocation } from '../spec/artifact.ts'
import type { Artifact, Outputs, Parameter, Template } from '../spec/workflow.ts'
import { textOf } from '../variables/parameter-text.ts'
import type { Scope } from '../variables/scope.ts'
import { referredName, replaceText } from '../variables/substitution.ts'
import { resolveArtifact } from './inputs.ts'
import type { StepOutcome } from './observed.ts'
import { NodeFault, type Run } from './run.ts'

/** What a step that ran has left. `problems` are outputs that are not there although the step succeeded. */
export function outputsOf(
  template: Template,
  outcome: StepOutcome,
): { outputs: Outputs | undefined; problems: string[] } {
  const problems: string[] = []
  const parameters: Parameter[] = []
  for (const parameter of template.outputs?.parameters ?? []) {
    const { valueFrom } = parameter
    const fallback = outcome.unreadable?.includes(parameter.name) === true ? undefined : textOf(valueFrom?.default)
    const value = outcome.parameters?.[parameter.name] ?? fallback ?? textOf(parameter.value)
    if (value !== undefined) parameters.push({ ...parameter, value })
    else problems.push(`output parameter ${parameter.name} ${whyMissing(parameter, outcome)}`)
  }
  const artifacts: Artifact[] = []
  for (const artifact of template.outputs?.artifacts ?? []) {
    const stored = outcome.artifacts?.find(({ name }) => name === artifact.name)
    if (stored !== undefined) artifacts.push({ ...artifact, ...stored })
    else if (artifact.optional !== true)
      problems.push(`output artifact ${artifact.name} ${whyNotStored(artifact, outcome)}`)
  }
  for (const extra of outcome.artifacts ?? []) {
    // Such as the archived log of the main container.
    if (!artifacts.some(({ name }) => name === extra.name)) artifacts.push(extra)
  }
  const outputs: Outputs = {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(outcome.result === undefined ? {} : { result: outcome.result }),
    ...(outcome.exitCode === undefined ? {} : { exitCode: String(outcome.exitCode) }),
  }
  return { outputs: Object.keys(outputs).length === 0 ? undefined : outputs, problems }
}

function whyNotStored({ name, path = '?' }: Artifact, { missing = {} }: StepOutcome): string {
  const why = missing[name]
  return why === undefined ? `was not found at ${path}` : `could not be stored: ${why}`
}

function whyMissing({ name, valueFrom }: Parameter, outcome: StepOutcome): string {
  const why = outcome.missing?.[name]
  if (why !== undefined) return `could not be read: ${why}`
  const { path, jsonPath, jqFilter } = valueFrom ?? {}
  const place = path ?? jsonPath ?? jqFilter
  return place === undefined ? 'has no valueFrom.path, jsonPath or jqFilter' : `was not found: ${place}`
}

/** The outputs of a steps or dag template, taken from what its steps gave. Throws NodeFault, VariableError. */
export function compositeOutputs(run: Run, template: Template, scope: Scope): Outputs | undefined {
  const path = `templates.${template.name ?? ''}.outputs`
  const parameters = (template.outputs?.parameters ?? []).map((parameter, index) => {
    const value = compositeValue(run, parameter, scope, `${path}.parameters[${index}]`)
    const { valueFrom: _, ...rest } = parameter
    return { ...rest, value, ...globalNameOf(run, parameter, scope) }
  })
  const artifacts = (template.outputs?.artifacts ?? []).flatMap((artifact, index) => {
    const found = resolveArtifact(run, artifact, scope, `${path}.artifacts[${index}]`)
    if (found === undefined || found === null || !hasLocation(found)) {
      if (artifact.optional === true || found === undefined) return []
      throw new NodeFault(
        `${path}.artifacts[${index}]: the artifact ${artifact.from ?? artifact.fromExpression ?? ''} is not there`,
      )
    }
    const { globalName: _, path: _path, ...rest } = found
    return [{ ...rest, name: artifact.name, ...globalNameOf(run, artifact, scope) }]
  })
  if (parameters.length === 0 && artifacts.length === 0) return undefined
  return { ...(parameters.length === 0 ? {} : { parameters }), ...(artifacts.length === 0 ? {} : { artifacts }) }
}

function globalNameOf(run: Run, { globalName }: Parameter | Artifact, scope: Scope): { globalName?: string } {
  return globalName === undefined ? {} : { globalName: replaceText(globalName, scope, run.env) }
}

function compositeValue(run: Run, { name, value, valueFrom }: Parameter, scope: Scope, path: string): string {
  const fallback = textOf(valueFrom?.default)
  if (valueFrom === undefined) {
    const own = textOf(value)
    if (own !== undefined) return replaceText(own, scope, { ...run.env, path: `${path}.value` })
    throw new NodeFault(`${path}: output parameter ${name} needs a valueFrom`)
  }
  if (valueFrom.expression !== undefined && valueFrom.expression !== '') {
    try {
      return run.text(valueFrom.expression, scope, `${path}.valueFrom.expression`)
    } catch (error) {
      if (fallback !== undefined && error instanceof NodeFault) return fallback
      throw error
    }
  }
  const reference = referredName(valueFrom.parameter ?? '', scope, { ...run.env, path: `${path}.valueFrom.parameter` })
  const found = reference === '' ? undefined : scope.get(reference)
  if (typeof found === 'string') return found
  if (fallback !== undefined) return fallback
  if (reference === '') return ''
  const why = found === null ? 'its step was skipped or omitted and has no default' : 'there is no such output'
  throw new NodeFault(`${path}.valueFrom.parameter: {{${reference}}} has no value: ${why}`)
}

/** Outputs with a globalName become outputs of the workflow. */
export function exportGlobals(run: Run, outputs: Outputs | undefined): void {
  const parameters = (outputs?.parameters ?? []).filter(
    ({ globalName }) => globalName !== undefined && globalName !== '',
  )
  const artifacts = (outputs?.artifacts ?? []).filter(({ globalName }) => globalName !== undefined && globalName !== '')
  if (parameters.length === 0 && artifacts.length === 0) return
  const before = run.status.outputs
  const after: Outputs = { ...before }
  if (parameters.length > 0) {
    const values = parameters.map(({ globalName, value, description }) => ({
      name: globalName as string,
      value: textOf(value) ?? '',
      ...(description === undefined ? {} : { description }),
    }))
    after.parameters = replacedByName(before?.parameters, values)
  }
  if (artifacts.length > 0) {
    const found = artifacts.map(exported)
    after.artifacts = replacedByName(before?.artifacts, found)
  }
  if (JSON.stringify(after) !== JSON.stringify(before)) run.setStatus({ outputs: after })
}

/** An artifact as it is known outside of its step. */
function exported(artifact: Artifact): Artifact {
  const { globalName, path: _, ...rest } = artifact
  return { ...rest, name: globalName ?? rest.name }
}

function replacedByName<T extends { name: string }>(before: readonly T[] | undefined, changes: readonly T[]): T[] {
  const result = new Map((before ?? []).map(item => [item.name, item]))
  for (const item of changes) result.set(item.name, item)
  return [...result.values()]
}
