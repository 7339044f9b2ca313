import { posix } from 'node:path'
import { isWithin } from './machine-view.ts'
import { quote } from './shell.ts'

/** A program that an image has and this machine need not have, as a file. */
export interface ImageProgram {
  /** A path, or a name to be found in $PATH, after the machine's own programs. */
  name: string
  text: string
}

/** Where the named ones are in a container, whose own this folder is. */
export const PROGRAMS_FOLDER = '/run/image-programs'

export function programsOf(commands: Readonly<Record<string, readonly string[]>> | undefined): ImageProgram[] {
  return Object.entries(commands ?? {}).map(([name, lines]) => ({
    name,
    text: ['#!/bin/sh', ...lines, ''].join('\n'),
  }))
}

export const isNamed = ({ name }: ImageProgram): boolean => !name.includes('/')

/** A shell command that writes them into the root of a container. One that has its place in a volume is left out, and so is
 *  one that cannot be written: the container says then that it is not found. */
export function writePrograms(programs: readonly ImageProgram[], volumes: readonly string[]): string | undefined {
  const files = programs
    .map(program => ({ ...program, path: isNamed(program) ? posix.join(PROGRAMS_FOLDER, program.name) : program.name }))
    .filter(({ path }) => !volumes.some(volume => isWithin(path, volume)))
  if (files.length === 0) return undefined
  const write = ({ path, text }: { path: string; text: string }) =>
    `[ -e ${quote(path)} ] || { printf %s ${quote(text)} >${quote(path)} && chmod 755 ${quote(path)}; }`
  return `{ { mkdir -p ${PROGRAMS_FOLDER}; ${files.map(write).join('; ')}; } 2>/dev/null || :; }`
}
