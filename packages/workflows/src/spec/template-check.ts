import { durationOf } from '../variables/duration-text.ts'
import { hasTags } from '../variables/substitution.ts'
import { FOREIGN_AUTH, FOREIGN_STORES, hasLocation } from './artifact.ts'
import { CallCheck } from './call-check.ts'
import type { GivenArguments } from './given-arguments.ts'
import { checkExpression, checkReferences, Names } from './known-names.ts'
import { typeFieldsOf } from './merge.ts'
import type { Problems } from './problem.ts'
import {
  scopeText,
  type TemplateContext,
  type TemplateHolder,
  type TemplateLibrary,
  TemplateMissing,
} from './template-library.ts'
import type { RetryStrategy, Template, WorkflowSpec } from './workflow.ts'

/** Goes through templates from where they are called, each of them once. */
export class TemplateCheck {
  readonly library: TemplateLibrary
  readonly problems: Problems
  /** What the Workflow is given, and with it exit handlers that say nothing else. */
  readonly given: GivenArguments
  readonly #spec: WorkflowSpec
  readonly #globals: Names
  readonly #checked = new Set<Template>()

  constructor(library: TemplateLibrary, spec: WorkflowSpec, globals: Names, given: GivenArguments, problems: Problems) {
    this.library = library
    this.given = given
    this.problems = problems
    this.#spec = spec
    this.#globals = globals
  }

  /** A call with these arguments; undefined: they are not known. Returns the template, when there is one. */
  call(
    holder: TemplateHolder,
    context: TemplateContext,
    parameters: ReadonlySet<string> | undefined,
    artifacts: ReadonlySet<string> | undefined,
    path: string,
  ): Template | undefined {
    if (
      hasTags(holder.template ?? '') ||
      hasTags(holder.templateRef?.name ?? '') ||
      hasTags(holder.templateRef?.template ?? '')
    )
      return undefined
    let found: { template: Template; context: TemplateContext }
    try {
      found = this.library.resolve(holder, context)
    } catch (error) {
      if (!(error instanceof TemplateMissing)) throw error
      this.problems.add(path, error.message)
      return undefined
    }
    this.#checkInputs(found.template, parameters, artifacts, path)
    this.#check(found.template, found.context, placeOf(this.#spec, holder, found, path))
    return found.template
  }

  #checkInputs(
    template: Template,
    parameters: ReadonlySet<string> | undefined,
    artifacts: ReadonlySet<string> | undefined,
    path: string,
  ): void {
    for (const { name, value, default: fallback, valueFrom } of template.inputs?.parameters ?? []) {
      const isNeeded = (value ?? fallback ?? valueFrom) === undefined
      if (isNeeded && parameters !== undefined && !parameters.has(name)) {
        this.problems.add(path, `inputs.parameters.${name} of template ${template.name ?? ''} was not supplied`)
      }
    }
    for (const { name, optional, ...location } of template.inputs?.artifacts ?? []) {
      if (optional !== true && !hasLocation(location) && artifacts !== undefined && !artifacts.has(name)) {
        this.problems.add(path, `inputs.artifacts.${name} of template ${template.name ?? ''} was not supplied`)
      }
    }
  }

  #check(template: Template, context: TemplateContext, path: string): void {
    if (this.#checked.has(template)) return
    this.#checked.add(template)
    const { problems } = this
    const types = typeFieldsOf(template)
    if (types.length !== 1) {
      const what = types.length === 0 ? 'has no type' : `has more than one type (${types.join(', ')})`
      problems.add(path, `${what}; set one of container, script, steps, dag, resource, suspend, http, containerSet`)
      return
    }
    if (template.data !== undefined)
      problems.add(
        `${path}.data`,
        'templates of type data are not supported; list and transform the artifacts in a container or script template',
      )
    if (template.plugin !== undefined)
      problems.add(`${path}.plugin`, 'templates of type plugin are not supported; use an http or container template')
    checkLocations(template, path, problems)
    checkNames(template, path, problems)
    checkTimes(template, this.#spec.templateDefaults, path, problems)
    checkRetry(template.retryStrategy, `${path}.retryStrategy`, problems)
    checkLocks(template, path, problems)
    const names = this.#names(template)
    const { steps, dag, inputs, outputs, metrics: _, hooks: _hooks, retryStrategy, ...rest } = template
    checkReferences(inputs?.parameters, this.#inputNames(template), `${path}.inputs.parameters`, problems)
    checkReferences(inputs?.artifacts, names, `${path}.inputs.artifacts`, problems)
    if (retryStrategy !== undefined) {
      checkReferences({ ...retryStrategy, expression: undefined }, names, `${path}.retryStrategy`, problems)
      checkExpression(retryStrategy.expression, names, `${path}.retryStrategy.expression`, problems)
    }
    checkExpression(rest.http?.successCondition, names, `${path}.http.successCondition`, problems)
    if (steps !== undefined) new CallCheck(this, template, context, names, path).steps(steps)
    else if (dag !== undefined) new CallCheck(this, template, context, names, path).dag(dag)
    else {
      checkReferences(rest, names, path, problems)
      checkReferences(outputs, names, `${path}.outputs`, problems)
      checkLeaf(template, path, problems)
    }
  }

  #localNames(template: Template): Names {
    const names = new Names(this.#globals).add('node.name', 'steps.name', 'tasks.name')
    const isPod = template.container ?? template.script ?? template.containerSet ?? template.resource
    if (isPod !== undefined) names.add('pod.name')
    if ((template.retryStrategy ?? this.#spec.retryStrategy) !== undefined) {
      names.add(
        'retries',
        'lastRetry.exitCode',
        'lastRetry.status',
        'lastRetry.duration',
        'lastRetry.message',
        'pod.name',
      )
    }
    return names
  }

  #inputNames(template: Template): Names {
    const names = this.#localNames(template)
    for (const { name } of template.inputs?.parameters ?? []) names.add(`inputs.parameters.${name}`)
    return names
  }

  #names(template: Template): Names {
    const names = this.#inputNames(template).add('inputs.parameters')
    for (const { name } of template.inputs?.artifacts ?? [])
      names.add(`inputs.artifacts.${name}`, `inputs.artifacts.${name}.path`)
    for (const { name } of template.outputs?.parameters ?? []) names.add(`outputs.parameters.${name}.path`)
    for (const { name } of template.outputs?.artifacts ?? []) names.add(`outputs.artifacts.${name}.path`)
    return names
  }
}

/** Where a template is written. */
function placeOf(
  spec: WorkflowSpec,
  holder: TemplateHolder,
  { template, context }: { template: Template; context: TemplateContext },
  path: string,
): string {
  if (holder.inline !== undefined) return `${path}.inline`
  const index = context.scope === 'local' ? (spec.templates ?? []).findIndex(({ name }) => name === template.name) : -1
  return index >= 0 ? `spec.templates[${index}]` : `${scopeText(context)}: templates.${template.name ?? ''}`
}

const fieldPattern = /^[-a-zA-Z0-9_]+[-a-zA-Z0-9_.]*$/

function checkNames(template: Template, path: string, problems: Problems): void {
  for (const side of ['inputs', 'outputs'] as const) {
    for (const kind of ['parameters', 'artifacts'] as const) {
      const seen = new Set<string>()
      for (const [index, item] of (template[side]?.[kind] ?? []).entries()) {
        const place = `${path}.${side}.${kind}[${index}].name`
        if (typeof item.name !== 'string' || item.name === '') problems.add(place, 'is required')
        else if (!fieldPattern.test(item.name) && (side === 'inputs' || !hasTags(item.name)))
          problems.add(place, `${item.name} may have letters, digits, -, _ and . only`)
        else if (seen.has(item.name)) problems.add(place, `there is another one named ${item.name}`)
        seen.add(item.name)
      }
    }
  }
}

function checkTimes(template: Template, defaults: Template | undefined, path: string, problems: Problems): void {
  const isLeaf = template.steps === undefined && template.dag === undefined
  const isOwn = (field: 'timeout' | 'activeDeadlineSeconds') =>
    template[field] !== undefined && defaults?.[field] === undefined
  if (!isLeaf && isOwn('activeDeadlineSeconds'))
    problems.add(
      `${path}.activeDeadlineSeconds`,
      'is for templates that run something themselves; set spec.activeDeadlineSeconds for the whole Workflow',
    )
  if (!isLeaf && isOwn('timeout')) problems.add(`${path}.timeout`, 'is for templates that run something themselves')
  if (template.suspend !== undefined && isOwn('timeout'))
    problems.add(`${path}.timeout`, 'is not for templates that wait; set suspend.duration')
  for (const field of ['timeout', 'pendingTimeout'] as const)
    checkDuration(template[field], `${path}.${field}`, problems)
  if (template.suspend !== undefined) checkDuration(template.suspend.duration, `${path}.suspend.duration`, problems)
}

function checkDuration(text: string | number | undefined, path: string, problems: Problems): void {
  if (text === undefined || text === '' || hasTags(String(text))) return
  try {
    durationOf(text)
  } catch (error) {
    problems.add(path, error instanceof Error ? error.message : String(error))
  }
}

const policies = ['Always', 'OnFailure', 'OnError', 'OnTransientError']

export function checkRetry(strategy: RetryStrategy | undefined, path: string, problems: Problems): void {
  if (strategy === undefined || strategy === null) return
  const { retryPolicy, limit, backoff } = strategy
  if (retryPolicy !== undefined && !policies.includes(retryPolicy))
    problems.add(`${path}.retryPolicy`, `${String(retryPolicy)} is not one of ${policies.join(', ')}`)
  if (limit !== undefined && !hasTags(String(limit)) && !/^\d+$/.test(String(limit)))
    problems.add(`${path}.limit`, `${limit} is no number`)
  if (backoff === undefined) return
  for (const field of ['duration', 'maxDuration', 'cap'] as const)
    checkDuration(backoff[field], `${path}.backoff.${field}`, problems)
  if (backoff.duration === undefined || backoff.duration === '') problems.add(`${path}.backoff.duration`, 'is required')
}

/** Where artifacts can come from, and not go to. */
const ONLY_INPUTS = ['raw', 'http', 'git'] as const

function checkLocations({ inputs, outputs }: Template, path: string, problems: Problems): void {
  for (const [side, artifacts = []] of [
    ['inputs', inputs?.artifacts],
    ['outputs', outputs?.artifacts],
  ] as const) {
    artifacts.forEach((artifact, index) => {
      const place = `${path}.${side}.artifacts[${index}]`
      const store = FOREIGN_STORES.find(kind => kind in artifact)
      if (store !== undefined)
        problems.add(
          `${place}.${store}`,
          `artifacts in ${store} are not supported; use s3, ${side === 'inputs' ? 'http, git, raw or an artifact of another step' : 'or no location for the store that is configured'}`,
        )
      const source = side === 'outputs' && hasLocation(artifact) && ONLY_INPUTS.find(kind => kind in artifact)
      if (source)
        problems.add(
          `${place}.${source}`,
          `nothing is stored by ${source}; use s3, or no location for the store that is configured`,
        )
      const auth = FOREIGN_AUTH.find(way => artifact.http?.auth?.[way] !== undefined)
      if (auth !== undefined) problems.add(`${place}.http.auth.${auth}`, 'is not supported; use basicAuth')
    })
  }
}

function checkLocks({ synchronization: sync, memoize }: Template, path: string, problems: Problems): void {
  const semaphores = [...(sync?.semaphore === undefined ? [] : [sync.semaphore]), ...(sync?.semaphores ?? [])]
  if (semaphores.some(({ configMapKeyRef, database }) => configMapKeyRef === undefined && database === undefined)) {
    problems.add(`${path}.synchronization`, 'a semaphore needs a configMapKeyRef that says how many may hold it')
  }
  if (memoize === undefined) return
  if ((memoize.key ?? '') === '') problems.add(`${path}.memoize.key`, 'is required')
  if ((memoize.cache?.configMap?.name ?? '') === '') problems.add(`${path}.memoize.cache.configMap.name`, 'is required')
  checkDuration(memoize.maxAge, `${path}.memoize.maxAge`, problems)
}

const actions = ['get', 'create', 'apply', 'delete', 'replace', 'patch']

function checkLeaf(template: Template, path: string, problems: Problems): void {
  const { resource, http, containerSet, outputs } = template
  if (resource !== undefined) checkResource(resource, `${path}.resource`, problems)
  if (http !== undefined && (http.url ?? '') === '') problems.add(`${path}.http.url`, 'is required')
  if (containerSet !== undefined) checkContainerSet(template, path, problems)
  for (const [index, { value, valueFrom, name }] of (outputs?.parameters ?? []).entries()) {
    const isRead =
      value ??
      valueFrom?.path ??
      valueFrom?.jsonPath ??
      valueFrom?.jqFilter ??
      valueFrom?.supplied ??
      valueFrom?.default ??
      valueFrom?.expression ??
      valueFrom?.parameter
    if (isRead === undefined)
      problems.add(
        `${path}.outputs.parameters[${index}].valueFrom`,
        `says nothing about where ${name} comes from; set path, jsonPath or jqFilter, or a value`,
      )
  }
}

function checkResource(
  { action, manifest, manifestFrom, flags }: NonNullable<Template['resource']>,
  path: string,
  problems: Problems,
): void {
  if (!hasTags(action ?? '') && !actions.includes(action))
    problems.add(`${path}.action`, `${action} is not one of ${actions.join(', ')}`)
  if (manifest !== undefined && manifestFrom !== undefined)
    problems.add(`${path}.manifest`, 'cannot be set beside manifestFrom')
  const needsManifest = action !== 'delete' && action !== 'get' && action !== 'patch'
  if (needsManifest && !hasTags(action ?? '') && (manifest ?? manifestFrom) === undefined && flags === undefined)
    problems.add(`${path}.manifest`, 'is required')
}

function checkContainerSet({ containerSet }: Template, path: string, problems: Problems): void {
  const containers = containerSet?.containers ?? []
  if (containers.length === 0) problems.add(`${path}.containerSet.containers`, 'needs at least one container')
  const names = new Set(containers.map(({ name }) => name))
  for (const [index, { name, dependencies = [] }] of containers.entries()) {
    const place = `${path}.containerSet.containers[${index}]`
    if (typeof name !== 'string' || name === '') problems.add(`${place}.name`, 'is required')
    for (const dependency of dependencies)
      if (!names.has(dependency)) problems.add(`${place}.dependencies`, `there is no container ${dependency}`)
  }
}
