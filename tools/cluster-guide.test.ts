import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolPath, whySkipped } from '../conformance/tools.mjs'
import { TiphysProcess } from '../packages/tiphys/src/tiphys-process.ts'
import { root } from './steps.mjs'

// The guide is followed in order, against one cluster: each block of shell lines has what it prints in the next block.
const guide = await readFile(join(root, 'docs/cluster.md'), 'utf8')
const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, text]) => ({
  language,
  text: text ?? '',
}))
const examples = blocks.flatMap(({ language, text }, index) => {
  const answer = blocks[index + 1]
  return language === 'sh' && answer?.language === 'text' ? [{ code: text, answer: answer.text }] : []
})

const missing = ['/usr/sbin/nginx', '/usr/bin/curl'].filter(path => !existsSync(path))
const obstacle =
  whySkipped('kubectl') || (missing.length > 0 ? ` (skipped: ${missing.join(' and ')} are not installed)` : '')

describe.skipIf(obstacle)(`docs/cluster.md${obstacle}`, () => {
  let folder: string
  let cluster: TiphysProcess
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tiphys-guide-'))
    const images = blocks.find(({ language, text }) => language === 'yaml' && text.includes('entrypoint'))
    await writeFile(join(folder, 'images.yaml'), images?.text ?? '')
    await mkdir(join(folder, 'bin'))
    await symlink(toolPath('kubectl'), join(folder, 'bin/kubectl'))
    expect(guide).toContain('npx tiphys cluster --images images.yaml\n')
    cluster = new TiphysProcess(['cluster', '--images', 'images.yaml', '--port', '0'], { cwd: folder })
    await cluster.shows('tiphys is ready')
  })
  afterAll(async () => {
    await cluster?.signal('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })

  it.each(examples)('prints what it says: $code', async ({ code, answer }) => {
    const env = { ...process.env, KUBECONFIG: '.tiphys/kubeconfig', PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
    const { stdout } = await promisify(execFile)('bash', ['-c', `exec 2>&1\n${code}`], { cwd: folder, env }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe(answer)
  })

  it('simulates what its annotation says', async () => {
    const annotated = blocks.find(({ text }) => text.includes('tiphys.dev/simulate'))?.text as string
    const pod = `apiVersion: v1\nkind: Pod\n${annotated.replace('metadata:', 'metadata:\n  name: actor')}spec: { containers: [{ name: main, image: acme/any }] }\n`
    const own = await mkdtemp(join(tmpdir(), 'tiphys-guide-'))
    const simulated = new TiphysProcess(
      ['cluster', '--runtime', 'simulated', '--memory', '--port', '0', '--kubeconfig-out', 'kc'],
      { cwd: own },
    )
    try {
      await simulated.shows('tiphys is ready')
      await writeFile(join(own, 'pod.yaml'), pod)
      const kubectl = (...words: string[]) =>
        promisify(execFile)(toolPath('kubectl'), ['--kubeconfig', 'kc', ...words], { cwd: own })
      await kubectl('apply', '-f', 'pod.yaml')
      const waiting = '{.status.containerStatuses[0].state.waiting.message}'
      await kubectl('wait', `--for=jsonpath=${waiting}=no such image`, 'pod/actor')
    } finally {
      await simulated.signal('SIGTERM')
      await rm(own, { recursive: true, force: true })
    }
  })
})
