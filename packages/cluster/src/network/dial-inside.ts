import { spawn } from 'node:child_process'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Runs in the other namespace: says on descriptor 3 how the connecting went, then passes everything on. The end of what
 *  comes is passed on by closing descriptor 1, which `process.stdout` cannot do. */
const PROGRAM = `
  const { createWriteStream } = require('node:fs')
  const socket = require('node:net').connect({ host: 'localhost', port: Number(process.argv[1]), allowHalfOpen: true })
  const report = createWriteStream(null, { fd: 3 })
  socket.once('error', error => report.end((error.errors?.[0] ?? error).message, () => process.exit(1)))
  socket.once('connect', () => {
    report.end()
    process.stdin.pipe(socket).pipe(createWriteStream(null, { fd: 1 }))
  })`

/** A connection to a port on the loopback of another network namespace, which only a process inside can make. */
export async function dialInside(netns: string, port: number): Promise<Duplex> {
  const child = spawn('nsenter', [`--net=${netns}`, process.execPath, '-e', PROGRAM, `${port}`], {
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    env: {},
  })
  const failed = new Promise<string>(resolve => child.once('error', error => resolve(error.message)))
  const problem = await Promise.race([text(child.stdio[3] as NodeJS.ReadableStream), failed])
  if (problem !== '') throw new Error(problem)
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
  stream.once('close', () => child.kill('SIGKILL'))
  return stream
}
