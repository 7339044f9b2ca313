import type { Container, Pod } from '@tiphys/kube/kinds'

/** What a container is for: `init` runs to its end before the next begins, a `sidecar` starts among them and stays, `main`
 *  is what the pod exists for, `ephemeral` was added by somebody who looks into it. */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

export interface PodContainer {
  container: Container
  role: ContainerRole
}

/** In the order in which they start. */
export function containersOf({ spec }: Pod): readonly PodContainer[] {
  const first = (spec?.initContainers ?? []).map(
    (container): PodContainer => ({ container, role: container.restartPolicy === 'Always' ? 'sidecar' : 'init' }),
  )
  return [
    ...first,
    ...(spec?.containers ?? []).map((container): PodContainer => ({ container, role: 'main' })),
    ...(spec?.ephemeralContainers ?? []).map((container): PodContainer => ({ container, role: 'ephemeral' })),
  ]
}

export const restartPolicyOf = ({ spec }: Pod): 'Always' | 'OnFailure' | 'Never' =>
  spec?.restartPolicy === 'OnFailure' || spec?.restartPolicy === 'Never' ? spec.restartPolicy : 'Always'

/** Whether a container that ended is to run again, as long as its pod lasts. */
export function isRestartedAfter(pod: Pod, { container, role }: PodContainer, exitCode: number): boolean {
  if (role === 'sidecar') return true
  if (role === 'ephemeral') return false
  const rule = container.restartPolicyRules?.find(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false
    return exitCodes?.operator === 'In' ? isListed : exitCodes?.operator === 'NotIn' && !isListed
  })
  if (rule?.action === 'Restart') return true
  const policy = container.restartPolicy ?? restartPolicyOf(pod)
  if (role === 'init') return exitCode !== 0 && policy !== 'Never'
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** `name_namespace(uid)`, as the kubelet names a pod in its messages. */
export const describePod = ({ metadata: { name, namespace, uid } }: Pod): string => `${name}_${namespace}(${uid})`

/** Which part of a pod an Event is about. */
export function fieldPathOf(pod: Pod, container: string): string {
  if (pod.spec?.initContainers?.some(({ name }) => name === container)) return `spec.initContainers{${container}}`
  if (pod.spec?.ephemeralContainers?.some(({ name }) => name === container)) {
    return `spec.ephemeralContainers{${container}}`
  }
  return `spec.containers{${container}}`
}
