import { type RunCommand, textOf } from '../command.ts'
import { parkedTargets, performAction } from '../session/action.ts'
import { Instance } from '../session/instance.ts'
import { parametersOf } from '../session/parameters.ts'
import { actOnRun } from './run-control.ts'

/** `tiphys retry RUN|EVENT|sensor/NAME[/TRIGGER]` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const [subject = ''] = operands
    const { client, namespace } = await instance.cluster()
    const targets = await parkedTargets(subject, namespace, () => instance.history())
    let code = 0
    for (const { namespace, spec } of targets)
      code = Math.max(code, await performAction(invocation, client, { kind: 'Retry', namespace, spec }))
    if (targets.length > 0) return code
    const { ref } = await actOnRun(invocation, instance, (control, client, ref) => {
      const [node, parameters] = [textOf(flags, 'node'), parametersOf(flags)]
      return control.retry(client, ref, {
        ...(node !== undefined && { nodeFieldSelector: node }),
        ...(flags['restart-successful'] === true && { restartSuccessful: true }),
        ...(parameters && { parameters }),
      })
    })
    terminal.out.print(
      flags.json === true ? JSON.stringify(ref) : `Workflow ${ref.namespace}/${ref.name} is tried again`,
    )
    return 0
  })
