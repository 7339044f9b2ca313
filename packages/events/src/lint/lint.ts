import type { KubeObject } from '@tiphys/kube'
import { busPlan } from '../engine/bus-plan.ts'
import { KEY_ANNOTATION, planSensor } from '../engine/sensor-plan.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { unknownFields } from '../kinds/unknown-fields.ts'
import type { Problem } from '../problem.ts'
import { createTriggerTypes } from '../triggers/index.ts'
import { checkDependency, type LintedDependency } from './dependency-rules.ts'
import { error, type Finding, findingOf, type LintDocument, warning } from './finding.ts'
import { knownObject } from './known-object.ts'
import { ManifestSet } from './manifest-set.ts'
import { checkPrograms } from './script-rules.ts'
import { checkEventSource } from './source-rules.ts'
import { checkTrigger } from './trigger-rules.ts'

const ARGO = 'argoproj.io/v1alpha1'
const ANNOTATIONS: Readonly<Record<string, readonly string[]>> = {
  Sensor: [KEY_ANNOTATION, 'tiphys.dev/serialize', 'tiphys.dev/coalesce', 'tiphys.dev/on-parked'],
  EventSource: [KEY_ANNOTATION, 'tiphys.dev/changes', 'tiphys.dev/resync'],
}

/** Finds what is wrong, or will surprise somebody, in the manifests of a folder: each by itself and all of them together.
 *  Nothing is read but what is given, and no cluster is asked. In the order of files and lines. */
export async function lintManifests(documents: readonly LintDocument[]): Promise<Finding[]> {
  const set = new ManifestSet(documents)
  const findings: Finding[] = []
  for (const document of documents)
    for (const problem of await problemsOf(fieldsOf(document.object), set)) findings.push(findingOf(document, problem))
  return withoutRepeats(findings).sort((a, b) => compare(a.file, b.file) || a.line - b.line)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Several rules may see the same thing. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ file, line, path, message }) => {
    const key = JSON.stringify([file, line, path, message])
    return !seen.has(key) && seen.add(key)
  })
}

async function problemsOf(object: Fields, set: ManifestSet): Promise<Problem[]> {
  if (object.apiVersion !== ARGO) return []
  switch (object.kind) {
    case 'EventBus':
      return [...fieldProblems(object), ...(await checkBus(object))]
    case 'EventSource':
      return [
        ...fieldProblems(object),
        ...checkSurroundings(object, set),
        ...checkEventSource(object, accountOf(object), set),
      ]
    case 'Sensor':
      return [...fieldProblems(object), ...checkSurroundings(object, set), ...(await checkSensor(object, set))]
    case 'Workflow':
    case 'WorkflowTemplate':
    case 'ClusterWorkflowTemplate':
      return checkPrograms(object, '')
    case 'CronWorkflow':
      return checkPrograms({ spec: fieldsOf(object.spec).workflowSpec }, '').map(problem => ({
        ...problem,
        path: problem.path.replace(/^spec/, 'spec.workflowSpec'),
      }))
    default:
      return []
  }
}

const BESIDE_TEMPLATE =
  /^spec\.triggers\[\d+\]\.template\.(atLeastOnce|policy|retryStrategy|rateLimit|parameters|dlqTrigger)$/

/** Upstream ignores what it does not know: at run time that is a remark, for whoever writes a manifest an error. */
function fieldProblems(object: Fields): Problem[] {
  return unknownFields(object).map(({ path, message }) => {
    const misplaced = BESIDE_TEMPLATE.exec(path)?.[1]
    return error(
      path,
      misplaced === undefined ? message : `${misplaced} has no effect in the template: it belongs beside it`,
    )
  })
}

async function checkBus(object: Fields): Promise<Problem[]> {
  const { plan, problems } = await busPlan(object.spec)
  return [...problems, ...(plan.type === 'unsupported' ? [error('spec', plan.message)] : [])]
}

function accountOf(object: Fields): { namespace: string; name: string } {
  const name = textOf(fieldsOf(fieldsOf(object.spec).template).serviceAccountName)
  return { namespace: namespaceOf(object), name: name || 'default' }
}

const namespaceOf = (object: Fields): string => textOf(fieldsOf(object.metadata).namespace)

/** What an EventSource or a Sensor needs to be there. */
function checkSurroundings(object: Fields, set: ManifestSet): Problem[] {
  const spec = fieldsOf(object.spec)
  const namespace = namespaceOf(object)
  const bus = textOf(spec.eventBusName) || 'default'
  const account = textOf(fieldsOf(spec.template).serviceAccountName)
  const known = ANNOTATIONS[textOf(object.kind)] ?? []
  const annotations = Object.keys(fieldsOf(fieldsOf(object.metadata).annotations))
  return [
    ...(set.has('EventBus', bus, namespace)
      ? []
      : [
          warning(
            spec.eventBusName === undefined ? 'spec' : 'spec.eventBusName',
            `no EventBus "${bus}" is in these manifests`,
          ),
        ]),
    ...(account === '' || account === 'default' || set.has('ServiceAccount', account, namespace)
      ? []
      : [warning('spec.template.serviceAccountName', `no ServiceAccount "${account}" is in these manifests`)]),
    ...annotations.flatMap(name =>
      name.startsWith('tiphys.dev/') && !known.includes(name)
        ? [
            error(
              `metadata.annotations.${name}`,
              `no annotation of this name is known here: there are ${known.join(', ')}`,
            ),
          ]
        : [],
    ),
  ]
}

async function checkSensor(object: Fields, set: ManifestSet): Promise<Problem[]> {
  const namespace = namespaceOf(object)
  const spec = fieldsOf(object.spec)
  const { dependencyProblems, triggerProblems, warnings } = planSensor(asObject(object), createTriggerTypes())
  const checked = listOf(spec.dependencies).map((dependency, i) =>
    checkDependency(fieldsOf(dependency), `spec.dependencies[${i}]`, namespace, set),
  )
  const dependencies = checked.map(({ linted }) => linted)
  const planned = [
    ...dependencyProblems,
    ...triggerProblems,
    ...warnings.map(problem =>
      problem.path.startsWith('tiphys.dev/') ? { ...problem, path: `metadata.annotations.${problem.path}` } : problem,
    ),
  ]
  const problems = [...checked.flatMap(({ problems }) => problems), ...checkNames(dependencies)]
  for (const [i, item] of listOf(spec.triggers).entries()) {
    const trigger = fieldsOf(item)
    const at = `spec.triggers[${i}]`
    for (const [one, path] of [
      [trigger, at],
      ...(trigger.dlqTrigger ? [[fieldsOf(trigger.dlqTrigger), `${at}.dlqTrigger`] as const] : []),
    ] as const) {
      const known = await knownObject(one, path)
      const context = { dependencies, account: accountOf(object), namespace, set, object: known.object }
      problems.push(...known.problems, ...checkTrigger(one, path, context))
    }
  }
  // Where both have something to say, what needs more than the Sensor to be known is the better word.
  const isSaid = (planned: Problem) =>
    problems.some(
      ({ path, severity }) => path === planned.path && (severity === 'error' || severity === planned.severity),
    )
  return [...planned.filter(problem => !isSaid(problem)), ...problems]
}

const asObject = (object: Fields): KubeObject => ({
  ...object,
  apiVersion: textOf(object.apiVersion),
  kind: textOf(object.kind),
  metadata: fieldsOf(object.metadata),
})

/** Conditions read `-` and `_` as the same. */
function checkNames(dependencies: readonly LintedDependency[]): Problem[] {
  return dependencies.flatMap(({ name }, i) => {
    const twin = dependencies.slice(0, i).find(other => other.name !== name && folded(other.name) === folded(name))
    return twin
      ? [
          warning(
            `spec.dependencies[${i}].name`,
            `${twin.name} and ${name} cannot be told apart in conditions: rename one of them`,
          ),
        ]
      : []
  })
}

const folded = (name: string): string => name.replaceAll('-', '_')
