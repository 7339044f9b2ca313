import type { Client } from '@tiphys/kube'
import type { Container, Pod } from '@tiphys/kube/kinds'
import { type ConfigurationKind, createConfigurationSource, notFoundMessage } from './configuration-source.ts'
import { bareConfig, type ContainerSetup } from './container-setup.ts'
import { containerEnvironment } from './environment/container-environment.ts'
import { MountFailure } from './volumes/pod-volumes.ts'

export interface BareSetupOptions {
  client: Client
  nodeName: string
  hostIps: readonly string[]
  allocatable: Readonly<Record<string, string>>
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map()

/** For containers that see no file of this machine. Nothing is made, but what a pod refers to has to be there all the
 *  same: a pod that would wait on a real node waits here, too. */
export function createBareSetup({ client, nodeName, hostIps, allocatable }: BareSetupOptions): ContainerSetup {
  const source = createConfigurationSource(client)
  return {
    async preparePod(pod) {
      for (const { volume, kind, name } of neededConfigurations(pod)) {
        const found = await source.read(kind, pod.metadata.namespace ?? '', name)
        if (!found) throw new MountFailure(volume, notFoundMessage(kind, name))
      }
    },
    async environment({ pod, container, ips }) {
      if (!hasReferences(container)) return NO_VARIABLES
      const place = { nodeName, hostIps, podIps: ips, allocatable }
      return containerEnvironment({ pod, container, place, services: NO_VARIABLES, source })
    },
    configure: async request => bareConfig(request),
    terminationMessage: ({ running }) => running.pretence?.message,
    removePod: async () => {},
  }
}

const hasReferences = ({ env = [], envFrom = [] }: Container) =>
  envFrom.length > 0 || env.some(({ valueFrom }) => valueFrom?.configMapKeyRef ?? valueFrom?.secretKeyRef)

/** ConfigMaps and Secrets without which a volume cannot be. (The token's volume, which every pod has, is not looked at.) */
function neededConfigurations({ spec }: Pod): { volume: string; kind: ConfigurationKind; name: string }[] {
  return (spec?.volumes ?? []).flatMap(({ name: volume, configMap, secret }) => [
    ...(configMap && !configMap.optional ? [{ volume, kind: 'ConfigMap' as const, name: configMap.name ?? '' }] : []),
    ...(secret && !secret.optional ? [{ volume, kind: 'Secret' as const, name: secret.secretName ?? '' }] : []),
  ])
}
