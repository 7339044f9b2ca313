import { kubeconfigFor } from '@tiphys/kube'
import { RealApiServer } from '@tiphys/kube/testing'
import type { ReachableServer } from './loss-scene.ts'

/** A kube-apiserver that a scene can work with, and kill. */
export interface RealServer extends ReachableServer {
  startApiServer(): Promise<void>
  killApiServer(): Promise<void>
}

export async function startRealServer(): Promise<RealServer> {
  const real = await RealApiServer.start()
  return {
    client: real.client,
    kubeconfig: kubeconfigFor({ name: 'test', ...real.contents }),
    startApiServer: () => real.startApiServer(),
    killApiServer: () => real.killApiServer(),
    stop: () => real.stop(),
  }
}
