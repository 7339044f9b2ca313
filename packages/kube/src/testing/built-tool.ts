import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const CACHE = process.env.TIPHYS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin')

/** The newest of a program of another project that was built for comparison, see `conformance/`. */
export function findTool(tool: string): string | undefined {
  try {
    const newest = readdirSync(CACHE)
      .filter(name => name.startsWith(`${tool}-`))
      .sort()
      .at(-1)
    return newest && join(CACHE, newest)
  } catch {
    return undefined // Nothing was built yet.
  }
}
