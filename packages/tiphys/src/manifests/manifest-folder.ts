import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { asError, TerminalFailure } from '@tiphys/env'
import { type KubeObject, parseApiVersion, readYaml, type YamlDocument, YamlFailure } from '@tiphys/kube'
import type { FieldPath, FileNote, Manifest } from './manifest.ts'

/** What was found in folders of manifests. */
export interface Found {
  manifests: Manifest[]
  /** What makes the folder unusable. */
  problems: FileNote[]
  /** What was left out, and why. */
  notes: FileNote[]
  /** Every file that was read, so that somebody can watch for changes. */
  files: string[]
}

const MANIFEST = /\.(ya?ml|json)$/i
const KUSTOMIZATION = /^(kustomization\.ya?ml|Kustomization)$/
/** JSON of other tools that stands beside manifests. */
const FOREIGN_JSON = /^(package|package-lock|tsconfig.*|jsconfig|biome|deno|renovate|knip)\.json$/
const IS_TEST = /\.(test|spec)\.[a-z]+$/i

/** Reads files and folders as `kubectl apply --recursive` does: every YAML and JSON file below, in the order of names.
 *  Left out are hidden files, `node_modules`, tests and what other tools keep beside manifests. A folder with a
 *  kustomization.yaml is what that names under `resources`. */
export async function readManifests(paths: readonly string[], cwd = process.cwd()): Promise<Found> {
  const found: Found = { manifests: [], problems: [], notes: [], files: [] }
  const reader = new Reader(found, cwd)
  for (const path of paths) {
    const stats = await stat(path).catch(thrown => {
      throw new TerminalFailure('manifest-not-found', {
        what: `${path} cannot be read`,
        why:
          (thrown as NodeJS.ErrnoException).code === 'ENOENT'
            ? 'there is no such file or folder'
            : asError(thrown).message,
        todo: 'Name a folder of manifests, or write one with tiphys init',
        cause: thrown,
      })
    })
    if (stats.isDirectory()) await reader.folder(path)
    else await reader.file(path)
  }
  return withoutRepeats(found)
}

/** The same for a text that is in no file; `name` stands for it. */
export async function readManifestText(name: string, text: string): Promise<Found> {
  const found: Found = { manifests: [], problems: [], notes: [], files: [] }
  await new Reader(found, process.cwd()).file(name, text)
  return withoutRepeats(found)
}

class Reader {
  readonly #found: Found
  readonly #cwd: string
  readonly #visited = new Set<string>()

  constructor(found: Found, cwd: string) {
    this.#found = found
    this.#cwd = cwd
  }

  async folder(path: string): Promise<void> {
    const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
    const names = entries.map(({ name }) => name)
    const kustomization = names.find(name => KUSTOMIZATION.test(name))
    if (kustomization !== undefined) return await this.#kustomization(join(path, kustomization))
    if (names.includes('Chart.yaml'))
      return this.#note(join(path, 'Chart.yaml'), 'a Helm chart is left out: render it with helm template')
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || IS_TEST.test(entry.name)) continue
      const child = join(path, entry.name)
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(child)))
      if (isFolder) await this.folder(child)
      else if (MANIFEST.test(entry.name) && !FOREIGN_JSON.test(entry.name)) await this.file(child)
    }
  }

  async file(path: string, text?: string): Promise<void> {
    if (this.#visited.has(path)) return
    this.#visited.add(path)
    const { files } = this.#found
    files.push(path)
    for (const document of await this.#read(path, text)) this.#take(path, document.value, document, [])
  }

  async #read(path: string, text?: string): Promise<YamlDocument[]> {
    try {
      const documents = await readYaml(text ?? (await readFile(path, 'utf8')))
      for (const { duplicateKeys, line } of documents)
        for (const words of duplicateKeys) {
          const [, at, message] = /^line (\d+): (.*)$/.exec(words) ?? []
          this.#problem(path, at === undefined ? line : Number(at), message ?? words)
        }
      return documents
    } catch (thrown) {
      const line = thrown instanceof YamlFailure ? (thrown.line ?? 1) : 1
      this.#problem(
        path,
        line,
        asError(thrown).message.replace(/^(error converting YAML to JSON: )?yaml: (line \d+: )?/, ''),
      )
      return []
    }
  }

  #take(path: string, value: unknown, document: YamlDocument, at: FieldPath): void {
    const line = document.lineOf(at)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.#problem(path, line, 'this is no Kubernetes object: it has no apiVersion and no kind')
    const object = value as Partial<KubeObject> & { items?: unknown }
    const missing = (['apiVersion', 'kind'] as const).filter(
      field => typeof object[field] !== 'string' || object[field] === '',
    )
    if (missing.length > 0) {
      // JSON is used for much else, so that a file of it that claims to be no object is none.
      if (missing.length === 2 && path.endsWith('.json'))
        return this.#note(path, 'left out: it is no Kubernetes object')
      return this.#problem(path, line, `this is no Kubernetes object: it has no ${missing.join(' and no ')}`)
    }
    if (object.kind === 'List' && Array.isArray(object.items)) {
      for (const [index, item] of object.items.entries()) this.#take(path, item, document, [...at, 'items', index])
      return
    }
    const { name, generateName } = (object.metadata ?? {}) as { name?: unknown; generateName?: unknown }
    if (typeof name !== 'string' && typeof generateName !== 'string')
      return this.#problem(path, document.lineOf([...at, 'metadata']), `${object.kind} has no metadata.name`)
    this.#found.manifests.push({
      object: object as KubeObject,
      file: this.#shown(path),
      line: at.length === 0 ? firstLine(document) : line,
      lineOf: field => document.lineOf([...at, ...field]),
    })
  }

  async #kustomization(path: string): Promise<void> {
    this.#found.files.push(path)
    const [document] = await this.#read(path)
    const { resources = [], ...rest } = (document?.value ?? {}) as { resources?: unknown; [field: string]: unknown }
    const unsupported = Object.keys(rest).filter(field => !['apiVersion', 'kind', 'metadata'].includes(field))
    for (const field of unsupported)
      this.#problem(
        path,
        document?.lineOf([field]) ?? 1,
        `${field} is not understood here: run kustomize build and give tiphys what it prints`,
      )
    if (!Array.isArray(resources))
      return this.#problem(path, document?.lineOf(['resources']) ?? 1, 'resources is no list')
    for (const [index, resource] of resources.entries()) {
      const target = join(dirname(path), String(resource))
      const stats = await stat(target).catch(() => undefined)
      if (!stats) this.#problem(path, document?.lineOf(['resources', index]) ?? 1, `there is no ${String(resource)}`)
      else if (stats.isDirectory()) await this.folder(target)
      else await this.file(target)
    }
  }

  #problem(path: string, line: number, message: string): void {
    this.#found.problems.push({ file: this.#shown(path), line, message })
  }

  #note(path: string, message: string): void {
    this.#found.notes.push({ file: this.#shown(path), line: 1, message })
  }

  /** As short as a person would write it. */
  #shown(path: string): string {
    const short = relative(this.#cwd, path)
    return short === '' || short.startsWith('..') ? path : short
  }
}

/** Comments may come before the first field. */
function firstLine(document: YamlDocument): number {
  const fields = ['apiVersion', 'kind', 'metadata'].map(field => document.lineOf([field]))
  return Math.max(document.line, Math.min(...fields))
}

const isDirectory = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

/** Two manifests of one object would overwrite each other for ever. Where both say the same, the first is enough. */
function withoutRepeats(found: Found): Found {
  const first = new Map<string, Manifest>()
  const problems: FileNote[] = []
  const manifests = found.manifests.filter(manifest => {
    const { apiVersion, kind, metadata } = manifest.object
    if (metadata.name === undefined) return true
    const key = JSON.stringify([parseApiVersion(apiVersion).group, kind, metadata.namespace, metadata.name])
    const other = first.get(key)
    first.set(key, other ?? manifest)
    if (!other) return true
    if (!isDeepStrictEqual(other.object, manifest.object)) {
      const message = `${kind} ${metadata.name} is in ${other.file}:${other.line} already, and says something else`
      problems.push({ file: manifest.file, line: manifest.line, message })
    }
    return false
  })
  return { ...found, manifests, problems: [...found.problems, ...problems] }
}
