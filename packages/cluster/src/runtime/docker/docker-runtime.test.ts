import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ContainerConfig, PodRuntime, RunningContainer, Sandbox, SandboxConfig } from '../pod-runtime.ts'
import { createDockerRuntime } from './docker-runtime.ts'
import { type PodmanEngine, startPodman, TEST_IMAGE, whyNoPodman } from './testing/podman-engine.ts'

const obstacle = whyNoPodman()

describe.skipIf(obstacle !== undefined)(`pods in Podman${obstacle ? ` (not run: ${obstacle})` : ''}`, () => {
  let engine: PodmanEngine
  let runtime: PodRuntime
  let sandbox: Sandbox
  let serial = 0

  beforeAll(async () => {
    engine = await startPodman()
    runtime = await createDockerRuntime({ socketPath: engine.socketPath })
    sandbox = await runtime.createSandbox(podConfig('main'))
  })

  afterAll(async () => {
    try {
      await runtime?.close()
      expect(await engine?.client.json('/containers/json', { query: { all: '1' } })).toEqual([])
    } finally {
      await engine?.close()
    }
  })

  const podConfig = (name: string): SandboxConfig => ({
    uid: `uid-of-${name}`,
    namespace: 'default',
    name,
    hostname: name,
    hostNetwork: false,
    shareProcessNamespace: false,
    annotations: {},
    restartPolicy: 'Never',
  })

  async function start(command: readonly string[] | undefined, more: Partial<ContainerConfig> = {}, pod = sandbox) {
    const name = `container-${serial++}`
    const request = { container: name, image: TEST_IMAGE, imagePullPolicy: 'Never' as const, command, args: undefined }
    const said = { stdout: '', stderr: '' }
    const container = await pod.start({
      name,
      restartCount: 0,
      image: await pod.resolveImage(request),
      env: [],
      workingDir: undefined,
      runAsUser: undefined,
      runAsGroup: undefined,
      supplementalGroups: [],
      privileged: false,
      allowPrivilegeEscalation: true,
      readOnlyRootFilesystem: false,
      capabilities: { add: [], drop: [] },
      mounts: [],
      limits: {},
      stdin: false,
      tty: false,
      output(stream, chunk) {
        said[stream] += Buffer.from(chunk).toString()
      },
      ...more,
    })
    return { container, said }
  }

  const script = (text: string, more: Partial<ContainerConfig> = {}, pod = sandbox) =>
    start(['sh', '-c', text], more, pod)

  test('runs what the image says, in its folder and with its environment', async () => {
    const { container, said } = await start(undefined)
    expect(await container.exited).toMatchObject({ exitCode: 0, isOutOfMemory: false })
    expect(said).toEqual({ stdout: 'from the image\n', stderr: '' })
    const other = await script('echo $ORIGIN $MORE; pwd', { env: [{ name: 'MORE', value: 'a b=c' }] })
    await other.container.exited
    expect(other.said.stdout).toBe('image a b=c\n/work\n')
  })

  test('keeps both outputs apart and tells the exit code and when it was', async () => {
    const { container, said } = await script('echo out; echo err >&2; exit 7')
    const exit = await container.exited
    expect(exit).toMatchObject({ exitCode: 7, isOutOfMemory: false })
    expect(exit.finishedAt).toBeGreaterThan(1e12)
    expect(said).toEqual({ stdout: 'out\n', stderr: 'err\n' })
  })

  test('loses nothing of much output to a slow reader', async () => {
    let bytes = 0
    const { container } = await script('head -c 8000000 /dev/zero', {
      async output(_stream, chunk) {
        await new Promise(resolve => setImmediate(resolve))
        bytes += chunk.length
      },
    })
    await container.exited
    expect(bytes).toBe(8_000_000)
  })

  test('mounts files and folders, and runs as the user it is told to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-mount-'))
    chmodSync(folder, 0o755)
    writeFileSync(join(folder, 'file'), 'content')
    const { container, said } = await script('cat /in/file; touch /in/new; id -u; id -g; touch /new', {
      mounts: [{ source: folder, target: '/in', readOnly: true }],
      runAsUser: 1000,
      runAsGroup: 1000,
      readOnlyRootFilesystem: true,
    })
    await container.exited
    expect(said.stdout).toBe('content1000\n1000\n')
    expect(said.stderr.match(/Read-only file system/g)).toHaveLength(2)
    rmSync(folder, { recursive: true })
  })

  test('a signal ends a container, and how it ended is told', async () => {
    const polite = await new Promise<RunningContainer>((resolve, reject) => {
      const loop = 'trap "exit 3" TERM; echo ready; while :; do sleep 0.05; done'
      const starting = script(loop, { output: () => void starting.then(({ container }) => resolve(container), reject) })
    })
    await polite.kill('SIGTERM')
    expect(await polite.exited).toMatchObject({ exitCode: 3 })
    const stubborn = await script('trap "" TERM; sleep 100')
    await stubborn.container.kill('SIGKILL')
    expect(await stubborn.container.exited).toMatchObject({ exitCode: 137, signal: 9, isOutOfMemory: false })
    await stubborn.container.kill('SIGKILL')
  })

  test('a program that is not there is told as the reason why the container did not start', async () => {
    const { container } = await start(['/no/such/program'])
    const exit = await container.exited
    expect(exit.exitCode).toBe(128)
    expect(exit.startError).toMatch(/no\/such\/program/)
    await expect(container.exec({ argv: ['true'], stdin: false, tty: false, output: () => {} })).rejects.toThrow(
      'did not start',
    )
  })

  test('takes standard input until its end', async () => {
    const { container, said } = await start(['cat'], { stdin: true })
    container.stdin?.write('hello ')
    container.stdin?.end('world')
    expect(await container.exited).toMatchObject({ exitCode: 0 })
    expect(said.stdout).toBe('hello world')
  })

  test('runs another program in a container, with input, output and an exit code', async () => {
    const { container } = await script('sleep 100')
    const said = { stdout: '', stderr: '' }
    const output = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => {
      said[stream] += Buffer.from(chunk).toString()
    }
    const session = await container.exec({
      argv: ['sh', '-c', 'cat; echo done >&2; exit 5'],
      stdin: true,
      tty: false,
      output,
    })
    session.stdin?.end('through')
    expect(await session.exited).toEqual({ exitCode: 5 })
    expect(said).toEqual({ stdout: 'through', stderr: 'done\n' })
    await container.kill('SIGKILL')
    await container.exited
  })

  test('gives a program a terminal of the size it is told', async () => {
    const { container } = await script('sleep 100')
    let said = ''
    const output = (_stream: 'stdout' | 'stderr', chunk: Uint8Array) => {
      said += Buffer.from(chunk).toString()
    }
    const session = await container.exec({ argv: ['sh', '-c', 'read line; stty size'], stdin: true, tty: true, output })
    await session.resize(91, 17)
    session.stdin?.write('go\n')
    await session.exited
    expect(said).toContain('17 91')
    await container.kill('SIGKILL')
    await container.exited
  })

  test('containers of a pod share its network and its name; another pod has its own', async () => {
    const look = async (pod: Sandbox) => {
      const { container, said } = await script('readlink /proc/self/ns/net; hostname', {}, pod)
      await container.exited
      return said.stdout.split('\n')
    }
    const other = await runtime.createSandbox(podConfig('other'))
    const [first, second, third] = [await look(sandbox), await look(sandbox), await look(other)]
    expect(first).toEqual(second)
    expect(first[1]).toBe('main')
    expect(third[0]).not.toBe(first[0])
    expect(sandbox.ips[0]).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
    expect(other.ips[0]).not.toBe(sandbox.ips[0])
    await other.remove()
  })

  test('holds a container to its memory, says when that ended it, and tells what it uses', async () => {
    const { container } = await script('sleep 100')
    expect((await container.usage())?.memoryBytes).toBeGreaterThan(0)
    await container.kill('SIGKILL')
    await container.exited
    expect(await container.usage()).toBeUndefined()
    const greedy = await start(['tail', '/dev/zero'], { limits: { memoryBytes: 20_000_000 } })
    expect(await greedy.container.exited).toMatchObject({ exitCode: 137, isOutOfMemory: true })
  })

  test('says why there is no image', async () => {
    const request = { container: 'c', command: undefined, args: undefined }
    await expect(
      sandbox.resolveImage({ ...request, image: 'localhost/missing:1', imagePullPolicy: 'Never' }),
    ).rejects.toMatchObject({
      reason: 'ErrImageNeverPull',
      message: 'Container image "localhost/missing:1" is not present with pull policy of Never',
    })
    await expect(
      sandbox.resolveImage({ ...request, image: 'localhost/missing:1', imagePullPolicy: 'IfNotPresent' }),
    ).rejects.toMatchObject({ reason: 'ErrImagePull' })
    await expect(
      sandbox.resolveImage({ ...request, image: 'Not An Image', imagePullPolicy: 'Always' }),
    ).rejects.toMatchObject({
      reason: 'InvalidImageName',
    })
  })

  test('removes at the start what a process that has ended left, and nothing of one that runs', async () => {
    const body = { Image: TEST_IMAGE, Labels: { 'tiphys.dev/owner': '999999999:1' } }
    await engine.client.json('/containers/create', { method: 'POST', query: { name: 'left-behind' }, body })
    const foreign = await createDockerRuntime({ socketPath: engine.socketPath })
    const left = await engine.client.json<{ Names: string[] }[]>('/containers/json', { query: { all: '1' } })
    expect(left.map(({ Names }) => Names[0])).toEqual([expect.stringMatching(/^\/tiphys_default_main_.*_sandbox$/)])
    await foreign.close()
    expect(await (await script('exit 0')).container.exited).toMatchObject({ exitCode: 0 })
  })
})
