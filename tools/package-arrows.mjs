// Holds the arrows of the package table: no package imports what its row does not name.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Who may import whom. `env` is what every package stands on. */
export const ARROWS = {
  env: [],
  kube: ['env'],
  journal: ['env'],
  expressions: ['env'],
  apiserver: ['env', 'kube', 'expressions', 'journal'],
  cluster: ['env', 'kube', 'expressions', 'apiserver'],
  events: ['env', 'kube', 'expressions', 'journal'],
  workflows: ['env', 'kube', 'expressions', 'journal'],
  archive: ['env', 'journal'],
  console: ['env', 'kube', 'journal', 'archive'],
  tiphys: [
    'env',
    'kube',
    'expressions',
    'journal',
    'apiserver',
    'cluster',
    'events',
    'workflows',
    'archive',
    'console',
  ],
}

const SCOPE = '@tiphys/'
const IMPORT = /(?<=^|\s)(?:import|export)\s(?:[^'"]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** Every forbidden import below `root`, as `file:line: why`. */
export function violations(root, arrows = ARROWS) {
  const found = []
  for (const name of readdirSync(join(root, 'packages'))) {
    const allowed = arrows[name]
    if (!allowed) {
      found.push(`packages/${name}: the package has no row in tools/package-arrows.mjs`)
      continue
    }
    for (const file of sources(join(root, 'packages', name, 'src'))) {
      const text = readFileSync(file, 'utf8')
      for (const match of text.matchAll(IMPORT)) {
        const why = problem(name, allowed, match[1] ?? match[2], file, root)
        if (why) found.push(`${relative(root, file)}:${text.slice(0, match.index).split('\n').length}: ${why}`)
      }
    }
  }
  return found
}

function problem(name, allowed, specifier, file, root) {
  if (specifier.startsWith(SCOPE)) {
    const target = specifier.slice(SCOPE.length).split('/')[0]
    if (target !== name && !allowed.includes(target)) return `${name} may not import ${target}`
  }
  if (specifier.startsWith('.')) {
    const target = relative(join(root, 'packages', name), join(file, '..', specifier))
    if (target.startsWith('..')) return `${specifier} leaves the package: import it by its name`
  }
  return undefined
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else if (/\.tsx?$/.test(entry.name)) yield path
  }
}
