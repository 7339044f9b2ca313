import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { PodRuntime } from '../pod-runtime.ts'
import { detectProcessRuntime } from './detection.ts'
import { readImageTable, resolveImage, thisMachine } from './image-table.ts'
import { createProcessRuntime } from './process-runtime.ts'
import { type BundledRuntime, bundleRuntime } from './testing/bundled-runtime.ts'
import { trialPod } from './testing/trial-pod.ts'

const support = await detectProcessRuntime()
const machine = thisMachine(() => true)
const isHere = (image: string) => {
  const request = { container: 'c', image, imagePullPolicy: 'Never' as const, command: undefined, args: undefined }
  return resolveImage(readImageTable(), machine, request, 'Always').simulated === undefined
}
const runIf = (image: string) => test.runIf(support.isolation === 'root' && isHere(image))

describe('programs of well-known images', () => {
  let bundle: BundledRuntime
  let runtime: PodRuntime
  beforeAll(async () => {
    if (support.isolation !== 'root') return
    bundle = await bundleRuntime()
    runtime = await createProcessRuntime({ supervisorProgram: bundle.supervisorProgram, support })
  })
  afterAll(async () => {
    await runtime?.close()
    bundle?.remove()
  })

  const serve = async (
    image: string,
    { args, env = [] }: { args?: string[]; env?: { name: string; value: string }[] } = {},
  ) => {
    const pod = await trialPod(runtime, { restartPolicy: 'Always' })
    const request = { container: 'c', image, imagePullPolicy: 'Always' as const, command: undefined, args }
    const resolved = await pod.sandbox.resolveImage(request)
    const started = await pod.start([], { image: resolved, env })
    return { ...started, ...pod }
  }
  const ask = async (pod: { sandbox: { dial(port: number): Promise<Duplex> } }, port: number, question: string) => {
    let text = ''
    await vi.waitFor(
      async () => {
        const connection = await pod.sandbox.dial(port)
        connection.write(question)
        for await (const chunk of connection) {
          text += String(chunk)
          if (text.endsWith('\n')) break
        }
        if (text === '') throw new Error('no answer')
      },
      { timeout: 20_000, interval: 50 },
    )
    return text
  }

  runIf('redis')('redis answers from another address', async () => {
    const pod = await serve('redis:7', { args: ['--appendonly', 'no'] })
    expect(await ask(pod, 6379, 'SET a 1\r\n')).toBe('+OK\r\n')
    await pod.container.kill('SIGTERM')
    expect((await pod.container.exited).exitCode).toBe(0)
  })

  runIf('memcached')('memcached answers', async () => {
    const pod = await serve('docker.io/library/memcached', { args: ['-m', '16'] })
    expect(await ask(pod, 11211, 'version\r\n')).toMatch(/^VERSION /)
    await pod.sandbox.remove()
  })

  runIf('nginx')('nginx serves its welcome page and logs to the container’s output', async () => {
    const pod = await serve('nginx:1.27-alpine')
    expect(await ask(pod, 80, 'GET / HTTP/1.0\r\n\r\n')).toContain('200 OK')
    await vi.waitUntil(() => pod.stdout().includes('GET / HTTP/1.0'), { timeout: 20_000 })
    await pod.container.kill('SIGQUIT')
    expect((await pod.container.exited).exitCode).toBe(0)
  })

  runIf('postgres')('PostgreSQL makes its database and lets its user in', async () => {
    const env = [
      { name: 'POSTGRES_PASSWORD', value: 'it is "secret"' },
      { name: 'POSTGRES_DB', value: 'shop' },
      { name: 'POSTGRES_USER', value: 'keeper' },
    ]
    const pod = await serve('postgres:15', { env })
    await vi.waitUntil(
      () =>
        pod.stderr().match(/ready to accept connections/g)?.length === 1 && pod.stdout().includes('ready for start up'),
      { timeout: 25_000 },
    )
    let text = ''
    const query = 'psql -h $(hostname -I) -U keeper -d shop -Atc "select current_database(), 6 * 7"'
    const session = await pod.container.exec({
      argv: ['sh', '-c', `PGPASSWORD='it is "secret"' ${query}`],
      stdin: false,
      tty: false,
      output: (_, chunk) => {
        text += Buffer.from(chunk).toString()
      },
    })
    expect([(await session.exited).exitCode, text]).toEqual([0, 'shop|42\n'])
    await pod.container.kill('SIGINT')
    expect((await pod.container.exited).exitCode).toBe(0)
  })
})
