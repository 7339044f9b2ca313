import type { KeyRef } from '../spec/workflow.ts'
import { NodeFault, type Run } from './run.ts'

const typeLabel = 'workflows.argoproj.io/configmap-type'

/** A value of a ConfigMap that is meant for parameters. Undefined: it has to be read first, which is asked for. Throws
 *  NodeFault. */
export function readConfigMapKey(
  run: Run,
  ref: KeyRef,
  fallback: string | undefined,
  what: string,
): string | undefined {
  const found = run.observed.configMaps?.[ref.name]
  if (found === undefined) {
    run.ask({ do: 'readConfigMap', name: ref.name, namespace: run.namespace })
    return undefined
  }
  if (found === null) {
    if (fallback !== undefined) return fallback
    throw new NodeFault(`${what}: ConfigMap ${run.namespace}/${ref.name} does not exist`)
  }
  if (found.labels?.[typeLabel] !== 'Parameter') {
    throw new NodeFault(
      `${what}: ConfigMap ${run.namespace}/${ref.name} needs the label ${typeLabel}: Parameter to be read for parameters`,
    )
  }
  const value = found.data?.[ref.key]
  if (value !== undefined) return value
  if (fallback !== undefined) return fallback
  throw new NodeFault(`${what}: ConfigMap ${run.namespace}/${ref.name} has no key ${ref.key}`)
}
