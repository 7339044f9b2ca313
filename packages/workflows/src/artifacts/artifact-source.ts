import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Client, sendOutbound } from '@tiphys/kube'
import { serviceAccountClient, type WorkflowEngineOptions } from '../engine/engine-context.ts'
import { FOREIGN_STORES } from '../spec/artifact.ts'
import type { Artifact, Template } from '../spec/workflow.ts'
import { missingArtifact, refusedArtifact } from './artifact-failures.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { ByteReader } from './byte-reader.ts'
import { storeOfLocation } from './s3-location.ts'
import { type ArchiveEntry, looksLikeTar, nothing, oneEntry, readTar } from './tar.ts'
import { looksLikeZip, readZip } from './zip.ts'

/** Where artifacts are read from, and on whose behalf. */
export interface ArtifactReading {
  options: Pick<WorkflowEngineOptions, 'env' | 'access' | 'artifacts'>
  client: Client
  namespace: string
  signal: AbortSignal
}

type Open = () => Promise<AsyncIterable<Uint8Array>>

const MOST_HTTP_BYTES = 256 * 2 ** 20
const HTTP_TIMEOUT_MS = 600_000
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
export async function readArtifactText(
  options: WorkflowEngineOptions,
  template: Template,
  named: Artifact,
  namespace: string,
): Promise<string> {
  const { raw, s3, http } = named
  const artifact = (raw ?? s3 ?? http) ? named : template.inputs?.artifacts?.find(({ name }) => name === named.name)
  if (!artifact) throw refusedArtifact(`There is no input artifact ${named.name}`)
  const account = template.serviceAccountName ?? 'default'
  const client = serviceAccountClient(options, namespace, account)
  const signal = new AbortController().signal
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const { path, type, content } of artifactEntries({ options, client, namespace, signal }, artifact)) {
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
    await (await store.get(key))[Symbol.asyncIterator]().return?.()
    return { open: () => store.get(key) }
  } catch (thrown) {
    if ((await store.list(key)).length === 0) throw thrown
    return { store, folder: key }
  }
}

async function fetchHttp({ options, signal }: ArtifactReading, http: NonNullable<Artifact['http']>): Promise<Buffer> {
  const answer = await sendOutbound({
    url: http.url,
    method: 'GET',
    headers: Object.fromEntries((http.headers ?? []).map(({ name, value }) => [name, value])),
    timeoutMs: HTTP_TIMEOUT_MS,
    maxBytes: MOST_HTTP_BYTES,
    access: options.access?.outbound ?? {},
    clock: options.env.clock,
    signal,
  })
  if (answer.status === 404) throw missingArtifact(http.url)
  if (answer.status < 200 || answer.status > 299)
    throw refusedArtifact(`${http.url} was answered with ${answer.status}`)
  if (answer.isCut) throw refusedArtifact(`${http.url} has more than ${MOST_HTTP_BYTES} bytes`)
  return answer.bytes
}

async function* storedFolder(store: ArtifactStore, folder: string): AsyncGenerator<ArchiveEntry> {
  yield { path: '', type: 'directory', mode: 0o755, size: 0, content: nothing() }
  for (const key of await store.list(folder)) {
    const size = await sizeOf(() => store.get(key))
    yield { path: key.slice(folder.length + 1), type: 'file', mode: FILE_MODE, size, content: await store.get(key) }
  }
}

async function* storedFile(open: Open): AsyncGenerator<ArchiveEntry> {
  yield* oneEntry({ path: '', type: 'file', mode: FILE_MODE, size: await sizeOf(open), content: await open() })
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
  } else if (looksLikeTar(start)) yield* lifted(() => fromOpen(plain))
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
