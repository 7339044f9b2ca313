import { text } from 'node:stream/consumers'
import { systemClock, TerminalFailure } from '@tiphys/env'
import { type Client, ConnectionFailure, isAlreadyExists, isNotFound, type KubeObject } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import { INTERRUPTED, type Invocation, type RunCommand, textOf } from '../command.ts'
import { parseFieldPath } from '../manifests/field-path.ts'
import { type FileNote, formatNote, type Manifest } from '../manifests/manifest.ts'
import { ManifestFailure, notesOfRefusal } from '../manifests/manifest-failure.ts'
import { readManifests, readManifestText } from '../manifests/manifest-folder.ts'
import { Instance } from '../session/instance.ts'
import { parametersOf, unknownParameters } from '../session/parameters.ts'
import { printCulprit, printLogs } from '../session/run-log.ts'
import { hasEnded } from '../session/run-tree.ts'
import { watchRun } from '../session/run-watch.ts'
import { problemsOf, readSource, type Source, withValues, workflowOf } from '../session/submission.ts'
import { workflowControl } from '../session/workflow-control.ts'

const INSTANCE_LABEL = 'workflows.argoproj.io/controller-instanceid'
const KINDS = ['WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow']

/** `tiphys submit FILE|--from KIND/NAME` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags } = invocation
    const [file] = operands
    const from = textOf(flags, 'from')
    if (file === undefined && from === undefined)
      throw new UsageFailure('submit needs a FILE or --from KIND/NAME', 'tiphys submit --help shows examples')
    if (file !== undefined && from !== undefined)
      throw new UsageFailure('submit takes a FILE or --from KIND/NAME, not both', 'tiphys submit --help shows examples')
    const created =
      file === undefined
        ? [await submitFrom(invocation, instance, from ?? '')]
        : await submitFile(invocation, instance, file)
    if (instance.isWithoutEngine)
      invocation.terminal.err.print('note: nothing runs workflows there yet: it begins with tiphys run or tiphys up')
    return await follow(invocation, instance, created)
  })

async function submitFrom({ flags, terminal }: Invocation, instance: Instance, from: string) {
  const { client, namespace } = await instance.cluster()
  const source = sourceOf(from, namespace)
  const parameters = parametersOf(flags)
  const own = textOf(flags, 'name')
  const place = source.kind === 'ClusterWorkflowTemplate' ? '' : `${namespace}/`
  try {
    const found = await readSource(source, client)
    const { spec = {} } = found as { spec?: { workflowSpec?: unknown } }
    for (const note of unknownParameters({ ...found, spec: spec.workflowSpec ?? spec }, parameters))
      terminal.err.print(`note: ${note}`)
    const workflow = withValues(workflowOf(found, namespace), parameters)
    const problems = instance.isOwnCluster ? await problemsOf(workflow, client) : []
    if (problems.length > 0)
      throw new TerminalFailure('cli-workflow-invalid', {
        what: `${source.kind} ${place}${source.name} cannot be started`,
        why: problems.map(({ path, message }) => `${path}: ${message}`).join('; '),
        todo: 'Give its parameters with -p NAME=VALUE, or correct it and apply it again',
      })
    const control = await workflowControl()
    return await control.submitFrom(client, source, {
      ...(own !== undefined && { name: own }),
      ...(parameters && { parameters }),
      ...(instance.instanceId !== undefined && { labels: { [INSTANCE_LABEL]: instance.instanceId } }),
    })
  } catch (thrown) {
    if (isAlreadyExists(thrown)) throw new TerminalFailure('cli-run-exists', { ...isThere(own), cause: thrown })
    if (!isNotFound(thrown)) throw thrown
    throw new TerminalFailure('cli-not-found', {
      what: `there is no ${source.kind} ${place}${source.name} in the cluster`,
      todo: 'Apply it with tiphys apply DIR, or name another namespace with -n',
      cause: thrown,
    })
  }
}

function sourceOf(from: string, namespace: string): Source {
  const [given = '', name = '', ...more] = from.split('/')
  const kind = KINDS.find(kind => kind.toLowerCase() === given.toLowerCase())
  if (kind && name !== '' && more.length === 0) return { kind, namespace, name }
  throw new UsageFailure(
    `--from cannot be ${JSON.stringify(from)}`,
    `It is ${KINDS.map(kind => `${kind}/NAME`).join(', ')}`,
  )
}

const isThere = (name = '') => ({
  what: `there is a run ${name} already`,
  todo: `Give the new one another name with --name, or delete the other with tiphys delete ${name}`,
})

async function submitFile({ flags, terminal }: Invocation, instance: Instance, file: string) {
  const { client, namespace } = await instance.cluster()
  const { manifests, problems } =
    file === '-' ? await readManifestText('standard input', await text(process.stdin)) : await readManifests([file])
  if (problems.length > 0) throw new ManifestFailure(problems)
  const workflows = manifests.filter(({ object }) => object.kind === 'Workflow')
  const place = file === '-' ? 'standard input' : file
  if (workflows.length === 0)
    throw new TerminalFailure('cli-no-workflow', {
      what: `there is no Workflow in ${place}`,
      todo: 'Name a file with one, or start a template with --from WorkflowTemplate/NAME',
    })
  if (workflows.length > 1 && flags.name !== undefined)
    throw new UsageFailure(
      `--name is the name of one run, and ${place} has ${workflows.length} Workflows`,
      'Leave it out, or submit them one by one',
    )
  const refuse = (notes: readonly FileNote[]) => {
    if (notes.length > 1) for (const note of notes) terminal.err.print(formatNote(note))
    throw new ManifestFailure(notes)
  }
  const made = workflows.map(manifest => ({
    manifest,
    object: withArguments(manifest.object, namespace, flags, instance.instanceId),
  }))
  const wrong = instance.isOwnCluster ? await notesOfEngine(made, client) : []
  if (wrong.length > 0) refuse(wrong)
  const created: KubeObject[] = []
  for (const { manifest, object } of made) {
    for (const note of unknownParameters(manifest.object, parametersOf(flags))) terminal.err.print(`note: ${note}`)
    try {
      // A field that nobody knows is a slip of the pen, and what it meant would be left out.
      created.push(await client.create(object, { fieldValidation: 'Strict' }))
    } catch (thrown) {
      if (isAlreadyExists(thrown))
        throw new TerminalFailure('cli-run-exists', { ...isThere(object.metadata.name), cause: thrown })
      if (thrown instanceof ConnectionFailure) throw thrown
      refuse(notesOfRefusal(manifest, thrown))
    }
  }
  return created
}

/** What the engine would make a failed run of, with the lines; nothing is made of any then. */
async function notesOfEngine(
  made: readonly { manifest: Manifest; object: KubeObject }[],
  client: Client,
): Promise<FileNote[]> {
  const notes = made.map(async ({ manifest, object }) =>
    (await problemsOf(object, client)).map(({ path, message }) => ({
      file: manifest.file,
      line: manifest.lineOf(parseFieldPath(path)),
      message: `${path}: ${message}`,
    })),
  )
  return (await Promise.all(notes)).flat()
}

/** The Workflow with what the command line gives, for the engine that runs there. */
function withArguments(
  workflow: KubeObject,
  namespace: string,
  flags: Invocation['flags'],
  instanceId: string | undefined,
): KubeObject {
  const name = textOf(flags, 'name')
  const { name: _, generateName: __, ...rest } = workflow.metadata
  const metadata = {
    namespace,
    ...(name === undefined ? workflow.metadata : { ...rest, name }),
    ...(instanceId !== undefined && { labels: { [INSTANCE_LABEL]: instanceId, ...workflow.metadata.labels } }),
  }
  return withValues({ ...workflow, metadata }, parametersOf(flags))
}

/** Says what was done; with --watch and --log stays until it has ended. */
export async function follow(
  invocation: Invocation,
  instance: Instance,
  created: readonly KubeObject[],
  done = 'submitted',
): Promise<number> {
  const { flags, terminal, interrupted } = invocation
  const { out, err } = terminal
  let code = 0
  for (const { metadata } of created) {
    const { namespace = '', name = '', uid = '' } = metadata
    if (flags.json === true) out.print(JSON.stringify({ namespace, name, uid }))
    else out.print(`Workflow ${namespace}/${name} ${done}`)
    if ((flags.watch !== true && flags.log !== true) || interrupted.aborted) continue
    const phase = await untilEnd(invocation, instance, { namespace, name, uid })
    if (phase !== 'Succeeded') code = 1
    if (phase !== undefined && hasEnded(phase)) continue
    if (interrupted.aborted) {
      err.print(
        `The run goes on: tiphys get run ${namespace}/${name} shows it, tiphys stop ${namespace}/${name} ends it`,
      )
      code = INTERRUPTED
    } else err.print(`Workflow ${namespace}/${name} was deleted before it ended`)
  }
  return code
}

/** Shows the run in the way that was asked for; resolves with its last phase. */
async function untilEnd(
  { flags, terminal, interrupted: signal }: Invocation,
  instance: Instance,
  { namespace, name, uid }: { namespace: string; name: string; uid: string },
): Promise<string | undefined> {
  const { client } = await instance.cluster()
  // Who asks for JSON reads nothing else on the standard output.
  const shown = flags.json === true ? { ...terminal, out: terminal.err, canPin: false } : terminal
  const { out } = shown
  const history = instance.isOwnCluster ? await instance.history() : undefined
  if (flags.log === true && !history)
    terminal.err.print('note: the logs are where the engines of that cluster run; here are the steps')
  // The lines alone do not tell that it failed, and a run that could not even start has none.
  const sayFailed = (message: string | undefined) =>
    terminal.err.print(`Workflow ${namespace}/${name} failed${message === undefined ? '' : `: ${message}`}`)
  if (flags.watch !== true && history) {
    const isGone = () => instance.isGone({ namespace, name, uid })
    const run = await printLogs({ history, run: uid, follow: true, isGone, out, signal })
    if (run && hasFailed(run.phase)) sayFailed(run.message)
    return run?.phase
  }
  const phase = await watchRun({ client, namespace, name, terminal: shown, signal, clock: systemClock })
  if (!history) return phase
  if (flags.log === true) await printLogs({ history, run: uid, follow: false, out, signal })
  if (!hasFailed(phase)) return phase
  await history.caughtUp()
  const run = await history.run({ uid })
  // Why it failed stands at the end, wherever among all the lines it was printed.
  if (run) printCulprit(out, run)
  if (run && flags.log === true) sayFailed(run.message)
  return phase
}

const hasFailed = (phase: string) => hasEnded(phase) && phase !== 'Succeeded'
