import { configMap, definition, pod } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

export const watch = area('watch')
const { scenario } = watch

const quiet = { unrecorded: true }

async function currentVersion(t: Session): Promise<string> {
  const list = await t.get(t.core('configmaps'), quiet)
  return list.resourceVersion
}

scenario('delivers additions, changes and deletions in order', async t => {
  const version = await currentVersion(t)
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${version}`)
  await t.post(t.core('configmaps'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), { data: { color: 'red' } })
  await t.delete(t.core('configmaps/a'))
  await stream.next(3)
})

scenario('begins with what exists when no version is given', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.post(t.core('configmaps'), configMap('b'))
  const stream = await t.watch(`${t.core('configmaps')}?watch=true`)
  await stream.next(2)
  await t.post(t.core('configmaps'), configMap('c'))
  await stream.next(1)
})

scenario('begins with what exists at version 0', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.until(
    () => t.get(`${t.core('configmaps')}?resourceVersion=0`, quiet),
    reply => reply.text.includes('"name":"a"'),
  )
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=0`)
  await stream.next(1)
})

scenario('replays what happened after a version', async t => {
  const first = await t.post(t.core('configmaps'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), { data: { color: 'red' } })
  await t.delete(t.core('configmaps/a'))
  await t.post(t.core('configmaps'), configMap('b'))
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${first.resourceVersion}`)
  await stream.next(3)
})

scenario('shows an object that leaves or enters the selection as deleted or added', async t => {
  const version = await currentVersion(t)
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&resourceVersion=${version}&labelSelector=tier%3Dfront`,
  )
  await t.post(t.core('configmaps'), configMap('a', {}, { labels: { tier: 'back' } }), quiet)
  await t.mergePatch(t.core('configmaps/a'), { metadata: { labels: { tier: 'front' } } }, quiet)
  await t.mergePatch(t.core('configmaps/a'), { data: { color: 'red' } }, quiet)
  await t.mergePatch(t.core('configmaps/a'), { metadata: { labels: { tier: 'back' } } }, quiet)
  await t.delete(t.core('configmaps/a'), undefined, quiet)
  await t.post(t.core('configmaps'), configMap('last', {}, { labels: { tier: 'front' } }), quiet)
  await stream.next(4)
})

scenario('watches one object by field selector', async t => {
  const version = await currentVersion(t)
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&resourceVersion=${version}&fieldSelector=metadata.name%3Db`,
  )
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.post(t.core('configmaps'), configMap('b'), quiet)
  await stream.next(1)
})

scenario('watches pods by a field that changes', async t => {
  const version = await currentVersion(t)
  const stream = await t.watch(
    `${t.core('pods')}?watch=true&resourceVersion=${version}&fieldSelector=spec.nodeName%3Dnode-7`,
  )
  await t.post(t.core('pods'), pod('p'), quiet)
  await t.post(t.core('pods/p/binding'), { metadata: { name: 'p' }, target: { kind: 'Node', name: 'node-7' } }, quiet)
  await stream.next(1)
})

scenario('watches across namespaces', async t => {
  const version = await currentVersion(t)
  const stream = await t.watch(
    `/api/v1/configmaps?watch=true&resourceVersion=${version}&labelSelector=scenario%3D${t.namespace}`,
  )
  await t.post(t.core('configmaps'), configMap('a', {}, { labels: { scenario: t.namespace } }), quiet)
  await stream.next(1)
})

scenario('ends a stream when its time is over', async t => {
  const version = await currentVersion(t)
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${version}&timeoutSeconds=1`)
  await stream.toEnd()
})

scenario('sends a bookmark before a stream ends, when allowed', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'), quiet)
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&resourceVersion=${created.resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=5&labelSelector=no%3Done`,
  )
  await t.post(t.core('configmaps'), configMap('unseen'), quiet)
  await stream.next(1)
})

scenario('sends the initial events and a bookmark that ends them', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.post(t.core('configmaps'), configMap('b'))
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true`,
  )
  await stream.next(3)
  await t.post(t.core('configmaps'), configMap('c'))
  await stream.nextChanges(1)
})

scenario('ends the initial events of an empty collection', async t => {
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&resourceVersion=`,
  )
  await stream.next(1)
})

scenario('sends initial events at least as new as a version', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&resourceVersion=${created.resourceVersion}`,
  )
  await stream.next(2)
})

scenario('sends initial events of a selection', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { labels: { tier: 'front' } }), quiet)
  await t.post(t.core('configmaps'), configMap('b', {}, { labels: { tier: 'back' } }), quiet)
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&labelSelector=tier%3Dback`,
  )
  await stream.next(2)
})

scenario('can leave out initial events', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=false`,
  )
  await t.post(t.core('configmaps'), configMap('b'), quiet)
  await stream.nextChanges(1)
})

scenario('refuses meaningless combinations of watch options', async t => {
  const base = `${t.core('configmaps')}?watch=true&timeoutSeconds=1`
  await t.get(`${base}&sendInitialEvents=true`)
  await t.get(`${base}&sendInitialEvents=true&resourceVersionMatch=Exact`)
  await t.get(`${base}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`)
  await t.get(`${base}&resourceVersionMatch=NotOlderThan`)
  await t.get(`${base}&sendInitialEvents=maybe`)
})

scenario('refuses a version that is no number', async t => {
  await t.get(`${t.core('configmaps')}?watch=true&resourceVersion=abc`)
})

scenario('refuses selectors before the stream begins', async t => {
  await t.get(`${t.core('configmaps')}?watch=true&labelSelector=%3D%3D`)
  await t.get(`${t.core('configmaps')}?watch=true&fieldSelector=nope%3Dx`)
})

scenario('says 410 for a version that is forgotten', async t => {
  await t.define(definition(t))
  const stream = await t.watch(`${t.custom('widgets')}?watch=true&resourceVersion=1&timeoutSeconds=5`)
  await stream.next(1)
})

scenario('watches a resource that does not exist with 404', async t => {
  await t.get(t.core('nosuchthings?watch=true'))
})

scenario('watches through the deprecated path', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  const all = await t.watch(`/api/v1/watch/namespaces/${t.namespace}/configmaps`)
  await all.next(1)
  const one = await t.watch(`/api/v1/watch/namespaces/${t.namespace}/configmaps/a`)
  await one.next(1)
})

scenario('watches a single object through its own path', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  const stream = await t.watch(`${t.core('configmaps/a')}?watch=true`)
  await stream.next(1, 1_000)
})

scenario('takes any value but false for a watch', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  const stream = await t.watch(`${t.core('configmaps')}?watch=maybe`)
  await stream.next(1)
})

scenario('streams tables, with the columns in the first event only', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  const stream = await t.watch(`${t.core('configmaps')}?watch=true`, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  })
  await stream.next(1)
  await t.post(t.core('configmaps'), configMap('b'), quiet)
  await stream.next(1)
})

scenario('streams metadata only', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true`,
    { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
  )
  await stream.next(2)
})

scenario('shows a held deletion as a change and then a deletion', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { finalizers: ['example.test/hold'] }), quiet)
  const version = await currentVersion(t)
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${version}`)
  await t.delete(t.core('configmaps/a'), undefined, quiet)
  await t.mergePatch(t.core('configmaps/a'), { metadata: { finalizers: null } }, quiet)
  await stream.next(2)
})

scenario('is silent about writes that change nothing', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'), quiet)
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${created.resourceVersion}`)
  await t.put(t.core('configmaps/a'), created.object(), quiet)
  await t.mergePatch(t.core('configmaps/a'), {}, quiet)
  await t.post(`${t.core('configmaps')}?dryRun=All`, configMap('b'), quiet)
  await t.mergePatch(t.core('configmaps/a'), { data: { color: 'red' } }, quiet)
  await stream.next(1)
})

scenario('forbids a watch to who may not watch', async t => {
  await t.get(`${t.core('configmaps')}?watch=true`, { as: 'joe' })
})

scenario('waits for a version of the future', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'), quiet)
  const future = Number(created.resourceVersion) + 1_000_000
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${future}&timeoutSeconds=1`)
  await stream.toEnd()
})
