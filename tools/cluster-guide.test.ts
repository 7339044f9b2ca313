import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'
import { toolPath, whySkipped } from '../conformance/tools.mjs'
import { TiphysProcess } from '../packages/tiphys/src/tiphys-process.ts'
import { readBlocks } from './guide.ts'

const noKubectl = whySkipped('kubectl')
it.skipIf(noKubectl)(`a pod is simulated as its annotation in docs/cluster.md says${noKubectl}`, async () => {
  const annotated = (await readBlocks('docs/cluster.md')).find(({ text }) => text.includes('tiphys.dev/simulate'))?.text
  const metadata = annotated?.replace('metadata:', 'metadata:\n  name: actor')
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-guide-'))
  const simulated = new TiphysProcess(
    ['cluster', '--runtime', 'simulated', '--memory', '--port', '0', '--kubeconfig-out', 'kc'],
    { cwd: folder },
  )
  try {
    await simulated.shows('tiphys is ready')
    await writeFile(
      join(folder, 'pod.yaml'),
      `apiVersion: v1\nkind: Pod\n${metadata}spec: { containers: [{ name: main, image: acme/any }] }\n`,
    )
    const kubectl = (...words: string[]) =>
      promisify(execFile)(toolPath('kubectl'), ['--kubeconfig', 'kc', ...words], { cwd: folder })
    await kubectl('apply', '-f', 'pod.yaml')
    const waiting = '{.status.containerStatuses[0].state.waiting.message}'
    await kubectl('wait', `--for=jsonpath=${waiting}=no such image`, 'pod/actor')
  } finally {
    await simulated.signal('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
})
