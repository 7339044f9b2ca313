import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toolPath } from '../conformance/tools.mjs'
import { TiphysProcess } from '../packages/tiphys/src/tiphys-process.ts'
import { root } from './steps.mjs'

/** A block of shell lines, and what the guide says that they print. */
export interface GuideStep {
  code: string
  answer: string | undefined
}

export interface GuideBlock {
  language: string
  text: string
}

/** What a guide shows between fences. */
export async function readBlocks(path: string): Promise<GuideBlock[]> {
  const guide = await readFile(join(root, path), 'utf8')
  const blocks = guide.matchAll(/^```(\w+)\n(.*?)^```/gms)
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }))
}

/** The shell blocks of a guide, each with the `text` block that follows it. */
export async function readGuide(path: string): Promise<GuideStep[]> {
  const blocks = await readBlocks(path)
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return []
    const next = blocks[index + 1]
    return [{ code: text, answer: next?.language === 'text' ? next.text : undefined }]
  })
}

const LONG_RUNNING = /^npx tiphys ((?:up|run|cluster)\b.*)\n$/
/** What `npm start` comes to, once it has set itself up. */
export const START = ['up', 'examples/memcached']
const USUAL_ADDRESS = '127.0.0.1:6443'
/** What `kubectl wait` may log of the watch that it ends itself once it has seen what it waits for. */
const OWN_END = /^I\d{4} .*"Warning: watch ended with error".*context canceled.*\n/gm

/** Follows a guide as a reader does, in one folder with one `.tiphys`. A block that is `npm start` or one `npx tiphys
 *  up|run|cluster` goes on in a terminal of its own until another one of them is started under the same name, or until the
 *  end. */
export class GuideReader {
  readonly #folder: string
  readonly #running = new Map<string, TiphysProcess>()
  /** Where the API is: others may have taken the usual port. */
  #address = USUAL_ADDRESS

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @param files What the reader has written before, by name. */
  static async start(files: Readonly<Record<string, string>> = {}): Promise<GuideReader> {
    const folder = await mkdtemp(join(tmpdir(), 'tiphys-guide-'))
    await mkdir(join(folder, 'bin'))
    await symlink(toolPath('kubectl'), join(folder, 'bin/kubectl'))
    await symlink(join(root, 'examples'), join(folder, 'examples'))
    // What npx finds in a clone of the repository.
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return new GuideReader(folder)
  }

  /** What a reader sees who does what the block says. */
  async follow({ code }: GuideStep): Promise<string> {
    const command = code === 'npm start\n' ? START.join(' ') : LONG_RUNNING.exec(code)?.[1]
    if (command === undefined) return this.#shell(code)
    const [name, ...words] = command.split(' ') as [string, ...string[]]
    // Ctrl-C, as the guides say: `up` gives way to the parts, a `run` to the next one.
    for (const other of name === 'run' ? ['run'] : ['run', 'cluster', 'up']) await this.#stop(other)
    const started = new TiphysProcess([name, ...words], { cwd: this.#folder })
    this.#running.set(name, started)
    await started.shows('tiphys is ready\n')
    this.#address = /^API +https:\/\/(\S+)/m.exec(started.out)?.[1] ?? this.#address
    return started.out
  }

  async close(): Promise<void> {
    for (const name of ['run', 'up', 'cluster']) await this.#stop(name)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #stop(name: string): Promise<void> {
    await this.#running.get(name)?.signal('SIGINT')
    this.#running.delete(name)
  }

  async #shell(code: string): Promise<string> {
    const path = `${join(this.#folder, 'bin')}:${process.env.PATH}`
    const env = { ...process.env, KUBECONFIG: '.tiphys/kubeconfig', PATH: path, npm_config_loglevel: 'error' }
    const options = { cwd: this.#folder, env }
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', `exec 2>&1\n${code.replaceAll(USUAL_ADDRESS, this.#address)}`],
      options,
    ).catch((error: { stdout: string }) => error)
    return withoutOwnEnds(stdout)
  }
}

/** What commands show, without what kubectl says at times, on any cluster, of having ended a watch. */
export function withoutOwnEnds(shown: string): string {
  return shown.replaceAll(OWN_END, '')
}

/** A pattern for what a guide shows: `…` stands for whatever differs from machine to machine, alone on a line for any number
 *  of lines, and so does a port, which others may have taken. How many spaces there are does not matter. */
export function patternOf(answer: string): RegExp {
  const lines = answer.trimEnd().split('\n')
  const source = lines.map(line => (line === '…' ? '(?:.*\\n)*' : `${patternOfLine(line)} *\\n`))
  return new RegExp(`^${source.join('')}$`)
}

function patternOfLine(line: string): string {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return line
    .trimEnd()
    .split('…')
    .map(part =>
      literal(part)
        .replaceAll(/ +/g, ' +')
        .replaceAll(/(127\\\.0\\\.0\\\.1):\d+/g, '$1:\\d+'),
    )
    .join('.*')
}
