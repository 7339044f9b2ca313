import { define, type GoFunction } from '../function.ts'

/** path.Clean: the shortest path that means the same. */
function clean(path: string): string {
  const isRooted = path.startsWith('/')
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') kept.push(part)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!isRooted) kept.push(part)
  }
  const cleaned = (isRooted ? '/' : '') + kept.join('/')
  return cleaned === '' ? '.' : cleaned
}

function base(path: string): string {
  if (path === '') return '.'
  const trimmed = path.replace(/\/+$/, '')
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}

const directory = (path: string): string => clean(path.slice(0, path.lastIndexOf('/') + 1))

const onPath = (read: (path: string) => string | boolean): GoFunction => define(['string'], (_, path) => read(path))

export const pathFunctions: Readonly<Record<string, GoFunction>> = {
  base: onPath(base),
  dir: onPath(directory),
  clean: onPath(clean),
  ext: onPath(extension),
  isAbs: onPath(path => path.startsWith('/')),
  osBase: onPath(base),
  osDir: onPath(directory),
  osClean: onPath(clean),
  osExt: onPath(extension),
  osIsAbs: onPath(path => path.startsWith('/')),
}
