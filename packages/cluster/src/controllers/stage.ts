import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { createLog, type Env, type LogLine, seededRandom, VirtualClock } from '@tiphys/env'
import { type Client, createCaches, type KubeObject, kindRef, type ObjectRef, writeThroughClient } from '@tiphys/kube'
import type { Event } from '@tiphys/kube/kinds'
import { createEventRecorder, type EventRecorder } from '../event-recorder.ts'
import type { Controller, ControllerContext } from './controller.ts'

/** An API server in memory, some controllers and a virtual clock, for tests. */
export interface Stage {
  server: ApiServer
  client: Client
  clock: VirtualClock
  context: ControllerContext
  warnings: LogLine[]
  /** Returns when the controllers have nothing left to do at this time. */
  settle(): Promise<void>
  /** Moves time on, then settles. */
  pass(seconds: number): Promise<void>
  exists(ref: ObjectRef): Promise<boolean>
  /** `reason message` of all Events about an object of that name, in their order. */
  events(name: string): Promise<string[]>
  stop(): Promise<void>
}

export async function createStage(...create: readonly ((context: ControllerContext) => Controller)[]): Promise<Stage> {
  const clock = new VirtualClock()
  const warnings: LogLine[] = []
  const log = createLog({ now: () => clock.now(), level: 'warn', write: line => void warnings.push(line) })
  const env: Env = { clock, random: seededRandom(1), log }
  const server = await createApiServer({ env, clusterDefaults: true })
  const direct = server.client()
  const caches = createCaches(direct, { env })
  const recorders: EventRecorder[] = []
  const context: ControllerContext = {
    client: writeThroughClient(direct, caches),
    caches,
    env,
    recorder(component) {
      const recorder = createEventRecorder(direct, env, component)
      recorders.push(recorder)
      return recorder
    },
  }
  const controllers = create.map(make => make(context))

  const settle = async () => {
    for (let quiet = 0, seen = -1; quiet < 3; ) {
      await clock.advance(10)
      const { revision } = server.storage
      const isIdle = [...controllers, ...recorders].every(part => part.isIdle())
      quiet = revision === seen && isIdle ? quiet + 1 : 0
      seen = revision
    }
  }

  return {
    server,
    client: direct,
    clock,
    context,
    warnings,
    settle,
    async pass(seconds) {
      await clock.advance(seconds * 1000)
      await settle()
    },
    exists: ref =>
      direct.get(ref).then(
        () => true,
        () => false,
      ),
    async events(name) {
      const { items } = await direct.list<Event & KubeObject>(kindRef('v1', 'Event'))
      return items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ reason, message }) => `${reason} ${message}`)
    },
    async stop() {
      await Promise.all(controllers.map(controller => controller.stop()))
      caches.stop()
      await server.close()
    },
  }
}
