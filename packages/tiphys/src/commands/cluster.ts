import { join, resolve } from 'node:path'
import { type RunCommand, textOf } from '../command.ts'
import { podsChoiceOf, startEmbeddedCluster } from '../session/embedded-cluster.ts'
import { environment, orInterrupted, untilAborted } from '../session/environment.ts'
import { portOf } from '../session/port.ts'

/** `tiphys cluster`: the embedded cluster alone, until it is interrupted. */
export const run: RunCommand = async invocation => {
  const { flags, terminal, interrupted } = invocation
  const port = portOf(flags, 'port')
  const pods = await podsChoiceOf(flags)
  const data = resolve(textOf(flags, 'data') ?? '.tiphys')
  const kubeconfig = resolve(textOf(flags, 'kubeconfig-out') ?? join(data, 'kubeconfig'))
  const cluster = await startEmbeddedCluster({
    env: environment(invocation),
    data: flags.memory === true ? undefined : data,
    secretPaths: [data, kubeconfig],
    kubeconfig,
    port,
    say: line => terminal.err.print(line),
  })
  try {
    const { url } = cluster.listening
    // Who waits for the kubeconfig asks at once: loading what runs pods would take the processor from the first answers.
    if (flags['api-only'] !== true) await cluster.listening.untilQuiet()
    const running = flags['api-only'] === true ? undefined : await orInterrupted(interrupted, cluster.startPods(pods))
    const { runtime, description, limitations = [] } = running ?? {}
    if (flags.json === true) terminal.out.print(JSON.stringify({ url, kubeconfig, runtime, pid: process.pid }))
    else {
      terminal.out.print(`API         ${url}`)
      terminal.out.print(`kubeconfig  ${kubeconfig}`)
      if (description !== undefined) terminal.out.print(`pods        ${description}`)
      for (const limitation of limitations) terminal.err.print(`note: ${limitation}`)
      terminal.out.print('tiphys is ready')
    }
    await untilAborted(interrupted)
    return 0
  } finally {
    await cluster.stop()
  }
}
