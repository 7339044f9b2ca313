import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createClient, createHttpTransport, findConnection } from '@tiphys/kube'
import { type Flags, type RunCommand, textOf } from '../command.ts'
import { ownCommand } from '../own-command.ts'
import { archiveLimits } from '../session/archive-limits.ts'
import { maskedFields } from '../session/archive-mask.ts'
import { findArgoControllers, refuseSharedNamespaces } from '../session/argo-controllers.ts'
import { clientsByToken } from '../session/clients-by-token.ts'
import { type DataFolder, dataFolder } from '../session/data-folder.ts'
import { ENGINE_RULES } from '../session/engine-role.ts'
import { environment, untilAborted } from '../session/environment.ts'
import { showLive } from '../session/live-view.ts'
import { missingRights } from '../session/own-rights.ts'
import { portOf } from '../session/port.ts'
import { whoAmI } from '../session/who-am-i.ts'
import { refuseBrokenManifests } from './up.ts'

/** `tiphys run [DIR…]`: engines and console against a cluster that runs elsewhere, until it is interrupted. */
export const run: RunCommand = async invocation => {
  const { flags, operands, terminal, interrupted } = invocation
  const { out, err } = terminal
  portOf(flags, 'console-port')
  const [retention, masked] = [archiveLimits(flags), maskedFields(flags)]
  const folder = dataFolder(textOf(flags, 'data') ?? '.tiphys')
  const env = environment(invocation, 'warn')
  await refuseBrokenManifests(operands, line => err.print(line))
  const { prepareServing, startServing } = await import('../session/serving.ts')
  await prepareServing(folder, false)
  const { kubeconfig, context } = clusterOf(flags, folder)
  const namespace = textOf(flags, 'namespace')
  const namespaces = namespace === undefined ? undefined : [namespace]
  const instanceId = textOf(flags, 'instance-id')
  const artifactImage = textOf(flags, 'artifact-image')
  const connection = await findConnection({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    ...(namespace !== undefined && { namespace }),
  })
  const client = createClient(createHttpTransport(connection.transport), {
    namespace: connection.namespace,
    ...(connection.impersonate && { impersonate: connection.impersonate }),
  })
  try {
    const { gitVersion } = await client.serverVersion()
    refuseSharedNamespaces(await findArgoControllers(client), { namespaces, instanceId })
    const missing = await missingRights(client, ENGINE_RULES, namespaces)
    if (missing.length > 0) err.print(`note: this user may not ${missing.join(', ')}; what needs it will not work`)
    const serving = await startServing({
      invocation,
      command: 'run',
      env,
      folder,
      inMemory: false,
      engineClient: client,
      ownClient: client,
      user: await whoAmI(client),
      clientFor: clientsByToken(connection, client),
      kubeconfig: kubeconfig ?? '',
      ...(context !== undefined && { context }),
      ...(namespaces && { namespaces }),
      namespace: connection.namespace,
      ...(instanceId !== undefined && { instanceId }),
      ...(artifactImage !== undefined && { artifactImage }),
      force: flags.force === true,
      ...(retention && { retention }),
      masked,
    })
    try {
      const { applied } = await serving.applyManifests()
      const { server } = connection.transport
      if (flags.json === true) {
        out.print(JSON.stringify({ url: server, kubeconfig, console: serving.console, pid: process.pid }))
        await untilAborted(interrupted)
        return 0
      }
      await showLive(invocation, serving, {
        places: {
          ...(serving.console !== undefined && { console: serving.console }),
          API: `${server} (${gitVersion})`,
          ...(kubeconfig !== undefined && { kubeconfig }),
          serves: namespace === undefined ? 'all namespaces' : `the namespace ${namespace}`,
          ...(operands.length > 0 && { manifests: `${operands.join(' ')} (${applied.length} objects)` }),
        },
        next: [
          [`${ownCommand()} events -f`, 'follow events, in another terminal'],
          ['Ctrl-C', 'stop; what happens meanwhile is made up for at the next start'],
        ],
        farewell: 'stopping; what happens meanwhile is made up for at the next start',
      })
      return 0
    } finally {
      await serving.stop()
    }
  } finally {
    await client.close()
  }
}

/** The cluster of the flags, of the environment, or the one that `tiphys cluster` runs on the same folder. */
function clusterOf(flags: Flags, folder: DataFolder): { kubeconfig?: string; context?: string } {
  const context = textOf(flags, 'context')
  const given = textOf(flags, 'kubeconfig')
  const isNamed = given !== undefined || context !== undefined || (process.env.KUBECONFIG ?? '') !== ''
  const own = !isNamed && existsSync(folder.kubeconfig) ? folder.kubeconfig : undefined
  const kubeconfig = given === undefined ? own : resolve(given)
  return { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) }
}
