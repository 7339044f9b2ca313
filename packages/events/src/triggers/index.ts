import type { Problem } from '../problem.ts'
import { argoWorkflowTrigger } from './argo-workflow-trigger.ts'
import { createCustomTrigger } from './custom-trigger.ts'
import { httpTrigger } from './http-trigger.ts'
import { k8sTrigger } from './k8s-trigger.ts'
import { createLogTrigger } from './log-trigger.ts'
import { isFields } from './merge.ts'
import { createNatsTrigger } from './nats-trigger.ts'
import type { TriggerType } from './trigger.ts'

/** Every type of trigger that Tiphys can carry out, by its key in a trigger's template. */
export function createTriggerTypes(): ReadonlyMap<string, TriggerType> {
  const types = [
    k8sTrigger,
    argoWorkflowTrigger,
    httpTrigger,
    createLogTrigger(),
    createCustomTrigger(),
    createNatsTrigger(),
  ] as readonly TriggerType[]
  return new Map(types.map(type => [type.type, type]))
}

const SEND = 'send it with a server of the type custom'

/** Upstream's other types, and what to use instead. A manifest with one of them is told so. */
const INSTEAD: Readonly<Record<string, string>> = {
  kafka: SEND,
  pulsar: SEND,
  slack: "use http with the address of one of Slack's incoming webhooks",
  email: SEND,
  awsLambda: "use http with the function's URL",
  openWhisk: "use http with the action's URL",
  azureEventHubs: SEND,
  azureServiceBus: SEND,
}
export const UNSUPPORTED_TRIGGERS: readonly string[] = Object.keys(INSTEAD)

/** Beside the type, in a template. */
const TEMPLATE_FIELDS = ['name', 'conditions', 'conditionsReset']

/** The type of a trigger and its specification, or what is wrong with the template. */
export function triggerOf(
  template: Readonly<Record<string, unknown>>,
  types: ReadonlyMap<string, TriggerType>,
): { type: TriggerType; spec: unknown; problems: readonly Problem[] } | { problems: readonly Problem[] } {
  const problems: Problem[] = []
  const found: { type: TriggerType; spec: unknown }[] = []
  for (const [name, spec] of Object.entries(template)) {
    if (spec === undefined || spec === null || TEMPLATE_FIELDS.includes(name)) continue
    const type = types.get(name)
    if (UNSUPPORTED_TRIGGERS.includes(name) && !type)
      problems.push({
        path: name,
        message: `triggers of the type ${name} are not supported by Tiphys yet: ${INSTEAD[name]}`,
        severity: 'error',
        isLasting: true,
      })
    else if (!type) problems.push({ path: name, message: `unknown field "${name}"`, severity: 'warning' })
    else if (!isFields(spec)) problems.push({ path: name, message: 'must have fields', severity: 'error' })
    else found.push({ type, spec })
  }
  const [first, second] = found
  if (second)
    problems.push({
      path: '',
      message: `has more than one type: ${found.map(({ type }) => type.type).join(', ')}`,
      severity: 'error',
    })
  if (!first) {
    if (!problems.some(({ severity }) => severity === 'error'))
      problems.push({
        path: '',
        message: `has no type: it needs one of ${[...types.keys()].join(', ')}`,
        severity: 'error',
      })
    return { problems }
  }
  const own = first.type.check(first.spec).map(problem => ({ ...problem, path: `${first.type.type}.${problem.path}` }))
  return { ...first, problems: [...problems, ...own] }
}
