import { spawn } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { parseIpv4Range } from './ipv4.ts'

export interface EgressOptions {
  /** A process in the network namespace of the pods' bridge. */
  pid: number
  podCidr?: string
}

/** A way from the pods to what this machine can reach, except its loopback. */
export interface Egress {
  /** What the pods' network is to be told: `egressDevice`. */
  readonly device: string
  close(): void
}

/** What `limitations` says where there is no way out. */
export const NO_EGRESS =
  'Pods reach each other, services and the API server, but nothing outside: there is no slirp4netns on this machine. Install the package slirp4netns.'

const DEVICE = 'outside'

/** Gives the pods' network a device that leads out. One for all pods: it is a port of their bridge, and its end on this
 *  machine remembers who asked. Must be called before the pods' network is made. Throws when it cannot be had. */
export async function startEgress({ pid, podCidr = '10.244.0.0/16' }: EgressOptions): Promise<Egress> {
  parseIpv4Range(podCidr)
  const isOtherUser = readlinkSync(`/proc/${pid}/ns/user`) !== readlinkSync('/proc/self/ns/user')
  const child = spawn(
    'slirp4netns',
    [
      ['--netns-type=path', '--disable-host-loopback', '--disable-dns', `--cidr=${podCidr}`, '--mtu=1500'],
      // It tells on 3 when the device is there, and ends when 4 does: with this process, however that ends.
      ['--ready-fd=3', '--exit-fd=4'],
      isOtherUser ? [`--userns-path=/proc/${pid}/ns/user`] : [],
      [`/proc/${pid}/ns/net`, DEVICE],
    ].flat(),
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] },
  )
  let problems = ''
  child.stderr?.on('data', chunk => {
    problems = `${problems}${chunk}`.slice(-1000)
  })
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`slirp4netns did not start: ${problems.trim() || 'it ended without a word'}`))
    child.once('error', reject)
    child.once('close', fail)
    const ready = child.stdio[3] as Readable
    ready.once('data', () => {
      child.off('close', fail)
      resolve()
    })
  })
  // It does not keep this process alive.
  child.unref()
  for (const stream of child.stdio)
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
  return { device: DEVICE, close: () => void child.kill('SIGKILL') }
}
