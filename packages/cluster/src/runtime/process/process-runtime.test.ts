import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PodRuntime, SandboxConfig } from '../pod-runtime.ts'
import { detectProcessRuntime } from './detection.ts'
import { readToEnd } from './multiplexer.ts'
import { createProcessRuntime } from './process-runtime.ts'
import { type BundledRuntime, bundleRuntime } from './testing/bundled-runtime.ts'
import { type TrialPod, trialPod } from './testing/trial-pod.ts'

const support = await detectProcessRuntime()
const isIsolated = support.isolation === 'root'

describe.runIf(isIsolated)('containers in namespaces of their own', () => {
  let bundle: BundledRuntime
  let runtime: PodRuntime
  let files: string
  const pods: TrialPod[] = []
  const pod = async (config?: Partial<SandboxConfig>) => {
    const created = await trialPod(runtime, config)
    pods.push(created)
    return created
  }

  beforeAll(async () => {
    bundle = await bundleRuntime()
    files = mkdtempSync('/var/tmp/tiphys-volumes-')
    mkdirSync(join(files, 'secret'))
    writeFileSync(join(files, 'secret/key'), 'hidden')
    runtime = await createProcessRuntime({
      supervisorProgram: bundle.supervisorProgram,
      support,
      maskedPaths: [join(files, 'secret'), '/var/lib/tiphys-not-there-yet'],
      maxProcesses: 64,
      dialApi: async () => {
        const [near, far] = duplexPair()
        void readToEnd(far).then(text => far.end(`api heard ${String(text)}`))
        return near
      },
    })
  })
  afterEach(async () => {
    await Promise.all(pods.splice(0).map(({ sandbox }) => sandbox.remove()))
  })
  afterAll(async () => {
    await runtime?.close()
    bundle?.remove()
    rmSync(files, { recursive: true, force: true })
  })

  test('give back their output, apart, and their exit code', async () => {
    const { run } = await pod()
    const result = await run('echo out; echo err >&2; echo again >/dev/stderr; exit 7')
    expect(result).toMatchObject({ exitCode: 7, stdout: 'out\n', stderr: 'err\nagain\n', isOutOfMemory: false })
  })

  test('have their own name, environment, first process and folder', async () => {
    vi.stubEnv('TIPHYS_SECRET_OF_THIS_PROCESS', 'leaked')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { run } = await pod({ hostname: 'web-0' })
    const env = [
      { name: 'GREETING', value: 'hello  "world"' },
      { name: 'a.b-c', value: '1' },
      { name: 'GREETING', value: "it's me" },
    ]
    const result = await run('hostname; pwd; cat /proc/1/comm', { workingDir: '/srv/deep/folder' })
    expect(result.stdout).toBe('web-0\n/srv/deep/folder\nsh\n')
    const variables = (await run(['env'], { env })).stdout.trim().split('\n')
    expect(variables.sort()).toEqual([
      "GREETING=it's me",
      'HOME=/root',
      'HOSTNAME=web-0',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'a.b-c=1',
    ])
  })

  test('run as whom they are told to', async () => {
    const { run } = await pod()
    const ids = 'id -u; id -g; id -G'
    const other = await run(ids, { runAsUser: 4321, runAsGroup: 1234, supplementalGroups: [7, 8] })
    expect(other.stdout).toBe('4321\n1234\n1234 7 8\n')
    const image = { imageId: 'x', argv: ['sh', '-c', ids], env: {}, workingDir: undefined, user: 'nobody' }
    expect((await run([], { image })).stdout).toMatch(/^65534\n65534\n/)
    const unknown = await run([], { image: { ...image, user: 'nobody-of-this-name' } })
    expect(unknown.startError).toContain('unable to find user nobody-of-this-name')
  })

  test('have the capabilities of containers, more or less as they are told', async () => {
    const { run } = await pod()
    const capabilities = async (config: Parameters<typeof run>[1]) => {
      const { stdout } = await run('grep -E "CapEff|NoNewPrivs" /proc/self/status', config)
      return stdout.replace(/\s+/g, ' ').trim()
    }
    expect(await capabilities({})).toBe('CapEff: 00000000a00425fb NoNewPrivs: 0')
    expect(await capabilities({ capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } })).toContain('0000000000001000')
    expect(await capabilities({ allowPrivilegeEscalation: false })).toContain('NoNewPrivs: 1')
    expect(await capabilities({ runAsUser: 1000 })).toContain('CapEff: 0000000000000000')
    const everything = /CapEff:\s+(\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    expect(await capabilities({ privileged: true })).toContain(everything)
  })

  test.each([
    ['nope', 'exec: "nope": executable file not found in $PATH'],
    ['/nope', 'exec: "/nope": stat /nope: no such file or directory'],
    ['/etc/passwd', 'exec: "/etc/passwd": permission denied'],
    ['/usr', 'exec: "/usr": is a directory'],
  ])('say why %s cannot be run', async (command, startError) => {
    const { run } = await pod()
    expect(await run([command])).toMatchObject({ exitCode: 128, startError, stdout: '', stderr: '' })
  })

  test('say what is too long for a program to be given', async () => {
    const { run } = await pod()
    const { startError } = await run('true', { env: [{ name: 'LONG', value: 'x'.repeat(140_000) }] })
    expect(startError).toMatch(/^argument list too long: .* 128 KiB/)
  })

  test('change nothing of this machine, whatever they write', async () => {
    const { run } = await pod()
    const marker = `tiphys-marker-${process.pid}`
    const before = machineState()
    const script = `[ -d /.tiphys ] || exit 99
      for folder in / /etc /usr/bin /root /home /var/lib /tmp /dev/shm /opt /srv /run /mnt ${files}; do
        echo x >$folder/${marker} || echo "refused $folder"
      done
      rm -rf /etc/passwd /usr/share/doc /var/lib/dpkg
      echo changed >/etc/hosts
      mount -t tmpfs tmpfs /mnt 2>/dev/null && echo mounted
      mknod /tmp/disk b 254 0 2>/dev/null && echo device
      for file in /proc/sys/kernel/hostname /proc/sysrq-trigger /sys/kernel/mm/transparent_hugepage/enabled; do
        (echo x >$file) 2>/dev/null && echo "wrote $file"
      done
      ls /etc/passwd 2>/dev/null; cat /etc/hosts; head -c 1 /proc/kcore; date -s 2000-01-01 >/dev/null 2>&1 && echo "set the clock"`
    const result = await run(script)
    expect(result.stdout).toBe('changed\n')
    expect(machineState()).toEqual(before)
    for (const folder of ['/', '/etc', '/usr/bin', '/root', '/tmp', '/dev/shm', '/run', files]) {
      expect(statSync(join(folder, marker), { throwIfNoEntry: false })).toBeUndefined()
    }
    expect((await run(`ls /etc/passwd; ls /tmp`)).stdout).toBe('/etc/passwd\n')
  })

  test('see neither what is masked nor users’ keys', async () => {
    const { run } = await pod()
    const paths = [join(files, 'secret'), '/root/.ssh', '/root/.kube', '/etc/shadow', '/var/lib/tiphys-not-there-yet']
    const { stdout } = await run(
      `for path in ${paths.join(' ')}; do [ -e $path ] && echo $path; done; ls ${files}; ls -A /dev /.tiphys`,
    )
    expect(stdout.replace(/\s+/g, ' ').trim()).toBe(
      '/.tiphys: /dev: fd full null ptmx pts random shm stderr stdin stdout tty urandom zero',
    )
  })

  test('have no descriptors and no masked signals of whoever started them', async () => {
    const { run } = await pod()
    expect((await run(['ls', '/proc/self/fd'])).stdout).toBe('0\n1\n2\n3\n')
    const { stdout } = await run(['grep', '-E', '^Sig(Blk|Ign)', '/proc/self/status'])
    expect(stdout.replace(/\s+/g, ' ')).toBe('SigBlk: 0000000000000000 SigIgn: 0000000000000000 ')
  })

  test('cannot write to a read-only root but to their volumes', async () => {
    const { run } = await pod()
    const volume = join(files, 'writable')
    mkdirSync(volume)
    const mounts = [{ source: volume, target: '/data', readOnly: false }]
    const result = await run('echo x >/data/file; echo x >/etc/file', { readOnlyRootFilesystem: true, mounts })
    expect(result.stderr).toContain('Read-only file system')
    expect(readFileSync(join(volume, 'file'), 'utf8')).toBe('x\n')
  })

  test('have volumes where they are wanted: folders and files, over links, in each other', async () => {
    const { run } = await pod()
    const place = (name: string) => join(files, name)
    for (const folder of ['outer', 'inner folder']) mkdirSync(place(folder))
    writeFileSync(place('outer/a'), 'a')
    writeFileSync(place('inner folder/b'), 'b')
    writeFileSync(place('log'), '')
    const mounts = [
      { source: place('outer'), target: '/made/for it', readOnly: false },
      { source: place('inner folder'), target: '/var/run/secrets/inner', readOnly: true },
      { source: place('log'), target: '/made/for it/file', readOnly: false },
      { source: place('log'), target: '/dev/termination-log', readOnly: false },
      { source: place('outer/a'), target: '/etc/hosts', readOnly: true },
      { source: place('outer/a'), target: '/run/deep/down/a', readOnly: true },
    ]
    const script = `cat '/made/for it/a' /run/secrets/inner/b /etc/hosts /run/deep/down/a; echo end >/dev/termination-log
      touch /run/secrets/inner/c 2>/dev/null && echo written; cat '/made/for it/file'; echo x >'/made/for it/new'`
    expect(await run(script, { mounts })).toMatchObject({ exitCode: 0, stdout: 'abaaend\n', stderr: '' })
    expect(readFileSync(place('log'), 'utf8')).toBe('end\n')
    expect(readFileSync(place('outer/new'), 'utf8')).toBe('x\n')
  })

  test('do not start when a volume’s source is not there, and say so', async () => {
    const { run } = await pod()
    const result = await run('true', { mounts: [{ source: join(files, 'gone'), target: '/data', readOnly: false }] })
    expect(result).toMatchObject({ exitCode: 128, startError: expect.stringContaining('no such file or directory') })
  })

  test('do not start when a link was put in the place of a part of a volume', async () => {
    const { run } = await pod()
    const beneath = join(files, 'shared')
    mkdirSync(join(beneath, 'part'), { recursive: true })
    writeFileSync(join(beneath, 'part/file'), 'inside')
    symlinkSync('/etc', join(beneath, 'link'))
    const mount = (part: string) => ({
      mounts: [{ source: join(beneath, part), target: '/data', readOnly: false, beneath }],
    })
    expect(await run('cat /data/file', mount('part'))).toMatchObject({ exitCode: 0, stdout: 'inside' })
    const startError = 'what is to be mounted at /data was exchanged meanwhile'
    expect(await run('true', mount('link'))).toMatchObject({ exitCode: 128, startError })
  })

  test('get signals, and end with 128 and the signal’s number', async () => {
    const { start } = await pod()
    const polite = await start("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done")
    await until(() => polite.stdout() === 'ready\n')
    await polite.container.kill('SIGTERM')
    expect(await polite.container.exited).toMatchObject({ exitCode: 3 })
    expect(polite.stdout()).toBe('ready\nbye\n')

    const deaf = await start('trap "" TERM; echo ready; while :; do sleep 100; done')
    await until(() => deaf.stdout() === 'ready\n')
    await deaf.container.kill('SIGTERM')
    await deaf.container.kill('SIGKILL')
    expect(await deaf.container.exited).toMatchObject({ exitCode: 137, isOutOfMemory: false })
    await deaf.container.kill('SIGTERM')
  })

  test('collect the children that nobody waits for', async () => {
    const { start } = await pod()
    const { container } = await start('while :; do sleep 0.05; done')
    const argv = ['sh', '-c', 'sleep 0.01 & sleep 1000 & exit 0']
    const session = await container.exec({ argv, stdin: false, tty: false, output: () => {} })
    const abandoned = await container.exec({ argv: ['sleep', '1000'], stdin: false, tty: false, output: () => {} })
    await abandoned.kill()
    await container.kill('SIGKILL')
    await Promise.all([session.exited, container.exited])
    await until(() => zombies().length === 0)
  })

  test('run other programs in them, with streams of their own', async () => {
    const { start } = await pod()
    const env = [{ name: 'GREETING', value: 'hi' }]
    const { container } = await start('echo made >/made; exec sleep 100', {
      env,
      workingDir: '/srv',
      runAsUser: undefined,
    })
    const exec = async (argv: string[], input?: string) => {
      const text = { stdout: '', stderr: '' }
      const output = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => {
        text[stream] += Buffer.from(chunk).toString()
      }
      const session = await container.exec({ argv, stdin: input !== undefined, tty: false, output })
      if (input !== undefined) session.stdin?.end(input)
      return { ...(await session.exited), ...text }
    }
    expect(await exec(['sh', '-c', 'pwd; echo $GREETING; exit 5'])).toEqual({
      exitCode: 5,
      stdout: '/srv\nhi\n',
      stderr: '',
    })
    expect(await exec(['sh', '-c', 'cat /made >&2'])).toEqual({ exitCode: 0, stdout: '', stderr: 'made\n' })
    expect(await exec(['cat'], 'through and back')).toMatchObject({ exitCode: 0, stdout: 'through and back' })
    expect((await exec(['sh', '-c', 'kill -9 $$'])).exitCode).toBe(137)
    await expect(exec(['nope'])).rejects.toThrow('exec: "nope": executable file not found in $PATH')
    const endless = await container.exec({ argv: ['sleep', '1000'], stdin: false, tty: false, output: () => {} })
    await endless.kill()
    expect((await endless.exited).exitCode).toBe(137)
    await container.kill('SIGKILL')
    await container.exited
    await expect(exec(['true'])).rejects.toThrow()
  })

  test('have a terminal that can be typed into and resized', async () => {
    const { start } = await pod()
    const main = await start('stty size; read line; echo "got $line"; tty', { tty: true, stdin: true })
    await until(() => main.stdout().includes('0 0'))
    main.container.stdin?.write('typed\n')
    expect(await main.container.exited).toMatchObject({ exitCode: 0 })
    expect(main.stdout()).toBe('0 0\r\ntyped\r\ngot typed\r\n/dev/pts/0\r\n')

    const { container } = await start('exec sleep 100')
    let text = ''
    const output = (_: string, chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString()
    }
    const argv = ['sh', '-c', 'trap "stty size; exit 9" WINCH; echo ready; while :; do sleep 0.05; done']
    const session = await container.exec({ argv, stdin: true, tty: true, output })
    await until(() => text.includes('ready'))
    await session.resize(120, 40)
    expect(await session.exited).toEqual({ exitCode: 9 })
    expect(text).toContain('40 120')
  })

  test('listen on one port in several pods, each reached at its own address and loopback', async () => {
    const three = await Promise.all([pod(), pod(), pod()])
    const server = (name: string) =>
      `require('net').createServer(c => c.end('${name}')).listen(8080, '0.0.0.0', () => console.log('ready'))`
    const containers = await Promise.all(three.map(({ start }, index) => start(['node', '-e', server(`pod ${index}`)])))
    await until(() => containers.every(({ stdout }) => stdout().includes('ready')))
    const answers = await Promise.all(three.map(({ sandbox }) => sandbox.dial(8080).then(readAll)))
    expect(answers).toEqual(['pod 0', 'pod 1', 'pod 2'])
    expect(await three[1]?.sandbox.dial(8080, '127.0.0.1').then(readAll)).toBe('pod 1')
    const address = three[2]?.sandbox.ips[0] ?? ''
    expect(await runtime.network?.dial(address, 8080).then(readAll)).toBe('pod 2')
    const client = `require('net').connect(8080, '${address}').pipe(process.stdout)`
    expect((await three[0]?.run(['node', '-e', client]))?.stdout).toBe('pod 2')
    await expect(three[0]?.sandbox.dial(9999)).rejects.toThrow('ECONNREFUSED')
  })

  test('reach the API server by the address of its service, and give back all that a connection brings', async () => {
    const { run, start, sandbox } = await pod()
    runtime.network?.setServices([
      {
        namespace: 'default',
        name: 'kubernetes',
        clusterIps: ['10.96.0.1'],
        sessionAffinity: 'None',
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targets: ['api'] }],
        endpoints: [],
        publishNotReadyAddresses: false,
      },
    ])
    const client = "require('net').connect(443, '10.96.0.1', function () { this.end('hello') }).pipe(process.stdout)"
    expect((await run(['node', '-e', client])).stdout).toBe('api heard hello')

    const size = 5_000_000
    const server = `require('net').createServer(c => c.end(Buffer.alloc(${size}))).listen(80, () => console.log('ready'))`
    const { stdout } = await start(['node', '-e', server])
    await until(() => stdout().includes('ready'))
    expect((await sandbox.dial(80).then(readAll)).length).toBe(size)
  })

  test('reach what this machine reaches, but not its loopback', async () => {
    const { run } = await pod()
    if (runtime.limitations.some(limitation => limitation.includes('outside'))) return
    const server = createServer(connection => connection.end('from the machine')).listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = (host: string) => ['node', '-e', `require('net').connect(${port}, '${host}').pipe(process.stdout)`]
    const address = (await pod({ hostNetwork: true })).sandbox.ips[0] ?? ''
    expect((await run(client(address))).stdout).toBe('from the machine')
    expect((await run(client('127.0.0.1'))).stderr).toContain('ECONNREFUSED')
    server.close()
  })

  test('share the processes of their pod when it says so', async () => {
    const { start, run } = await pod({ shareProcessNamespace: true })
    const first = await start(['sleep', '12345'])
    const { stdout } = await run(['ps', '-eo', 'args'])
    expect(stdout).toContain('sleep 12345')
    await first.container.kill('SIGKILL')
    expect(await first.container.exited).toMatchObject({ exitCode: 137 })
  })

  test('are in the machine’s network when the pod says so', async () => {
    const { run, sandbox } = await pod({ hostNetwork: true })
    const { stdout } = await run(['readlink', '/proc/self/ns/net'])
    expect(stdout.trim()).toBe(execFileSync('readlink', ['/proc/self/ns/net'], { encoding: 'utf8' }).trim())
    expect(sandbox.ips[0]).not.toMatch(/^10\.244\./)
  })

  test('are killed with their pod', async () => {
    const { start, sandbox } = await pod()
    const { container } = await start(['sleep', '1000'])
    await sandbox.remove()
    expect(await container.exited).toMatchObject({ exitCode: 137 })
  })

  test('that print a lot are held back by whoever reads slowly, and lose nothing', async () => {
    const { start } = await pod()
    const size = 300_000_000
    let seen = 0
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const { container } = await start(['head', '-c', String(size), '/dev/zero'], {
      output: (_, chunk) => {
        seen += chunk.length
        return held
      },
    })
    const small = await pod()
    expect((await small.run('echo beside')).stdout).toBe('beside\n')
    expect(seen).toBeLessThan(10_000_000)
    release()
    expect(await container.exited).toMatchObject({ exitCode: 0 })
    expect(seen).toBe(size)
  })

  test('that want more memory than they may have are killed for it', async () => {
    const { run, start } = await pod()
    const grow = 'const all = []; for (;;) all.push(Buffer.alloc(4e6, 1))'
    const limits = { memoryBytes: 128 * 1024 * 1024 }
    expect(await run(['node', '-e', grow], { limits })).toMatchObject({ exitCode: 137, isOutOfMemory: true })
    const modest = await start(['node', '-e', 'setInterval(() => {}, 1000); console.log("ready")'], { limits })
    await until(() => modest.stdout() === 'ready\n')
    const usage = await modest.container.usage()
    expect(usage?.memoryBytes).toBeGreaterThan(1_000_000)
    expect(usage?.memoryBytes).toBeLessThan(128 * 1024 * 1024)
    expect(usage?.cpuNanoseconds).toBeGreaterThan(1_000_000n)
  })

  test('that multiply without end reach their limit alone', async () => {
    const { start } = await pod()
    // The first process needs no other any more: at the limit a shell that cannot fork ends.
    const { container } = await start('{ bomb() { bomb | bomb & }; bomb; } & exec sleep 1000')
    const other = await pod()
    expect((await other.run('echo unharmed')).stdout).toBe('unharmed\n')
    await container.kill('SIGKILL')
    expect(await container.exited).toMatchObject({ exitCode: 137 })
  })

  test('that fill their disk, fill their own', async () => {
    const { run } = await pod()
    const { stdout } = await run('df --output=size -B1 /tmp | tail -1')
    expect(Number(stdout)).toBe(2 * 1024 ** 3)
  })
})

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 20_000, interval: 5 })

function machineState() {
  const read = (...command: [string, ...string[]]) => execFileSync(command[0], command.slice(1), { encoding: 'utf8' })
  return {
    mounts: readFileSync('/proc/self/mounts', 'utf8'),
    links: read('ip', '-o', 'link').replace(/^\d+: (ifb|veth|podman)\S* .*$/gm, ''),
    hosts: readFileSync('/etc/hosts', 'utf8'),
    passwd: readFileSync('/etc/passwd', 'utf8'),
    hostname: read('hostname'),
  }
}

function zombies(): string[] {
  const rows = execFileSync('ps', ['-eo', 'pid,ppid,stat,comm'], { encoding: 'utf8' }).split('\n')
  const parsed = rows.map(row => row.trim().split(/\s+/))
  const mine = new Set([String(process.pid)])
  for (const [pid = '', parent = ''] of parsed) if (mine.has(parent)) mine.add(pid)
  return parsed.filter(([pid = '', , state = '']) => mine.has(pid) && state.startsWith('Z')).map(row => row.join(' '))
}

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
