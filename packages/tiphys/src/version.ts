import { readFileSync } from 'node:fs'

let version: string | undefined

/** As package.json says. */
export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
    .version
  return version
}
