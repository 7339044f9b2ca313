import { stringifyJson } from '@tiphys/kube'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { SUBRESOURCE_ANNOTATION } from '../triggers/k8s-trigger.ts'
import type { LintedDependency } from './dependency-rules.ts'
import { error, warning } from './finding.ts'
import { isObjectWithKind, type KnownObject } from './known-object.ts'
import type { ManifestSet } from './manifest-set.ts'
import { checkParameter, checkTemplateMarks } from './parameter-rules.ts'
import { checkPrograms, isProgramPath } from './script-rules.ts'

export interface TriggerContext {
  dependencies: readonly LintedDependency[]
  account: { namespace: string; name: string }
  namespace: string
  set: ManifestSet
  /** The object that the trigger writes, when the manifest says it. */
  object: KnownObject | undefined
}

/** What is wrong with a trigger beyond what keeps it from running. */
export function checkTrigger(trigger: Fields, at: string, context: TriggerContext): Problem[] {
  const template = fieldsOf(trigger.template)
  const { k8s, argoWorkflow, http, custom, nats } = template
  const replaced = listOf(trigger.parameters).map(parameter => textOf(fieldsOf(parameter).dest))
  const problems = [
    ...parametersIn(trigger.parameters, `${at}.parameters`, context, { json: stringifyJson(template) }),
    ...checkTemplateMarks(template, `${at}.template`),
    ...(k8s ? checkWriting(fieldsOf(k8s), `${at}.template.k8s`, context, 'k8s') : []),
    ...(argoWorkflow
      ? checkWriting(fieldsOf(argoWorkflow), `${at}.template.argoWorkflow`, context, 'argoWorkflow')
      : []),
    ...Object.entries({ http, custom, nats }).flatMap(([type, spec]) =>
      spec ? checkSending(fieldsOf(spec), `${at}.template.${type}`, type, context) : [],
    ),
  ]
  return problems.filter(({ path }) => !isReplaced(path, `${at}.template.`, replaced))
}

/** What stands in a place that the trigger's own parameters set is replaced before anybody reads it. */
function isReplaced(path: string, prefix: string, dests: readonly string[]): boolean {
  if (!path.startsWith(prefix)) return false
  const own = path.slice(prefix.length).replace(/\[(\d+)\]/g, '.$1')
  return dests.some(dest => dest !== '' && (own === dest || own.startsWith(`${dest}.`)))
}

function parametersIn(
  list: unknown,
  at: string,
  { dependencies }: TriggerContext,
  target: { json?: string; isPayload?: boolean },
): Problem[] {
  return listOf(list).flatMap((item, i) => checkParameter(fieldsOf(item), `${at}[${i}]`, dependencies, target))
}

function checkSending(spec: Fields, at: string, type: string, context: TriggerContext): Problem[] {
  const own = type === 'custom' ? {} : { json: stringifyJson(spec) }
  return [
    ...parametersIn(spec.payload, `${at}.payload`, context, { isPayload: true }),
    ...parametersIn(spec.parameters, `${at}.parameters`, context, own),
    ...parametersIn(spec.dynamicHeaders, `${at}.dynamicHeaders`, context, {}),
  ]
}

function checkWriting(spec: Fields, at: string, context: TriggerContext, type: 'k8s' | 'argoWorkflow'): Problem[] {
  const { object } = context
  const dests = listOf(spec.parameters).map(parameter => textOf(fieldsOf(parameter).dest))
  const json = object && spec.liveObject !== true ? { json: stringifyJson(object.value) } : {}
  const operation = textOf(spec.operation) || (type === 'k8s' ? 'create' : 'submit')
  return [
    ...parametersIn(spec.parameters, `${at}.parameters`, context, json),
    ...dests.flatMap((dest, i) =>
      isProgramPath(dest, json.json ?? '{}')
        ? [
            error(
              `${at}.parameters[${i}].dest`,
              'the value of an event becomes part of a program here, so that an event can run commands: use a parameter of the Workflow',
            ),
          ]
        : [],
    ),
    ...(object
      ? [
          ...checkName(object, operation, dests),
          ...(isObjectWithKind(object, 'Workflow')
            ? checkPrograms(object.value, object.prefix, fedBy(dests, object.value))
            : []),
          ...checkPermission(object, operation, type, at, context),
        ]
      : []),
  ]
}

/** The names of the parameters of a Workflow that dests lead to. */
function fedBy(dests: readonly string[], workflow: Fields): ReadonlySet<string> {
  const parameters = listOf(fieldsOf(fieldsOf(workflow.spec).arguments).parameters).map(item =>
    textOf(fieldsOf(item).name),
  )
  return new Set(
    dests.flatMap(dest => {
      const [, index, name] = /^spec\.arguments\.parameters\.(?:(\d+)|#\(name==?"?([\w-]+)"?\))/.exec(dest) ?? []
      const found = name ?? parameters[Number(index ?? Number.NaN)]
      return found === undefined ? [] : [found]
    }),
  )
}

function checkName({ value, prefix }: KnownObject, operation: string, dests: readonly string[]): Problem[] {
  if (operation !== 'create' && operation !== 'submit') return []
  const { name, generateName } = fieldsOf(value.metadata)
  const isSet = dests.some(dest => /^metadata(?:\.(?:name|generateName))?$/.test(dest))
  if (isSet) return []
  if (textOf(name) !== '')
    return [
      warning(
        `${prefix}metadata.name`,
        'is the same for every event: the second one fails, since the object is there. Use generateName, or a parameter that sets it',
      ),
    ]
  return textOf(generateName) === ''
    ? [error(`${prefix}metadata`, 'has neither name nor generateName, and no parameter sets one')]
    : []
}

const VERBS: Readonly<Record<string, readonly string[]>> = {
  create: ['create'],
  update: ['get', 'update'],
  patch: ['get', 'patch'],
  apply: ['get', 'patch'],
  delete: ['delete'],
  submit: ['create'],
  resubmit: ['get', 'create'],
  resume: ['get', 'patch'],
  retry: ['get', 'patch'],
  suspend: ['get', 'patch'],
  terminate: ['get', 'patch'],
  stop: ['get', 'patch'],
}

function checkPermission(
  object: KnownObject,
  operation: string,
  type: 'k8s' | 'argoWorkflow',
  at: string,
  { set, account, namespace }: TriggerContext,
): Problem[] {
  const { apiVersion, kind, metadata } = object.value
  const isFrom = type === 'argoWorkflow' && operation === 'submit-from'
  const group = textOf(apiVersion).includes('/') ? (textOf(apiVersion).split('/')[0] ?? '') : ''
  const where = textOf(fieldsOf(metadata).namespace) || namespace
  const part = textOf(fieldsOf(fieldsOf(metadata).annotations)[SUBRESOURCE_ANNOTATION])
  const plural = set.pluralOf(textOf(kind))
  // What is read is the object; what is written may be a part of it that has rights of its own.
  const resourceFor = (verb: string) => (part === '' || verb === 'get' ? plural : `${plural}/${part}`)
  const needed = isFrom
    ? [
        ['get', plural],
        ['create', 'workflows'],
      ]
    : (VERBS[operation] ?? []).map(verb => [verb, resourceFor(verb)])
  const missing = needed.filter(([verb = '', resource = '']) => !set.allows(account, verb, group, resource, where))
  if (missing.length === 0) return []
  const words = missing.map(([verb, resource]) => `${verb} ${resource}`).join(' and ')
  return [warning(at, `nothing in these manifests lets the ServiceAccount ${account.name} ${words}`)]
}
