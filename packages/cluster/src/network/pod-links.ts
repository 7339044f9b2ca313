import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { asError } from '@tiphys/env'
import { AddressPool, formatIpv4, type Ipv4Range, parseIpv4 } from './ipv4.ts'

/** A network namespace with one address on the bridge of all pods. */
export interface PodLink {
  ip: string
  /** A path for `nsenter --net=`. */
  netns: string
  /** The link's end on the bridge. */
  device: string
}

/** The bridge between pods, in the network namespace that this process runs in. */
export interface PodLinks {
  readonly bridgeIp: string
  /** A namespace of its own for a pod, from those that are kept ready when there is one. */
  take(): Promise<PodLink>
  remove(link: PodLink): Promise<void>
  close(): Promise<void>
}

export interface PodLinksOptions {
  /** A folder that exists. An empty file system is mounted on it, so that nothing shows outside this mount namespace. */
  directory: string
  podRange: Ipv4Range
  serviceRange: Ipv4Range
  /** How many namespaces to keep ready. */
  spare: number
  /** A device of this namespace that leads out; whoever is behind it has the third address of the pods' range. */
  egressDevice?: string | undefined
}

const BRIDGE = 'tiphys0'
/** The network's own address, the bridge's, and two for a way out to the machine's network. */
const RESERVED_ADDRESSES = 4
/** Prepared one after the other in one go: many for those who wait, few in advance, so that whoever comes meanwhile does
 *  not wait long. */
const LARGEST_BATCH = 8
const BATCH_IN_ADVANCE = 2
/** As in other container runtimes, a program needs no privilege to listen on a low port or to ping. Where the kernel does
 *  not allow this, it does. */
const LOW_PORTS_AND_PING =
  'cd /proc/sys/net/ipv4; echo 0 >ip_unprivileged_port_start; echo 0 65535 >ping_group_range; exec ip -batch -'

export async function createPodLinks(options: PodLinksOptions): Promise<PodLinks> {
  const { directory, podRange, serviceRange, spare, egressDevice } = options
  const pool = new AddressPool(podRange, RESERVED_ADDRESSES)
  const bridgeIp = formatIpv4(podRange.first + 1)
  const range = `${formatIpv4(serviceRange.first)}/${serviceRange.prefix}`
  const ways =
    egressDevice === undefined
      ? [`route add default via ${bridgeIp}`]
      : [`route add ${range} via ${bridgeIp}`, `route add default via ${formatIpv4(podRange.first + 2)}`]
  await runScript([
    `mount -t tmpfs -o mode=0700 tmpfs ${quote(directory)}`,
    ...batch([
      'link set lo up',
      // A fixed address: otherwise it changes with every pod, and the other pods look for the old one.
      `link add ${BRIDGE} address ${hardwareAddress(bridgeIp)} type bridge`,
      `addr add ${bridgeIp}/${podRange.prefix} dev ${BRIDGE}`,
      `link set ${BRIDGE} up`,
      // Every address of the range is this namespace's own: services listen on theirs without its being configured.
      `route add local ${range} dev lo`,
      ...(egressDevice === undefined ? [] : [`link set ${egressDevice} master ${BRIDGE} up`]),
    ]),
  ])
  // Lets a connection to the outside fail at once with "network is unreachable" instead of waiting for its timeout.
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1').catch(() => {})

  const ready: PodLink[] = []
  const waiting: { resolve: (link: PodLink) => void; reject: (error: Error) => void }[] = []
  let serial = 0
  let preparing: Promise<void> | undefined
  let isClosed = false

  const prepare = async (): Promise<void> => {
    while (!isClosed && ready.length < spare + waiting.length) {
      const missing = spare + waiting.length - ready.length
      const count = Math.min(missing, waiting.length > 0 ? Math.min(waiting.length, LARGEST_BATCH) : BATCH_IN_ADVANCE)
      const links: PodLink[] = []
      try {
        for (let index = 0; index < count; index++) links.push(nextLink())
        await runScript([
          ...links.flatMap(link => namespaceCommands(link, podRange.prefix, ways)),
          ...joinCommands(links),
        ])
      } catch (thrown) {
        await discard(links)
        const error = asError(thrown)
        for (const { reject } of waiting.splice(0)) reject(error)
        return
      }
      ready.push(...links)
      while (waiting.length > 0 && ready.length > 0) waiting.shift()?.resolve(ready.shift() as PodLink)
    }
  }
  const nextLink = (): PodLink => {
    const name = (serial++).toString(36)
    return { ip: pool.take(), netns: `${directory}/${name}`, device: `pod${name}` }
  }
  const refill = () => {
    preparing ??= prepare().finally(() => {
      preparing = undefined
    })
  }

  let removals: { link: PodLink; done: () => void }[] = []
  let removing: Promise<void> | undefined
  const discard = async (links: readonly PodLink[]) => {
    if (links.length === 0) return
    const paths = links.map(({ netns }) => quote(netns)).join(' ')
    // The kernel takes the namespaces' links away with them, later and many at once, which costs far less.
    await runScript(['set +e', `umount -l ${paths}`, `rm -f ${paths}`, 'exit 0'])
    for (const { ip } of links) pool.giveBack(ip)
  }
  const removeAll = async () => {
    while (removals.length > 0) {
      const batchOfRemovals = removals
      removals = []
      await discard(batchOfRemovals.map(({ link }) => link)).catch(() => {})
      for (const { done } of batchOfRemovals) done()
    }
  }

  refill()
  return {
    bridgeIp,
    async take() {
      if (isClosed) throw new Error('the network of the pods is closed')
      const link = waiting.length === 0 ? ready.shift() : undefined
      if (link) {
        // Whoever has a namespace now goes on at once; the next ones are prepared many at a time.
        if (ready.length <= spare / 2) setImmediate(refill)
        return link
      }
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        refill()
      })
    },
    remove(link) {
      return new Promise(done => {
        removals.push({ link, done })
        removing ??= removeAll().finally(() => {
          removing = undefined
        })
      })
    },
    async close() {
      isClosed = true
      await preparing
      await removing
      await runScript([
        'set +e',
        `umount -l ${quote(directory)}/* ${quote(directory)}`,
        `ip link del ${BRIDGE}`,
        'exit 0',
      ])
    },
  }
}

/** Makes the namespace and, from inside, its loopback, its end of the link, its address and its ways to all else. */
function namespaceCommands({ ip, netns, device }: PodLink, prefix: number, ways: readonly string[]): string[] {
  return [
    `: >${quote(netns)}`,
    `unshare --net=${quote(netns)} sh -c ${quote(LOW_PORTS_AND_PING)} <<END`,
    'link set lo up',
    `link add eth0 address ${hardwareAddress(ip)} type veth peer name ${device} netns ${process.pid}`,
    `addr add ${ip}/${prefix} dev eth0`,
    'link set eth0 up',
    ...ways,
    'END',
  ]
}

function joinCommands(links: readonly PodLink[]): string[] {
  return batch(links.map(({ device }) => `link set ${device} master ${BRIDGE} up`))
}

function batch(lines: readonly string[]): string[] {
  return ['ip -batch - <<END', ...lines, 'END']
}

/** Derived from the IP address, so that it is unique and an address that comes again comes with the same one. */
function hardwareAddress(ip: string): string {
  const number = parseIpv4(ip) ?? 0
  const bytes = [24, 16, 8, 0].map(shift => ((number >>> shift) & 255).toString(16).padStart(2, '0'))
  return ['0a', '58', ...bytes].join(':')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** One shell for many small programs: starting them from here one by one would cost more than they do. */
function runScript(lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const shell = spawn('/bin/sh', ['-e', '-s'], {
      stdio: ['pipe', 'ignore', 'pipe'],
      // Where `ip` is, ordinary users have no path to.
      env: { ...process.env, PATH: `${process.env.PATH ?? '/usr/bin:/bin'}:/usr/sbin:/sbin` },
    })
    let problems = ''
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      problems = `${problems}${text}`.slice(-2000)
    })
    shell.once('error', reject)
    shell.once('close', code => {
      if (code === 0) resolve()
      else reject(new Error(`the network of the pods cannot be set up: ${problems.trim() || `exit code ${code}`}`))
    })
    // A shell that ends before it has read everything says why on its standard error.
    shell.stdin.on('error', () => {})
    shell.stdin.end(`${lines.join('\n')}\n`)
  })
}
