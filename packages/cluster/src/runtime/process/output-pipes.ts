import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { quote, runScript } from './shell.ts'

/** Named pipes for the standard streams of programs. Node's own are sockets, and a program cannot open /dev/stdout when
 *  that is a socket. */
export interface Pipes {
  take(): Promise<string>
  /** Takes back a pipe that nobody has open any more. */
  giveBack(path: string): void
  discard(path: string): void
}

/** How many are made at a time. */
const BATCH = 32

/** Anybody may write, through a descriptor that was handed down: the folder itself is closed to others. */
export function createPipes(folder: string): Pipes {
  const free: string[] = []
  let serial = 0
  let making: Promise<void> | undefined
  const make = async () => {
    const paths = Array.from({ length: BATCH }, () => `${folder}/${serial++}`)
    await runScript(`mkfifo -m 666 ${paths.map(quote).join(' ')}`)
    free.push(...paths)
  }
  const refill = () => {
    making ??= make().finally(() => {
      making = undefined
    })
    return making
  }
  return {
    async take() {
      while (free.length === 0) await refill()
      return free.shift() as string
    },
    giveBack: path => void free.push(path),
    discard: path => rmSync(path, { force: true }),
  }
}

/** Ends when the last writer has gone, not before the first came. */
export function openForReading(path: string): Socket {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return socketOf(descriptor, { readable: true, writable: false })
}

/** For reading as well, so that it can be opened before a reader is there; the reader sees the end when it is closed. */
export function openForWriting(path: string): Socket {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  return socketOf(descriptor, { readable: false, writable: true })
}

function socketOf(descriptor: number, direction: { readable: boolean; writable: boolean }): Socket {
  try {
    return new Socket({ fd: descriptor, ...direction })
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}
