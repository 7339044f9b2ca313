import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { detectProcessRuntime } from './detection.ts'
import { type BundledRuntime, bundleRuntime } from './testing/bundled-runtime.ts'

const support = await detectProcessRuntime()

let bundle: BundledRuntime
beforeAll(async () => {
  bundle = await bundleRuntime()
})
afterAll(() => bundle?.remove())

/** A program with one pod, one container and a program in it. It says when they run. */
const programOf = (isolation: string) => `
  import { createProcessRuntime } from './process-runtime.mjs'
  const runtime = await createProcessRuntime({
    supervisorProgram: './supervisor.mjs',
    support: { isolation: '${isolation}', limitations: [] },
    workDirectory: process.cwd() + '/work',
  })
  const sandbox = await runtime.createSandbox({ uid: 'u', namespace: 'd', name: 'p', hostname: 'p', hostNetwork: false,
    shareProcessNamespace: false, annotations: {}, restartPolicy: 'Never' })
  const base = { name: 'c', restartCount: 0, env: [], supplementalGroups: [], privileged: false,
    allowPrivilegeEscalation: true, readOnlyRootFilesystem: false, capabilities: { add: [], drop: [] }, mounts: [],
    limits: {}, stdin: false, tty: false, output: () => {} }
  const argv = ['sh', '-c', 'sleep 8765431 & sleep 8765432']
  const container = await sandbox.start({ ...base, image: { imageId: 'x', argv, env: {} } })
  await container.exec({ argv: ['sleep', '8765433'], stdin: false, tty: false, output: () => {} })
  console.log('ready')
  setInterval(() => {}, 1000)`

const AS_NOBODY = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
]

describe.runIf(support.isolation === 'root')('nothing outlives', () => {
  test.each([
    ['the runtime, killed', 'root', [], 'runtime'],
    ['its supervisor, killed', 'root', [], 'supervisor'],
    ['the runtime of an ordinary user, killed', 'user', AS_NOBODY, 'runtime'],
    ['the runtime without namespaces, killed', 'none', [], 'runtime'],
  ] as const)('%s', async (_, isolation, prefix, victim) => {
    const traces = tracesOnMachine()
    const program = bundle.run(programOf(isolation), prefix)
    onTestFinished(() => void program.kill('SIGKILL'))
    const lines = createInterface({ input: program.stdout as NodeJS.ReadableStream })
    await once(lines, 'line')
    const runtime = program.pid as number
    await until(() => descendants(runtime).filter(isSleeper).length === 3)
    const family = descendants(runtime)
    onTestFinished(holdNamespaces(family))
    const own = namespacesOf(process.pid)
    const namespaces = new Set(family.flatMap(namespacesOf).filter(namespace => !own.includes(namespace)))
    // Mounts, processes and network of the supervisor, of two more containers' worth, and the pod's network.
    if (isolation !== 'none') expect(namespaces.size).toBeGreaterThanOrEqual(8)

    const supervisor = family.find(pid => pid !== runtime && commandOf(pid).includes('supervisor.mjs')) as number
    process.kill(victim === 'runtime' ? runtime : lastOfLine(supervisor), 'SIGKILL')
    await until(() => family.every(pid => pid === runtime || !isSleeper(pid)))
    program.kill('SIGKILL')
    await until(() => !processes().some(pid => namespacesOf(pid).some(namespace => namespaces.has(namespace))))
    await until(() => family.every(pid => commandOf(pid) === ''))
    expect(tracesOnMachine()).toEqual(traces)
  })
})

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 20_000, interval: 20 })

const processes = () => readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []))
const commandOf = (pid: number) => readIfThere(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')
const isSleeper = (pid: number) => /^sleep\x00876543[123]/.test(commandOf(pid))
const childrenOf = (pid: number) =>
  readIfThere(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), '')
    .split(' ')
    .filter(Boolean)
    .map(Number)
const descendants = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(descendants)]

/** `setpriv`, the shell and Node all name the program: the innermost is Node itself. */
function lastOfLine(pid: number): number {
  const next = childrenOf(pid).find(child => commandOf(child).includes('supervisor.mjs'))
  return next === undefined ? pid : lastOfLine(next)
}

const KINDS = ['mnt', 'net', 'pid', 'user', 'ipc', 'uts']

/** Keeps them until what it returns is called: the number of one that is gone is given to the next, maybe another test's. */
function holdNamespaces(pids: readonly number[]): () => void {
  const held = pids.flatMap(pid =>
    KINDS.flatMap(kind => readIfThere(() => [openSync(`/proc/${pid}/ns/${kind}`, 'r')], [])),
  )
  return () => held.forEach(closeSync)
}

function namespacesOf(pid: number): string[] {
  return KINDS.map(kind => readIfThere(() => readlinkSync(`/proc/${pid}/ns/${kind}`), '')).filter(link => link !== '')
}

/** Of what is the machine's own, what could only be from containers. */
function tracesOnMachine() {
  const links = execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' })
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  return {
    links: links.match(/ (tiphys|pod)\w*[:@]/g),
    mounts: mounts.filter(mount => /tiphys|upper-\d|nsfs| \/dev\/shm\//.test(mount)),
    // PostgreSQL and browsers, which other tests start, have files there.
    folders: readdirSync('/dev/shm', { withFileTypes: true }).flatMap(entry =>
      entry.isDirectory() ? [entry.name] : [],
    ),
  }
}

function readIfThere<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
