// Runs a pods' network in the namespaces that this process was started in, for tests. Reads one JSON call a line and
// answers each with a line.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { createSupervisorNetwork, type SupervisorNetwork } from '../supervisor-network.ts'
import type { NetworkCall } from './network-harness.ts'

const [directory = '', apiSocket = '', resolvConf = ''] = process.argv.slice(2)
const problems: string[] = []
let network: SupervisorNetwork
const pods = new Map<string, string>()

/** As a container would be: in the pod's network, with the cluster's name server. */
function startIn(uid: string, argv: readonly string[]) {
  const asPod = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'
  const command = ['--mount', 'sh', '-c', asPod, 'sh', resolvConf, ...argv]
  return spawn('nsenter', [`--net=${pods.get(uid)}`, 'unshare', ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function perform(call: NetworkCall): Promise<unknown> {
  switch (call.call) {
    case 'setUp': {
      const { egressDevice } = call
      const onProblem = (message: string) => void problems.push(message)
      network = await createSupervisorNetwork({
        directory,
        apiSocket,
        onProblem,
        ...(egressDevice && { egressDevice }),
      })
      const search = 'search default.svc.cluster.local svc.cluster.local cluster.local'
      return writeFileSync(resolvConf, `nameserver ${network.dnsAddress}\n${search}\noptions ndots:5\n`)
    }
    case 'addPod': {
      const started = performance.now()
      const { ip, netns } = await network.addPod(call.uid)
      pods.set(call.uid, netns)
      return { ip, netns, milliseconds: performance.now() - started }
    }
    case 'removePod':
      return network.removePod(call.uid)
    case 'setServices':
      return network.setServices(call.services)
    case 'problems':
      return problems
    case 'start': {
      const child = startIn(call.uid, call.argv)
      child.stderr.pipe(process.stderr)
      await new Promise<void>((resolve, reject) => {
        child.stdout.once('data', resolve)
        child.once('close', code => reject(new Error(`${call.argv[0]} ended with ${code} before it was ready`)))
      })
      return child.pid
    }
    case 'run': {
      const child = startIn(call.uid, call.argv)
      const closed = new Promise<number | null>(resolve => child.once('close', resolve))
      const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
      return { stdout, stderr, code }
    }
    case 'dial': {
      const stream = await network.dial(call.ip, call.port)
      stream.end(call.say)
      return text(stream)
    }
    case 'dialLoopback': {
      const stream = await network.dialLoopback(call.uid, call.port)
      if (call.say !== '') stream.end(call.say)
      return text(stream)
    }
    case 'close':
      return network.close()
  }
}

// Tells that it is in its namespaces.
process.stdout.write('\n')
for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...call } = JSON.parse(line) as { id: number } & NetworkCall
  void perform(call).then(
    result => process.stdout.write(`${JSON.stringify({ id, result })}\n`),
    (error: Error) => process.stdout.write(`${JSON.stringify({ id, error: error.message })}\n`),
  )
}
process.exit(0)
