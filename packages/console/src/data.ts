import { readFile } from 'node:fs/promises'

/** Reads a generated table. This file stays directly in `src/`: the bundle keeps the same distance to its `data/`. */
export function readData(name: string): Promise<string> {
  return readFile(new URL(`../data/${name}`, import.meta.url), 'utf8')
}
