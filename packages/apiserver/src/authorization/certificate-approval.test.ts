import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { User } from '../request/api-request.ts'
import { type ApiServer, createApiServer } from '../server/api-server.ts'
import { call } from '../server/test-call.ts'

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const PEM = '-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----\n'
const certificate = (text: string) =>
  Buffer.from(`-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`).toString('base64')
const JOE: User = {
  name: 'joe',
  uid: 'u-joe',
  groups: ['dev', 'system:authenticated'],
  extra: { 'example.com/scope': ['x'] },
}
const user = (name: string): User => ({ name, groups: [] })

let server: ApiServer
let count = 0
let path: string
let created: KubeObject

beforeAll(async () => {
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'))
  server = await createApiServer({ env: { clock, random: systemRandom, log: silentLog } })
  const parts = [
    'certificatesigningrequests',
    'certificatesigningrequests/approval',
    'certificatesigningrequests/status',
  ]
  const writing = { apiGroups: ['certificates.k8s.io'], resources: parts, verbs: ['*'] }
  const signers = (verb: string, ...resourceNames: string[]) => ({
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    verbs: [verb],
    resourceNames,
  })
  await grant('joe', [writing])
  await grant('approver', [writing, signers('approve', 'example.com/ca')])
  await grant('signer', [writing, signers('sign', 'example.com/*')])
})
afterAll(() => server.close())

beforeEach(async () => {
  const name = `r${count++}`
  const spec = {
    request: Buffer.from(PEM).toString('base64'),
    signerName: 'example.com/ca',
    usages: ['client auth'],
    username: 'admin',
    groups: ['system:masters'],
  }
  const answer = await call(server, { path: REQUESTS, body: { metadata: { name }, spec }, as: JOE })
  expect(answer.status).toBe(201)
  created = answer.body as unknown as KubeObject
  path = `${REQUESTS}/${name}`
})

async function grant(name: string, rules: object[]): Promise<void> {
  const type = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } }
  await server.client().create<KubeObject>({ ...type, kind: 'ClusterRole', rules })
  const binding = { roleRef: { kind: 'ClusterRole', name }, subjects: [{ kind: 'User', name }] }
  await server.client().create<KubeObject>({ ...type, kind: 'ClusterRoleBinding', ...binding })
}

const put = (as: string, part: string, change: object) =>
  call(server, { method: 'PUT', path: `${path}/${part}`, body: { ...created, ...change }, as: user(as) })
const condition = (type: string, status = 'True') => ({ type, status, reason: 'Because', message: 'm' })
const decide = (as: string, ...conditions: object[]) => put(as, 'approval', { status: { conditions } })

describe('a request for a certificate', () => {
  it('says who made it, whatever it says itself', () => {
    expect(created.spec).toMatchObject({
      username: 'joe',
      uid: 'u-joe',
      groups: ['dev', 'system:authenticated'],
      extra: { 'example.com/scope': ['x'] },
    })
  })

  it('is approved by who may approve for its signer, with the time', async () => {
    const { status, body } = await decide('approver', condition('Approved'))
    expect(status).toBe(200)
    const since = '2026-01-02T03:04:05Z'
    expect(body.status).toEqual({
      conditions: [{ ...condition('Approved'), lastUpdateTime: since, lastTransitionTime: since }],
    })
  })

  it('is not approved by others, not even by who signs', async () => {
    for (const name of ['joe', 'signer']) {
      const { status, body } = await decide(name, condition('Approved'))
      expect(status).toBe(403)
      expect(body.message).toContain('user not permitted to approve requests with signerName "example.com/ca"')
    }
  })

  it('changes in nothing else by its approval', async () => {
    const change = {
      spec: { signerName: 'evil/ca' },
      status: { certificate: 'eA==', conditions: [condition('Approved')] },
    }
    const { body } = await put('approver', 'approval', change)
    expect(body.spec).toEqual(created.spec)
    expect(body.status).not.toHaveProperty('certificate')
  })

  it('is either approved or denied, and stays so', async () => {
    const both = await decide('approver', condition('Approved'), condition('Denied'))
    expect(both.body.message).toContain('Approved and Denied conditions are mutually exclusive')
    created = (await decide('approver', condition('Denied'))).body as unknown as KubeObject
    const undone = await decide('approver')
    expect(undone.status).toBe(422)
    expect(undone.body.message).toContain('updates may not remove a condition of type "Denied"')
  })

  it('is never approved to be false', async () => {
    const { status, body } = await decide('approver', condition('Approved', 'False'))
    expect(status).toBe(422)
    expect(body.message).toContain('status.conditions[0].status: Unsupported value: "False": supported values: "True"')
  })

  it('gets its certificate from who may sign for its signer, once', async () => {
    const given = await put('signer', 'status', { status: { certificate: certificate('eA==') } })
    expect(given.status).toBe(200)
    created = given.body as unknown as KubeObject
    expect((await put('signer', 'status', { status: { certificate: certificate('eQ==') } })).status).toBe(422)
    expect(
      (
        await put('approver', 'status', {
          status: { certificate: certificate('eA=='), conditions: [condition('Failed')] },
        })
      ).status,
    ).toBe(403)
  })

  it('is not approved by its status', async () => {
    const { status, body } = await put('signer', 'status', { status: { conditions: [condition('Approved')] } })
    expect(status).toBe(422)
    expect(body.message).toContain('updates may not add a condition of type "Approved"')
  })
})
