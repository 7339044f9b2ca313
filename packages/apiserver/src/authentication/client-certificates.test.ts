import { once } from 'node:events'
import { Agent, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { systemClock, systemEnv } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ApiServer, createApiServer, type SecureListening } from '../server/api-server.ts'
import { CertificateAuthority, type KeyPair } from './certificate-authority.ts'

const DAY = 86_400_000
const JOE = { name: 'joe', groups: ['dev', 'ops'] }

describe('the certificate of a client', () => {
  let server: ApiServer
  let listening: SecureListening
  let later = 0
  const clock = { ...systemClock, now: () => systemClock.now() + later }

  beforeEach(async () => {
    later = 0
    server = await createApiServer({
      env: { ...systemEnv, clock },
      tokens: [{ token: 'secret', user: 'ann', groups: ['system:masters'] }],
    })
    listening = await server.listen()
  })
  afterEach(() => server.close())

  interface Ask {
    shown?: KeyPair
    token?: string
    agent?: Agent
  }

  /** Who the server says is asking: the status and the user's name. */
  const whoAmI = async ({
    shown,
    token,
    agent,
  }: Ask): Promise<{ status?: number; name?: string; socket: TLSSocket }> => {
    const outgoing = request(`${listening.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: 'POST',
      ca: listening.caCertificate,
      ...(shown ? { cert: shown.certificate, key: shown.key } : {}),
      agent: agent ?? false,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    })
    outgoing.end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }))
    const [response] = await once(outgoing, 'response')
    const pieces: Buffer[] = []
    for await (const piece of response) pieces.push(piece)
    const answer = JSON.parse(Buffer.concat(pieces).toString()) as { status?: { userInfo?: { username: string } } }
    const name = answer.status?.userInfo?.username
    return {
      status: response.statusCode,
      ...(name === undefined ? {} : { name }),
      socket: outgoing.socket as TLSSocket,
    }
  }

  it('names the user', async () => {
    expect(await whoAmI({ shown: server.issueClientCertificate(JOE) })).toMatchObject({ status: 201, name: 'joe' })
  })

  it('is refused when another authority of the same name has signed it', async () => {
    const stranger = CertificateAuthority.create(systemEnv)
    const shown = stranger.issue({ commonName: 'joe', organizations: ['system:masters'], usage: 'client' })
    expect(await whoAmI({ shown })).toMatchObject({ status: 401 })
    expect(await whoAmI({ shown, token: 'wrong' })).toMatchObject({ status: 401 })
    expect(await whoAmI({ shown, token: 'secret' })).toMatchObject({ status: 201, name: 'ann' })
  })

  it('is refused when it was made for a server', async () => {
    const shown = server.issueServingCertificate({ name: 'joe', groups: ['system:masters'], hosts: ['localhost'] })
    expect(await whoAmI({ shown })).toMatchObject({ status: 401 })
  })

  it('is worth nothing after its time, also on a connection that is older', async () => {
    const shown = server.issueClientCertificate(JOE)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { socket, status } = await whoAmI({ shown, agent })
    expect(status).toBe(201)
    later = 366 * DAY
    const again = await whoAmI({ shown, agent })
    expect(again.socket).toBe(socket)
    expect(again.status).toBe(401)
    later = -2 * DAY
    expect(await whoAmI({ shown, agent })).toMatchObject({ status: 401 })
    agent.destroy()
  })

  it('is known again on a connection that resumes a session', async () => {
    const shown = server.issueClientCertificate(JOE)
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 1 })
    expect(await whoAmI({ shown, agent })).toMatchObject({ status: 201, name: 'joe' })
    const again = await whoAmI({ shown, agent })
    expect(again.socket.isSessionReused()).toBe(true)
    expect(again).toMatchObject({ status: 201, name: 'joe' })
    agent.destroy()
  })

  it('may be left out: the request is anonymous', async () => {
    expect(await whoAmI({})).toMatchObject({ status: 403 })
  })
})
