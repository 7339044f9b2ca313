import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { delay, systemClock } from '@tiphys/env'
import { createEngineClient, type EngineClient } from '../engine-client.ts'

/** Programs of this machine that the test image has, with their libraries. */
const PROGRAMS = [
  'sh',
  'cat',
  'sleep',
  'env',
  'id',
  'ls',
  'stty',
  'head',
  'tail',
  'hostname',
  'readlink',
  'seq',
  'touch',
]

/** Nothing of the engine is left when it ends: it has its own processes and network, and keeps what it notes down outside
 *  its folder in memory. Its container starter does not go with both versions of cgroups at once. */
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child']
const PREPARATION = [
  'mount -t tmpfs tmpfs /run',
  'mount -t tmpfs tmpfs /var/lib',
  'if [ -d /sys/fs/cgroup/unified ]; then umount /sys/fs/cgroup/unified; fi',
  'ip link set lo up',
]

export const TEST_IMAGE = 'localhost/tiphys-test/root'

/** Undefined when a Podman can be started here, else what stands in the way. */
export function whyNoPodman(): string | undefined {
  const podman = spawnSync('podman', ['--version'], { encoding: 'utf8' })
  if (podman.status !== 0) return 'podman is not installed'
  const script = PREPARATION.join(' && ')
  const { status, stderr } = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', script], { encoding: 'utf8' })
  return status === 0 ? undefined : stderr.trim()
}

/** A Podman for one test file, with an image made of this machine's own programs. */
export interface PodmanEngine {
  readonly socketPath: string
  readonly client: EngineClient
  close(): Promise<void>
}

export async function startPodman(): Promise<PodmanEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-podman-'))
  const socketPath = join(folder, 'engine.sock')
  const [root, run, configuration] = ['root', 'run', 'containers.conf'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const files = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  // The engine's own choice may be more than this machine allows.
  const limits = `default_ulimits = ["nofile=${files}:${files}", "nproc=4096:4096"]`
  const networks = `network_config_dir = "${join(folder, 'networks')}"`
  writeFileSync(configuration, `[containers]\n${limits}\n[network]\n${networks}\n`)
  const podman = ['podman', '--root', root, '--runroot', run, '--storage-driver', 'vfs', '--cgroup-manager', 'cgroupfs']
  const service = ['--events-backend', 'file', 'system', 'service', '--time', '0', `unix://${socketPath}`]
  const script = [...PREPARATION, 'exec "$@"'].join(' && ')
  // Dies with this process, however that dies.
  const engine = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', ...NAMESPACES, 'sh', '-c', script, 'sh', ...podman, ...service],
    {
      env: { ...process.env, CONTAINERS_CONF: configuration, TMPDIR: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
      // Its container monitor leaves a file where it was started when a container runs out of memory.
      cwd: folder,
    },
  )
  let problems = ''
  engine.stderr.on('data', chunk => {
    problems = `${problems}${chunk}`.slice(-2000)
  })
  const client = createEngineClient(socketPath)
  await whenAnswering(client, engine, () => problems)
  await importTestImage(client, folder)
  return {
    socketPath,
    client,
    async close() {
      const ended = new Promise(resolve => engine.once('close', resolve))
      // The first process of its namespace, with which all others end.
      const [child] = readFileSync(`/proc/${engine.pid}/task/${engine.pid}/children`, 'utf8').split(' ')
      process.kill(Number(child), 'SIGKILL')
      await ended
      removeCgroups()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function whenAnswering(client: EngineClient, engine: ChildProcess, problems: () => string): Promise<void> {
  const deadline = systemClock.monotonic() + 20_000
  while (true) {
    const answer = await client.json('/version').catch(() => undefined)
    if (answer !== undefined) return
    if (engine.exitCode !== null || systemClock.monotonic() > deadline)
      throw new Error(`podman does not answer: ${problems()}`)
    await delay(systemClock, 20)
  }
}

async function importTestImage(client: EngineClient, folder: string): Promise<void> {
  const image = join(folder, 'image')
  for (const path of ['bin', 'etc', 'tmp', 'proc', 'sys', 'dev', 'work'])
    mkdirSync(join(image, path), { recursive: true })
  for (const program of PROGRAMS) {
    const path = execFileSync('sh', ['-c', `readlink -f "$(command -v ${program})"`], { encoding: 'utf8' }).trim()
    cpSync(path, join(image, 'bin', program))
    for (const [library] of execFileSync('ldd', [path], { encoding: 'utf8' }).matchAll(/\/\S+/g)) {
      mkdirSync(join(image, dirname(library)), { recursive: true })
      cpSync(library, join(image, library), { dereference: true })
    }
  }
  writeFileSync(join(image, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\napp:x:1000:1000:app:/:/bin/sh\n')
  writeFileSync(join(image, 'etc/group'), 'root:x:0:\napp:x:1000:\n')
  const archive = execFileSync('tar', ['-C', image, '-c', '.'], { maxBuffer: 200_000_000 })
  const changes = ['ENV ORIGIN=image', 'ENTRYPOINT ["/bin/sh","-c"]', 'CMD ["echo from the image"]', 'WORKDIR /work']
  const query = { fromSrc: '-', repo: TEST_IMAGE, changes }
  await client.json('/images/create', { method: 'POST', query, body: archive })
  rmSync(image, { recursive: true })
}

/** What the engine made in the machine's cgroups and has no processes any more. One that another engine uses stays. */
function removeCgroups(): void {
  if (!existsSync('/sys/fs/cgroup')) return
  for (const controller of readdirSync('/sys/fs/cgroup'))
    removeEmpty(join('/sys/fs/cgroup', controller, 'libpod_parent'))
}

function removeEmpty(folder: string): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name))
  }
  try {
    rmdirSync(folder)
  } catch {
    // In use.
  }
}
