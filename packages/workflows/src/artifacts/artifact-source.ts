import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Client } from '@tiphys/kube'
import type { WorkflowEngineOptions } from '../engine/engine-context.ts'
import { FOREIGN_STORES } from '../spec/artifact.ts'
import type { Artifact, Template } from '../spec/workflow.ts'
import { refusedArtifact } from './artifact-failures.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { ByteReader } from './byte-reader.ts'
import { fetchHttp } from './http-source.ts'
import { storeOfLocation } from './s3-location.ts'
import { type ArchiveEntry, looksLikeTar, nothing, readTar } from './tar.ts'
import { looksLikeZip, readZip } from './zip.ts'

/** Where artifacts are read from, and on whose behalf. */
export interface ArtifactReading {
  options: Pick<WorkflowEngineOptions, 'env' | 'access' | 'artifacts'>
  client: Client
  namespace: string
  signal: AbortSignal
}

type Open = () => Promise<AsyncIterable<Uint8Array> & { readonly bytes?: number }>

const MOST_TEXT_BYTES = 3 * 2 ** 20
const FILE_MODE = 0o644

/** An artifact's files and folders, unpacked: the entry with the empty path is the artifact itself. Rejects with
 *  `artifact-missing` when there is none. */
export async function* artifactEntries(reading: ArtifactReading, artifact: Artifact): AsyncGenerator<ArchiveEntry> {
  const found = await locate(reading, artifact)
  if ('folder' in found) yield* storedFolder(found.store, found.folder)
  else if (artifact.archive?.none) yield* storedFile(found.open)
  else yield* unpacked(found.open)
}

/** An artifact that is one file, as text. */
export async function readArtifactText(reading: ArtifactReading, template: Template, named: Artifact): Promise<string> {
  const { raw, s3, http } = named
  const artifact = (raw ?? s3 ?? http) ? named : template.inputs?.artifacts?.find(({ name }) => name === named.name)
  if (!artifact) throw refusedArtifact(`There is no input artifact ${named.name}`)
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const { path, type, content } of artifactEntries(reading, artifact)) {
    if (path !== '' || type !== 'file') throw refusedArtifact(`The artifact ${artifact.name} is not one file`)
    for await (const piece of content) {
      size += piece.length
      if (size > MOST_TEXT_BYTES)
        throw refusedArtifact(`The artifact ${artifact.name} has more than ${MOST_TEXT_BYTES} bytes`)
      pieces.push(piece)
    }
  }
  return Buffer.concat(pieces).toString()
}

async function locate(
  reading: ArtifactReading,
  artifact: Artifact,
): Promise<{ open: Open } | { store: ArtifactStore; folder: string }> {
  const { raw, s3, http } = artifact
  if (raw) return { open: async () => bytes(Buffer.from(raw.data)) }
  if (http) {
    const answer = await fetchHttp(reading, http)
    return { open: async () => bytes(answer) }
  }
  if (!s3?.key) {
    const kind = FOREIGN_STORES.find(name => name in artifact)
    throw refusedArtifact(
      kind === undefined
        ? `Nothing says where the artifact ${artifact.name} is`
        : `The artifact ${artifact.name} is in ${kind}, which is not supported`,
      { todo: 'Use an artifact of another step, s3, http, git or raw' },
    )
  }
  const store = await storeOfLocation(reading, s3)
  const key = artifact.subPath ? `${s3.key}/${artifact.subPath}` : s3.key
  try {
    const found = await store.get(key)
    found.destroy()
    return { open: () => store.get(key) }
  } catch (thrown) {
    if ((await store.list(key)).length === 0) throw thrown
    return { store, folder: key }
  }
}

/** All that is kept below a key. */
export async function* storedFolder(store: ArtifactStore, folder: string): AsyncGenerator<ArchiveEntry> {
  yield { path: '', type: 'directory', mode: 0o755, size: 0, content: nothing() }
  for (const key of await store.list(folder)) {
    const content = await store.get(key)
    const size = content.bytes ?? (await sizeOf(() => store.get(key)))
    try {
      yield { path: key.slice(folder.length + 1), type: 'file', mode: FILE_MODE, size, content }
    } finally {
      content.destroy()
    }
  }
}

async function* storedFile(open: Open): AsyncGenerator<ArchiveEntry> {
  const content = await open()
  try {
    const size = content.bytes ?? (await sizeOf(open))
    yield { path: '', type: 'file', mode: FILE_MODE, size, content }
  } finally {
    if (content instanceof Readable) content.destroy()
  }
}

/** As upstream: what looks like an archive is unpacked, and the one file or folder in it is the artifact. */
async function* unpacked(open: Open): AsyncGenerator<ArchiveEntry> {
  const plain: Open = async () => gunzipped(await open())
  const reader = new ByteReader(await plain())
  const start = await reader.peek(512)
  if (looksLikeZip(start)) {
    const pieces: Buffer[] = []
    for await (const piece of reader.rest()) pieces.push(piece)
    const whole = Buffer.concat(pieces)
    yield* lifted(() => readZip(whole))
    return
  }
  await reader.end()
  if (looksLikeTar(start)) yield* lifted(() => fromOpen(plain))
  // Compressed, but no archive: kept as it is.
  else yield* storedFile(open)
}

async function* fromOpen(open: Open): AsyncGenerator<ArchiveEntry> {
  yield* readTar(await open())
}

/** Looks through an archive twice: when it has one file or folder at its top, that is the artifact. */
async function* lifted(read: () => AsyncGenerator<ArchiveEntry>): AsyncGenerator<ArchiveEntry> {
  const tops = new Set<string>()
  for await (const { path } of read()) if (path !== '') tops.add(path.split('/')[0] as string)
  const [top] = tops
  if (tops.size === 1 && top !== undefined) {
    for await (const entry of read())
      if (entry.path !== '') yield { ...entry, path: entry.path === top ? '' : entry.path.slice(top.length + 1) }
    return
  }
  yield { path: '', type: 'directory', mode: 0o755, size: 0, content: nothing() }
  for await (const entry of read()) if (entry.path !== '') yield entry
}

async function gunzipped(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const reader = new ByteReader(source)
  const [first, second] = await reader.peek(2)
  const rest = reader.rest()
  if (first !== 0x1f || second !== 0x8b) return rest
  // What fails is thrown where it is read.
  return pipeline(Readable.from(rest), createGunzip(), () => {})
}

async function sizeOf(open: Open): Promise<number> {
  let size = 0
  for await (const piece of await open()) size += piece.length
  return size
}

async function* bytes(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}
