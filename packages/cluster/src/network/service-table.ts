import type { ServiceRoute } from '../runtime/pod-runtime.ts'

export type Target = { ip: string; port: number } | 'api'

/** A place where connections arrive, and where they may go on to. */
export interface Frontend {
  protocol: 'TCP' | 'UDP'
  ip: string
  port: number
  targets: readonly Target[]
  isSticky: boolean
}

/** The frontends of all services by their keys. A port that leads nowhere has none, so that whoever connects to it is
 *  refused at once. Where two services claim one place, the first keeps it. */
export function frontendsOf(services: readonly ServiceRoute[]): Map<string, Frontend> {
  const frontends = new Map<string, Frontend>()
  for (const { clusterIps, ports, sessionAffinity } of services) {
    for (const { protocol, port, targets } of ports) {
      if (targets.length === 0) continue
      for (const ip of clusterIps) {
        const key = `${protocol} ${ip}:${port}`
        if (!frontends.has(key))
          frontends.set(key, { protocol, ip, port, targets, isSticky: sessionAffinity === 'ClientIP' })
      }
    }
  }
  return frontends
}

export function targetKey(target: Target): string {
  return target === 'api' ? target : `${target.ip}:${target.port}`
}
