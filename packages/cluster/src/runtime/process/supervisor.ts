// The program that owns all containers of one process runtime. It is in namespaces of its own, and everything that it
// starts, mounts or connects is in those, so that it all ends with it. It ends with the runtime that started it.
import { closeSync, readdirSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSupervisorNetwork, type SupervisorNetwork } from '../../network/supervisor-network.ts'
import { readAccounts } from './accounts.ts'
import { createIsolatedPods } from './isolated-pods.ts'
import { joinChannel } from './join-channel.ts'
import { answer, multiplex, readToEnd } from './multiplexer.ts'
import { createPipes } from './output-pipes.ts'
import { createPlainPods } from './plain-pods.ts'
import type { Pods, PodsProcess } from './pods.ts'
import { quote, runScript } from './shell.ts'
import type {
  RuntimeRequest,
  SetUpAnswer,
  SetUpRequest,
  StartAnswer,
  SupervisorRequest,
} from './supervisor-protocol.ts'
import { prepareState } from './supervisor-state.ts'

const CONTROL_DESCRIPTOR = 3
/** That of the machine's network namespace. */
const LAST_DESCRIPTOR = 4

const control = new Socket({ fd: CONTROL_DESCRIPTOR, readable: true, writable: true })
let pods: Pods | undefined
let endAll = (): void => {}
let network: SupervisorNetwork | undefined
const processes = new Map<string, Promise<PodsProcess>>()

const link = multiplex(control, 'server', (purpose, stream) => handle(purpose as SupervisorRequest, stream))
control.on('close', () => {
  endAll()
  process.exit(0)
})

const ask = (request: RuntimeRequest): Duplex => link.open(request)
const podsOf = (): Pods => {
  if (pods === undefined) throw new Error('the supervisor is not set up')
  return pods
}
const networkOf = (): SupervisorNetwork => {
  if (network === undefined) throw new Error('pods have no network of their own here')
  return network
}
const processOf = async (id: string): Promise<PodsProcess> => {
  const found = processes.get(id)
  if (found === undefined) throw new Error(`there is no process ${id}`)
  return found
}

async function handle(request: SupervisorRequest, stream: Duplex): Promise<void> {
  switch (request.do) {
    case 'say hello':
      return answer(stream, undefined)
    case 'set up':
      return answer(stream, await setUp(request))
    case 'create sandbox':
      return answer(stream, await podsOf().createSandbox(request))
    case 'remove sandbox':
      return answer(stream, await podsOf().removeSandbox(request.sandbox))
    case 'set services':
      networkOf().setServices(request.services)
      return answer(stream, undefined)
    case 'dial':
      return joinDialled(stream, await podsOf().dial(request.sandbox, request.port, request.host))
    case 'dial address':
      return joinDialled(stream, await networkOf().dial(request.ip, request.port))
    case 'start':
      return answer(stream, await launch(request.process, podsOf().start(request)))
    case 'exec': {
      const container = processOf(request.container)
      return answer(
        stream,
        await launch(
          request.process,
          container.then(found => found.exec(request)),
        ),
      )
    }
    case 'wait': {
      try {
        const { supervised } = await processOf(request.process)
        return answer(stream, await supervised.exited)
      } finally {
        // Its runtime asks for this last, and always.
        processes.delete(request.process)
      }
    }
    case 'signal':
      return answer(stream, await (await processOf(request.process)).signal(request.signal))
    case 'resize': {
      const terminal = await (await processOf(request.process)).terminal()
      if (terminal !== undefined) {
        await runScript(`stty -F ${quote(terminal)} cols ${Number(request.columns)} rows ${Number(request.rows)}`)
      }
      return answer(stream, undefined)
    }
    case 'usage':
      return answer(stream, await (await processOf(request.process)).usage())
    case 'stdout':
    case 'stderr': {
      const output = (await processOf(request.process)).supervised[request.do]
      output.pipe(stream)
      output.once('close', () => stream.end())
      stream.once('close', () => output.destroy())
      return
    }
    case 'stdin': {
      const { stdin } = (await processOf(request.process)).supervised
      if (stdin === undefined) throw new Error('the process has no standard input')
      stream.on('data', (chunk: Buffer) => {
        if (stdin.destroyed || stdin.write(chunk)) return
        stream.pause()
        stdin.once('drain', () => stream.resume())
      })
      // Nothing more can be told to a pipe than that it is closed.
      stream.once('end', () => stdin.write('', () => stdin.destroy()))
      stdin.once('close', () => stream.destroy())
      return
    }
  }
}

/** Registered before it runs, so that its output can be asked for at once, and kept until it was waited for: it may have ended
 *  before its runtime's other questions arrive. */
async function launch(id: string, starting: Promise<PodsProcess>): Promise<StartAnswer> {
  processes.set(id, starting)
  try {
    const { supervised } = await starting
    await supervised.launched
    return {}
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

function joinDialled(stream: Duplex, connection: Duplex): void {
  // Tells that the connection stands, before anything that comes through it.
  stream.write('+')
  joinChannel(stream, connection)
}

async function setUp(request: SetUpRequest): Promise<SetUpAnswer> {
  if (request.mode === 'plain') {
    const plain = createPlainPods(request.workDirectory ?? '/tmp')
    pods = plain
    endAll = plain.endAll
    return { dnsAddress: undefined, limitations: [] }
  }
  closeInherited()
  const template = await prepareState(request)
  const { state } = template
  const apiSocket = `${state}/api.sock`
  await listenFor(apiSocket, socket => joinChannel(ask({ do: 'dial api' }), socket))
  const { podCidr, serviceCidr, clusterDomain } = request.network
  const created = await createSupervisorNetwork({
    directory: `${state}/network`,
    apiSocket,
    ...(podCidr === undefined ? {} : { podCidr }),
    ...(serviceCidr === undefined ? {} : { serviceCidr }),
    ...(clusterDomain === undefined ? {} : { clusterDomain }),
    ...(request.forwardsDns ? { forwardDns } : {}),
    ...(request.egressDevice === undefined ? {} : { egressDevice: request.egressDevice }),
    onProblem: message => process.stderr.write(`${message}\n`),
  })
  network = created
  pods = createIsolatedPods({
    template,
    accounts: readAccounts(),
    pipes: createPipes(`${state}/pipes`),
    network: created,
    machineNetwork:
      request.machineNetwork === undefined ? undefined : `/proc/${process.pid}/fd/${request.machineNetwork}`,
  })
  return { dnsAddress: created.dnsAddress, limitations: [] }
}

/** Whoever started the runtime may have left it open files, and what is open here is open in containers. The namespace's
 *  first process, a shell without any of its own, shows which those are. */
function closeInherited(): void {
  for (const name of readdirSync('/proc/1/fd')) if (Number(name) > LAST_DESCRIPTOR) closeSync(Number(name))
}

async function forwardDns(message: Uint8Array): Promise<Uint8Array> {
  const stream = ask({ do: 'forward dns' })
  stream.end(message)
  return readToEnd(stream)
}

function listenFor(path: string, accept: (socket: Socket) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, accept)
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
}
