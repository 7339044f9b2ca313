import type { KubeObject } from '@tiphys/kube'
import type { Problem } from './problem.ts'
import { checkWorkflowObject } from './validate.ts'

type Fields = Readonly<Record<string, unknown>>

/** Something about a Workflow inside of a Sensor; a warning where another folder may have what is missing here. */
export interface TriggeredProblem extends Problem {
  severity: 'error' | 'warning'
}

const API_VERSION = 'argoproj.io/v1alpha1'
const KINDS: ReadonlySet<string> = new Set(['Workflow', 'CronWorkflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate'])

/** Workflows and the like that a trigger writes as they stand in its manifest, by type and operation. */
const WRITING: Readonly<Record<string, readonly string[]>> = {
  k8s: ['', 'create', 'update', 'apply'],
  argoWorkflow: ['', 'submit'],
}

/** An object that a trigger makes. */
export interface TriggeredWorkflow {
  object: KubeObject
  /** Where it stands in the Sensor. */
  path: string
  /** Parameters of the trigger overwrite something of its metadata or its arguments. */
  isOpen: boolean
}

/** The Workflows, CronWorkflows and templates that the triggers of a Sensor make, as they stand in its manifest. One of which
 *  parameters change more than metadata and arguments cannot be judged, and is left out. */
export function triggeredWorkflows(sensor: KubeObject): TriggeredWorkflow[] {
  return listOf(fieldsOf(sensor.spec).triggers).flatMap((item, index) => {
    const trigger = fieldsOf(item)
    const at = `spec.triggers[${index}]`
    return [...inTrigger(trigger, at), ...inTrigger(fieldsOf(trigger.dlqTrigger), `${at}.dlqTrigger`)]
  })
}

/** What is wrong with such an object, by paths of the Sensor. What parameters lead to has whatever value is needed. */
export function checkTriggeredWorkflow(
  { object, path, isOpen }: TriggeredWorkflow,
  others: readonly KubeObject[],
): TriggeredProblem[] {
  const missing = new Map<string, string>()
  const problems = checkWorkflowObject(object, others, { isOpen, onMissing: (kind, name) => missing.set(name, kind) })
  const isAboutMissing = ({ message }: Problem) => [...missing.keys()].some(name => message.includes(name))
  return [
    ...problems
      .filter(problem => !isAboutMissing(problem))
      .map(problem => ({ message: problem.message, path: `${path}.${problem.path}`, severity: 'error' as const })),
    ...[...missing].map(([name, kind]) => ({
      path: `${path}.spec`,
      message: `no ${kind} "${name}" is in these manifests`,
      severity: 'warning' as const,
    })),
  ]
}

function inTrigger(trigger: Fields, at: string): TriggeredWorkflow[] {
  const template = fieldsOf(trigger.template)
  return Object.entries(WRITING).flatMap(([type, operations]) => {
    const spec = fieldsOf(template[type])
    const resource = fieldsOf(fieldsOf(spec.source).resource)
    if (!KINDS.has(textOf(resource.kind)) || !operations.includes(textOf(spec.operation))) return []
    if (textOf(resource.apiVersion) !== API_VERSION || resource.spec === undefined) return []
    const outer = destsOf(trigger.parameters).flatMap(dest => below(dest, `${type}.source.resource`) ?? [])
    const dests = [...destsOf(spec.parameters), ...outer]
    if (dests.some(isBeyondArguments)) return []
    const object = { ...resource, metadata: fieldsOf(resource.metadata) } as unknown as KubeObject
    const isOpen = dests.length > 0 || listOf(spec.args).length > 0
    return [{ object, path: `${at}.template.${type}.source.resource`, isOpen }]
  })
}

/** A change of anything but the object's name, labels and arguments may change everything. */
const isBeyondArguments = (dest: string): boolean => !/^(metadata|spec\.arguments)(\.|$)/.test(dest)

/** A path of the trigger as one of its resource; undefined when it is of another part, empty when it replaces the resource. */
function below(dest: string, prefix: string): string | undefined {
  if (dest.startsWith(`${prefix}.`)) return dest.slice(prefix.length + 1)
  return dest === prefix || prefix.startsWith(`${dest}.`) ? '' : undefined
}

const destsOf = (parameters: unknown): string[] => listOf(parameters).map(item => textOf(fieldsOf(item).dest))

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
