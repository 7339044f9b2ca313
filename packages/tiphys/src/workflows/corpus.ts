import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { systemEnv } from '@tiphys/env'
import { type KubeObject, readYaml } from '@tiphys/kube'
import { createWorkflowControl } from '@tiphys/workflows'
import type { WorkflowProcesses } from './processes.ts'
import type { RunNode, RunObject } from './scene.ts'

const FOLDER = fileURLToPath(new URL('../../../workflows/corpus/', import.meta.url))

export interface CorpusCase {
  name: string
  manifests: KubeObject[]
  expect: Expectation
  control: readonly ControlStep[]
  world: string | undefined
}

interface Expectation {
  phase?: string
  message?: string
  outputs?: { parameters?: Record<string, string> }
  nodes?: Record<string, ExpectedNode>
  absent?: string[]
  complete?: boolean
  logs?: Record<string, string>
}

interface ExpectedNode {
  type?: string
  phase?: string
  message?: string
  inputs?: Record<string, string>
  outputs?: { result?: string; exitCode?: string; parameters?: Record<string, string>; artifacts?: string[] }
}

interface ControlStep {
  at: string
  resume?: Record<string, string>
  shutdown?: 'Stop' | 'Terminate'
  suspend?: boolean
}

/** Every file of the corpus; its README says what is in them. */
export async function readCorpus(): Promise<CorpusCase[]> {
  const names = (await readdir(FOLDER)).filter(name => name.endsWith('.yaml')).toSorted()
  return Promise.all(
    names.map(async file => {
      const documents = await readYaml(await readFile(`${FOLDER}/${file}`, 'utf8'))
      const values = documents.map(({ value }) => value as KubeObject)
      const notes = values.find(({ kind }) => kind === undefined) as unknown as Partial<CorpusCase> | undefined
      return {
        name: file.replace(/\.yaml$/, ''),
        manifests: values.filter(({ kind }) => kind !== undefined),
        expect: notes?.expect ?? {},
        control: notes?.control ?? [],
        world: notes?.world,
      }
    }),
  )
}

const RECEIVER = 'http://receiver.test'

/** Runs one case in a namespace of its own. Resolves with what is not as it should be. `receiver`: the address of the server that
 *  the corpus calls `receiver.test`. */
export async function runCase(
  scene: WorkflowProcesses,
  { manifests, ...one }: CorpusCase,
  receiver = RECEIVER,
): Promise<string[]> {
  const objects = JSON.parse(JSON.stringify(manifests).replaceAll(RECEIVER, receiver)) as KubeObject[]
  const namespace = `corpus-${one.name}`.slice(0, 63).replace(/-$/, '')
  await scene.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const ref = { namespace, name: '', since: '' }
  // The Workflow last: what it needs has to be there.
  for (const object of objects.toSorted((a, b) => Number(a.kind === 'Workflow') - Number(b.kind === 'Workflow'))) {
    const metadata = object.kind.startsWith('Cluster') ? object.metadata : { ...object.metadata, namespace }
    const made = await scene.client.create({ ...object, metadata })
    if (object.kind !== 'Workflow') continue
    ref.name = made.metadata.name ?? ''
    ref.since = made.metadata.resourceVersion ?? ''
  }
  const controlled = Promise.all(one.control.map(step => control(scene, ref, step)))
  const over = await scene.untilOver(ref.name, namespace)
  await controlled
  // The corpus speaks of the namespace default.
  const workflow = JSON.parse(JSON.stringify(over).replaceAll(namespace, 'default')) as RunObject
  return [...compare(workflow, one.expect), ...(await compareLogs(scene, workflow, one.expect.logs ?? {}))]
}

interface RunRef {
  namespace: string
  name: string
  /** The version it was created with. */
  since: string
}

async function control(scene: WorkflowProcesses, ref: RunRef, step: ControlStep): Promise<void> {
  const control = createWorkflowControl({ env: systemEnv })
  const node = await nodeThatRuns(scene, ref, step.at)
  if (step.resume) {
    await control.resume(scene.client, ref, { nodeFieldSelector: `id=${node.id}`, outputs: step.resume })
  } else if (step.shutdown === 'Stop') await control.stop(scene.client, ref)
  else if (step.shutdown === 'Terminate') await control.terminate(scene.client, ref)
  else if (step.suspend) {
    await control.suspend(scene.client, ref)
    // Taken back when nothing runs any more.
    await scene.until(
      ref.name,
      ({ status }) => !podsOf(status?.nodes).some(({ phase }) => ['Pending', 'Running'].includes(phase)),
      ref.namespace,
    )
    await control.resume(scene.client, ref)
  }
}

const podsOf = (
  nodes: RunObject['status'] extends undefined ? never : Record<string, RunNode> | undefined,
): RunNode[] => Object.values(nodes ?? {}).filter(({ type }) => type === 'Pod')

async function nodeThatRuns(scene: WorkflowProcesses, { namespace, name, since }: RunRef, at: string) {
  const found = ({ status }: RunObject) =>
    Object.values(status?.nodes ?? {}).find(node => node.name === nodeName(name, at) && node.phase === 'Running')
  // A step of a second can be over before the watch of a busy machine begins.
  const workflow = await scene.until(name, run => found(run) !== undefined, namespace, since)
  return found(workflow) as RunNode
}

const nodeName = (workflow: string, short: string): string => (short === 'root' ? workflow : `${workflow}${short}`)

function compare({ status = {}, metadata }: RunObject, expected: Expectation): string[] {
  const problems: string[] = []
  const check = (what: string, is: unknown, wanted: unknown) => {
    if (wanted !== undefined && String(is) !== String(wanted))
      problems.push(`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`)
  }
  const contains = (what: string, is: string | undefined, part: string | undefined) => {
    if (part !== undefined && !(is ?? '').includes(part))
      problems.push(`${what} is ${JSON.stringify(is)}, without ${JSON.stringify(part)}`)
  }
  const workflow = metadata.name ?? ''
  check('phase', status.phase, expected.phase ?? 'Succeeded')
  contains('message', status.message, expected.message)
  for (const [name, value] of Object.entries(expected.outputs?.parameters ?? {}))
    check(`output ${name}`, status.outputs?.parameters?.find(is => is.name === name)?.value, value)
  const nodes = Object.values(status.nodes ?? {})
  for (const [short, wanted] of Object.entries(expected.nodes ?? {})) {
    const node = nodes.find(({ name }) => name === nodeName(workflow, short))
    if (!node) {
      problems.push(
        `there is no node ${short}, but ${nodes.map(({ name }) => name.slice(workflow.length) || 'root').join(' ')}`,
      )
      continue
    }
    check(`${short} type`, node.type, wanted?.type)
    check(`${short} phase (${node.message ?? ''})`, node.phase, wanted?.phase ?? 'Succeeded')
    contains(`${short} message`, node.message, wanted?.message)
    for (const [name, value] of Object.entries(wanted?.inputs ?? {}))
      check(`${short} input ${name}`, node.inputs?.parameters?.find(is => is.name === name)?.value, value)
    check(`${short} result`, node.outputs?.result, wanted?.outputs?.result)
    check(`${short} exitCode`, node.outputs?.exitCode, wanted?.outputs?.exitCode)
    for (const [name, value] of Object.entries(wanted?.outputs?.parameters ?? {}))
      check(`${short} output ${name}`, node.outputs?.parameters?.find(is => is.name === name)?.value, value)
    for (const name of wanted?.outputs?.artifacts ?? [])
      if (!(node.outputs?.artifacts as { name: string }[] | undefined)?.some(is => is.name === name))
        problems.push(`${short} has no artifact ${name}`)
  }
  for (const short of expected.absent ?? [])
    if (nodes.some(({ name }) => name === nodeName(workflow, short))) problems.push(`there is a node ${short}`)
  if (expected.complete) {
    const known = new Set(Object.keys(expected.nodes ?? {}).map(short => nodeName(workflow, short)))
    for (const { name } of nodes)
      if (!known.has(name)) problems.push(`nobody expects the node ${name.slice(workflow.length) || 'root'}`)
  }
  return problems
}

async function compareLogs(
  scene: WorkflowProcesses,
  workflow: RunObject,
  logs: Record<string, string>,
): Promise<string[]> {
  const problems: string[] = []
  for (const [short, text] of Object.entries(logs)) {
    const name = nodeName(workflow.metadata.name ?? '', short)
    const node = Object.values(workflow.status?.nodes ?? {}).find(is => is.name === name)
    const log = node ? await scene.logOf(workflow, node.id) : undefined
    if (!(log ?? '').includes(text))
      problems.push(`the log of ${short} is ${JSON.stringify(log)}, without ${JSON.stringify(text)}`)
  }
  return problems
}
