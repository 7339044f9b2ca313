import { configMap } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

/** What becomes of those who come back with a version that the server has forgotten. These scenarios make it forget, so they
 *  have a server of their own, and a real one keeps no copy of its history in memory. */
export const compaction = area('compaction')
const { scenario } = compaction

const quiet = { unrecorded: true }

async function someHistory(t: Session): Promise<string> {
  for (const name of ['a', 'b']) await t.post(t.core('configmaps'), configMap(name), quiet)
  const { resourceVersion } = await t.post(t.core('configmaps'), configMap('c'))
  await t.mergePatch(t.core('configmaps/a'), { data: { color: 'red' } }, quiet)
  await t.mergePatch(t.core('configmaps/c'), { data: { color: 'red' } }, quiet)
  return resourceVersion
}

scenario('a list cannot be continued as it was, but as it is now', async t => {
  await someHistory(t)
  const first = await t.get(`${t.core('configmaps')}?limit=1`, quiet)
  await t.mergePatch(t.core('configmaps/c'), { data: { color: 'green' } }, quiet)
  await t.compact()
  const expired = await t.get(`${t.core('configmaps')}?limit=1&continue=${first.string('metadata.continue')}`)
  const second = await t.get(`${t.core('configmaps')}?limit=1&continue=${expired.string('metadata.continue')}`)
  await t.get(`${t.core('configmaps')}?limit=1&continue=${second.string('metadata.continue')}`)
})

scenario('a list of exactly a forgotten version is refused', async t => {
  const version = await someHistory(t)
  await t.compact()
  await t.get(`${t.core('configmaps')}?resourceVersion=${version}&resourceVersionMatch=Exact`)
  await t.get(`${t.core('configmaps')}?resourceVersion=${version}&resourceVersionMatch=Exact&limit=1`)
})

scenario('a list of no older than a forgotten version is given', async t => {
  const version = await someHistory(t)
  await t.compact()
  await t.get(`${t.core('configmaps')}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`)
})

scenario('a watch from a forgotten version ends at once, and says why', async t => {
  const version = await someHistory(t)
  await t.compact()
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${version}`)
  await stream.toEnd()
})

scenario('a watch of one object from a forgotten version too', async t => {
  const version = await someHistory(t)
  await t.compact()
  const stream = await t.watch(
    `${t.core('configmaps')}?watch=true&resourceVersion=${version}&fieldSelector=metadata.name%3Da`,
  )
  await stream.toEnd()
})

scenario('a watch from the last version goes on', async t => {
  await someHistory(t)
  await t.compact()
  const { resourceVersion } = await t.get(t.core('configmaps'), quiet)
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${resourceVersion}`)
  await t.mergePatch(t.core('configmaps/b'), { data: { color: 'red' } }, quiet)
  await stream.next(1)
})

scenario('a watch that is open goes on', async t => {
  const version = await someHistory(t)
  const stream = await t.watch(`${t.core('configmaps')}?watch=true&resourceVersion=${version}`)
  await stream.next(2)
  await t.compact()
  await t.mergePatch(t.core('configmaps/b'), { data: { color: 'red' } }, quiet)
  await stream.next(1)
})
