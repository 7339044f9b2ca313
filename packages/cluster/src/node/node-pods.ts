import type { Duplex } from 'node:stream'
import type { LogOptions } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { ExecConfig, ExecSession } from '../runtime/pod-runtime.ts'

export interface ContainerRef {
  namespace: string
  pod: string
  container: string
}

/** What a node lets others do with the pods that run on it; its HTTPS endpoints serve this.
 *  A pod or container that is not there, or not in the right state, throws a `NodeRefusal`. */
export interface NodePods {
  pods(): readonly Pod[]
  pod(namespace: string, name: string): Pod | undefined
  logs(container: ContainerRef, options: Omit<LogOptions, 'container'>): AsyncIterable<Uint8Array>
  exec(container: ContainerRef, config: ExecConfig): Promise<ExecSession>
  /** Joins the container's own streams. `exited` resolves when the container ends. */
  attach(container: ContainerRef, config: Omit<ExecConfig, 'argv'>): Promise<ExecSession>
  dial(pod: { namespace: string; pod: string }, port: number): Promise<Duplex>
  usage(container: ContainerRef): Promise<{ cpuNanoseconds: bigint; memoryBytes: number } | undefined>
}

/** Why a node does not do what it was asked, with the HTTP status it answers. */
export class NodeRefusal extends Error {
  readonly status: 400 | 404 | 500

  constructor(status: NodeRefusal['status'], message: string) {
    super(message)
    this.name = 'NodeRefusal'
    this.status = status
  }
}
