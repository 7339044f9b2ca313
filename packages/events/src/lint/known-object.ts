import { parseYaml } from '@tiphys/kube'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { error } from './finding.ts'

/** The object of a trigger as far as the manifest says it. */
export interface KnownObject {
  value: Fields
  /** What stands before the paths of its fields: they have a place of their own, or that of the text they are in. */
  prefix: string
}

export const isObjectWithKind = ({ value }: KnownObject, kind: string): boolean => value.kind === kind

/** Reads `source` of a k8s or argoWorkflow trigger. Nothing for an object that is elsewhere. */
export async function knownObject(
  trigger: Fields,
  at: string,
): Promise<{ object: KnownObject | undefined; problems: Problem[] }> {
  const template = fieldsOf(trigger.template)
  const type = ['k8s', 'argoWorkflow'].find(name => template[name] !== undefined && template[name] !== null)
  if (type === undefined) return { object: undefined, problems: [] }
  const { resource, inline } = fieldsOf(fieldsOf(template[type]).source)
  const path = `${at}.template.${type}.source`
  if (resource !== undefined) return checked(resource, `${path}.resource`, `${path}.resource.`)
  if (textOf(inline) === '') return { object: undefined, problems: [] }
  try {
    return checked((await parseYaml(textOf(inline))).value, `${path}.inline`, `${path}.inline.`)
  } catch (thrown) {
    return { object: undefined, problems: [error(`${path}.inline`, (thrown as Error).message)] }
  }
}

function checked(
  value: unknown,
  path: string,
  prefix: string,
): { object: KnownObject | undefined; problems: Problem[] } {
  const object = fieldsOf(value)
  if (textOf(object.apiVersion) === '' || textOf(object.kind) === '')
    return { object: undefined, problems: [error(path, 'is no object of Kubernetes: it has no apiVersion or no kind')] }
  return { object: { value: object, prefix }, problems: [] }
}
