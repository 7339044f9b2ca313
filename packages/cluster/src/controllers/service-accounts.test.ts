import { type KubeObject, kindRef } from '@tiphys/kube'
import type { ConfigMap, Secret, ServiceAccount } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRootCertificatePublisher } from './root-certificate-publisher.ts'
import { createServiceAccountTokensController } from './service-account-tokens.ts'
import { createServiceAccountsController } from './service-accounts.ts'
import { createStage, type Stage } from './stage.ts'

const ACCOUNT = kindRef('v1', 'ServiceAccount')
const SECRET = kindRef('v1', 'Secret')
const COPY = { ...kindRef('v1', 'ConfigMap'), namespace: 'default', name: 'kube-root-ca.crt' }

let stage: Stage
beforeEach(async () => {
  stage = await createStage(
    createServiceAccountsController,
    createServiceAccountTokensController,
    createRootCertificatePublisher,
  )
  await stage.settle()
})
afterEach(() => stage.stop())

describe('what every namespace has', () => {
  test('a default account that is deleted comes back', async () => {
    const before = await stage.client.get({ ...ACCOUNT, namespace: 'default', name: 'default' })
    await stage.client.delete({ ...ACCOUNT, namespace: 'default', name: 'default' })
    await stage.settle()
    const after = await stage.client.get({ ...ACCOUNT, namespace: 'default', name: 'default' })
    expect(after.metadata.uid).not.toBe(before.metadata.uid)
  })

  test('other accounts do not come back', async () => {
    await stage.client.create({ ...ACCOUNT, metadata: { namespace: 'default', name: 'robot' } } as ServiceAccount)
    await stage.client.delete({ ...ACCOUNT, namespace: 'default', name: 'robot' })
    await stage.settle()
    expect(await stage.exists({ ...ACCOUNT, namespace: 'default', name: 'robot' })).toBe(false)
  })

  test('a certificate that is deleted or changed is restored', async () => {
    await stage.client.delete(COPY)
    await stage.settle()
    expect((await stage.client.get(COPY)).data).toEqual({ 'ca.crt': stage.server.caCertificate })
    await stage.client.patch(COPY, { type: 'merge', patch: { data: { 'ca.crt': 'wrong', more: 'x' } } })
    await stage.settle()
    const copy: ConfigMap = await stage.client.get(COPY)
    expect(copy.data).toEqual({ 'ca.crt': stage.server.caCertificate })
    expect(copy.metadata.annotations?.['kubernetes.io/description']).toMatch(/^Contains a CA bundle/)
  })

  test('a new namespace has both, and nothing is written twice', async () => {
    await stage.client.create({ ...kindRef('v1', 'Namespace'), metadata: { name: 'fresh' } })
    await stage.settle()
    expect(await stage.exists({ ...ACCOUNT, namespace: 'fresh', name: 'default' })).toBe(true)
    expect(await stage.exists({ ...COPY, namespace: 'fresh' })).toBe(true)
    const { revision } = stage.server.storage
    await stage.pass(600)
    expect(stage.server.storage.revision).toBe(revision)
    expect(stage.warnings).toEqual([])
  })

  test('a namespace on its way out is left alone', async () => {
    await stage.client.create({
      ...kindRef('v1', 'Namespace'),
      metadata: { name: 'leaving', finalizers: ['example.com/mine'] },
    })
    await stage.settle()
    await stage.client.delete({ ...kindRef('v1', 'Namespace'), name: 'leaving' })
    await stage.client.delete({ ...ACCOUNT, namespace: 'leaving', name: 'default' })
    await stage.settle()
    expect(await stage.exists({ ...ACCOUNT, namespace: 'leaving', name: 'default' })).toBe(false)
    expect(stage.warnings).toEqual([])
  })
})

describe('Secrets for tokens', () => {
  const NAME_KEY = 'kubernetes.io/service-account.name'
  const UID_KEY = 'kubernetes.io/service-account.uid'
  const ref = { ...SECRET, namespace: 'default', name: 'token' }
  const secret = (annotations: Record<string, string>) =>
    stage.client.create({
      ...SECRET,
      metadata: { namespace: 'default', name: 'token', annotations },
      type: 'kubernetes.io/service-account-token',
    } as Secret)
  const robot = () =>
    stage.client.create({ ...ACCOUNT, metadata: { namespace: 'default', name: 'robot' } } as ServiceAccount)
  const text = ({ data }: Secret, key: string) => Buffer.from(data?.[key] ?? '', 'base64').toString()

  test('are filled with a token that the API accepts, the certificate and the namespace', async () => {
    const account = await robot()
    await secret({ [NAME_KEY]: 'robot' })
    await stage.settle()
    const filled: Secret = await stage.client.get(ref)
    expect(filled.metadata.annotations?.[UID_KEY]).toBe(account.metadata.uid)
    expect(text(filled, 'ca.crt')).toBe(stage.server.caCertificate)
    expect(text(filled, 'namespace')).toBe('default')
    const review = await stage.client.create<KubeObject>({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token: text(filled, 'token') },
    })
    expect(review['status']).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:robot' },
    })
  })

  test('a token stays as it is; what is taken out comes back', async () => {
    await robot()
    await secret({ [NAME_KEY]: 'robot' })
    await stage.settle()
    const filled: Secret = await stage.client.get(ref)
    await stage.client.patch(ref, { type: 'merge', patch: { data: { namespace: null } } })
    await stage.settle()
    expect((await stage.client.get(ref)).data).toEqual(filled.data)
  })

  test('of an account that does not exist are deleted', async () => {
    await secret({ [NAME_KEY]: 'nobody' })
    await stage.settle()
    expect(await stage.exists(ref)).toBe(false)
  })

  test('of an account of the same name with another uid are deleted', async () => {
    await robot()
    await secret({ [NAME_KEY]: 'robot', [UID_KEY]: 'another' })
    await stage.settle()
    expect(await stage.exists(ref)).toBe(false)
  })

  test('go with their account', async () => {
    await robot()
    await secret({ [NAME_KEY]: 'robot' })
    await stage.settle()
    await stage.client.delete({ ...ACCOUNT, namespace: 'default', name: 'robot' })
    await stage.settle()
    expect(await stage.exists(ref)).toBe(false)
  })

  test('a deleted one is taken out of its account', async () => {
    await robot()
    await secret({ [NAME_KEY]: 'robot' })
    await stage.settle()
    const account = { ...ACCOUNT, namespace: 'default', name: 'robot' }
    const secrets = [{ name: 'token' }, { name: 'other' }]
    await stage.client.patch(account, { type: 'merge', patch: { secrets } })
    await stage.settle()
    await stage.client.delete(ref)
    await stage.settle()
    expect((await stage.client.get(account)).secrets).toEqual([{ name: 'other' }])
  })

  test('Secrets of other types are left alone', async () => {
    await stage.client.create({
      ...SECRET,
      metadata: { namespace: 'default', name: 'token', annotations: { [NAME_KEY]: 'nobody' } },
    } as Secret)
    await stage.settle()
    expect(await stage.exists(ref)).toBe(true)
  })
})
