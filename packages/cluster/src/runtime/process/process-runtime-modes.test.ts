import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detectProcessRuntime } from './detection.ts'
import { type BundledRuntime, bundleRuntime } from './testing/bundled-runtime.ts'

const support = await detectProcessRuntime()

let bundle: BundledRuntime
beforeAll(async () => {
  bundle = await bundleRuntime()
})
afterAll(() => bundle?.remove())

type Outcome = { exitCode: number; startError?: string; stdout: string; stderr: string }

/** Runs containers in a process of its own and says what came of them. */
async function outcomes(isolation: 'user' | 'none', containers: readonly object[], prefix: readonly string[]) {
  const program = bundle.run(
    `import { createProcessRuntime } from './process-runtime.mjs'
    const runtime = await createProcessRuntime({
      supervisorProgram: './supervisor.mjs',
      ${isolation === 'none' ? "support: { isolation: 'none', limitations: [] }," : ''}
      workDirectory: process.cwd() + '/work',
    })
    const sandbox = await runtime.createSandbox({ uid: 'u', namespace: 'd', name: 'p', hostname: 'web', hostNetwork: false,
      shareProcessNamespace: false, annotations: {}, restartPolicy: 'Never' })
    const base = { name: 'c', restartCount: 0, env: [{ name: 'A', value: '1' }], supplementalGroups: [], privileged: false,
      allowPrivilegeEscalation: true, readOnlyRootFilesystem: false, capabilities: { add: [], drop: [] }, mounts: [],
      limits: {}, stdin: false, tty: false }
    const results = []
    for (const { argv, ...config } of ${JSON.stringify(containers)}) {
      const text = { stdout: '', stderr: '' }
      const output = (stream, chunk) => void (text[stream] += Buffer.from(chunk).toString())
      const container = await sandbox.start({ ...base, image: { imageId: 'x', argv, env: {} }, output, ...config })
      results.push({ ...(await container.exited), ...text })
    }
    await sandbox.remove()
    await runtime.close()
    console.log(JSON.stringify({ limitations: runtime.limitations, hasNetwork: runtime.network !== undefined, results }))`,
    prefix,
  )
  let text = ''
  for await (const chunk of program.stdout as AsyncIterable<Buffer>) text += chunk.toString()
  return JSON.parse(text) as { limitations: string[]; hasNetwork: boolean; results: Outcome[] }
}

/** An image whose programs this machine has not, started by a shell. */
const foreign = {
  image: {
    imageId: 'x',
    argv: ['sh', '-c', "saying '1 2'; /opt/said 3; echo $?"],
    env: {},
    commands: { saying: ['echo "said $1"'], '/opt/said': ['echo "at its place $1"'] },
  },
}

const AS_NOBODY = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
]

describe.runIf(support.isolation === 'root')('as an ordinary user', () => {
  test('containers are as isolated, with one user under many names', async () => {
    const shell = (script: string, config: object = {}) => ({ argv: ['sh', '-c', script], ...config })
    const { limitations, hasNetwork, results } = await outcomes(
      'user',
      [
        shell(
          'id -u; hostname; echo x >/etc/tiphys-test && cat /etc/tiphys-test; echo x >/etc/nginx/new; ls /.tiphys; cat /proc/1/comm',
        ),
        shell('id -u; id -g; touch /tmp/mine; stat -c %u:%g /tmp/mine', { runAsUser: 1234, runAsGroup: 4321 }),
        { argv: ['tty'], tty: true },
        { argv: ['nope'] },
        shell('ip -br addr show eth0; cat /etc/shadow /root/.bashrc 2>/dev/null; grep NoNewPrivs /proc/self/status'),
        shell('kill -9 $$; sh -c "kill -9 \\$\\$"'),
        foreign,
      ],
      AS_NOBODY,
    )
    expect(limitations.join('\n')).toContain('one user of this machine')
    expect(hasNetwork).toBe(true)
    expect(results.map(({ stdout }) => stdout)).toEqual([
      '0\nweb\nx\nsh\n',
      '1234\n4321\n1234:4321\n',
      '/dev/pts/0\r\n',
      '',
      expect.stringMatching(/^eth0@\S+ +UP +10\.244\.\S+ .*\nNoNewPrivs:\t1\n$/),
      '',
      'said 1 2\nat its place 3\n0\n',
    ])
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 128, 0, 137, 0])
    expect(results[3]?.startError).toBe('exec: "nope": executable file not found in $PATH')
    expect(existsSync('/etc/tiphys-test')).toBe(false)
  })
})

test.runIf(support.isolation === 'root')(
  'what an image has and the machine has not is there for all of a container',
  async () => {
    const { results } = await outcomes('user', [foreign, { ...foreign, readOnlyRootFilesystem: true }], [])
    for (const { stdout } of results) expect(stdout).toBe('said 1 2\nat its place 3\n0\n')
    expect([existsSync('/opt/said'), existsSync('/run/image-programs')]).toEqual([false, false])
  },
)

describe.runIf(process.platform === 'linux')('without namespaces', () => {
  test('named programs of an image are found; those with a path have no place', async () => {
    const { results } = await outcomes('none', [foreign], [])
    expect(results[0]?.stdout).toBe('said 1 2\n127\n')
  })

  test('containers are plain processes, in folders of their own', async () => {
    const { hasNetwork, results } = await outcomes(
      'none',
      [
        {
          argv: ['sh', '-c', 'echo $A $HOSTNAME; cat data/hosts | head -c 3; echo err >&2; exit 4'],
          mounts: [{ source: '/etc', target: '/data', readOnly: true }],
        },
        { argv: ['nope'] },
        { argv: ['sh', '-c', 'sleep 8765437 & pwd'] },
      ],
      [],
    )
    expect(hasNetwork).toBe(false)
    expect(results[0]).toMatchObject({
      exitCode: 4,
      stdout: `1 web\n${readFileSync('/etc/hosts', 'utf8').slice(0, 3)}`,
      stderr: 'err\n',
    })
    expect(results[1]).toMatchObject({ exitCode: 128, startError: 'exec: "nope": executable file not found in $PATH' })
    expect(existsSync(results[2]?.stdout.trim() ?? '/')).toBe(false)
  })
})
