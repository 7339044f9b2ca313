import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DataFolder, dataFolder } from './data-folder.ts'
import { findInstance, type ServerFile, writeServerFile } from './server-file.ts'

const GONE_PID = 2 ** 22 + 1

let folder: DataFolder
let server: Server
let file: ServerFile
beforeEach(async () => {
  folder = dataFolder(await mkdtemp(join(tmpdir(), 'tiphys-server-file-')))
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  file = { command: 'up', pid: process.pid, version: '0', url, token: 't', kubeconfig: '', manifests: [] }
})
afterEach(async () => {
  server.close()
  await rm(folder.path, { recursive: true })
})

const found = async (patienceMs?: number) => {
  await writeServerFile(folder, file)
  return await findInstance(folder, patienceMs)
}

describe('the instance of a folder', () => {
  it('is there when it answers', async () => {
    server.on('connection', socket =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    )
    expect(await found()).toEqual({ running: file })
  })

  it('is not said to be gone when it only does not answer', async () => {
    server.on('connection', socket => socket.unref())
    expect(await found(1)).toEqual({ silent: file })
  })

  it('is gone when nobody listens, when somebody else does, and when its process is', async () => {
    server.on('connection', socket => socket.once('data', () => socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')))
    expect(await found()).toEqual({})
    file = { ...file, pid: GONE_PID }
    expect(await found()).toEqual({})
    server.close()
    file = { ...file, pid: process.pid }
    expect(await found()).toEqual({})
  })
})
