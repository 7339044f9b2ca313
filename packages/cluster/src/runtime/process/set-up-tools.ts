import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, posix } from 'node:path'
import { isWithin } from './machine-view.ts'
import { TOOL_ENV } from './shell.ts'

/** What the set-up of a container still runs, as root, after its volumes are mounted. */
const TOOLS = ['sh', 'mount', 'umount', 'mkdir', 'setpriv', 'env', 'script', 'unshare']
/** Makes every program load something. */
const LOADER_FILES = ['/etc/ld.so.preload', '/etc/ld.so.cache']
const LIBRARY_FOLDERS = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64']
const MULTIARCH = /-linux-(gnu|musl)/
const LIBRARY = /\.so(\.\d+)*$|^glibc-hwcaps$/

/** The files that decide what the set-up of a container runs on this machine. */
export interface SetUpTools {
  /** Wherever the shell looks for a tool. */
  files: readonly string[]
  libraryFolders: readonly string[]
}

export function findSetUpTools(): SetUpTools {
  const folders = TOOL_ENV.PATH.split(':').map(realPath)
  const libraries = LIBRARY_FOLDERS.filter(existsSync).flatMap(folder => [
    folder,
    ...readdirSync(folder)
      .filter(name => MULTIARCH.test(name))
      .map(name => posix.join(folder, name)),
  ])
  return {
    files: [...new Set([...folders.flatMap(folder => TOOLS.map(tool => posix.join(folder, tool))), ...LOADER_FILES])],
    libraryFolders: [...new Set(libraries.map(realPath))],
  }
}

/** Whether something mounted at a place would decide what runs. `target` is without symbolic links. */
export function coversTools({ files, libraryFolders }: SetUpTools, target: string): boolean {
  return (
    [...files, ...libraryFolders].some(path => isWithin(path, target)) ||
    (LIBRARY.test(basename(target)) && libraryFolders.includes(dirname(target)))
  )
}

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)
