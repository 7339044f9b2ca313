// Writes the bill of materials of a release, CycloneDX: what is bundled into `tiphys` and what it was built with.
//   node tools/sbom.mjs [FILE]     (tiphys.cdx.json unless named)
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setup } from './setup.mjs'
import { root } from './steps.mjs'

const file = process.argv[2] ?? 'tiphys.cdx.json'
await setup()
const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
const sbom = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }))
const { name, version } = JSON.parse(readFileSync(`${root}packages/tiphys/package.json`, 'utf8'))
sbom.metadata.component = { ...sbom.metadata.component, name, version, purl: `pkg:npm/${name}@${version}` }
writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`)
console.log(`${file}: ${sbom.components.length} components`)
