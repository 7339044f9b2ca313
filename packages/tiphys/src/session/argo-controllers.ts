import { TerminalFailure } from '@tiphys/env'
import { type Client, isForbidden, isNotFound, kindRef } from '@tiphys/kube'
import type { ConfigMap, Container, Deployment } from '@tiphys/kube/kinds'

/** A controller of Argo that runs in the cluster, and whom it serves. */
export interface ArgoController {
  product: 'Argo Events' | 'Argo Workflows'
  /** `argo-events/controller-manager`. */
  deployment: string
  /** The only namespace it serves; undefined for all. */
  namespace: string | undefined
  /** The only instance id that it serves; undefined for objects without one. */
  instanceId: string | undefined
}

export interface Served {
  /** Undefined for all. */
  namespaces: readonly string[] | undefined
  instanceId: string | undefined
}

const DEPLOYMENT = kindRef<Deployment>('apps/v1', 'Deployment')
const CONFIG_MAP = kindRef<ConfigMap>('v1', 'ConfigMap')

/** Argo's controllers that are to run, as far as this user may see. */
export async function findArgoControllers(client: Client): Promise<ArgoController[]> {
  const { items } = await client.listAll(DEPLOYMENT).catch(thrown => {
    if (isForbidden(thrown)) return { items: [] }
    throw thrown
  })
  const found: ArgoController[] = []
  for (const { metadata, spec } of items) {
    if (spec?.replicas === 0) continue
    const { namespace = '', name = '' } = metadata
    for (const container of spec?.template?.spec?.containers ?? []) {
      const product = productOf(container)
      if (!product) continue
      const instanceId = product === 'Argo Workflows' ? await instanceIdOf(client, namespace, container) : undefined
      found.push({
        product,
        deployment: `${namespace}/${name}`,
        namespace: servedNamespace(namespace, container),
        instanceId,
      })
    }
  }
  return found
}

/** Throws when a controller would act on what this instance is to serve: every event and every step would happen twice. */
export function refuseSharedNamespaces(controllers: readonly ArgoController[], served: Served): void {
  const other = controllers.find(controller => isShared(controller, served))
  if (!other) return
  const { product, deployment, namespace } = other
  const separate =
    product === 'Argo Workflows'
      ? 'Serve another namespace with --namespace, give Tiphys an --instance-id of its own'
      : 'Serve another namespace with --namespace'
  throw new TerminalFailure('cli-argo-runs', {
    what: `${product} (Deployment ${deployment}) serves ${namespace === undefined ? 'all namespaces' : `the namespace ${namespace}`} of this cluster`,
    why: 'both would act on the same objects',
    todo: `${separate}, or scale the Deployment to 0 first`,
  })
}

function isShared({ product, namespace, instanceId }: ArgoController, served: Served): boolean {
  if (namespace !== undefined && served.namespaces && !served.namespaces.includes(namespace)) return false
  // Argo Events has no instance ids.
  return product === 'Argo Events' || instanceId === served.instanceId
}

function productOf({ image = '', name, args = [], command = [] }: Container): ArgoController['product'] | undefined {
  const words = [...command, ...args]
  if (/(^|\/)workflow-controller(:|@|$)/.test(image) || words.includes('workflow-controller')) return 'Argo Workflows'
  const isEvents = /(^|\/)argo-events(:|@|$)/.test(image)
  return isEvents && (words.includes('controller') || name === 'controller-manager') ? 'Argo Events' : undefined
}

function servedNamespace(own: string, { args = [], command = [] }: Container): string | undefined {
  const words = [...command, ...args]
  const managed = flagValue(words, '--managed-namespace')
  return managed ?? (words.some(word => /^--namespaced(=true)?$/.test(word)) ? own : undefined)
}

async function instanceIdOf(client: Client, namespace: string, { args = [], command = [] }: Container) {
  const words = [...command, ...args]
  const name = flagValue(words, '--configmap') ?? 'workflow-controller-configmap'
  try {
    const { data = {} } = await client.get({ ...CONFIG_MAP, namespace, name })
    const inline = /^\s*instanceID:\s*["']?([^\s"']+)/m.exec(data.config ?? '')?.[1]
    return data.instanceID ?? inline
  } catch (thrown) {
    if (isNotFound(thrown) || isForbidden(thrown)) return undefined // Then it has the usual settings, or may not be known.
    throw thrown
  }
}

function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag)
  if (at >= 0) return words[at + 1]
  return words.find(word => word.startsWith(`${flag}=`))?.slice(flag.length + 1)
}
