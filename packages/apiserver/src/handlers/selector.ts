import { parseFieldSelector, parseLabelSelector } from '@tiphys/kube'
import type { Resource } from '../registry/resource.ts'
import { badRequest } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'

/** Which objects of a collection a list or watch means. */
export interface Selector {
  /** Undefined when everything passes. */
  accept: ((stored: Stored) => boolean) | undefined
  /** The one name that `metadata.name=` asks for. */
  name: string | undefined
}

export function selectorOf(resource: Resource, labels: string, fields: string): Selector {
  const labelSelector = labels === '' ? undefined : guard(() => parseLabelSelector(labels))
  const requirements = fields === '' ? [] : guard(() => parseFieldSelector(fields)).terms
  const known = resource.strategy.fieldNames ?? []
  for (const { field } of requirements) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && resource.namespaced) || known.includes(field))
      continue
    throw badRequest(unknownField(resource, field))
  }
  const name = requirements.find(({ field, operator }) => field === 'metadata.name' && operator !== '!=')?.value
  if (!labelSelector && requirements.length === 0) return { accept: undefined, name }
  const accept = ({ object }: Stored): boolean => {
    if (labelSelector && !labelSelector.matches(object.metadata.labels ?? {})) return false
    if (requirements.length === 0) return true
    const values = resource.strategy.fields?.(object) ?? {}
    return requirements.every(({ field, operator, value }) => {
      const actual =
        field === 'metadata.name'
          ? object.metadata.name
          : field === 'metadata.namespace'
            ? object.metadata.namespace
            : values[field]
      return (operator === '!=') !== ((actual ?? '') === value)
    })
  }
  return { accept, name }
}

function unknownField(resource: Resource, field: string): string {
  if (resource.strategy.unsupportedFieldText) return resource.strategy.unsupportedFieldText(field)
  if (resource.isCustom) return `field label not supported: ${field}`
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
}

function guard<T>(parse: () => T): T {
  try {
    return parse()
  } catch (thrown) {
    throw badRequest((thrown as Error).message)
  }
}
