import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Step } from './transcript.ts'

/** What the real server answered, by scenario name. */
export type Golden = Record<string, Step[]>

function file(area: string): string {
  return fileURLToPath(new URL(`../golden/${area}.json`, import.meta.url))
}

export function readGolden(area: string): Golden {
  return existsSync(file(area)) ? (JSON.parse(readFileSync(file(area), 'utf8')) as Golden) : {}
}

/** One line a step: a change of one answer is a change of one line. */
export function writeGolden(area: string, golden: Golden): void {
  const scenarios = Object.entries(golden).map(([name, steps]) => {
    const lines = steps.map(step => `    ${JSON.stringify(step)}`)
    return `  ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`
  })
  writeFileSync(file(area), `{\n${scenarios.join(',\n')}\n}\n`)
}
