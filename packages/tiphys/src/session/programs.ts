import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A program that runs beside this one, as the build puts it next to the others; from the sources, the built one. */
export function programPath(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}`, import.meta.url))
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../../dist/${name}`, import.meta.url))
}
