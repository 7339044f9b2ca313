import { Quantity } from '@tiphys/expressions/quantity'
import type { Container, Pod } from '@tiphys/kube/kinds'
import type { ContainerConfig, ResolvedImage } from '../runtime/pod-runtime.ts'
import { SetupFailure } from './container-setup.ts'
import { describePod } from './pod-containers.ts'

type Security = Pick<
  ContainerConfig,
  | 'runAsUser'
  | 'runAsGroup'
  | 'supplementalGroups'
  | 'privileged'
  | 'allowPrivilegeEscalation'
  | 'readOnlyRootFilesystem'
  | 'capabilities'
  | 'limits'
>

/** As whom a container runs and what it may do: the container's word goes before the pod's. */
export function securityConfig(pod: Pod, container: Container, image: ResolvedImage): Security {
  const ofPod = pod.spec?.securityContext ?? {}
  const own = container.securityContext ?? {}
  const runAsUser = own.runAsUser ?? ofPod.runAsUser
  if (own.runAsNonRoot ?? ofPod.runAsNonRoot) refuseRoot(pod, container, image, runAsUser)
  const privileged = own.privileged ?? false
  const groups = [...(ofPod.supplementalGroups ?? []), ...(ofPod.fsGroup === undefined ? [] : [ofPod.fsGroup])]
  return {
    runAsUser,
    runAsGroup: own.runAsGroup ?? ofPod.runAsGroup,
    supplementalGroups: [...new Set(groups)],
    privileged,
    allowPrivilegeEscalation: own.allowPrivilegeEscalation ?? true,
    readOnlyRootFilesystem: own.readOnlyRootFilesystem ?? false,
    capabilities: { add: own.capabilities?.add ?? [], drop: own.capabilities?.drop ?? [] },
    limits: limitsOf(container),
  }
}

function refuseRoot(pod: Pod, { name }: Container, { user }: ResolvedImage, runAsUser: number | undefined): void {
  const where = `(pod: "${describePod(pod)}", container: ${name})`
  if (runAsUser === 0) throw new SetupFailure(`container's runAsUser breaks non-root policy ${where}`)
  if (runAsUser !== undefined) return
  const [imageUser = ''] = user?.split(':') ?? []
  if (imageUser === '' || imageUser === '0' || imageUser === 'root') {
    throw new SetupFailure(`container has runAsNonRoot and image will run as root ${where}`)
  }
  if (!/^\d+$/u.test(imageUser)) {
    throw new SetupFailure(
      `container has runAsNonRoot and image has non-numeric user (${imageUser}), cannot verify user is non-root ${where}`,
    )
  }
}

function limitsOf({ resources }: Container): ContainerConfig['limits'] {
  const { cpu, memory } = resources?.limits ?? {}
  return {
    ...(memory !== undefined && { memoryBytes: Number(Quantity.parse(memory).scaledValue(0)) }),
    ...(cpu !== undefined && { cpuMillis: Number(Quantity.parse(cpu).scaledValue(-3)) }),
  }
}
