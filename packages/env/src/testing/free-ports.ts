import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { systemRandom } from '../random.ts'

/** Below those that systems hand out by themselves: one of those, once let go, is soon given to somebody else. */
const [FIRST, COUNT] = [20_000, 10_000]

/** Ports of loopback on which nothing listens, all different. For what cannot be told to take any. */
export async function freePorts(count: number): Promise<number[]> {
  const held: { port: number; listener: Server }[] = []
  while (held.length < count) {
    const port = FIRST + Math.floor(systemRandom.next() * COUNT)
    const listener = createServer().listen(port, '127.0.0.1')
    const isFree = await once(listener, 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) held.push({ port, listener })
  }
  await Promise.all(held.map(({ listener }) => new Promise(resolve => listener.close(resolve))))
  return held.map(({ port }) => port)
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port as number
}
