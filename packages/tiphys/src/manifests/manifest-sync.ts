import { type Dirent, existsSync, type FSWatcher, readdirSync, watch } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { asError, type Env, isFolder, type Timer } from '@tiphys/env'
import { isNotFound } from '@tiphys/kube'
import { type ApplyOptions, type ApplyReport, applyManifests, FIELD_MANAGER } from './apply-manifests.ts'
import { stagesOf } from './apply-order.ts'
import { type Manifest, nameOf } from './manifest.ts'
import { ManifestFailure } from './manifest-failure.ts'
import { type Found, readManifests } from './manifest-folder.ts'

export interface SyncOptions extends Omit<ApplyOptions, 'onApplied'> {
  paths: readonly string[]
  /** Deletes what this process has applied when its manifest goes. Otherwise it is left, and that is said. */
  prune?: boolean
}

export interface SyncReport extends ApplyReport {
  /** Whose manifests are gone since the last time. */
  removed: readonly { manifest: Manifest; isDeleted: boolean }[]
}

/** Keeps a cluster as files say. What did not change in the files is not applied again: it may have been changed in the
 *  cluster on purpose. */
export interface ManifestSync {
  /** Reads and applies. Throws a `ManifestFailure` for files that cannot be read; nothing is applied then. */
  sync(): Promise<SyncReport>
  /** Applies whenever a file changes, one time after the other, until closed. */
  follow(onChange: (outcome: SyncReport | Error) => void): void
  close(): Promise<void>
}

const DEBOUNCE_MS = 150

export function createManifestSync(options: SyncOptions): ManifestSync {
  return new FolderSync(options)
}

class FolderSync implements ManifestSync {
  readonly #options: SyncOptions
  readonly #env: Env
  /** What was applied, by the object's identity, as it was written. */
  readonly #known = new Map<string, { text: string; manifest: Manifest }>()
  readonly #watchers = new Map<string, FSWatcher>()
  #timer: Timer | undefined
  #busy: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(options: SyncOptions) {
    this.#options = options
    this.#env = options.env
  }

  sync(): Promise<SyncReport> {
    const task = this.#busy.then(() => this.#sync())
    this.#busy = task.catch(() => {}) // Whoever asked is told; the next one starts anew.
    return task
  }

  follow(onChange: (outcome: SyncReport | Error) => void): void {
    const changed = () => {
      this.#timer?.cancel()
      this.#timer = this.#env.clock.schedule(DEBOUNCE_MS, () => {
        if (this.#isClosed) return
        this.sync().then(onChange, thrown => onChange(asError(thrown)))
      })
    }
    // Folder by folder: Node's own way to watch a whole tree loses sight of a file that was replaced by another.
    const watchFolders = () => {
      if (this.#isClosed) return
      const folders = new Set(this.#folders())
      for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#unwatch(folder)
      for (const folder of folders) if (!this.#watchers.has(folder)) watchFolder(folder)
    }
    let isThere = this.#isThere()
    const watchFolder = (folder: string) => {
      try {
        const watcher = watch(folder, (_, name) => {
          // It may have been removed itself, and one that is made anew under its name is another.
          if (name === basename(folder)) this.#unwatch(folder)
          const wasThere = isThere
          isThere = this.#isThere()
          watchFolders()
          // What is known to be gone is told once, whatever else changes around it.
          if (wasThere || isThere) changed()
        })
        watcher.on('error', error => onChange(error))
        this.#watchers.set(folder, watcher)
      } catch (thrown) {
        // Of one that has gone meanwhile the folder around it tells.
        if (isFolder(folder)) onChange(asError(thrown))
      }
    }
    watchFolders()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    for (const watcher of this.#watchers.values()) watcher.close()
    await this.#busy
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #isThere(): boolean {
    return this.#options.paths.every(path => existsSync(path))
  }

  /** What is watched: the folders of the manifests, with all that are in them now; of one that is gone, the folder in which it
   *  would be again. */
  #folders(): string[] {
    return this.#options.paths.flatMap(path => {
      const isFile = /\.(ya?ml|json)$/i.test(path)
      let top = resolve(isFile ? dirname(path) : path)
      if (!isFile && isFolder(top)) return [top, ...foldersIn(top)]
      while (!isFolder(top) && top !== dirname(top)) top = dirname(top)
      return [top]
    })
  }

  async #sync(): Promise<SyncReport> {
    const found = await readManifests(this.#options.paths)
    if (found.problems.length > 0) throw new ManifestFailure(found.problems)
    const changed = found.manifests.filter(manifest => this.#known.get(keyOf(manifest))?.text !== textOf(manifest))
    const report = await applyManifests(changed, {
      ...this.#options,
      onApplied: ({ manifest }) => this.#known.set(keyOf(manifest), { text: textOf(manifest), manifest }),
    })
    const removed = await this.#forget(found)
    return { ...report, notes: [...found.notes, ...report.notes], removed }
  }

  async #forget(found: Found): Promise<SyncReport['removed']> {
    const wanted = new Set(found.manifests.map(keyOf))
    const gone = [...this.#known].filter(([key]) => !wanted.has(key)).map(([, { manifest }]) => manifest)
    const removed: { manifest: Manifest; isDeleted: boolean }[] = []
    // What needs the other goes first.
    for (const manifest of stagesOf(gone)
      .flatMap(({ manifests }) => manifests)
      .reverse()) {
      this.#known.delete(keyOf(manifest))
      removed.push({ manifest, isDeleted: this.#options.prune === true && (await this.#delete(manifest)) })
    }
    return removed
  }

  /** Deletes what is still ours. */
  async #delete({ object }: Manifest): Promise<boolean> {
    const { client, namespace: usual } = this.#options
    const { apiVersion, kind, metadata } = object
    const { namespaced } = await client.resourceFor(object)
    const ref = {
      apiVersion,
      kind,
      name: metadata.name ?? '',
      ...(namespaced && { namespace: metadata.namespace ?? usual }),
    }
    try {
      const stored = await client.get(ref)
      if (!stored.metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER)) return false
      const { uid } = stored.metadata
      await client.delete(ref, { ...(uid !== undefined && { preconditions: { uid } }) })
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown
    }
    return true
  }
}

function foldersIn(folder: string): string[] {
  const inside = entriesOf(folder)
    .filter(entry => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => join(folder, name))
  return inside.flatMap(path => [path, ...foldersIn(path)])
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // It has gone meanwhile, or cannot be read: whoever reads the manifests in it says so.
  }
}

const textOf = ({ object }: Manifest): string =>
  JSON.stringify(object, (_, value) => (typeof value === 'bigint' ? String(value) : value))

const keyOf = ({ object: { apiVersion, kind, metadata } }: Manifest): string =>
  JSON.stringify([
    apiVersion.replace(/\/.*$/, ''),
    kind,
    metadata.namespace ?? '',
    metadata.name ?? metadata.generateName,
  ])

/** `left Deployment shop/web alone …`, for a person. */
export function describeRemoval({ manifest, isDeleted }: SyncReport['removed'][number]): string {
  if (isDeleted) return `${nameOf(manifest.object)} is deleted, as its manifest is gone from ${manifest.file}`
  return `${nameOf(manifest.object)} stays, though its manifest is gone from ${manifest.file}: delete it, or start with --prune`
}
