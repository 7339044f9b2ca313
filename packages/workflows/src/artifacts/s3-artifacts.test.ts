import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { systemClock } from '@tiphys/env'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storedFolder } from './artifact-source.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { createS3Artifacts } from './s3-artifacts.ts'
import { signatureHeaders } from './s3-signature.ts'

/** The examples that Amazon's documentation of Signature Version 4 gives for S3. */
describe('a signature', () => {
  const signed = (query: string) =>
    signatureHeaders({
      method: 'GET',
      url: new URL(`https://examplebucket.s3.amazonaws.com/${query}`),
      region: 'us-east-1',
      credentials: { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      contentHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      now: Date.UTC(2013, 4, 24),
    }).authorization

  it.each([
    ['?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('of %s is the documented one', (query, signature) => {
    expect(signed(query)).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    )
  })
})

describe('artifacts in a bucket', () => {
  const objects = new Map<string, string>()
  /** So many requests are answered that the service is busy. */
  let busy = 0
  let store: ArtifactStore
  let wrong: ArtifactStore
  const credentials = { accessKey: 'key', secretKey: 'secret' }

  /** The part of S3 that is needed, with signatures checked. */
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host ?? ''}`)
    const expected = signatureHeaders({
      method: request.method ?? '',
      url,
      region: 'us-east-1',
      credentials,
      contentHash: String(request.headers['x-amz-content-sha256']),
      now: Date.parse(
        String(request.headers['x-amz-date']).replace(
          /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
          '$1-$2-$3T$4:$5:$6Z',
        ),
      ),
    })
    const reply = (status: number, body = '') => void response.writeHead(status).end(body)
    if (request.headers.authorization !== expected.authorization)
      return reply(403, '<Error><Code>SignatureDoesNotMatch</Code><Message>the signature is wrong</Message></Error>')
    if (busy-- > 0) return reply(503, '<Error><Code>SlowDown</Code><Message>reduce your request rate</Message></Error>')
    const key = decodeURIComponent(url.pathname.replace(/^\/bucket\/?/, ''))
    if (request.method === 'PUT') {
      objects.set(key, await text(request))
      return reply(200)
    }
    if (request.method === 'DELETE') return reply(objects.delete(key) ? 204 : 404)
    if (key === '') {
      const prefix = url.searchParams.get('prefix') ?? ''
      const keys = [...objects.keys()].filter(name => name.startsWith(prefix))
      return reply(
        200,
        `<ListBucketResult>${keys.map(name => `<Key>${name.replaceAll('&', '&amp;')}</Key>`).join('')}</ListBucketResult>`,
      )
    }
    const found = objects.get(key)
    return found === undefined ? reply(404, '<Error><Code>NoSuchKey</Code></Error>') : reply(200, found)
  }
  const server = createServer((request, response) => void answer(request, response))

  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    store = createS3Artifacts({ endpoint, bucket: 'bucket', credentials, prefix: 'tiphys' })
    wrong = createS3Artifacts({ endpoint, bucket: 'bucket', credentials: { ...credentials, secretKey: 'guessed' } })
  })
  afterAll(() => {
    server.close()
  })

  async function* stream(...pieces: string[]) {
    for (const piece of pieces) yield Buffer.from(piece)
  }

  it('are found again, listed and forgotten', async () => {
    expect(await store.put("ns/run/it's & more.tgz", stream('one', 'two'))).toEqual({ bytes: 6 })
    await store.put('ns/run/folder/a', stream('a'))
    expect([...objects.keys()]).toContain("tiphys/ns/run/it's & more.tgz")
    const pieces: string[] = []
    for await (const piece of await store.get("ns/run/it's & more.tgz")) pieces.push(Buffer.from(piece).toString())
    expect(pieces.join('')).toBe('onetwo')
    expect(await store.list('ns/run')).toEqual(['ns/run/folder/a', "ns/run/it's & more.tgz"])
    await store.remove('ns/run')
    expect(objects.size).toBe(0)
    await expect(store.get('ns/run/folder/a')).rejects.toMatchObject({ code: 'artifact-missing' })
  })

  it('may be in folders that were made by hand, which are objects there', async () => {
    for (const key of ['made/', 'made/a', 'made/sub/', 'made/sub/b']) objects.set(`tiphys/${key}`, key)
    expect(await store.list('made')).toEqual(['made/a', 'made/sub/b'])
    const read = []
    for await (const { path, type } of storedFolder(store, 'made')) read.push([path, type])
    expect(read).toEqual([
      ['', 'directory'],
      ['a', 'file'],
      ['sub/b', 'file'],
    ])
    objects.clear()
  })

  it('wait for a service that is busy', async () => {
    for (const use of [
      () => store.put('later', stream('x')),
      () => store.get('later'),
      () => store.list('later'),
      () => store.remove('later'),
    ]) {
      busy = 2
      await use()
      expect(busy).toBeLessThan(0)
    }
    expect(objects.size).toBe(0)
  })

  it('do not wait for ever for a service that says nothing', async () => {
    const mute = createServer(() => {})
    await new Promise<void>(resolve => mute.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`
    const clock = { ...systemClock, schedule: (_ms: number, act: () => void) => systemClock.schedule(0, act) }
    const deaf = createS3Artifacts({ endpoint, bucket: 'bucket', credentials, clock, silenceMs: 20 })
    await expect(deaf.get('it')).rejects.toThrow('there was silence for 0.02 s')
    await expect(deaf.put('it', stream('x'))).rejects.toThrow('there was silence for 0.02 s')
    mute.closeAllConnections()
    mute.close()
  })

  it('are refused in the words of the service', async () => {
    await expect(wrong.put('x', stream('x'))).rejects.toThrow('the signature is wrong')
  })
})
