import type { Duplex } from 'node:stream'
import type { Env } from '@tiphys/env'
import type { PodRuntime } from './pod-runtime.ts'
import type { ImageTable } from './process/image-table.ts'

export type RuntimeName = 'auto' | 'process' | 'docker' | 'simulated'

export interface RuntimeOptions {
  env: Env
  /** The bundled program that owns the containers of the process runtime. */
  supervisorProgram: string
  /** Files and folders that no container may see. */
  maskedPaths: readonly string[]
  /** What images run, besides those that are known; for runtimes that have no images of their own. */
  images?: ImageTable
  /** Where containers have their folders when there are no namespaces. */
  workDirectory: string
  /** A connection to the API server, for pods that ask for `kubernetes.default.svc`. */
  dialApi: () => Promise<Duplex>
}

/** `auto` is processes where this machine allows namespaces, else an engine that answers, else plain processes. */
export async function createRuntime(name: RuntimeName, options: RuntimeOptions): Promise<PodRuntime> {
  switch (name) {
    case 'simulated': {
      const { createSimulatedRuntime } = await import('./simulated/simulated-runtime.ts')
      return createSimulatedRuntime(options)
    }
    case 'docker':
      return createDocker(options)
    default: {
      const { createProcessRuntime } = await import('./process/process-runtime.ts')
      const { detectProcessRuntime } = await import('./process/detection.ts')
      const support = await detectProcessRuntime()
      if (name === 'auto' && support.isolation === 'none') {
        const docker = await createDocker(options).catch(() => undefined)
        if (docker) return docker
      }
      return createProcessRuntime({ ...options, support })
    }
  }
}

async function createDocker({ env }: RuntimeOptions): Promise<PodRuntime> {
  const { createDockerRuntime } = await import('./docker/docker-runtime.ts')
  return createDockerRuntime({ env })
}
