import type { LogOptions } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { ContainerConfig } from '../../runtime/pod-runtime.ts'

/** One run of a container. */
export interface LogRun {
  namespace: string
  pod: string
  uid: string
  container: string
  restartCount: number
}

export const logRunOf = ({ metadata }: Pod, container: string, restartCount: number): LogRun => ({
  namespace: metadata.namespace ?? '',
  pod: metadata.name ?? '',
  uid: metadata.uid ?? '',
  container,
  restartCount,
})

export type ReadOptions = Omit<LogOptions, 'container' | 'previous'>

/** Keeps what containers print, in bounded space: of a container that prints without end, the newest part stays. */
export interface LogStore {
  /** Takes what one run prints. */
  open(run: LogRun): RunLog
  /** What a run printed; with `follow` also what it goes on to print, until it ends. Undefined when nothing is kept of it. */
  read(run: LogRun, options: ReadOptions): AsyncIterable<Uint8Array> | undefined
  /** The end of what a run printed: at most this many lines and bytes. */
  tail(run: LogRun, lines: number, bytes: number): Promise<string>
  /** Forgets all runs of a pod. */
  remove(pod: Pick<LogRun, 'namespace' | 'pod' | 'uid'>): Promise<void>
  /** Forgets pods that are not here any more. */
  removeOthers(isKnown: (uid: string) => boolean): Promise<void>
}

export interface RunLog {
  readonly write: ContainerConfig['output']
  /** Nothing more is printed: who follows comes to the end. */
  end(): void
}
