import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Clock, RetryableFailure, systemClock, TerminalFailure } from '@tiphys/env'
import { type OutboundAccess, outboundAddress } from '@tiphys/kube'
import { tryAgain } from '../engine/passing-trouble.ts'
import { missingArtifact, refusedArtifact } from './artifact-failures.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { encoded, type S3Credentials, signatureHeaders } from './s3-signature.ts'
import { safeKey } from './safe-path.ts'

export interface S3ArtifactsOptions {
  /** Such as `https://s3.eu-central-1.amazonaws.com` or `http://minio:9000`. */
  endpoint: string
  bucket: string
  region?: string
  credentials: S3Credentials
  /** What every key begins with. */
  prefix?: string
  clock?: Clock
  /** Where the endpoint may be; left out, whoever configured it has decided. */
  access?: OutboundAccess
  /** A request is given up when nothing was sent for so long and no answer begins. */
  silenceMs?: number
}

const UNSIGNED = 'UNSIGNED-PAYLOAD'
const SILENCE_MS = 300_000
const MOST_ANSWER_BYTES = 8 * 2 ** 20
/** Services of this kind ask for patience when they are busy. */
const MOST_TRIES = 7

interface RequestParts {
  query?: Record<string, string>
  body?: { file: string; size: number }
}

/** Artifacts in a bucket of a service that speaks S3. */
export function createS3Artifacts(options: S3ArtifactsOptions): ArtifactStore {
  const { endpoint, bucket, region = 'us-east-1', credentials, prefix = '', clock = systemClock, access } = options
  const { silenceMs = SILENCE_MS } = options
  const root = new URL(endpoint)
  const keyOf = (key: string) => [...(prefix === '' ? [] : [prefix]), safeKey(key)].join('/')

  const send = async (
    method: string,
    key: string,
    { query = {}, body }: RequestParts = {},
  ): Promise<IncomingMessage> => {
    const url = new URL(root)
    const path = [bucket, ...key.split('/')].filter(part => part !== '').map(encoded)
    url.pathname = `${root.pathname.replace(/\/$/, '')}/${path.join('/')}`
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const headers = signatureHeaders({ method, url, region, credentials, contentHash: UNSIGNED, now: clock.now() })
    const to = access && (await outboundAddress(url, access))
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const request = open(
        url,
        {
          method,
          headers: { ...headers, ...(body && { 'content-length': String(body.size) }) },
          ...(to && {
            lookup: (_host, { all }, answer) => (all ? answer(null, [to]) : answer(null, to.address, to.family)),
          }),
        },
        response => {
          // Whoever reads the answer may take their time.
          request.setTimeout(0)
          resolve(response)
        },
      )
      request.setTimeout(silenceMs, () => request.destroy(new Error(`there was silence for ${silenceMs / 1000} s`)))
      request.on('error', cause =>
        reject(
          new RetryableFailure('artifact-store-unreachable', {
            what: `${root.origin} did not answer`,
            why: cause.message,
            cause,
          }),
        ),
      )
      if (body) createReadStream(body.file).on('error', reject).pipe(request)
      else request.end()
    })
  }

  /** The answer, or its failure in words. */
  const answered = async (response: IncomingMessage, key: string): Promise<IncomingMessage> => {
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300) return response
    const text = await readText(response)
    if (status === 404 && !text.includes('NoSuchBucket')) throw missingArtifact(key)
    const why = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? `it answered ${status}`
    if (status === 429 || status >= 500)
      throw new RetryableFailure('artifact-store-busy', {
        what: `${root.origin} cannot serve the bucket ${bucket}`,
        why,
      })
    throw refusedArtifact(`${root.origin} refuses ${key} in the bucket ${bucket}`, { why })
  }

  const ask = (method: string, path: string, key: string, parts?: RequestParts): Promise<IncomingMessage> =>
    tryAgain({ clock, most: MOST_TRIES }, async () => answered(await send(method, path, parts), key))

  const list = async (key: string): Promise<string[]> => {
    const start = `${keyOf(key)}/`
    const found: string[] = []
    for (let token: string | undefined; ; ) {
      const query = { 'list-type': '2', prefix: start, ...(token !== undefined && { 'continuation-token': token }) }
      const text = await readText(await ask('GET', '', key, { query }))
      // What consoles make of a folder: an object of that name, with nothing in it.
      for (const [, name = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
        if (!name.endsWith('/')) found.push(decodeXml(name).slice(prefix === '' ? 0 : prefix.length + 1))
      token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1]
      if (token === undefined) return found.sort()
      token = decodeXml(token)
    }
  }

  const removeOne = async (key: string) => {
    try {
      ;(await ask('DELETE', keyOf(key), key)).resume()
    } catch (thrown) {
      if (!(thrown instanceof TerminalFailure) || thrown.code !== 'artifact-missing') throw thrown
    }
  }

  return {
    async put(key, content) {
      // The length comes before the content, and is known when all of it has been seen.
      const folder = await mkdtemp(join(tmpdir(), 'tiphys-artifact-'))
      const file = join(folder, 'content')
      try {
        await pipeline(Readable.from(content), createWriteStream(file))
        const { size } = await stat(file)
        ;(await ask('PUT', keyOf(key), key, { body: { file, size } })).resume()
        return { bytes: size }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    async get(key) {
      const answer = await ask('GET', keyOf(key), key)
      const length = answer.headers['content-length']
      return length === undefined ? answer : Object.assign(answer, { bytes: Number(length) })
    },
    list,
    async remove(key) {
      for (const below of await list(key)) await removeOne(below)
      await removeOne(key)
    },
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MOST_ANSWER_BYTES) throw refusedArtifact('The answer of the artifact store is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const decodeXml = (text: string): string =>
  text.replaceAll(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole
    return String.fromCodePoint(name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
  })
