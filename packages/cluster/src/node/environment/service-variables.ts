import type { Service } from '@tiphys/kube/kinds'

/** The variables that tell a pod where services are: those of its own namespace if it wants them, and always the API's. */
export function serviceVariables(
  services: readonly Service[],
  namespace: string,
  hasServiceLinks: boolean,
): Map<string, string> {
  const variables = new Map<string, string>()
  const isApi = ({ metadata }: Service) => metadata.name === 'kubernetes' && metadata.namespace === 'default'
  const chosen = new Map<string, Service>()
  for (const service of services) {
    const isOwn = service.metadata.namespace === namespace && hasServiceLinks
    if (!isOwn && !isApi(service)) continue
    // A service of the pod's own namespace hides the API's of the same name.
    if (isOwn || !chosen.has(service.metadata.name ?? '')) chosen.set(service.metadata.name ?? '', service)
  }
  for (const service of chosen.values()) addVariables(variables, service)
  return variables
}

function addVariables(variables: Map<string, string>, { metadata, spec }: Service): void {
  const ip = spec?.clusterIP
  const ports = spec?.ports ?? []
  if (ip === undefined || ip === '' || ip === 'None' || ports.length === 0) return
  const prefix = variableName(metadata.name ?? '')
  variables.set(`${prefix}_SERVICE_HOST`, ip)
  variables.set(`${prefix}_SERVICE_PORT`, String(ports[0]?.port))
  for (const { name, port } of ports) {
    if (name) variables.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port))
  }
  for (const [index, { port, protocol = 'TCP' }] of ports.entries()) {
    const scheme = protocol.toLowerCase()
    const url = `${scheme}://${ip.includes(':') ? `[${ip}]` : ip}:${port}`
    if (index === 0) variables.set(`${prefix}_PORT`, url)
    const portPrefix = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`
    variables.set(portPrefix, url)
    variables.set(`${portPrefix}_PROTO`, scheme)
    variables.set(`${portPrefix}_PORT`, String(port))
    variables.set(`${portPrefix}_ADDR`, ip)
  }
}

const variableName = (name: string) => name.replaceAll('-', '_').toUpperCase()
