import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FileSpec, fileSource } from './file-source.ts'
import { folderChanges } from './folder-snapshot.ts'
import { SourceStage } from './source-stage.ts'

let stage: SourceStage
let directory: string
beforeEach(async () => {
  stage = new SourceStage()
  directory = await mkdtemp(join(tmpdir(), 'tiphys-files-'))
})
afterEach(async () => {
  await stage.close()
  await rm(directory, { recursive: true })
})

const spec = (eventType: string, pathRegexp = '.*', more: Partial<FileSpec> = {}): FileSpec => ({
  eventType,
  watchPathConfig: { directory, pathRegexp },
  ...more,
})

async function started(entry: FileSpec): Promise<void> {
  const reports = stage.reports.length
  stage.start(fileSource, entry)
  await until(() => stage.reports.length > reports && stage.values.has('seen'))
}

/** Time goes on while the test waits for the file system. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 2000 && !isTrue(); i++) await stage.clock.advance(20)
}

describe('a change', () => {
  it('becomes an event with the payload of Argo Events', async () => {
    await started(spec('CREATE'))
    await writeFile(join(directory, 'a.txt'), 'hello')
    await until(() => stage.events.length > 0)
    expect(stage.data).toEqual([{ name: join(directory, 'a.txt'), op: 1, metadata: null }])
  })

  it('is found by polling', async () => {
    await writeFile(join(directory, 'a.txt'), 'hello')
    await started(spec('WRITE', '.*', { polling: true, metadata: { team: 'a' } }))
    await writeFile(join(directory, 'a.txt'), 'hello again')
    await until(() => stage.events.length > 0)
    expect(stage.data).toEqual([{ name: 'a.txt', op: 2, metadata: { team: 'a' } }])
  })

  it('of another file or another kind is none', async () => {
    await started({ eventType: 'REMOVE', watchPathConfig: { directory: `${directory}/`, path: 'a.txt' } })
    for (const name of ['a.txt', 'b.txt']) await writeFile(join(directory, name), '1')
    await until(() => stage.values.get('seen')?.includes('b.txt') ?? false)
    await rm(join(directory, 'b.txt'))
    await rm(join(directory, 'a.txt'))
    await until(() => stage.events.length > 0)
    expect(stage.data).toEqual([{ name: join(directory, 'a.txt'), op: 4, metadata: null }])
  })

  it('while it was not running is found when it starts again', async () => {
    await writeFile(join(directory, 'a.txt'), '1')
    await started(spec('REMOVE'))
    await stage.stop()
    await rm(join(directory, 'a.txt'))
    await started(spec('REMOVE'))
    await until(() => stage.events.length > 0)
    expect(stage.data).toEqual([{ name: join(directory, 'a.txt'), op: 4, metadata: null }])
  })
})

it('waits for a folder that is not there, and says so', async () => {
  const later = join(directory, 'later')
  stage.start(fileSource, { eventType: 'CREATE', watchPathConfig: { directory: later, pathRegexp: '.' } })
  await until(() => stage.reports.length > 0)
  expect(stage.reports[0]).toMatchObject({ state: 'failing', reason: 'FolderUnreadable' })
  await rename(await mkdtemp(join(directory, 'x')), later)
  await until(() => stage.reports.at(-1)?.state === 'active')
  expect(stage.reports.at(-1)).toEqual({ state: 'active' })
})

it('tells renaming and changed rights from removal and writing', async () => {
  const { readFolder } = await import('./folder-snapshot.ts')
  for (const name of ['moved', 'rights', 'same']) await writeFile(join(directory, name), '1')
  const before = await readFolder(directory)
  await rename(join(directory, 'moved'), join(directory, 'new'))
  await chmod(join(directory, 'rights'), 0o600)
  const after = await readFolder(directory)
  expect(folderChanges(before, after).map(({ name, operation }) => `${operation} ${name}`)).toEqual([
    'RENAME moved',
    'CREATE new',
    'CHMOD rights',
  ])
  expect(folderChanges(after, after)).toEqual([])
})

it('checks an entry', () => {
  const check = (entry: object) => fileSource.check(entry).map(({ path, severity }) => `${severity} ${path}`)
  expect(check({ eventType: 'CREATE', watchPathConfig: { directory: '/x', path: 'a' } })).toEqual([])
  expect(check({})).toEqual(['error eventType', 'error watchPathConfig.directory', 'error watchPathConfig'])
  expect(check({ eventType: 'MOVE', watchPathConfig: { directory: 'x', path: '/a', pathRegexp: '(' } })).toEqual([
    'warning eventType',
    'error watchPathConfig.directory',
    'error watchPathConfig.path',
    'error watchPathConfig.pathRegexp',
  ])
})
