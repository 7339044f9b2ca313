import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePorts } from './free-ports.ts'

it('finds different ports, on each of which something can listen then', async () => {
  const ports = await freePorts(50)
  expect(new Set(ports).size).toBe(50)
  for (const port of ports) {
    const listener = createServer().listen(port, '127.0.0.1')
    await once(listener, 'listening')
    listener.close()
    await once(listener, 'close')
  }
})
