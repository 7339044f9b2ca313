import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The least that a server can do which loses nothing: it appends every body to a file, syncs what came together at once,
// and answers then. `node bare-webhook.mjs FILE`; prints its port.
const file = await open(process.argv[2] as string, 'a')
let waiting: { body: Buffer; answer: () => void }[] = []
let isWriting = false

async function write(): Promise<void> {
  isWriting = true
  while (waiting.length > 0) {
    const batch = waiting
    waiting = []
    await file.appendFile(Buffer.concat(batch.map(({ body }) => body)))
    await file.datasync()
    for (const { answer } of batch) answer()
  }
  isWriting = false
}

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    waiting.push({ body: Buffer.concat(parts), answer: () => response.end('success') })
    if (!isWriting) void write()
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
