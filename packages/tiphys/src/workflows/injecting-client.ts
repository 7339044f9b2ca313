import type { Client, KubeObject } from '@tiphys/kube'
import type { Container, Pod } from '@tiphys/kube/kinds'
import { Mortality, mortalClient } from './mortal-client.ts'

/** For tests: a cluster whose admission webhook puts a container into every pod of a step, before the step's own as Istio's
 *  does. */
export function injectingClient(client: Client, container: Container): Client {
  const mortal = mortalClient(client, new Mortality(0, 'before'))
  return {
    ...mortal,
    create: (object, options) =>
      mortal.create(object.kind === 'Pod' ? withContainer(object, container) : object, options),
  }
}

function withContainer<T extends KubeObject>(object: T, container: Container): T {
  const { spec } = object as unknown as Pod
  return { ...object, spec: { ...spec, containers: [container, ...(spec?.containers ?? [])] } }
}
