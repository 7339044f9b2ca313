import type { Duplex } from 'node:stream'
import { MultiplexedOutput } from './multiplexed-output.ts'

export type Output = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void | Promise<void>

/** Reads what a program writes until it ends. The program waits while `output` does. Never rejects: a connection that
 *  breaks ends the output. */
export async function readOutput(stream: Duplex, isTerminal: boolean, output: Output): Promise<void> {
  const frames = new MultiplexedOutput()
  try {
    // Not `for await`, which would end the other direction together with this one.
    for await (const bytes of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      const parts = isTerminal ? [{ stream: 'stdout' as const, chunk: bytes }] : frames.push(bytes)
      for (const { stream: name, chunk } of parts) await output(name, chunk)
    }
  } catch {
    // What ended the connection shows in how the program ended.
  }
}
