import { readFileSync } from 'node:fs'

/** Reads a table of this package. This file stays directly in `src/`: the bundle keeps the same distance to its `data/`. */
export function readData(name: string): string {
  return readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8')
}
