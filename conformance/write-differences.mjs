// Writes DIFFERENCES.md from differences.ts.
import { writeFileSync } from 'node:fs'
import { loadTypeScript } from './load-typescript.mjs'

const { differences } = await loadTypeScript('differences.ts')
const { describeDifferences } = await loadTypeScript('src/differences-document.ts')
writeFileSync(new URL('DIFFERENCES.md', import.meta.url), describeDifferences(differences))
