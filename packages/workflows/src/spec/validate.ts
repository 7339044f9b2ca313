import { CronError, parseCron } from '@tiphys/expressions/cron'
import { loadTimeZone, TimeZoneError } from '@tiphys/expressions/time-zone'
import { type KubeObject, labelSelectorFrom, SelectorFailure } from '@tiphys/kube'
import { CRON_WORKFLOW_SPEC, WORKFLOW_SPEC } from '../kinds/workflow-schema.ts'
import { hasTags } from '../variables/substitution.ts'
import { isGivenNothing } from './exit-hook.ts'
import { namesOf, unknownArguments } from './given-arguments.ts'
import { checkExpression, Names } from './known-names.ts'
import { isLabelValue } from './label-value.ts'
import { joinSpecs } from './merge.ts'
import { type Problem, Problems } from './problem.ts'
import { hasShape } from './shape.ts'
import { checkRetry, TemplateCheck } from './template-check.ts'
import { type Lookup, TemplateLibrary } from './template-library.ts'
import { withoutNulls } from './without-nulls.ts'
import type { CronWorkflow, Template, Workflow, WorkflowSpec, WorkflowTemplate } from './workflow.ts'

export type { Problem } from './problem.ts'

/** What is wrong with a Workflow; `spec` is what is carried out, with its WorkflowTemplate and the defaults. */
export function checkWorkflow(workflow: Workflow, spec: WorkflowSpec, templates: Lookup, isOpen = false): Problem[] {
  const problems = new Problems()
  if (workflow.spec.workflowTemplateRef !== undefined && (workflow.spec.templates?.length ?? 0) > 0) {
    problems.add('spec.templates', 'cannot be set beside workflowTemplateRef')
  }
  const name = workflow.metadata.name ?? ''
  if (name.length > maxName)
    problems.add('metadata.name', `has ${name.length} characters; it is a label of the pods, which may have ${maxName}`)
  checkSpec(spec, templates, problems, { metadata: workflow.metadata, isTemplate: false, isOpen })
  return problems.list
}

/** How an object is used. */
export interface ObjectUse {
  /** Its arguments, labels and annotations are known only when it is made. */
  isOpen?: boolean
  /** A template object that it refers to is not among the others. */
  onMissing?: (kind: string, name: string) => void
}

/** What is wrong with a Workflow, CronWorkflow, WorkflowTemplate or ClusterWorkflowTemplate before it is used; nothing for other
 *  kinds. `others` are the objects that it may refer to. */
export function checkWorkflowObject(
  written: KubeObject,
  others: readonly KubeObject[],
  { isOpen = false, onMissing }: ObjectUse = {},
): Problem[] {
  const object = withoutNullFields(written)
  const templates: Lookup = {
    get(kind, name) {
      const found = others.find(other => other.kind === kind && other.metadata.name === name)
      if (found === undefined) onMissing?.(kind, name)
      return found && (withoutNullFields(found) as WorkflowTemplate)
    },
  }
  switch (object.kind) {
    case 'Workflow':
      return checkManifest(object as Workflow, templates, isOpen)
    case 'WorkflowTemplate':
    case 'ClusterWorkflowTemplate':
      return checkTemplateObject(object as WorkflowTemplate, templates)
    case 'CronWorkflow':
      return checkCronWorkflow(object as CronWorkflow, templates)
    default:
      return []
  }
}

const withoutNullFields = (object: KubeObject): KubeObject =>
  typeof object.spec === 'object' && object.spec !== null ? { ...object, spec: withoutNulls(object.spec) } : object

/** The same before a Workflow is submitted: its workflowTemplateRef is looked up here. */
function checkManifest(workflow: Workflow, templates: Lookup, isOpen = false): Problem[] {
  const ref = workflow.spec.workflowTemplateRef
  if (ref === undefined || ref === null) return checkWorkflow(workflow, workflow.spec, templates, isOpen)
  const kind = ref.clusterScope === true ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'
  const template = templates.get(kind, ref.name ?? '')
  if (template === undefined)
    return [{ path: 'spec.workflowTemplateRef', message: `${kind} ${ref.name ?? ''} does not exist` }]
  return checkWorkflow(workflow, joinSpecs(workflow.spec, template.spec, undefined), templates, isOpen)
}

/** What is wrong with a WorkflowTemplate or ClusterWorkflowTemplate. Its Workflow may bring an entrypoint and parameters. */
function checkTemplateObject(object: WorkflowTemplate, templates: Lookup): Problem[] {
  const problems = new Problems()
  checkSpec(object.spec, templates, problems, { metadata: object.metadata, isTemplate: true, isOpen: true })
  return problems.list
}

const maxName = 63
const maxCronName = 52

function checkCronWorkflow(cron: CronWorkflow, templates: Lookup): Problem[] {
  const problems = new Problems()
  const { spec, metadata } = cron
  if (!hasShape(spec, CRON_WORKFLOW_SPEC, 'spec', problems)) return problems.list
  if ((metadata.name ?? '').length > maxCronName)
    problems.add('metadata.name', `has more than ${maxCronName} characters; the names of its Workflows end with a time`)
  const schedules = [
    ...(spec.schedule === undefined || spec.schedule === '' ? [] : [spec.schedule]),
    ...(spec.schedules ?? []),
  ]
  if (schedules.length === 0) problems.add('spec.schedules', 'needs at least one schedule')
  for (const [index, schedule] of schedules.entries()) {
    const message = problemOf(() => parseCron(schedule))
    if (message !== undefined) problems.add(`spec.schedules[${index}]`, `${schedule} is no schedule: ${message}`)
  }
  const zone = spec.timezone
  if (zone !== undefined && zone !== '') {
    const message = problemOf(() => loadTimeZone(zone))
    if (message !== undefined) problems.add('spec.timezone', message)
  }
  if (!['', 'Allow', 'Forbid', 'Replace', undefined].includes(spec.concurrencyPolicy)) {
    problems.add('spec.concurrencyPolicy', `${String(spec.concurrencyPolicy)} is not one of Allow, Forbid, Replace`)
  }
  if ((spec.startingDeadlineSeconds ?? 0) < 0) problems.add('spec.startingDeadlineSeconds', 'must not be negative')
  const workflow: Workflow = { apiVersion: cron.apiVersion, kind: 'Workflow', metadata, spec: spec.workflowSpec }
  for (const { path, message } of checkManifest(workflow, templates))
    problems.add(path.replace(/^spec/, 'spec.workflowSpec'), message)
  return problems.list
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof CronError || error instanceof TimeZoneError || error instanceof SelectorFailure)
      return error.message
    throw error
  }
}

interface SpecPlace {
  metadata: Workflow['metadata']
  /** Its Workflow may bring an entrypoint. */
  isTemplate: boolean
  /** What its arguments, labels and annotations are is known only when it is used. */
  isOpen: boolean
}

const podGcStrategies = ['', 'OnPodCompletion', 'OnPodSuccess', 'OnWorkflowCompletion', 'OnWorkflowSuccess']

function checkSpec(spec: WorkflowSpec, templates: Lookup, problems: Problems, place: SpecPlace): void {
  // What is not even formed like a manifest cannot be looked at any further.
  if (!hasShape(spec, WORKFLOW_SPEC, 'spec', problems)) return
  checkTemplateNames(spec.templates ?? [], problems)
  checkArguments(spec, problems, place)
  checkRetry(spec.retryStrategy, 'spec.retryStrategy', problems)
  const strategy = spec.podGC?.strategy
  if (strategy !== undefined && !podGcStrategies.includes(strategy))
    problems.add('spec.podGC.strategy', `${strategy} is not one of ${podGcStrategies.slice(1).join(', ')}`)
  for (const [label, value] of Object.entries(spec.workflowMetadata?.labels ?? {})) {
    if (!hasTags(value) && !isLabelValue(value))
      problems.add(`spec.workflowMetadata.labels.${label}`, `${JSON.stringify(value)} is no valid label value`)
  }
  if (spec.podGC?.labelSelector !== undefined) {
    const message = problemOf(() => labelSelectorFrom(spec.podGC?.labelSelector))
    if (message !== undefined) problems.add('spec.podGC.labelSelector', message)
  }
  const library = new TemplateLibrary(place.metadata.name ?? '', spec, templates)
  const given = place.isOpen ? unknownArguments : namesOf(spec.arguments)
  const { parameters, artifacts } = given
  // The templates of a WorkflowTemplate may be called by Workflows that have other arguments.
  const ofCallers = place.isTemplate ? unknownArguments : given
  const globals = globalNames(spec, place)
  const check = new TemplateCheck(library, spec, globals, ofCallers, problems)
  for (const [label, { expression }] of Object.entries(spec.workflowMetadata?.labelsFrom ?? {}))
    checkExpression(expression, globals, `spec.workflowMetadata.labelsFrom.${label}.expression`, problems)
  if (spec.entrypoint === undefined || spec.entrypoint === '') {
    if (!place.isTemplate) problems.add('spec.entrypoint', 'is required')
  } else {
    check.call({ template: spec.entrypoint }, library.local, parameters, artifacts, 'spec.entrypoint')
  }
  if (spec.onExit !== undefined && spec.onExit !== '')
    check.call({ template: spec.onExit }, library.local, parameters, artifacts, 'spec.onExit')
  for (const [name, hook] of Object.entries(spec.hooks ?? {})) {
    const path = `spec.hooks.${name}`
    if (name !== 'exit' && (hook.expression ?? '') === '') problems.add(path, 'needs an expression')
    checkExpression(hook.expression, globals, `${path}.expression`, problems)
    const { template, templateRef } = hook
    const own = name === 'exit' && isGivenNothing(hook) ? given : namesOf(hook.arguments)
    check.call(
      { ...(template === undefined ? {} : { template }), ...(templateRef === undefined ? {} : { templateRef }) },
      library.local,
      own.parameters,
      undefined,
      path,
    )
  }
  for (const { name } of spec.templates ?? []) {
    if (name !== undefined && name !== '')
      check.call({ template: name }, library.local, undefined, undefined, 'spec.templates')
  }
}

const namePattern = /^[a-zA-Z0-9][-a-zA-Z0-9]*$/

function checkTemplateNames(templates: readonly Template[], problems: Problems): void {
  const seen = new Set<string>()
  for (const [index, { name }] of templates.entries()) {
    const path = `spec.templates[${index}].name`
    if (name === undefined || name === '') problems.add(path, 'is required')
    else if (!namePattern.test(name))
      problems.add(path, `${name} may have letters, digits and - only, and begins with a letter or digit`)
    else if (seen.has(name)) problems.add(path, `there is another template named ${name}`)
    seen.add(name ?? '')
  }
}

function checkArguments(spec: WorkflowSpec, problems: Problems, { isOpen }: SpecPlace): void {
  const seen = new Set<string>()
  for (const [index, parameter] of (spec.arguments?.parameters ?? []).entries()) {
    const path = `spec.arguments.parameters[${index}]`
    if (typeof parameter.name !== 'string' || parameter.name === '') problems.add(`${path}.name`, 'is required')
    else if (seen.has(parameter.name))
      problems.add(`${path}.name`, `there is another parameter named ${parameter.name}`)
    seen.add(parameter.name)
    const { value, valueFrom, default: fallback } = parameter
    if (!isOpen && (value ?? valueFrom ?? fallback) === undefined)
      problems.add(
        `${path}.value`,
        `the parameter ${parameter.name} has no value; submit the Workflow with one, or write one here`,
      )
  }
}

/** `workflow.*`. */
function globalNames(spec: WorkflowSpec, { metadata, isOpen }: SpecPlace): Names {
  const names = new Names().add(
    'workflow.name',
    'workflow.namespace',
    'workflow.mainEntrypoint',
    'workflow.serviceAccountName',
    'workflow.uid',
    'workflow.priority',
    'workflow.status',
    'workflow.failures',
    'workflow.parameters',
    'workflow.parameters.json',
    'workflow.labels',
    'workflow.labels.json',
    'workflow.annotations',
    'workflow.annotations.json',
  )
  for (const prefix of [
    'workflow.creationTimestamp',
    'workflow.scheduledTime',
    'workflow.duration',
    'workflow.outputs.',
  ])
    names.addAll(prefix)
  for (const prefix of [
    'workflow.labels.workflows.argoproj.io/',
    'workflow.annotations.workflows.argoproj.io/',
    'workflow.annotations.tiphys.dev/',
  ])
    names.addAll(prefix)
  for (const { name } of spec.arguments?.parameters ?? []) names.add(`workflow.parameters.${name}`)
  if (isOpen) return names.addAll('workflow.parameters.').addAll('workflow.labels.').addAll('workflow.annotations.')
  const { workflowMetadata } = spec
  for (const key of Object.keys({ ...metadata.labels, ...workflowMetadata?.labels, ...workflowMetadata?.labelsFrom }))
    names.add(`workflow.labels.${key}`)
  for (const key of Object.keys({ ...metadata.annotations, ...workflowMetadata?.annotations }))
    names.add(`workflow.annotations.${key}`)
  return names
}
