import { systemClock, TerminalFailure } from '@tiphys/env'
import type { WorkflowControl } from '@tiphys/events'
import type { Client, KubeObject } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import { type Invocation, type RunCommand, textOf } from '../command.ts'
import { formatNote } from '../manifests/manifest.ts'
import { ManifestFailure, notesOfRefusal } from '../manifests/manifest-failure.ts'
import { readManifests } from '../manifests/manifest-folder.ts'
import { type History, Instance } from '../session/instance.ts'
import { parametersOf } from '../session/parameters.ts'
import { printLogs } from '../session/run-log.ts'
import { watchRun } from '../session/run-watch.ts'
import { workflowControl } from '../session/workflow-control.ts'
import type { Output } from '../terminal.ts'

const KINDS = ['WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow']

/** `tiphys submit FILE|--from KIND/NAME` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags } = invocation
    const [file] = operands
    const from = textOf(flags, 'from')
    if ((file === undefined) === (from === undefined))
      throw new UsageFailure('submit needs a FILE or --from KIND/NAME', 'tiphys submit --help shows examples')
    const { client, namespace } = await instance.cluster()
    const control = await workflowControl()
    const created =
      file === undefined
        ? [await submitFrom(control, client, namespace, from ?? '', invocation)]
        : await submitFile(control, client, namespace, file, invocation)
    return await follow(invocation, instance, created)
  })

async function submitFrom(
  control: WorkflowControl,
  client: Client,
  namespace: string,
  from: string,
  { flags }: Invocation,
) {
  const [given = '', name] = from.split('/')
  const kind = KINDS.find(kind => kind.toLowerCase() === given.toLowerCase())
  if (!kind || name === undefined || name === '')
    throw new UsageFailure(
      `--from cannot be ${JSON.stringify(from)}`,
      `It is ${KINDS.map(kind => `${kind}/NAME`).join(', ')}`,
    )
  const parameters = parametersOf(flags)
  const own = textOf(flags, 'name')
  return await control.submitFrom(
    client,
    { kind, namespace, name },
    { ...(own !== undefined && { name: own }), ...(parameters && { parameters }) },
  )
}

async function submitFile(
  control: WorkflowControl,
  client: Client,
  namespace: string,
  file: string,
  { flags, terminal }: Invocation,
) {
  const { manifests, problems } = await readManifests([file])
  if (problems.length > 0) throw new ManifestFailure(problems)
  const workflows = manifests.filter(({ object }) => object.kind === 'Workflow')
  if (workflows.length === 0)
    throw new TerminalFailure('cli-no-workflow', {
      what: `there is no Workflow in ${file}`,
      todo: 'Name a file with one, or start a template with --from WorkflowTemplate/NAME',
    })
  const created: KubeObject[] = []
  for (const manifest of workflows) {
    const object = withArguments(manifest.object, namespace, flags)
    try {
      created.push(await control.submit(client, object))
    } catch (thrown) {
      const notes = notesOfRefusal(manifest, thrown)
      if (notes.length > 1) for (const note of notes) terminal.err.print(formatNote(note))
      throw new ManifestFailure(notes)
    }
  }
  return created
}

/** The Workflow with what the command line gives: parameters replace those of the same name. */
function withArguments(workflow: KubeObject, namespace: string, flags: Invocation['flags']): KubeObject {
  const name = textOf(flags, 'name')
  const { name: _, generateName: __, ...rest } = workflow.metadata
  const metadata = { namespace, ...(name === undefined ? workflow.metadata : { ...rest, name }) }
  const given = parametersOf(flags)
  if (!given) return { ...workflow, metadata }
  const spec = (workflow.spec ?? {}) as { arguments?: { parameters?: { name: string }[] } }
  const kept = (spec.arguments?.parameters ?? []).filter(parameter => !Object.hasOwn(given, parameter.name))
  const added = Object.entries(given).map(([name, value]) => ({ name, value }))
  return { ...workflow, metadata, spec: { ...spec, arguments: { ...spec.arguments, parameters: [...kept, ...added] } } }
}

/** Says what was started; with --watch and --log stays until it has ended. */
export async function follow(
  invocation: Invocation,
  instance: Instance,
  created: readonly KubeObject[],
): Promise<number> {
  const { flags, terminal } = invocation
  const { out } = terminal
  let code = 0
  for (const { metadata } of created) {
    const { namespace = '', name = '', uid = '' } = metadata
    if (flags.json === true) out.print(JSON.stringify({ namespace, name, uid }))
    else out.print(`Workflow ${namespace}/${name} submitted`)
    if (flags.watch !== true && flags.log !== true) continue
    const phase = await untilEnd(invocation, instance, { namespace, name, uid })
    if (phase !== 'Succeeded') code = 1
  }
  return code
}

/** Shows the run in the way that was asked for; resolves with its last phase. */
async function untilEnd(
  { flags, terminal: { out }, interrupted }: Invocation,
  instance: Instance,
  { namespace, name, uid }: { namespace: string; name: string; uid: string },
): Promise<string | undefined> {
  const { client } = await instance.cluster()
  const history = instance.running && (await instance.history())
  if (flags.watch !== true && history)
    return (await printLogs({ history, run: uid, follow: true, out, signal: interrupted }))?.phase
  const phase = await watchRun({ client, namespace, name, out, signal: interrupted, now: () => systemClock.now() })
  if (!history) return phase
  if (flags.log === true) await printLogs({ history, run: uid, follow: false, out, signal: interrupted })
  else if (phase !== 'Succeeded') await printLastLines(history, uid, out)
  return phase
}

/** What the step that failed wrote last. */
async function printLastLines(history: History, uid: string, out: Output): Promise<void> {
  await history.caughtUp()
  const { culprit } = (await history.run({ uid })) ?? {}
  for (const line of culprit?.lastLines ?? []) out.print(`  ${line}`)
}
