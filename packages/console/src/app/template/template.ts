import type { StepDetail } from '@tiphys/archive'

export interface ParameterSpec {
  name: string
  value?: string
  default?: string
  enum?: readonly string[]
  description?: string
}

interface TaskSpec {
  name: string
  template?: string
  dependencies?: readonly string[]
  depends?: string
}

interface TemplateSpec {
  name: string
  steps?: readonly (readonly TaskSpec[])[]
  dag?: { tasks?: readonly TaskSpec[] }
}

export interface WorkflowSpec {
  entrypoint?: string
  workflowTemplateRef?: { name?: string; clusterScope?: boolean }
  arguments?: { parameters?: readonly ParameterSpec[] }
  templates?: readonly TemplateSpec[]
}

/** A CronWorkflow has its Workflow inside, beside when it starts. */
interface CronSpec {
  workflowSpec?: WorkflowSpec
  schedule?: string
  schedules?: readonly string[]
  timezone?: string
  suspend?: boolean
}

export interface TemplateManifest {
  kind: string
  metadata: { namespace?: string; name: string }
  spec?: WorkflowSpec & CronSpec
  status?: {
    phase?: string
    lastScheduledTime?: string
    conditions?: readonly { type: string; status: string; message?: string }[] | null
  }
}

const specOf = ({ spec }: TemplateManifest): WorkflowSpec => spec?.workflowSpec ?? spec ?? {}

export function parametersOf(manifest: TemplateManifest): readonly ParameterSpec[] {
  return specOf(manifest).arguments?.parameters ?? []
}

/** Where a run begins. Of what others only refer to, the first template that has steps. */
function entryOf({ entrypoint, templates = [] }: WorkflowSpec): string | undefined {
  return entrypoint ?? (templates.find(({ steps, dag }) => steps ?? dag) ?? templates[0])?.name
}

/** The template that it is made of, where it has no templates itself. */
export function referredTo(manifest: TemplateManifest): { kind: string; name: string } | undefined {
  const { name, clusterScope } = specOf(manifest).workflowTemplateRef ?? {}
  return name === undefined ? undefined : { kind: clusterScope ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate', name }
}

/** Whether a run can be started from it as it is: it says where to begin, or what it refers to does. */
export const hasEntry = (manifest: TemplateManifest): boolean =>
  specOf(manifest).entrypoint !== undefined || referredTo(manifest) !== undefined

/** The values of the form: what the address says, else what the template does, else the first that is allowed. */
export function formValues(
  parameters: readonly ParameterSpec[],
  given: (name: string) => string | null,
): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name, value, default: usual, enum: allowed }) => [
      name,
      given(`p.${name}`) ?? value ?? usual ?? allowed?.[0] ?? '',
    ]),
  )
}

const DEEPEST = 6
const MOST = 300

/** What a run of the template would do, as steps that have not begun. */
export function plannedSteps(manifest: TemplateManifest): StepDetail[] {
  const spec = specOf(manifest)
  const templates = new Map((spec.templates ?? []).map(template => [template.name, template]))
  const steps: StepDetail[] = []
  const children = new Map<string, string[]>()
  const add = (id: string, name: string, type: string, before: readonly string[]) => {
    for (const each of before) children.set(each, [...(children.get(each) ?? []), id])
    steps.push({ step: id, name, type, phase: 'Planned', attempt: 1, at: 0, changedAt: 0, logs: [] })
  }
  /** Returns the steps that end it: what comes after comes after them. */
  const expand = (
    id: string,
    name: string,
    template: string | undefined,
    before: readonly string[],
    depth: number,
  ): string[] => {
    const found = template === undefined ? undefined : templates.get(template)
    const isInner = depth < DEEPEST && steps.length < MOST && (found?.steps || found?.dag)
    add(id, name, isInner ? (found.dag ? 'DAG' : 'Steps') : 'Pod', before)
    if (!isInner) return [id]
    if (found.steps) {
      return found.steps.reduce<string[]>(
        (last, group) => group.flatMap(task => expand(`${id}.${task.name}`, task.name, task.template, last, depth + 1)),
        [id],
      )
    }
    return expandDag(found.dag?.tasks ?? [], id, (task, last) =>
      expand(`${id}.${task.name}`, task.name, task.template, last, depth + 1),
    )
  }
  const entry = entryOf(spec)
  if (entry !== undefined) expand('entry', entry, entry, [], 0)
  return steps.map(step => ({ ...step, children: children.get(step.step) ?? [] }))
}

function expandDag(
  tasks: readonly TaskSpec[],
  id: string,
  expand: (task: TaskSpec, before: readonly string[]) => string[],
): string[] {
  const ends = new Map<string, string[]>()
  const waited = new Set<string>()
  const left = [...tasks]
  while (left.length > 0) {
    const at = left.findIndex(task =>
      dependenciesOf(task).every(name => ends.has(name) || !tasks.some(each => each.name === name)),
    )
    // A circle: what is left is drawn as it stands.
    const [task] = left.splice(Math.max(0, at), 1)
    if (!task) break
    const needed = dependenciesOf(task)
    for (const name of needed) waited.add(name)
    const before = needed.flatMap(name => ends.get(name) ?? [])
    ends.set(task.name, expand(task, before.length > 0 ? before : [id]))
  }
  const last = [...ends].filter(([name]) => !waited.has(name)).flatMap(([, end]) => end)
  return last.length > 0 ? last : [id]
}

export function dependenciesOf({
  dependencies,
  depends,
}: Pick<TaskSpec, 'dependencies' | 'depends'>): readonly string[] {
  if (dependencies) return dependencies
  const names = [...(depends ?? '').matchAll(/[A-Za-z0-9_-]+(?:\.\w+)?/g)].map(([name]) => name.split('.')[0] as string)
  return [...new Set(names)]
}
