import { join, relative, resolve } from 'node:path'
import type { ImageTable } from '@tiphys/cluster'
import { type RunCommand, textOf } from '../command.ts'
import { formatNote } from '../manifests/manifest.ts'
import { ManifestFailure } from '../manifests/manifest-failure.ts'
import { readManifests } from '../manifests/manifest-folder.ts'
import { ownCommand } from '../own-command.ts'
import { archiveLimits } from '../session/archive-limits.ts'
import { maskedFields } from '../session/archive-mask.ts'
import { dataFolder } from '../session/data-folder.ts'
import { podsChoiceOf, startEmbeddedCluster } from '../session/embedded-cluster.ts'
import { environment, orInterrupted, untilAborted } from '../session/environment.ts'
import { showLive } from '../session/live-view.ts'
import { portOf } from '../session/port.ts'

/** `tiphys up [DIR…]`: an embedded cluster, the engines and the console, until it is interrupted. */
export const run: RunCommand = async invocation => {
  const { flags, operands, terminal, interrupted } = invocation
  const { out, err } = terminal
  const port = portOf(flags, 'port')
  portOf(flags, 'console-port')
  const [retention, masked] = [archiveLimits(flags), maskedFields(flags)]
  const podsChoice = await podsChoiceOf(flags)
  const folder = dataFolder(textOf(flags, 'data') ?? '.tiphys')
  const inMemory = flags.memory === true
  const artifactImage = textOf(flags, 'artifact-image')
  const kubeconfig = resolve(textOf(flags, 'kubeconfig-out') ?? join(folder.path, 'kubeconfig'))
  const env = environment(invocation, 'warn')
  await refuseBrokenManifests(operands, line => err.print(line))
  const { prepareServing, startServing } = await import('../session/serving.ts')
  await prepareServing(folder, inMemory)
  const cluster = await startEmbeddedCluster({
    env,
    data: inMemory ? undefined : folder.path,
    secretPaths: [folder.path, kubeconfig],
    kubeconfig,
    port,
    say: line => err.print(line),
  })
  try {
    const { server, listening } = cluster
    const { ENGINE_USER, installEngineRole, engineGroups } = await import('../session/engine-role.ts')
    const ownClient = server.client()
    const [pods] = await Promise.all([
      orInterrupted(interrupted, cluster.startPods(podsChoice)),
      installEngineRole(ownClient),
    ])
    const serving = await startServing({
      invocation,
      command: 'up',
      env,
      folder,
      inMemory,
      engineClient: server.client({ name: ENGINE_USER, groups: engineGroups() }),
      ownClient,
      user: 'tiphys-admin',
      clientFor: ({ user, groups }) => ownClient.as({ user, groups }),
      kubeconfig,
      namespace: 'default',
      entrypoints: await entrypoints(podsChoice.images),
      ...(artifactImage !== undefined && { artifactImage }),
      force: true,
      ...(retention && { retention }),
      masked,
    })
    try {
      const { applied } = await serving.applyManifests()
      const places = {
        ...(serving.console !== undefined && { console: serving.console }),
        API: listening.url,
        kubeconfig,
        pods: pods.description,
        ...(operands.length > 0 && { manifests: `${operands.join(' ')} (${applied.length} objects)` }),
      }
      if (flags.json === true)
        out.print(
          JSON.stringify({
            url: listening.url,
            kubeconfig,
            console: serving.console,
            runtime: pods.runtime,
            pid: process.pid,
          }),
        )
      for (const limitation of flags.json === true ? [] : pods.limitations) err.print(`note: ${limitation}`)
      const tiphys = ownCommand()
      if (flags.json === true) await untilAborted(interrupted)
      else
        await showLive(invocation, serving, {
          places,
          next: [
            ...(operands.length === 0 ? [[`${tiphys} init my-operator`, 'an operator to start from'] as const] : []),
            [`kubectl --kubeconfig ${shortened(kubeconfig)} get all -A`, 'look around'],
            [`${tiphys} events -f`, 'follow events'],
            [`${tiphys} explain KIND/NAME`, 'why an object is as it is'],
            ['Ctrl-C', inMemory ? 'stop; nothing is kept' : 'stop; everything is kept'],
          ],
          farewell: inMemory ? 'stopping' : `stopping; everything is kept in ${shortened(folder.path)}`,
        })
      return 0
    } finally {
      await serving.stop()
    }
  } finally {
    await cluster.stop()
  }
}

/** As somebody in this folder would write it. */
function shortened(path: string): string {
  const short = relative('.', path)
  return short.startsWith('..') ? path : short
}

async function entrypoints(images: ImageTable) {
  const { imageEntrypoint, readImageTable } = await import('@tiphys/cluster')
  const table = { ...readImageTable(), ...images }
  return (image: string) => imageEntrypoint(table, image)
}

/** What cannot be read is told before anything is started. */
export async function refuseBrokenManifests(paths: readonly string[], print: (line: string) => void): Promise<void> {
  if (paths.length === 0) return
  const { problems } = await readManifests(paths)
  if (problems.length === 0) return
  if (problems.length > 1) for (const problem of problems) print(formatNote(problem))
  throw new ManifestFailure(problems)
}
