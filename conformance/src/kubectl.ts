import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toolPath } from '../tools.mjs'
import type { Endpoint } from './http.ts'
import { authorization, type IdentityName } from './identities.ts'

export interface KubectlOptions {
  /** Another program that reads a kubeconfig: `helm3`. */
  program?: string
  stdin?: string
  as?: IdentityName
  environment?: Record<string, string>
  /** For a command that does not end by itself: what to do once it has printed a first line, and how many lines to
   *  wait for before it is stopped. */
  endless?: { meanwhile: () => Promise<void>; lines: number }
}

export interface KubectlResult {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** kubectl with a home directory of its own, so that nothing of the machine's user shows. It runs there, too. */
export class Kubectl {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async for(server: Endpoint, namespace: string): Promise<Kubectl> {
    const directory = await mkdtemp(join(tmpdir(), 'tiphys-kubectl-'))
    for (const user of ['admin', 'joe', 'jane'] as const) {
      await writeFile(join(directory, user), kubeconfig(server, namespace, user), { mode: 0o600 })
    }
    return new Kubectl(directory)
  }

  /** Puts files where commands run. */
  async write(files: Record<string, string>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.#directory, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
  }

  async run(args: string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    const child = spawn(toolPath(options.program ?? 'kubectl'), args, {
      cwd: this.#directory,
      env: {
        PATH: process.env.PATH,
        HOME: this.#directory,
        KUBECONFIG: join(this.#directory, options.as ?? 'admin'),
        ...options.environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    let printed: (() => void) | undefined
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString()
      printed?.()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.on('close', resolve)
      child.on('error', reject)
    })
    child.stdin.end(options.stdin ?? '')
    const { endless } = options
    if (endless) {
      const untilLines = async (count: number) => {
        const deadline = setTimeout(() => child.kill(), 20_000)
        while (stdout.split('\n').length <= count && child.exitCode === null && !child.killed) {
          await Promise.race([new Promise<void>(resolve => (printed = resolve)), ended])
        }
        clearTimeout(deadline)
      }
      await untilLines(1)
      await endless.meanwhile()
      await untilLines(endless.lines)
      child.kill()
    }
    const exitCode = await ended
    return { exitCode: endless ? 0 : exitCode, stdout, stderr: withoutLog(stderr) }
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true })
  }
}

function kubeconfig(server: Endpoint, namespace: string, user: IdentityName): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'conformance',
    clusters: [
      {
        name: 'conformance',
        cluster: {
          server: `https://${server.host}:${server.port}`,
          'certificate-authority-data': Buffer.from(server.caCertificate).toString('base64'),
        },
      },
    ],
    users: [{ name: user, user: { token: authorization(user)?.replace('Bearer ', '') } }],
    contexts: [{ name: 'conformance', context: { cluster: 'conformance', user, namespace } }],
  })
}

/** What differs between two runs of the same command: padding of columns, ages, prefixes of log lines. */
export function normaliseOutput(text: string, server: Endpoint): string[] {
  return text
    .replaceAll(`${server.host}:${server.port}`, '<server>')
    .split('\n')
    .map(line =>
      line
        .replace(/^[EWI]\d{4} [\d:.]+ +\d+ /, '')
        .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/, found =>
          Math.abs(Date.parse(found) - Date.now()) < 86_400_000 ? '<time>' : found,
        )
        .replace(/(?<=\S) {2,}/g, '  ')
        .replace(/(?<=\s{2}|: |over |^)(?:\d+[smhdy])+(?=\s|\)|$)/g, '<age>')
        .trimEnd(),
    )
}

/** kubectl logs here and there that it gave up a watch because its time was over: by chance, whoever the server is. */
function withoutLog(stderr: string): string {
  return stderr
    .split('\n')
    .filter(line => !/^[EWI]\d{4} .*\breflector\.go/.test(line))
    .join('\n')
}
