import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { changesOf, createLogStore, createMask, createRecorder } from '@tiphys/journal/records'
import { expect, it } from 'vitest'
import type { PackRow } from './database/rows.ts'
import { openSqlite } from './database/sqlite.ts'
import { unpack } from './ingest/packer.ts'
import { openArchive } from './open.ts'

const CANARY = 'canary8f3a1'
const PASSWORD = 'tweety77c0de'

it('keeps no secret: not in rows, words, payloads, differences or what is exported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-secrets-'))
  const file = join(folder, 'archive.db')
  const journal = await openFileJournal({ directory: join(folder, 'records'), env: systemEnv })
  const recorder = createRecorder(journal, {
    env: systemEnv,
    mask: createMask({ fields: ['password', 'spec.auth.token'] }),
  })
  const archive = await openArchive({ env: systemEnv, database: { file }, journal })
  const secret = (value: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'db',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
          apiVersion: 'v1',
          kind: 'Secret',
          stringData: { key: value },
        }),
      },
    },
    data: { key: Buffer.from(value).toString('base64'), plain: value },
    stringData: { key: value },
  })
  const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'db' }
  const trigger = { namespace: 'default', name: 's', part: 't' }
  recorder.record({
    kind: 'event',
    trace: 'e1',
    source: { namespace: 'default', name: 'secrets', part: 'all' },
    type: 'resource',
    object,
    body: { type: 'UPDATE', body: secret(CANARY), oldBody: secret(CANARY) },
  })
  recorder.record({
    kind: 'event',
    trace: 'e2',
    source: { namespace: 'default', name: 'hook', part: 'in' },
    type: 'webhook',
    body: { user: 'visible-jane', password: PASSWORD, spec: { auth: { token: PASSWORD } }, items: [secret(CANARY)] },
  })
  recorder.record({
    kind: 'decision',
    trace: 'e1',
    trigger,
    dependency: 'd',
    verdict: 'filtered',
    events: ['e1'],
    object,
    by: 'f',
    inputs: [
      { path: 'body.data.key', value: CANARY },
      { path: 'body.password', value: PASSWORD },
    ],
  })
  recorder.record({
    kind: 'write',
    trace: 'e1',
    object,
    verb: 'update',
    uid: 'u',
    resourceVersion: '2',
    outcome: 'changed',
    diff: [
      { path: 'data.key', from: 'x', to: CANARY },
      { path: 'stringData', to: { key: CANARY } },
      ...changesOf(secret('x'), secret(CANARY)),
    ],
  })
  const database = (value: string) => ({
    spec: { auth: { token: value, size: value.length }, users: [{ password: { value } }], template: secret(value) },
  })
  recorder.record({
    kind: 'write',
    trace: 'e1',
    object: { apiVersion: 'example.com/v1', kind: 'Database', namespace: 'default', name: 'db' },
    verb: 'update',
    uid: 'v',
    resourceVersion: '3',
    outcome: 'changed',
    diff: [...changesOf(database('x'), database(PASSWORD)), ...changesOf({}, { template: secret(CANARY) })],
  })
  const run = { namespace: 'default', name: 'r', uid: 'r1' }
  const given = [
    { name: 'body', value: JSON.stringify(secret(CANARY)) },
    { name: 'Password', value: PASSWORD },
    { name: 'settings', value: ` ${JSON.stringify({ spec: { auth: { token: PASSWORD } }, user: 'visible-joe' })}` },
  ]
  recorder.record({ kind: 'run', trace: 'e1', run, phase: 'Running', parameters: given, outputs: given })
  const common = { kind: 'step', trace: 'e1', run, step: 's1', name: 'r', type: 'Pod', attempt: 1 } as const
  recorder.record({ ...common, phase: 'Succeeded', inputs: given, outputs: given })
  await recorder.settled()
  await archive.caughtUp()

  // The test can fail: what is no secret is found everywhere it is sought.
  expect((await archive.search('visible jane')).items).toHaveLength(1)
  expect(JSON.stringify(await archive.run({ uid: 'r1' }))).toContain('visible-joe')
  expect((await archive.trace('e1'))?.writes[1]?.diff).toContainEqual({ path: 'spec.auth.size', from: 1, to: 12 })
  for (const canary of [CANARY, PASSWORD, Buffer.from(CANARY).toString('base64')]) {
    expect((await archive.search(canary)).items).toEqual([])
    expect(JSON.stringify(await archive.trace('e1'))).not.toContain(canary)
    expect(JSON.stringify(await archive.event('e2'))).not.toContain(canary)
    expect(JSON.stringify(await archive.run({ uid: 'r1' }))).not.toContain(canary)
    for await (const line of archive.export()) expect(line).not.toContain(canary)
  }
  await recorder.close()
  await archive.close()
  await journal.close()
  const stored = openSqlite({ file, isReadOnly: true })
  const packs = (await stored.all<PackRow>('SELECT * FROM packs')).map(row => unpack(row, file).toString('latin1'))
  await stored.close()
  expect(packs.some(content => content.includes('visible-jane'))).toBe(true)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  for (const content of [...packs, ...files])
    for (const canary of [CANARY, PASSWORD, Buffer.from(CANARY).toString('base64')])
      expect(content).not.toContain(canary)
  rmSync(folder, { recursive: true, force: true })
})

it('reads nothing for a record but what the log store holds, wherever the record says its output is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-paths-'))
  const journal = await openFileJournal({ directory: join(folder, 'records'), env: systemEnv })
  const logs = createLogStore({ place: { directory: join(folder, 'logs') }, env: systemEnv })
  const archive = await openArchive({ env: systemEnv, database: { file: join(folder, 'archive.db') }, journal, logs })
  const run = { namespace: 'default', name: 'r', uid: 'u1' }
  const keys = ['../../../../etc/passwd', '/etc/passwd', 'u1/../../../etc/x~y.gz/0/10', 'a/b~c.gz/0/99999999999']
  for (const key of keys)
    await journal.append({
      data: JSON.stringify({
        v: 1,
        at: 1,
        kind: 'log',
        trace: '',
        run,
        step: 's',
        container: 'main',
        chunk: { store: 'files', key, bytes: 100 },
      }),
    })
  await archive.caughtUp()
  expect(await archive.log({ run: 'u1', step: 's', container: 'main' })).toMatchObject({
    lines: [],
    missing: keys.length,
  })
  await archive.close()
  await journal.close()
  rmSync(folder, { recursive: true, force: true })
})
