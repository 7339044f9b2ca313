import type { Pod, Service } from '@tiphys/kube/kinds'
import { keyOfObject } from '../controller.ts'
import { readyCondition } from './selected-pods.ts'

export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

/** Remembers when the things that endpoints depend on last changed, to tell which change made an update necessary. */
export class TriggerTimes {
  readonly #known = new Map<string, { service: string; pods: Map<string, string> }>()

  /** When the first of the changes since the last call happened; undefined when that is not known. */
  next(service: Service, pods: readonly Pod[]): string | undefined {
    const key = keyOfObject(service)
    const known = this.#known.get(key) ?? { service: '', pods: new Map() }
    const created = service.metadata.creationTimestamp ?? ''
    const times = new Map(pods.map(pod => [pod.metadata.name ?? '', readyCondition(pod)?.lastTransitionTime ?? '']))
    const changed = [...times].filter(([name, time]) => time > (known.pods.get(name) ?? '')).map(([, time]) => time)
    if (created > known.service) changed.push(created)
    this.#known.set(key, { service: created, pods: times })
    return changed.sort()[0]
  }

  forget(key: string): void {
    this.#known.delete(key)
  }
}

export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [TRIGGER_TIME]: _, ...others } = annotations ?? {}
  return time === undefined ? others : { ...others, [TRIGGER_TIME]: time }
}
