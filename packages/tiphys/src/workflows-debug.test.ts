import { readFile } from 'node:fs/promises'
import { createLog, formatPretty, systemEnv } from '@tiphys/env'
import { formatYaml, type KubeObject, kindRef, readYaml } from '@tiphys/kube'
import { it } from 'vitest'
import { WorkflowProcesses } from './workflows-processes.ts'

it('debug', async () => {
  const log = createLog({
    now: () => Date.now(),
    level: 'debug',
    write: line => console.log(formatPretty(line, false)),
  })
  const scene = await WorkflowProcesses.start({ env: { ...systemEnv, log } })
  let name = ''
  for (const { value } of await readYaml(await readFile('/tmp/debug.yaml', 'utf8'))) {
    const object = value as KubeObject
    await scene.create(object)
    if (object.kind === 'Workflow') name = object.metadata.name ?? ''
  }
  const started = Date.now()
  await Promise.race([scene.untilOver(name), new Promise(r => setTimeout(r, 12000))])
  console.log('took', Date.now() - started)
  const wf = await scene.client.get({ ...kindRef('argoproj.io/v1alpha1', 'Workflow'), namespace: 'default', name })
  console.log(formatYaml({ s: wf.status, l: wf.metadata.labels } as never))
  const pods = await scene.client.list({ ...kindRef('v1', 'Pod'), namespace: 'default' })
  for (const pod of pods.items)
    console.log(
      pod.metadata.name,
      pod.metadata.finalizers,
      pod.metadata.deletionTimestamp,
      formatYaml(pod.status as never),
    )
  console.log(scene.engine.metrics())
  await scene.close()
}, 60000)
