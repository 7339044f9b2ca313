#!/usr/bin/env node
// Answers the version without loading anything else; the rest is loaded when it is needed.
import { existsSync, readFileSync } from 'node:fs'

if (process.argv[2] === '--version') {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  process.stdout.write(`${version}\n`)
} else if (existsSync(new URL('../dist/main.js', import.meta.url))) {
  await import('../dist/main.js')
} else {
  process.stderr.write('tiphys has not been built in this clone. Run: npm run build\n')
  process.exitCode = 1
}
