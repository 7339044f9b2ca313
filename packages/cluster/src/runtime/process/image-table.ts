import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { readData } from '../../data.ts'
import { ImageFailure, type ImageRequest, type ResolvedImage, type SandboxConfig } from '../pod-runtime.ts'
import { isWithin } from './machine-view.ts'
import { DEFAULT_PATH } from './pods.ts'

/** What an image would run, said in terms of this machine's programs. */
export interface ImageEntry {
  entrypoint?: readonly string[]
  cmd?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Several separated by `|`: the first that this machine knows. */
  user?: string
  workingDir?: string
  /** Folders that go before the usual ones in $PATH; a `*` stands for the highest version there is. */
  path?: readonly string[]
  /** Programs without which the image's own commands are nothing. */
  needs?: readonly string[]
  /** What has them. */
  install?: string
  /** Programs that the image has and this machine need not have: lines of a shell script, by the program's name. */
  commands?: Readonly<Record<string, readonly string[]>>
}

/** By the image's name without registry, tag and digest; a `*` stands for one part of a name. */
export type ImageTable = Readonly<Record<string, ImageEntry>>

/** What the table is asked about this machine. */
export interface Machine {
  isProgram(path: string): boolean
  isUser(name: string): boolean
  folders(parent: string): readonly string[]
}

export function readImageTable(): ImageTable {
  return JSON.parse(readData('images.json')) as ImageTable
}

/** What an image runs when a manifest says nothing; undefined for one that is not known. */
export function imageEntrypoint(
  table: ImageTable,
  image: string,
): { command: readonly string[]; args?: readonly string[] } | undefined {
  const { entrypoint = [], cmd = [] } = findEntry(table, parseName(image)) ?? {}
  if (entrypoint.length > 0) return { command: entrypoint, args: cmd }
  return cmd.length > 0 ? { command: cmd } : undefined
}

/** Throws an `ImageFailure` when this machine has no program for it. A server's place is then taken by a stand-in. */
export function resolveImage(
  table: ImageTable,
  machine: Machine,
  request: ImageRequest,
  restartPolicy: SandboxConfig['restartPolicy'],
): ResolvedImage {
  const name = parseName(request.image)
  const entry = findEntry(table, name)
  const folders = (entry?.path ?? []).flatMap(pattern => expand(machine, pattern))
  const path = [...folders, DEFAULT_PATH].join(':')
  const argv = [
    ...(request.command ?? entry?.entrypoint ?? []),
    ...(request.args ?? (request.command ? [] : (entry?.cmd ?? []))),
  ]
  const problem = missing(machine, { request, entry, argv, path })
  const image = {
    imageId: `process://${request.image}`,
    env: { ...(folders.length > 0 ? { PATH: path } : {}), ...entry?.env },
    workingDir: entry?.workingDir,
    user: entry?.user?.split('|').find(user => machine.isUser(user) || /^\d/.test(user)),
  }
  const commands = entry?.commands && { commands: entry.commands }
  if (problem === undefined) return { ...image, argv: withScript(entry, argv), ...commands }
  if (restartPolicy !== 'Always') throw new ImageFailure('ErrImageNeverPull', problem)
  return { ...image, user: undefined, argv: STAND_IN, simulated: problem }
}

/** Waits, and ends when it is told to. */
const STAND_IN = ['/bin/sh', '-c', "trap 'exit 0' TERM INT; sleep 2147483647 & wait"]

function withScript(entry: ImageEntry | undefined, argv: readonly string[]): readonly string[] {
  const [command = '', ...rest] = argv
  const script = ownScript(entry, command)
  return script === undefined ? argv : ['/bin/sh', '-c', script.join('\n'), command, ...rest]
}

function ownScript(entry: ImageEntry | undefined, command: string): readonly string[] | undefined {
  const commands = entry?.commands ?? {}
  return Object.hasOwn(commands, command) ? commands[command] : undefined
}

interface Question {
  request: ImageRequest
  entry: ImageEntry | undefined
  argv: readonly string[]
  path: string
}

/** What is not here and what would help, as the container's status says it. */
function missing(machine: Machine, { request, entry, argv, path }: Question): string | undefined {
  const { image } = request
  const [command] = argv
  const unknown = `image "${image}" is not run from a registry here, and what it runs is not known: give the container a command, or describe the image in the table of images`
  if (command === undefined)
    return entry === undefined ? unknown : `image "${image}" runs nothing of its own: give the container a command`
  if (ownScript(entry, command) !== undefined || request.command === undefined) {
    const absent = (entry?.needs ?? []).filter(program => !isFound(machine, program, path))
    if (absent.length > 0)
      return `image "${image}" needs ${absent.join(', ')} on this machine: install ${entry?.install ?? absent.join(', ')}`
  }
  if (ownScript(entry, command) !== undefined) return undefined
  if (command.includes('/')) {
    // A relative path leads from a folder that only the container has, and a volume brings its own programs.
    const isInVolume = (request.mountTargets ?? []).some(target => isWithin(command, target))
    if (!isAbsolute(command) || isInVolume || machine.isProgram(command) || isInOwnFolder(command)) return undefined
  } else if (isFound(machine, command, path)) return undefined
  // The first of the arguments is the program only of images that have no entry point.
  if (entry === undefined && request.command === undefined) return unknown
  const help = entry?.install ?? `what has ${command}`
  return `image "${image}" is not pulled here, and its command ${command} is not on this machine: install ${help}`
}

/** Made by the container itself, or by an earlier one of its pod. */
const isInOwnFolder = (path: string): boolean =>
  ['/tmp', '/run', '/dev', '/proc'].some(folder => isWithin(path, folder))

const isFound = (machine: Machine, program: string, path: string): boolean =>
  path.split(':').some(folder => machine.isProgram(join(folder, program)))

/** The name without registry, `library/`, tag and digest. */
function parseName(image: string): string {
  const [withoutDigest = ''] = image.split('@')
  const name = withoutDigest.replace(/:[^:/]*$/, '')
  if (!/^([a-zA-Z0-9.-]+(:\d+)?\/)?[a-z0-9]+([._-]+[a-z0-9]+|\/[a-z0-9]+)*$/.test(name)) {
    const why = /[A-Z]/.test(name)
      ? 'invalid reference format: repository name must be lowercase'
      : 'invalid reference format'
    throw new ImageFailure(
      'InvalidImageName',
      `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`,
    )
  }
  const [first = '', ...rest] = name.split('/')
  const isRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const parts = isRegistry ? rest : [first, ...rest]
  return (parts[0] === 'library' ? parts.slice(1) : parts).join('/')
}

function findEntry(table: ImageTable, name: string): ImageEntry | undefined {
  if (Object.hasOwn(table, name)) return table[name]
  const found = Object.keys(table).find(pattern => {
    const parts = pattern.split('/')
    const names = name.split('/')
    return parts.length === names.length && parts.every((part, index) => part === '*' || part === names[index])
  })
  return found === undefined ? undefined : table[found]
}

function expand(machine: Machine, pattern: string): string[] {
  const star = pattern.indexOf('*')
  if (star < 0) return [pattern]
  const parent = dirname(pattern.slice(0, star + 1))
  const prefix = pattern.slice(parent.length + 1, star)
  const rest = pattern.slice(star + 1)
  const versions = machine
    .folders(parent)
    .filter(name => name.startsWith(prefix))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
  return versions.slice(0, 1).map(name => join(parent, `${name}${rest}`))
}

export function thisMachine(isUser: (name: string) => boolean): Machine {
  return {
    isUser,
    isProgram(path) {
      try {
        accessSync(path, constants.X_OK)
        return statSync(path).isFile()
      } catch {
        return false
      }
    },
    folders(parent) {
      try {
        return readdirSync(parent)
      } catch {
        return []
      }
    },
  }
}
