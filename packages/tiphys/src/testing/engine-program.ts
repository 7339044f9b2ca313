import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, formatJson, systemEnv } from '@tiphys/env'
import { openFlights, startEvents } from '@tiphys/events'
import { type Journal, openFileJournal } from '@tiphys/journal'
import { createRecorder } from '@tiphys/journal/records'
import { connect, createLeaderElection, fencedClient, type Leadership, LOOPBACK_RANGES } from '@tiphys/kube'

/* The event engine in a process of its own, to be killed. Run as: program KUBECONFIG FOLDER MODE [NAME].
 * It says `ready` when it is, and ends well on SIGTERM. Modes: `honest`; `forgetful`, the planted bug: it stores that events
 * are handled that are only handed out; `elected`: it runs while it leads; `fragile`: it dies of the objects and programs
 * whose text has `poison-exit`, `poison-throw` or `poison-loop`. */

const [kubeconfig, folder, mode = 'honest', name = 'engine'] = process.argv.slice(2) as [
  string,
  string,
  string?,
  string?,
]
const say = (line: string) => writeSync(1, `${line}\n`)
const log = createLog({ now: () => Date.now(), write: line => say(`log ${formatJson(line)}`), level: 'warn' })
const env = { ...systemEnv, log }
const client = await connect({ kubeconfig })
const records = await openFileJournal({ directory: join(folder, `records-${name}`), env })

function forgetful(journal: Journal): Journal {
  return new Proxy(journal, {
    get(target, property: keyof Journal) {
      if (property !== 'append') {
        const value = target[property]
        return typeof value === 'function' ? value.bind(target) : value
      }
      return (record: Parameters<Journal['append']>[0]) => {
        if (!record.key?.startsWith('c/') || record.deleted) return target.append(record)
        return target.append({ ...record, data: JSON.stringify({ ...JSON.parse(String(record.data)), open: [] }) })
      }
    },
  })
}

/** Ends the process in the way that the text asks for. */
function dieOf(what: unknown): void {
  const [, way] = /poison-(exit|throw|loop)/.exec(JSON.stringify(what) ?? '') ?? []
  if (way === undefined) return
  say(`dies by ${way}`)
  if (way === 'exit') process.exit(1)
  if (way === 'loop') for (;;);
  queueMicrotask(() => {
    throw new Error('planted')
  })
}

function fragile<T extends object>(part: T): T {
  return new Proxy(part, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        dieOf(args)
        return (value as (...args: unknown[]) => unknown).apply(target, args)
      }
    },
  })
}

const scripts = { run: ({ input }: { input: string }) => Promise.resolve(input) }

async function start(leadership?: Leadership) {
  const engine = await startEvents({
    env,
    client: leadership ? fencedClient(client, leadership) : client,
    recorder: createRecorder(records, { env }),
    openJournal: async bus => {
      const journal = await openFileJournal({ directory: join(folder, bus), env })
      return mode === 'forgetful' ? forgetful(journal) : journal
    },
    access: { outbound: { allow: LOOPBACK_RANGES } },
    flights: openFlights({ env, path: join(folder, `in-flight-${name}`) }),
    ...(mode === 'fragile' && {
      scripts: fragile(scripts),
      actAs: ({ namespace, name }: { namespace: string; name: string }) =>
        fragile(client.as({ user: `system:serviceaccount:${namespace}:${name}` })),
    }),
  })
  await engine.ready()
  say(`ready ${leadership?.epoch ?? ''}`)
  return engine
}

if (mode === 'elected') {
  let running: ReturnType<typeof start> | undefined
  createLeaderElection({
    client,
    namespace: 'default',
    name: 'tiphys',
    identity: name,
    env,
    leaseDurationMs: 1500,
    renewDeadlineMs: 1000,
    retryPeriodMs: 200,
    onStartedLeading: leadership => {
      running = start(leadership)
      running.catch(error => say(`log ${String(error)}`))
    },
    onStoppedLeading: async () => {
      await (await running)?.stop()
      say('stopped leading')
    },
  })
  process.on('SIGTERM', () => process.exit(0))
} else {
  const running = start()
  // Whoever hears that it is ready may tell it to end at once.
  process.on('SIGTERM', () => {
    void running
      .then(engine => engine.stop())
      .then(() => {
        say('stopped')
        process.exit(0)
      })
  })
  await running
}

// Nothing of the above alone keeps the process alive.
setInterval(() => {}, 60_000)
