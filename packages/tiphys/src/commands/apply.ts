import { type RunCommand, textOf } from '../command.ts'
import { applyManifests } from '../manifests/apply-manifests.ts'
import { formatNote, nameOf } from '../manifests/manifest.ts'
import { ManifestFailure, mustHaveManifests } from '../manifests/manifest-failure.ts'
import { readManifests } from '../manifests/manifest-folder.ts'
import { waitUntilActive } from '../manifests/wait-until-active.ts'
import { environment } from '../session/environment.ts'
import { Instance } from '../session/instance.ts'
import { dim } from '../terminal.ts'

/** `tiphys apply DIR…`: once, in the right order. */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal, interrupted } = invocation
    const { out, err } = terminal
    const isJson = flags.json === true
    const { manifests, problems, notes } = await readManifests(operands)
    if (problems.length > 1) for (const problem of problems) err.print(formatNote(problem))
    if (problems.length > 0) throw new ManifestFailure(problems)
    if (manifests.length === 0) for (const note of notes) err.print(`note: ${formatNote(note)}`)
    mustHaveManifests({ manifests, problems }, operands)
    const { client, namespace } = await instance.cluster()
    const env = environment(invocation)
    const report = await applyManifests(manifests, {
      client,
      env,
      namespace: textOf(flags, 'namespace') ?? namespace,
      force: flags.force === true,
      dryRun: flags['dry-run'] === true,
      ...(instance.running &&
        flags['dry-run'] !== true && {
          untilActive: applied => waitUntilActive(applied, { client, env, signal: interrupted }),
        }),
      signal: interrupted,
      onApplied: ({ object, outcome }) => {
        if (isJson) out.print(JSON.stringify({ object: refOf(object), outcome }))
        else
          out.print(outcome === 'unchanged' ? dim(out, `${nameOf(object)} unchanged`) : `${nameOf(object)} ${outcome}`)
      },
    })
    for (const note of [...notes, ...report.notes]) err.print(`note: ${formatNote(note)}`)
    if (report.problems.length === 0) return 0
    for (const problem of report.problems) err.print(formatNote(problem))
    throw new ManifestFailure(report.problems)
  })

const refOf = ({
  apiVersion,
  kind,
  metadata: { namespace, name, uid, resourceVersion },
}: Parameters<typeof nameOf>[0]) => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
  resourceVersion,
})
