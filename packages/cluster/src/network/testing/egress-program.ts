// A machine of its own with a server that is outside the pods, and a network of pods with a way out to it, for a test.
// Started in namespaces of its own; prints what pods got as JSON.
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { startEgress } from '../egress.ts'
import { NetworkHarness } from './network-harness.ts'

const [folder = '', program = '', ...flags] = process.argv.slice(2)
const OUTSIDE = '198.51.100.1'
const machine = [
  'link set lo up',
  'link add name outside0 type bridge',
  `addr add ${OUTSIDE}/24 dev outside0`,
  'link set outside0 up',
]
execFileSync('ip', ['-batch', '-'], { input: machine.join('\n') })
const server = createServer((request, response) => response.end(`hello from outside to ${request.url}`))
await new Promise<void>(resolve => server.listen(80, '0.0.0.0', resolve))

const network = new NetworkHarness(folder, program, flags)
await network.whenStarted
const egress = await startEgress({ pid: network.pid })
await network.setUp(egress.device)
await Promise.all([network.addPod('one'), network.addPod('two')])
const fetch = async (uid: string, url: string) => {
  const { stdout, code } = await network.runIn(uid, 'curl', '-s', '-m', '10', url)
  return code === 0 ? stdout : code
}
const results = {
  one: await fetch('one', `http://${OUTSIDE}/one`),
  two: await fetch('two', `http://${OUTSIDE}/two`),
  loopback: await fetch('one', 'http://10.244.0.2/'),
  nowhere: await fetch('one', 'http://203.0.113.9/'),
}
await network.close()
egress.close()
process.stdout.write(JSON.stringify(results))
process.exit(0)
