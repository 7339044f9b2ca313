import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterEach, expect, it } from 'vitest'
import { fetchObject, type ObjectSource } from './object-source.ts'
import type { TriggerHost } from './trigger.ts'
import { triggerHost } from './trigger-scene.ts'

const YAML = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
const cleanUp: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const task of cleanUp.splice(0)) await task()
})

const fetch = (source: ObjectSource | undefined, more: Partial<TriggerHost> = {}) =>
  fetchObject(source, triggerHost(more))

it('takes the object from the manifest or a ConfigMap', async () => {
  expect(await fetch({ resource: OBJECT })).toEqual(OBJECT)
  expect(await fetch({ inline: YAML })).toEqual(OBJECT)
  expect(await fetch({ inline: JSON.stringify(OBJECT) })).toEqual(OBJECT)
  const configMap = ({ name, key }: { name?: string; key: string }) =>
    Promise.resolve(name === 'c' && key === 'k' ? YAML : '')
  expect(await fetch({ configmap: { name: 'c', key: 'k' } }, { configMap })).toEqual(OBJECT)
})

it.each<[string, ObjectSource | undefined, string]>([
  ['nothing', undefined, 'source is missing: it says which object to write'],
  ['an empty source', {}, 'source needs one of resource, inline, configmap, url, file'],
  ['git', { git: {} }, 'source.git git is not supported by Tiphys yet: use resource, inline, configmap, url, file'],
  ['S3', { s3: {} }, 'source.s3 s3 is not supported by Tiphys yet: use resource, inline, configmap, url, file'],
  ['text that is no YAML', { inline: 'a: [' }, 'The object of source.inline cannot be read'],
  ['what is no object', { resource: { kind: 'ConfigMap' } }, 'source.resource is no object of Kubernetes'],
  ['a ConfigMap without a key', { configmap: { name: 'c' } }, 'source.configmap needs name and key'],
])('refuses %s', async (_, source, what) => {
  await expect(fetch(source)).rejects.toMatchObject({ code: 'trigger-invalid', what })
})

it('reads a URL when its address may be reached, up to a limit and without following redirects', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: '/object' }).end()
    else response.end(request.url === '/large' ? '#'.repeat(4_000_000) : YAML)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanUp.push(() => new Promise(resolve => server.close(resolve)))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const from = (path: string) =>
    fetch({ url: { path: url + path } }, { access: { outbound: { allow: LOOPBACK_RANGES } } })
  expect(await from('/object')).toEqual(OBJECT)
  await expect(from('/redirect')).rejects.toThrow('status code 302')
  await expect(from('/large')).rejects.toThrow('it is larger than 3145728 bytes')
  await expect(fetch({ url: { path: url } })).rejects.toMatchObject({ code: 'outbound-address-refused' })
  await expect(fetch({ url: { path: 'file:///etc/hostname' } })).rejects.toThrow('only http and https are')
})

it('reads files of the folder that is allowed, and none that lead out of it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tiphys-objects-'))
  cleanUp.push(() => rm(root, { recursive: true }))
  const folder = join(root, 'allowed')
  await mkdir(folder)
  await writeFile(join(folder, 'object.yaml'), YAML)
  await writeFile(join(root, 'secret.yaml'), YAML)
  await symlink(join(root, 'secret.yaml'), join(folder, 'link.yaml'))
  const from = (path: string, access: TriggerHost['access']) => fetch({ file: { path } }, { access })
  expect(await from('object.yaml', { folder })).toEqual(OBJECT)
  expect(await from(join(folder, 'object.yaml'), { folder })).toEqual(OBJECT)
  for (const path of ['../secret.yaml', 'link.yaml', join(root, 'secret.yaml'), '.'])
    await expect(from(path, { folder })).rejects.toMatchObject({ code: 'trigger-file-refused' })
  await expect(from('none.yaml', { folder })).rejects.toThrow('ENOENT')
  await expect(from('object.yaml', {})).rejects.toMatchObject({ code: 'trigger-file-refused' })
})
