import type { Parameter, Template, WorkflowSpec } from './workflow.ts'

/** Lists whose items have names of their own: they are merged item by item. All other lists are replaced. */
const listKeys: Readonly<Record<string, string>> = {
  artifacts: 'name',
  containers: 'name',
  env: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  parameters: 'name',
  ports: 'containerPort',
  sidecars: 'name',
  tasks: 'name',
  templates: 'name',
  volumeMounts: 'mountPath',
  volumes: 'name',
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What `over` says, and what `base` says where `over` is silent. Neither is changed. */
export function mergeOver<T>(base: T | undefined, over: T | undefined): T {
  return merged(base, over, '') as T
}

function merged(base: unknown, over: unknown, field: string): unknown {
  if (over === undefined || over === null) return base
  if (Array.isArray(base) && Array.isArray(over)) {
    const key = listKeys[field]
    return key === undefined ? over : mergedLists(base, over, key)
  }
  if (!isFields(base) || !isFields(over)) return over
  const result: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) result[name] = merged(base[name], value, name)
  return result
}

function mergedLists(base: readonly unknown[], over: readonly unknown[], key: string): unknown[] {
  const rest = new Map(over.map(item => [isFields(item) ? item[key] : item, item]))
  const result = base.map(item => {
    const name = isFields(item) ? item[key] : item
    if (!rest.has(name)) return item
    const change = rest.get(name)
    rest.delete(name)
    return merged(item, change, '')
  })
  return [...result, ...rest.values()]
}

/** The spec that is carried out: the Workflow's own words, then those of its WorkflowTemplate, then the defaults. */
export function joinSpecs(
  own: WorkflowSpec,
  template: WorkflowSpec | undefined,
  defaults: WorkflowSpec | undefined,
): WorkflowSpec {
  return overriding(overriding(defaults, template), own)
}

/** An argument has its value from one place: what was written for it further down does not count. */
function overriding(base: WorkflowSpec | undefined, over: WorkflowSpec | undefined): WorkflowSpec {
  const given = new Set((over?.arguments?.parameters ?? []).flatMap(item => (hasSource(item) ? [item.name] : [])))
  const parameters = base?.arguments?.parameters?.map(parameter => {
    if (!given.has(parameter.name)) return parameter
    const { value: _value, valueFrom: _from, default: _default, ...rest } = parameter
    return rest
  })
  return mergeOver(parameters === undefined ? base : { ...base, arguments: { ...base?.arguments, parameters } }, over)
}

const hasSource = ({ value, valueFrom, default: fallback }: Parameter) =>
  [value, valueFrom, fallback].some(source => source !== undefined && source !== null)

const typeFields = [
  'container',
  'containerSet',
  'dag',
  'data',
  'http',
  'plugin',
  'resource',
  'script',
  'steps',
  'suspend',
] as const

/** What templates are: the fields of which exactly one is set. */
export function typeFieldsOf(template: Template): (typeof typeFields)[number][] {
  return typeFields.filter(field => template[field] !== undefined && template[field] !== null)
}

const merges = new WeakMap<Template, WeakMap<Template, Template>>()

/** A template with `templateDefaults` where it is silent. Defaults for other types of templates do not count. */
export function withDefaults(template: Template, defaults: Template | undefined): Template {
  if (defaults === undefined || defaults === null) return template
  let known = merges.get(defaults)
  if (known === undefined) merges.set(defaults, (known = new WeakMap()))
  let result = known.get(template)
  if (result === undefined) {
    const own = new Set<string>(typeFieldsOf(template))
    const foreign = new Set<string>(typeFields.filter(field => !own.has(field)))
    const applicable = Object.fromEntries(Object.entries(defaults).filter(([field]) => !foreign.has(field)))
    result = mergeOver(applicable as Template, template)
    known.set(template, result)
  }
  return result
}
