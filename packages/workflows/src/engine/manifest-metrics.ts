import { asError, type Env } from '@tiphys/env'
import { isEnded, isFinal } from '../plan/phase.ts'
import type { Plan } from '../plan/plan.ts'
import type { PrometheusMetric } from '../spec/metrics.ts'
import { TemplateLibrary, TemplateMissing } from '../spec/template-library.ts'
import type { NodeStatus, Template, Workflow, WorkflowSpec } from '../spec/workflow.ts'
import { fixedGlobals } from '../variables/global-variables.ts'
import { nodeVariables } from '../variables/node-variables.ts'
import { textOf } from '../variables/parameter-text.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import { replaceText } from '../variables/substitution.ts'
import { shouldExecute } from '../variables/when.ts'
import { MetricSeries, type Sample } from './metric-series.ts'

const PREFIX = 'argo_workflows_'
const REALTIME = /^\{\{=?\s*(workflow\.)?duration\s*\}\}$/

/** The metrics that Workflows and templates ask for. As upstream they are numbers of this process: they begin anew with it. */
export interface ManifestMetrics {
  /** A plan was stored: what began and what ended by it is measured. */
  note(workflow: Workflow, plan: Plan): void
  text(): string
}

export interface ManifestMetricsOptions {
  env: Env
  /** A metric cannot be computed; the message has the field's path. */
  onProblem: (workflow: Workflow, message: string) => void
}

export function createManifestMetrics({ env, onProblem }: ManifestMetricsOptions): ManifestMetrics {
  const series = new MetricSeries()

  const measure = (workflow: Workflow, metrics: readonly PrometheusMetric[] | undefined, of: Measured): void => {
    for (const [index, metric] of (metrics ?? []).entries()) {
      const path = `${of.path}.metrics.prometheus[${index}]`
      try {
        measureOne(metric, of, path)
      } catch (thrown) {
        onProblem(workflow, `${path}: ${asError(thrown).message}`)
      }
    }
  }

  const measureOne = (metric: PrometheusMetric, { scope, startedAt, endedAt }: Measured, path: string): void => {
    const { gauge, counter, histogram } = metric
    const isRealtime = gauge?.realtime === true
    // What is not shown while it happens is known when it is over.
    if (endedAt === undefined && !isRealtime) return
    const options = { now: env.clock.now(), random: env.random }
    const text = (source: string, field: string) => replaceText(source, scope, options, `${path}.${field}`)
    if (!isRealtime && !shouldExecute(metric.when && text(metric.when, 'when'))) return
    const sample: Sample = {
      name: PREFIX + text(metric.name, 'name'),
      help: text(metric.help, 'help'),
      type: gauge ? 'gauge' : counter ? 'counter' : 'histogram',
      labels: Object.fromEntries((metric.labels ?? []).map(({ key, value }) => [key, text(value, `labels.${key}`)])),
    }
    if (isRealtime) {
      if (!REALTIME.test(gauge.value))
        throw new Error(`gauge.value is ${gauge.value}, and only a duration can be realtime`)
      const seconds = () => ((endedAt ?? env.clock.now()) - startedAt) / 1000
      return series.set(sample, seconds)
    }
    const amount = (source: string, field: string): number => {
      const written = text(source, field)
      const value = Number(written)
      if (written.trim() === '' || Number.isNaN(value))
        throw new Error(`${field} is ${JSON.stringify(written)}, and no number`)
      return value
    }
    if (gauge) {
      const value = amount(gauge.value, 'gauge.value')
      if (gauge.operation === 'Add') series.add(sample, value)
      else if (gauge.operation === 'Sub') series.add(sample, -value)
      else series.set(sample, () => value)
    } else if (counter) series.add(sample, amount(counter.value, 'counter.value'))
    else if (histogram) {
      const { buckets } = histogram
      series.observe({ ...sample, buckets }, amount(histogram.value, 'histogram.value'))
    } else throw new Error('it is neither a gauge, a counter nor a histogram')
  }

  return {
    note(workflow, { status, transitions }) {
      const spec = status.storedWorkflowTemplateSpec ?? workflow.spec
      if (spec.metrics === undefined && !hasMetrics(spec) && status.storedTemplates === undefined) return
      const globals = globalsOf(workflow, spec, status, env.clock.now())
      for (const { node, from } of transitions) {
        if (from === node.phase || isEnded(from) || UNEXECUTED.includes(node.type)) continue
        const template = templateOf(workflow, spec, status, node)
        if (template?.metrics === undefined) continue
        measure(workflow, template.metrics.prometheus, {
          path: `templates.${template.name ?? node.displayName}`,
          scope: joinScopes(variablesOf(node, env.clock.now()), globals),
          ...timesOf(node.startedAt, isEnded(node.phase) ? node.finishedAt : undefined),
        })
      }
      if (workflow.status?.phase === status.phase) return
      measure(workflow, spec.metrics?.prometheus, {
        path: 'spec',
        scope: globals,
        ...timesOf(status.startedAt, isFinal(status.phase) ? status.finishedAt : undefined),
      })
    },
    text: () => series.text(),
  }
}

/** Nodes that execute no template: they only have those that do, or say that none is. */
const UNEXECUTED: readonly string[] = ['StepGroup', 'TaskGroup', 'Skipped']

/** What is measured: over what variables, and from when to when; without an end it is still going on. */
interface Measured {
  path: string
  scope: Scope
  startedAt: number
  endedAt?: number
}

const timesOf = (from: string | null | undefined, until: string | null | undefined) => ({
  startedAt: Date.parse(from ?? ''),
  ...(until ? { endedAt: Date.parse(until) } : {}),
})

const known = new WeakMap<readonly Template[], boolean>()

function hasMetrics({ templates = [], templateDefaults }: WorkflowSpec): boolean {
  if (templateDefaults?.metrics !== undefined) return true
  let answer = known.get(templates)
  if (answer === undefined) known.set(templates, (answer = templates.some(isMeasured)))
  return answer
}

const isMeasured = (template: Template): boolean =>
  template.metrics !== undefined || callsOf(template).some(({ inline }) => inline && isMeasured(inline))

const callsOf = ({ steps = [], dag }: Template) => [...steps.flat(), ...(dag?.tasks ?? [])]

/** The template that a node was made from. */
function templateOf(
  workflow: Workflow,
  spec: WorkflowSpec,
  status: Plan['status'],
  node: NodeStatus,
): Template | undefined {
  const { templateName, templateRef, templateScope = '', boundaryID = '' } = node
  const library = new TemplateLibrary(
    workflow.metadata.name ?? '',
    spec,
    { get: () => undefined },
    status.storedTemplates,
  )
  if (templateName === undefined && templateRef === undefined) {
    const caller = status.nodes?.[boundaryID]
    // A status may come from anywhere: whoever calls itself is not followed.
    if (!caller || caller.name === node.name || !node.name.startsWith(caller.name)) return undefined
    const outer = templateOf(workflow, spec, status, caller)
    const inline = outer && inlineOf(outer, node.name.slice(caller.name.length))
    return inline && library.resolve({ inline }, library.local).template
  }
  const [scope = 'local', name = ''] = templateScope.split('/')
  const context = scope === 'namespaced' || scope === 'cluster' ? ({ scope, name } as const) : library.local
  try {
    return library.resolve(templateRef ? { templateRef } : { template: templateName ?? '' }, context).template
  } catch (thrown) {
    if (thrown instanceof TemplateMissing) return undefined
    throw thrown
  }
}

/** The template that a call has inline. Of a call the nodes are called `[GROUP].NAME` or `.NAME` inside of its template, and more in
 *  parentheses where there are several. */
function inlineOf(template: Template, path: string): Template | undefined {
  const name = path.replace(/^(\[\d+\])?\./, '').replace(/\(.*$/s, '')
  return callsOf(template).find(call => call.name === name)?.inline
}

const seconds = (from: string | null | undefined, until: string | null | undefined, now: number): string =>
  String(((until ? Date.parse(until) : now) - Date.parse(from ?? '')) / 1000)

function globalsOf(workflow: Workflow, spec: WorkflowSpec, status: Plan['status'], now: number): Scope {
  const { labels = {}, annotations = {} } = workflow.metadata
  const parameters = spec.arguments?.parameters ?? []
  const outputs = (status.outputs?.parameters ?? []).flatMap(({ name, value }) => {
    const text = textOf(value)
    return text === undefined ? [] : [[`workflow.outputs.parameters.${name}`, text] as const]
  })
  const progressing = new Variables([
    ['workflow.status', status.phase ?? ''],
    ['workflow.duration', seconds(status.startedAt, status.finishedAt, now)],
    ...outputs,
  ])
  return joinScopes(progressing, fixedGlobals({ workflow, spec, parameters, labels, annotations }))
}

/** `duration`, `resourcesDuration`, `status`, `exitCode`, and the node's own inputs and outputs. */
function variablesOf(node: NodeStatus, now: number): Scope {
  const inputs = (node.inputs?.parameters ?? []).flatMap(({ name, value }) => {
    const text = textOf(value)
    return text === undefined ? [] : [[`inputs.parameters.${name}`, text] as const]
  })
  const spent = Object.entries({ cpu: 0, memory: 0, ...node.resourcesDuration }).map(
    ([resource, amount]) => [`resourcesDuration.${resource}`, String(amount)] as const,
  )
  const own = new Variables([['duration', seconds(node.startedAt, node.finishedAt, now)], ...spent, ...inputs])
  return joinScopes(own, nodeVariables(node))
}
