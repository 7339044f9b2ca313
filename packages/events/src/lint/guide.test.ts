import { readdirSync, readFileSync } from 'node:fs'
import { readYaml } from '@tiphys/kube'
import { expect, it } from 'vitest'
import { sourceEntries } from '../sources/index.ts'
import { createTriggerTypes, UNSUPPORTED_TRIGGERS } from '../triggers/index.ts'
import { lintManifests } from './lint.ts'

const guide = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8')

/** The fenced manifests of the guide, which are one folder; lines are those of the guide. */
async function documents() {
  const fences = [...guide.matchAll(/```yaml\n(.*?)```/gs)]
  const found = await Promise.all(
    fences.map(async ({ 1: text = '', index }) => {
      const before = guide.slice(0, index).split('\n').length
      return (await readYaml(text)).map(({ value, lineOf }) => ({
        file: 'docs/events.md',
        object: value,
        lineOf: (path: readonly (string | number)[]) => lineOf(path) + before,
      }))
    }),
  )
  return found.flat()
}

it('the manifests of the guide are as they should be', async () => {
  const all = await documents()
  expect(all.length).toBeGreaterThan(8)
  expect(await lintManifests(all)).toEqual([])
})

it('the guide has an example of every source and every trigger', async () => {
  const specs = (await documents()).map(({ object }) => object as { kind: string; spec?: Record<string, unknown> })
  const sources = specs.flatMap(({ kind, spec = {} }) => (kind === 'EventSource' ? Object.keys(spec) : []))
  const known = 'resource webhook calendar file nats redis redisStream generic'.split(' ')
  expect(sourceEntries(Object.fromEntries(known.map(type => [type, { a: {} }]))).unsupported).toEqual([])
  for (const type of known) expect(sources).toContain(type)
  const triggers = specs.flatMap(({ kind, spec = {} }) =>
    kind === 'Sensor' ? (spec.triggers as { template: object }[]).flatMap(({ template }) => Object.keys(template)) : [],
  )
  for (const type of createTriggerTypes().keys()) expect(triggers).toContain(type)
})

it('the guide names what is refused', () => {
  const all =
    'amqp azureEventsHub azureQueueStorage azureServiceBus bitbucket bitbucketserver emitter gerrit github gitlab hdfs kafka minio mns mqtt nsq pubSub pulsar sftp slack sns sqs storageGrid stripe'
  const { unsupported } = sourceEntries(Object.fromEntries(all.split(' ').map(type => [type, { a: {} }])))
  expect(unsupported.map(({ type }) => type)).toEqual(all.split(' '))
  const text = guide.replace(/\s+/g, ' ')
  expect(text).toContain(`with a condition: ${all.split(' ').join(', ')}.`)
  expect(text).toContain(`Refused by name: ${UNSUPPORTED_TRIGGERS.join(', ')}.`)
})

it('the guide explains every reason that a condition may have', () => {
  const root = new URL('../', import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(file => /(?<!\.test)\.ts$/.test(file))
  const text = files.map(file => readFileSync(new URL(file, root), 'utf8')).join('\n')
  const said = [
    /\breason(?:: | = )'([A-Z]\w+)'/g,
    /\b(?:reason|bad)(?:: | = )[^'\n]*\? '([A-Z]\w+)' : '([A-Z]\w+)'/g,
    /\bbad: '([A-Z]\w+)'/g,
    /#report\('\w+', '([A-Z]\w+)'/g,
  ].flatMap(form => [...text.matchAll(form)].flatMap(([, ...reasons]) => reasons.filter(Boolean)))
  const good = ['Running', 'Working', 'Failed', 'Succeeded']
  const wanted = new Set(said.filter(reason => !good.includes(reason)))
  expect(wanted.size).toBeGreaterThan(25)
  expect([...wanted].filter(reason => !guide.includes(`\`${reason}\``))).toEqual([])
})
