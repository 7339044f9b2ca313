import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toolPath, whySkipped } from '../conformance/tools.mjs'
import { TiphysProcess } from '../packages/tiphys/src/tiphys-process.ts'
import { root } from './steps.mjs'

// The tour is followed in order, against one cluster.
const blocks = [...(await readFile(join(root, 'README.md'), 'utf8')).matchAll(/^```(\w+)\n(.*?)^```/gms)]
const answerTo = (start: string) => {
  const at = blocks.findIndex(([, , text]) => text?.includes(start))
  return { code: blocks[at]?.[2] as string, answer: blocks[at + 1]?.[2] as string }
}

let folder: string
let cluster: TiphysProcess
let port: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-readme-'))
  cluster = new TiphysProcess(['cluster', '--port', '0'], { cwd: folder })
  await cluster.shows('tiphys is ready')
  port = /127\.0\.0\.1:(\d+)/.exec(cluster.out)?.[1] as string
})
afterAll(async () => {
  await cluster.signal('SIGTERM')
  await rm(folder, { recursive: true })
})

/** What a reader sees who pastes the lines into a shell: answers and complaints. */
async function shell(code: string): Promise<string> {
  const script = code.replaceAll('6443', port)
  const env = { ...process.env, KUBECONFIG: '.tiphys/kubeconfig', PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec 2>&1\n${script}`], { cwd: folder, env }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

it('the cluster starts as the README says', () => {
  const { code, answer } = answerTo('npx tiphys cluster\n')
  expect(code).toBe('npx tiphys cluster\n')
  expect(cluster.out.replace(folder, '…').replace(port, '6443')).toBe(answer)
})

const noKubectl = whySkipped('kubectl')
for (const [what, start] of [
  ['runs pods', 'kubectl create job'],
  ['learns a kind', 'kubectl apply'],
] as const) {
  it.skipIf(noKubectl)(`kubectl ${what} as the README says${noKubectl}`, async () => {
    await mkdir(join(folder, 'bin'), { recursive: true })
    await symlink(toolPath('kubectl'), join(folder, 'bin/kubectl')).catch(() => {
      // It is there already.
    })
    const { code, answer } = answerTo(start)
    expect(await shell(code)).toBe(answer)
  })
}

const noCurl = spawnSync('curl', ['--version']).status === 0 ? '' : ' (skipped: curl is not installed)'
it.skipIf(noCurl)(`the API answers whoever asks for its health${noCurl}`, async () => {
  const { code, answer } = answerTo('curl')
  expect((await shell(code)).trim()).toBe(answer.trim())
})

it('the test cluster prints what the README says', async () => {
  const { code, answer } = answerTo('createTestCluster')
  const place = join(root, '.build/readme')
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'example.mjs'), code)
  const { stdout } = await promisify(execFile)(process.execPath, [join(place, 'example.mjs')])
  expect(stdout).toBe(answer)
})
