import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemEnv } from '@tiphys/env'
import type { Client } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpLocation } from '../spec/artifact.ts'
import type { ArtifactReading } from './artifact-source.ts'
import { fetchHttp } from './http-source.ts'

const SECRETS: Record<string, string> = { user: 'somebody', password: 'a secret' }
/** Says who asks, and sends on who asks for another place. */
const answer = (request: IncomingMessage): { status: number; location?: string; body?: string } => {
  const [, to] = /^\/to\/(.*)$/.exec(request.url ?? '') ?? []
  if (to !== undefined) return { status: 302, location: decodeURIComponent(to) }
  if (request.url === '/round') return { status: 307, location: '/round' }
  const { authorization = 'nobody', accept = 'anything' } = request.headers
  return { status: 200, body: `${authorization} ${accept}` }
}

let servers: Server[] = []
let here: string
let there: string

beforeAll(async () => {
  const open = async () => {
    const server = createServer((request, response) => {
      const { status, location, body } = answer(request)
      response.writeHead(status, location === undefined ? {} : { location }).end(body)
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  here = await open()
  there = await open()
})
afterAll(() => servers.forEach(server => server.close()))

const reading: ArtifactReading = {
  options: { env: systemEnv, artifacts: {} as never, access: { outbound: { allow: ['127.0.0.0/8'] } } },
  client: {
    get: async ({ name }: { name: string }) => ({
      data: { value: Buffer.from(SECRETS[name] ?? '').toString('base64') },
    }),
  } as unknown as Client,
  namespace: 'team',
  signal: new AbortController().signal,
}
const get = async (http: HttpLocation) => (await fetchHttp(reading, http)).toString()
const to = (url: string) => `${here}/to/${encodeURIComponent(url)}`
const secret = (name: string) => ({ name, key: 'value' })
const auth = { basicAuth: { usernameSecret: secret('user'), passwordSecret: secret('password') } }
const headers = [{ name: 'Accept', value: 'text/plain' }]
const credentials = `Basic ${Buffer.from('somebody:a secret').toString('base64')}`

describe('an artifact from the web', () => {
  it('is asked for in the name that its Secrets have', async () => {
    expect(await get({ url: here, auth, headers })).toBe(`${credentials} text/plain`)
  })

  it('may be elsewhere, where nobody learns who asks', async () => {
    expect(await get({ url: to('/'), auth, headers })).toBe(`${credentials} text/plain`)
    expect(await get({ url: to(there), auth, headers })).toBe('nobody text/plain')
  })

  it.each([
    ['leads round and round', () => `${here}/round`, 'leads on more than 10 times'],
    ['leads where no request may go', () => to('http://169.254.169.254/latest'), 'not a public address'],
    ['leads to what is no web', () => to('file:///etc/passwd'), 'file:'],
    ['leads nowhere', () => to('http://'), 'which is no address'],
  ])('that %s is refused', async (_, url, why) => {
    await expect(get({ url: url() })).rejects.toThrow(why)
  })

  it('that wants to be asked in a way that nobody knows is not asked', async () => {
    await expect(get({ url: here, auth: { oauth2: {} } })).rejects.toThrow('auth.oauth2 is not supported')
  })
})
