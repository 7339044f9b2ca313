import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { VirtualClock } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answeringServer, sendJson, testCertificate } from './answering-server.ts'
import { connect, findConnection, inClusterConnection } from './connection.ts'
import { KubeconfigFailure, loadKubeconfig, resolveContext } from './kubeconfig.ts'
import { kubeconfigFor, writeKubeconfig } from './kubeconfig-file.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'))
})
afterEach(() => rm(directory, { recursive: true }))

async function file(name: string, content: unknown): Promise<string> {
  const target = path.join(directory, name)
  await writeFile(target, typeof content === 'string' ? content : JSON.stringify(content))
  return target
}

interface Parts {
  cluster?: object
  user?: object
  namespace?: string
}

function config({ cluster = {}, user = {}, namespace }: Parts = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'ctx',
    contexts: [{ name: 'ctx', context: { cluster: 'c', user: 'u', ...(namespace !== undefined && { namespace }) } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  }
}

async function connectionFor(parts: Parts, options: object = {}) {
  return findConnection({ kubeconfig: await file('config', config(parts)), environment: {}, ...options })
}

async function credentialFor(user: object) {
  return (await connectionFor({ user })).transport.credentials?.current()
}

describe('loading', () => {
  it('merges files: the first one that has a name decides, and paths start at their file', async () => {
    const a = await file('a', {
      'current-context': '',
      clusters: [{ name: 'c', cluster: { server: 'https://a', 'certificate-authority': 'ca.crt' } }],
    })
    const b = await file('b', config())
    const merged = await loadKubeconfig([a, path.join(directory, 'missing'), b])
    expect(merged.currentContext).toBe('ctx')
    expect(merged.clusters.get('c')).toEqual({
      server: 'https://a',
      'certificate-authority': path.join(directory, 'ca.crt'),
    })
    expect(merged.files).toEqual([a, b])
  })

  it('takes KUBECONFIG as a list, and the home directory when there is none', async () => {
    const a = await file('a', { clusters: [] })
    const b = await file('b', config({ namespace: 'team' }))
    const found = await findConnection({ environment: { KUBECONFIG: `${a}${path.delimiter}${b}` } })
    expect(found.namespace).toBe('team')
    await expect(findConnection({ environment: { HOME: directory } })).rejects.toThrow(
      `there is no kubeconfig at ${path.join(directory, '.kube', 'config')}. Give the path of one, set KUBECONFIG`,
    )
  })

  it.each([
    ['a: [', /is no kubeconfig: yaml/],
    ['- 1', /is no kubeconfig: it is no mapping/],
    ['clusters: 5', /is no kubeconfig: its clusters are no list/],
    ['users: [{}]', /is no kubeconfig: one of its users has no name/],
  ])('says of %j what is wrong', async (text, message) => {
    const broken = await file('broken', text)
    await expect(loadKubeconfig([broken])).rejects.toThrow(message)
    await expect(loadKubeconfig([broken])).rejects.toThrow(KubeconfigFailure)
  })
})

describe('a context', () => {
  it('that does not exist is answered with those that do', async () => {
    const loaded = await loadKubeconfig([await file('config', config())])
    expect(() => resolveContext(loaded, 'prod')).toThrow(/there is no context prod in .*config\. Choose one: ctx/)
  })

  it('must be named when none is current', async () => {
    const loaded = await loadKubeconfig([await file('config', { ...config(), 'current-context': '' })])
    expect(() => resolveContext(loaded)).toThrow(/has no current context\. Name one: ctx/)
  })

  it('must name what is there', async () => {
    const loaded = await loadKubeconfig([await file('config', { ...config(), users: [] })])
    expect(() => resolveContext(loaded)).toThrow(/the context ctx names the user u, which .* does not have/)
  })
})

describe('a connection', () => {
  it('has the authority, the server name and the namespace of its context', async () => {
    const ca = testCertificate('ca.crt')
    const data = Buffer.from(ca).toString('base64')
    const cluster = { 'certificate-authority-data': data, 'tls-server-name': 'kube.test' }
    const { transport, namespace } = await connectionFor({ cluster, namespace: 'team' })
    expect(transport).toMatchObject({ server: 'https://127.0.0.1:6443', ca, serverName: 'kube.test' })
    expect(namespace).toBe('team')
    expect((await connectionFor({})).namespace).toBe('default')
  })

  it('knows tokens, passwords and certificates', async () => {
    expect(await credentialFor({ token: 't' })).toEqual({ authorization: 'Bearer t' })
    expect(await credentialFor({ username: 'u', password: 'p' })).toEqual({ authorization: 'Basic dTpw' })
    await file('cert.pem', 'CERT')
    const key = Buffer.from('KEY').toString('base64')
    expect(await credentialFor({ 'client-certificate': 'cert.pem', 'client-key-data': key })).toEqual({
      certificate: { cert: 'CERT', key: 'KEY' },
    })
    await expect(credentialFor({ 'client-key-data': key })).rejects.toThrow('a client key without its certificate')
  })

  it('reads a token file again when it is old, and at once when the server refused the token', async () => {
    const clock = new VirtualClock()
    const tokenFile = await file('token', 'one\n')
    const { transport } = await connectionFor({ user: { tokenFile: 'token', token: 'ignored' } }, { clock })
    const current = async () => (await transport.credentials?.current())?.authorization
    expect(await current()).toBe('Bearer one')
    await writeFile(tokenFile, 'two')
    expect(await current()).toBe('Bearer one')
    await clock.advance(11_000)
    expect(await current()).toBe('Bearer two')
    await writeFile(tokenFile, 'three')
    transport.credentials?.refused({ authorization: 'Bearer two' })
    expect(await current()).toBe('Bearer three')
    await rm(tokenFile)
    await clock.advance(11_000)
    expect(await current()).toBe('Bearer three')
  })

  it('refuses what is no longer, or not yet, supported, and says what to do', async () => {
    await expect(connectionFor({ user: { 'auth-provider': { name: 'gcp' } } })).rejects.toThrow(
      'the context ctx uses the auth provider gcp, which Kubernetes removed. Use the credential plugin gke-gcloud-auth-plugin',
    )
    await expect(connectionFor({ cluster: { 'proxy-url': 'http://proxy' } })).rejects.toThrow(
      'proxies are not supported',
    )
  })

  it('carries the identity that the user takes on', async () => {
    const user = { as: 'bob', 'as-groups': ['g'], 'as-uid': '1', 'as-user-extra': { k: ['v'] } }
    expect((await connectionFor({ user })).impersonate).toEqual({
      user: 'bob',
      groups: ['g'],
      uid: '1',
      extra: { k: ['v'] },
    })
  })

  it('is the pod’s service account inside a cluster', async () => {
    await file('token', 'pod-token')
    await file('ca.crt', 'CA')
    await file('namespace', 'mine')
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
    const { transport, namespace } = await inClusterConnection({ environment }, directory)
    expect(transport).toMatchObject({ server: 'https://[fd00::1]:443', ca: 'CA' })
    expect(await transport.credentials?.current()).toEqual({ authorization: 'Bearer pod-token' })
    expect(namespace).toBe('mine')
    await expect(inClusterConnection({ environment: {} }, directory)).rejects.toThrow('does not run in a pod')
  })
})

describe('a kubeconfig that is written', () => {
  it('is private, and connects', async () => {
    const server = await answeringServer((_, response) => sendJson(response, { gitVersion: 'v1.36.3' }), { tls: true })
    const user = { cert: testCertificate('client.crt'), key: testCertificate('client.key') }
    const target = path.join(directory, 'deep', 'kubeconfig')
    await writeKubeconfig(
      target,
      kubeconfigFor({ name: 'tiphys', server: server.url, ca: testCertificate('ca.crt'), user }),
    )
    await writeKubeconfig(target, await readFile(target, 'utf8'))
    expect((await stat(target)).mode & 0o777).toBe(0o600)
    const client = await connect({ kubeconfig: target })
    expect(await client.serverVersion()).toEqual({ gitVersion: 'v1.36.3' })
    expect(server.requests[0]?.certificate).toBe('tester')
    await client.close()
    await server.close()
  })

  it('has the form that kubectl writes', () => {
    const text = kubeconfigFor({
      name: 'demo',
      server: 'https://h:1',
      user: { name: 'me', token: 't' },
      namespace: 'team',
    })
    expect(text).toBe(
      [
        'apiVersion: v1',
        'clusters:',
        '- cluster:',
        '    server: https://h:1',
        '  name: demo',
        'contexts:',
        '- context:',
        '    cluster: demo',
        '    namespace: team',
        '    user: me',
        '  name: demo',
        'current-context: demo',
        'kind: Config',
        'users:',
        '- name: me',
        '  user:',
        '    token: t',
        '',
      ].join('\n'),
    )
  })
})
