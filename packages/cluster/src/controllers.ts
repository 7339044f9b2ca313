import type { Env } from '@tiphys/env'
import { type Caches, type Client, writeThroughClient } from '@tiphys/kube'
import { batchControllers } from './controllers/batch.ts'
import { bookkeepingControllers } from './controllers/bookkeeping.ts'
import type { Controller, ControllerContext } from './controllers/controller.ts'
import { infrastructureControllers } from './controllers/infrastructure.ts'
import { workloadControllers } from './controllers/workloads.ts'
import { createEventRecorder, type EventRecorder } from './event-recorder.ts'
import type { Running } from './running.ts'
import { createScheduler } from './scheduler/scheduler.ts'

export interface ControllersOptions {
  client: Client
  /** Of the same client. */
  caches: Caches
  env: Env
  /** Where the local provisioner makes volumes. */
  directory: string
}

/** Everything that a control plane does beside answering requests: controllers and a scheduler, as clients of the API. */
export function startControllers({ client, caches, env, directory }: ControllersOptions): Running {
  const context = createContext(client, caches, env)
  const controllers: Controller[] = [
    ...bookkeepingControllers,
    ...workloadControllers,
    ...batchControllers,
    ...infrastructureControllers(directory),
    createScheduler,
  ].map(create => create(context))
  return {
    isIdle: () => controllers.every(controller => controller.isIdle()) && context.areEventsStored(),
    async stop() {
      await Promise.all(controllers.map(controller => controller.stop()))
    },
  }
}

function createContext(client: Client, caches: Caches, env: Env): ControllerContext & { areEventsStored(): boolean } {
  const recorders = new Map<string, EventRecorder>()
  return {
    client: writeThroughClient(client, caches),
    caches,
    env,
    recorder(component) {
      const known = recorders.get(component) ?? createEventRecorder(client, env, component)
      recorders.set(component, known)
      return known
    },
    areEventsStored: () => [...recorders.values()].every(recorder => recorder.isIdle()),
  }
}
