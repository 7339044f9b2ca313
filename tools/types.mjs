// The type declarations of the public entry points, for the package: those that tsc made of each inner package, as far as
// they are reached, with the names of inner packages replaced by paths.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root, step, tool } from './steps.mjs'

const made = join(root, '.build/types')
const ENTRIES = ['tiphys/testing.d.ts']
const SPECIFIER = /(\bfrom |\bimport\()(['"])(\.[^'"]*|@tiphys\/[^'"]+)\2/g

/** Writes the declarations to `folder`, one folder a package. */
export async function writeTypes(folder) {
  const code = await step('making type declarations', () => tool('typescript/bin/tsc', ['-b', 'packages/tiphys']))
  if (code !== 0) throw new Error('the types have errors')
  const written = new Set()
  const write = path => {
    if (written.has(path)) return
    written.add(path)
    const text = readFileSync(join(made, path), 'utf8').replace(SPECIFIER, (_, before, quote, specifier) => {
      const target = declarationOf(path, specifier)
      write(target)
      const place = relative(dirname(path), target).replace(/\.d\.ts$/, '.js')
      return `${before}${quote}${place.startsWith('.') ? place : `./${place}`}${quote}`
    })
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const entry of ENTRIES) write(entry)
}

function declarationOf(path, specifier) {
  if (specifier.startsWith('.')) return join(dirname(path), specifier).replace(/\.ts$/, '.d.ts')
  const [, name, ...rest] = specifier.split('/')
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
  const source = exports[rest.length === 0 ? '.' : `./${rest.join('/')}`]
  return join(name, source.replace('./src/', '').replace(/\.ts$/, '.d.ts'))
}
