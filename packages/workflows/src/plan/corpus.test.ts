import { describe, expect, test } from 'vitest'
import { stepPod } from '../pods/step-pod.ts'
import type { NodeStatus, Workflow } from '../spec/workflow.ts'
import type { CreatePod } from './action.ts'
import type { StepOutcome } from './observed.ts'
import { type CorpusCase, type ExpectedNode, loadCorpus } from './testing/corpus.ts'
import type { Ending, Endings } from './testing/simulated-world.ts'
import { type Simulation, simulate } from './testing/simulation.ts'

const cases = await loadCorpus()

describe('corpus', () => {
  test.each(cases.map(item => [item.name, item] as const))('%s', async (_, item) => {
    const run = simulate(item.workflow, optionsOf(item))
    const found = described(run, item)
    expect(found).toEqual(wanted(item, found))
    for (const rest of item.expect.absent ?? []) expect(run.node(rest), `node ${rest}`).toBeUndefined()
    for (const [rest, args] of Object.entries(item.args))
      expect(argumentsOf(run, nameOf(item.workflow, rest))).toEqual(args)
    for (const [rest, pod] of Object.entries(item.pods)) expect(await podOf(run, rest)).toMatchObject(pod)
    for (const [rest, request] of Object.entries(item.requests)) expect(requestOf(run, rest)).toMatchObject(request)
    for (const [kind, about] of Object.entries(item.actions)) expect(actionsOf(run, kind), kind).toEqual(about)
    if (item.expect.complete === true) {
      const names = Object.values(run.status.nodes ?? {}).map(({ name }) => restOf(item.workflow, name))
      expect(names.sort()).toEqual(Object.keys(item.expect.nodes ?? {}).sort())
    }
  })

  test.each(cases.filter(({ control }) => control.length === 0).map(item => [item.name, item] as const))(
    '%s, with an engine that dies again and again',
    (_, item) => {
      for (let seed = 1; seed <= 4; seed++) {
        const run = simulate(item.workflow, { ...optionsOf(item), seed, crashes: 0.3 })
        const found = described(run, item)
        expect(found).toEqual(wanted(item, found))
        for (const [pod, count] of run.world.created) expect(count, `pods named ${pod}`).toBe(1)
      }
    },
  )
})

function optionsOf(item: CorpusCase) {
  const done = new Set<number>()
  return {
    objects: item.objects,
    endings: endingsOf(item),
    control: (workflow: Workflow, world: Simulation['world']) => {
      let next = workflow
      for (const [index, step] of item.control.entries()) {
        const node = Object.values(workflow.status?.nodes ?? {}).find(({ name }) => name === nameOf(workflow, step.at))
        if (done.has(index) || node?.phase !== 'Running') continue
        done.add(index)
        if (step.resume !== undefined) world.resumes.set(node.id, { phase: 'Succeeded', outputs: step.resume })
        if (step.shutdown !== undefined) next = { ...next, spec: { ...next.spec, shutdown: step.shutdown } }
        if (step.suspend === true) next = { ...next, spec: { ...next.spec, suspend: true } }
      }
      return next
    },
    idle: (workflow: Workflow) =>
      workflow.spec.suspend === true ? { ...workflow, spec: { ...workflow.spec, suspend: false } } : undefined,
  }
}

/** A step does what is expected of it, unless `simulate` says otherwise. */
function endingsOf({ workflow, expect: { nodes = {} }, simulate: scripted }: CorpusCase): Endings {
  return (nodeName, action): Ending => {
    const rest = restOf(workflow, nodeName)
    const script = scripted[rest]
    const node = nodes[rest]
    const phase = script?.phase ?? (node?.phase === 'Failed' || node?.phase === 'Error' ? node.phase : 'Succeeded')
    const { result, exitCode, parameters } = node?.outputs ?? {}
    const outcome: StepOutcome = {
      ...(result === undefined || action.do !== 'createPod' || !action.needsResult ? {} : { result }),
      ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }),
      ...(parameters === undefined ? {} : { parameters }),
      ...(node?.message === undefined || phase === 'Succeeded' ? {} : { message: node.message }),
      ...(script?.parameters === undefined ? {} : { parameters: script.parameters }),
      ...(script?.message === undefined ? {} : { message: script.message }),
      ...(script?.exitCode === undefined ? {} : { exitCode: script.exitCode }),
      ...(script?.transient === undefined ? {} : { transient: script.transient }),
      ...(script?.result === undefined ? {} : { result: script.result }),
      ...(script?.artifacts === undefined
        ? {}
        : { artifacts: script.artifacts.map(name => ({ name, s3: { key: name } })) }),
    }
    return {
      phase,
      outcome,
      ...(script?.response === undefined ? {} : { response: { headers: {}, ...script.response } }),
      ...(script?.isStuck === undefined ? {} : { isStuck: script.isStuck }),
      ...(script?.endsInPeace === undefined ? {} : { endsInPeace: script.endsInPeace }),
    }
  }
}

interface Described {
  phase: string | undefined
  message?: string | undefined
  outputs?: unknown
  nodes: Record<string, unknown>
}

/** What came of the run, as far as something is expected of it. */
function described(run: Simulation, { expect: expected }: CorpusCase): Described {
  const { status } = run
  return {
    phase: status.phase,
    ...(expected.message === undefined ? {} : { message: status.message }),
    ...(expected.outputs === undefined ? {} : { outputs: { parameters: valuesOf(status.outputs?.parameters) } }),
    nodes: Object.fromEntries(
      Object.entries(expected.nodes ?? {}).map(([rest, node]) => [rest, describedNode(run, run.node(rest), node)]),
    ),
  }
}

function describedNode(run: Simulation, node: NodeStatus | undefined, expected: ExpectedNode): unknown {
  if (node === undefined) return 'no such node'
  const { outputs } = expected
  return {
    phase: node.phase,
    ...(expected.type === undefined ? {} : { type: node.type }),
    ...(expected.template === undefined ? {} : { template: node.templateRef?.template ?? node.templateName }),
    ...(expected.message === undefined ? {} : { message: node.message ?? '' }),
    ...(expected.displayName === undefined ? {} : { displayName: node.displayName }),
    ...(expected.inputs === undefined ? {} : { inputs: valuesOf(node.inputs?.parameters) }),
    ...(expected.children === undefined
      ? {}
      : { children: (node.children ?? []).map(id => restOf(run.workflow, run.status.nodes?.[id]?.name ?? id)).sort() }),
    ...(outputs?.result === undefined ? {} : { result: node.outputs?.result }),
    ...(outputs?.exitCode === undefined ? {} : { exitCode: node.outputs?.exitCode }),
    ...(outputs?.parameters === undefined ? {} : { parameters: valuesOf(node.outputs?.parameters) }),
    ...(outputs?.artifacts === undefined ? {} : { artifacts: (node.outputs?.artifacts ?? []).map(({ name }) => name) }),
  }
}

/** The same for what is expected. A message has to contain the text: where it does, the message that was found stands here. */
function wanted({ expect: expected }: CorpusCase, found: Described): Described {
  return {
    phase: expected.phase,
    ...(expected.message === undefined ? {} : { message: containing(found.message, expected.message) }),
    ...(expected.outputs === undefined ? {} : { outputs: { parameters: expected.outputs.parameters ?? {} } }),
    nodes: Object.fromEntries(
      Object.entries(expected.nodes ?? {}).map(
        ([rest, { phase = 'Succeeded', type, displayName, template, message, inputs, children, outputs }]) => [
          rest,
          {
            phase,
            ...(type === undefined ? {} : { type }),
            ...(displayName === undefined ? {} : { displayName }),
            ...(template === undefined ? {} : { template }),
            ...(message === undefined
              ? {}
              : { message: containing((found.nodes[rest] as { message?: string }).message, message) }),
            ...(inputs === undefined ? {} : { inputs }),
            ...(children === undefined ? {} : { children: [...children].sort() }),
            ...(outputs?.result === undefined ? {} : { result: outputs.result }),
            ...(outputs?.exitCode === undefined ? {} : { exitCode: outputs.exitCode }),
            ...(outputs?.parameters === undefined ? {} : { parameters: outputs.parameters }),
            ...(outputs?.artifacts === undefined ? {} : { artifacts: outputs.artifacts }),
          },
        ],
      ),
    ),
  }
}

const containing = (found: string | undefined, text: string) => (found?.includes(text) === true ? found : text)

function valuesOf(parameters: readonly { name: string; value?: unknown }[] | undefined): Record<string, unknown> {
  return Object.fromEntries((parameters ?? []).map(({ name, value }) => [name, value]))
}

const workflowName = ({ metadata }: Workflow) => metadata.name ?? `${metadata.generateName ?? 'run-'}x7k2p`

function nameOf(workflow: Workflow, rest: string): string {
  return rest === 'root' ? workflowName(workflow) : workflowName(workflow) + rest
}

function restOf(workflow: Workflow, name: string): string {
  const own = workflowName(workflow)
  return name === own ? 'root' : name.slice(own.length)
}

function argumentsOf(run: Simulation, nodeName: string): string[] {
  const action = run.actions.find((item): item is CreatePod => item.do === 'createPod' && item.nodeName === nodeName)
  const { container, script } = action?.template ?? {}
  return script === undefined ? [...(container?.command ?? []), ...(container?.args ?? [])] : [script.source]
}

/** The pod that the driver makes of what was planned. */
function podOf({ workflow, actions, node }: Simulation, rest: string): Promise<unknown> {
  const { id = '', name = '' } = node(rest) ?? {}
  const action = actions.find((item): item is CreatePod => item.do === 'createPod' && item.nodeId === id)
  if (action === undefined) throw new Error(`no pod was made for ${rest}`)
  const { shared, volumes, template, podName, needsResult, deadline } = action
  const spec = workflow.status?.storedWorkflowTemplateSpec ?? workflow.spec
  return stepPod({
    workflow,
    spec: { ...spec, ...shared, volumes: [...volumes] },
    node: { id, name },
    podName,
    template,
    wantsResult: needsResult,
    claims: [],
    ...(deadline !== undefined && { deadlineSeconds: deadline }),
    nonce: 'nonce',
    artifactImage: 'artifacts',
  })
}

/** The resolved template of what the engine carries out itself. */
function requestOf({ actions, node }: Simulation, rest: string): unknown {
  const id = node(rest)?.id
  const action = actions.find(item => (item.do === 'runHttp' || item.do === 'runResource') && item.nodeId === id)
  return action === undefined || !('template' in action)
    ? undefined
    : (action.template.http ?? action.template.resource)
}

/** What actions of a kind were about, each once: nodes, or names of other things. */
function actionsOf({ workflow, actions, status }: Simulation, kind: string): string[] {
  const about = actions.flatMap(action => {
    if (action.do !== kind) return []
    if ('nodeId' in action) return [restOf(workflow, status.nodes?.[action.nodeId]?.name ?? action.nodeId)]
    return ['name' in action ? action.name : action.holder]
  })
  return [...new Set(about)].sort()
}
