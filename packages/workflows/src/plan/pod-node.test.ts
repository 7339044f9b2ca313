import { describe, expect, test } from 'vitest'
import type { Workflow, WorkflowSpec } from '../spec/workflow.ts'
import type { CreatePod } from './action.ts'
import type { Observed, ObservedPod } from './observed.ts'
import { ended, kinds, leaf, next, pods, single, start, workflowOf } from './testing/planning.ts'
import { simulate } from './testing/simulation.ts'

describe('a pod', () => {
  test('that ended by itself is not removed while it is read again after a restart', () => {
    const done = next(next(single).workflow, { observed: { pods: { run: ended('run') } } })
    expect(done.workflow.status?.phase).toBe('Succeeded')
    const after = (pod: ObservedPod) => next(done.workflow, { observed: { pods: { run: pod } } }).plan
    expect(kinds(after({ name: 'run', phase: 'Running', isBeingRead: true }))).toEqual([])
    expect(kinds(after({ name: 'run', phase: 'Running' }))).toEqual(['stopPod'])
  })

  test('in which containers that are not of the step run on is ended as soon as the step is, also after a restart', () => {
    for (const phase of ['Succeeded', 'Failed'] as const) {
      const observed = { pods: { run: { ...ended('run', phase), isLingering: true } } }
      const done = next(next(single).workflow, { observed })
      expect(done.workflow.status?.nodes?.run?.phase).toBe(phase)
      expect(done.plan.actions).toMatchObject([{ do: 'stopPod', podName: 'run', now: false }])
      const again = next(done.workflow, { observed })
      expect([kinds(again.plan), again.plan.changed]).toEqual([['stopPod'], false])
      expect(kinds(next(done.workflow, { observed: { pods: { run: ended('run', phase) } } }).plan)).toEqual([])
    }
  })

  test('is asked for until it is seen, and never again', () => {
    const first = next(single)
    expect(pods(first.plan).map(({ podName }) => podName)).toEqual(['run'])
    const again = next(first.workflow)
    expect(again.plan.changed).toBe(false)
    expect(again.plan.actions).toEqual(first.plan.actions)
    const seen = next(first.workflow, {
      observed: { pods: { run: { name: 'run', phase: 'Pending', message: 'ErrImageNeverPull: install it' } } },
    })
    expect(seen.plan.actions).toEqual([])
    expect(seen.workflow.status?.nodes?.run).toMatchObject({
      phase: 'Pending',
      message: 'ErrImageNeverPull: install it',
    })
    const lost = next(next(first.workflow, { observed: { pods: { run: { name: 'run', phase: 'Running' } } } }).workflow)
    expect(lost.plan.actions, 'a running pod that is not known after a restart').toEqual([])
  })

  test('that there was no room for is asked for again when it is time, and not when its step may not begin any more', () => {
    const full = { name: 'run', phase: 'Pending', isUnstarted: true, message: 'exceeded quota: q' } as const
    const observed = { pods: { run: { ...full, notBefore: start + 1000 } } }
    const waiting = next(next(single).workflow, { observed })
    expect(waiting.workflow.status?.nodes?.run).toMatchObject({ phase: 'Pending', message: 'exceeded quota: q' })
    expect(waiting.plan.actions).toEqual([])
    expect(waiting.plan.wakeAt).toBe(start + 1000)
    expect(kinds(next(waiting.workflow, { observed, now: start + 1000 }).plan)).toEqual(['createPod'])
    const brief = workflowOf({ ...single.spec, templates: [{ ...leaf, pendingTimeout: '5s' }] })
    const late = next(next(brief).workflow, { observed, now: start + 5000 })
    expect(late.workflow.status).toMatchObject({ phase: 'Failed' })
    expect(kinds(late.plan)).not.toContain('createPod')
  })

  test('has the least of all deadlines, the volumes, and what the spec says of all pods', () => {
    const spec: WorkflowSpec = {
      entrypoint: 'leaf',
      activeDeadlineSeconds: 100,
      arguments: { parameters: [{ name: 'zone', value: 'a' }] },
      volumes: [{ name: 'v', configMap: { name: 'config-{{workflow.parameters.zone}}' } }],
      nodeSelector: { zone: '{{workflow.parameters.zone}}' },
      podMetadata: { labels: { run: '{{workflow.name}}' } },
      templates: [{ ...leaf, activeDeadlineSeconds: '30', timeout: '20s', daemon: true }],
    }
    const [pod] = pods(next(workflowOf(spec)).plan)
    expect(pod).toMatchObject({
      deadline: 20,
      daemon: true,
      needsResult: false,
      volumes: [{ name: 'v', configMap: { name: 'config-a' } }],
      shared: { nodeSelector: { zone: 'a' }, podMetadata: { labels: { run: 'run' } } },
    })
  })

  test('keeps its log as a value only where somebody reads it', () => {
    const steps = workflowOf({
      entrypoint: 'main',
      templates: [
        leaf,
        {
          name: 'main',
          steps: [
            [
              { name: 'read', template: 'leaf' },
              { name: 'read-too', template: 'leaf' },
              { name: 'unread', template: 'leaf' },
            ],
            [
              {
                name: 'last',
                template: 'leaf',
                when: "{{steps.read.outputs.result}} == {{=steps['read-too'].outputs.result}}",
              },
            ],
          ],
        },
      ],
    })
    expect(pods(next(steps).plan).map(({ nodeName, needsResult }) => [nodeName, needsResult])).toEqual([
      ['run[0].read', true],
      ['run[0].read-too', true],
      ['run[0].unread', false],
    ])
  })

  test('that somebody deleted ends its node with an error', () => {
    const { workflow } = next(next(single).workflow, { observed: { pods: { run: { name: 'run', phase: 'Gone' } } } })
    expect(workflow.status).toMatchObject({ phase: 'Error', message: 'pod deleted' })
  })

  test('whose output could not be read ends with an error, whatever its default is', () => {
    const outputs = { parameters: [{ name: 'o', valueFrom: { path: '/o', default: 'd' } }] }
    const asks = workflowOf({ entrypoint: 'leaf', templates: [{ ...leaf, outputs }] })
    const after = (outcome: ObservedPod['outcome']) =>
      next(next(asks).workflow, {
        observed: { pods: { run: { ...ended('run'), outcome: { exitCode: 0, ...outcome } } } },
      }).workflow.status
    const missing = { o: '/o is no file that can be read' }
    expect(after({ missing })).toMatchObject({ phase: 'Succeeded' })
    expect(after({ missing, unreadable: ['o'] })).toMatchObject({
      phase: 'Error',
      message: 'output parameter o could not be read: /o is no file that can be read',
    })
  })

  test('of a set says which container kept another one from starting', () => {
    const containers = [
      { name: 'first', image: 'x', command: ['false'] },
      { name: 'second', image: 'x', command: ['true'], dependencies: ['first'] },
    ]
    const set = workflowOf({ entrypoint: 'set', templates: [{ name: 'set', containerSet: { containers } }] })
    const { workflow } = next(next(set).workflow, {
      observed: {
        pods: {
          run: {
            ...ended('run', 'Failed'),
            containers: {
              first: { phase: 'Failed', exitCode: 5, message: 'first: Error (exit code 5)' },
              second: { phase: 'Failed', exitCode: 64, message: 'second: Error (exit code 64)' },
            },
          },
        },
      },
    })
    const nodes = Object.values(workflow.status?.nodes ?? {}).map(({ name, phase, message }) => [name, phase, message])
    expect(nodes).toContainEqual(['run.first', 'Failed', 'first: Error (exit code 5)'])
    const cause = 'second: Error (exit code 64): dependency "first" exited with non-zero code: 5'
    expect(nodes).toContainEqual(['run.second', 'Error', cause])
  })

  test('is ended when its node is over', () => {
    const running = next(next(single).workflow, {
      observed: { pods: { run: { name: 'run', phase: 'Running' } } },
    }).workflow
    const stopped = next(
      { ...running, spec: { ...running.spec, shutdown: 'Terminate' } },
      { observed: { pods: { run: { name: 'run', phase: 'Running' } } } },
    )
    expect(stopped.plan.actions).toEqual([
      { do: 'stopPod', nodeId: 'run', podName: 'run', why: 'workflow shutdown with strategy: Terminate', now: true },
    ])
  })

  test.each(['Stop', 'Terminate'] as const)('counts as what it came to when it had ended before %s', shutdown => {
    const phaseAfter = (workflow: Workflow, ...seen: Omit<ObservedPod, 'name'>[]) => {
      const { workflow: begun, plan: asked } = next(workflow)
      const [{ nodeId, podName: name }] = pods(asked) as [CreatePod]
      let current: Workflow = { ...begun, spec: { ...begun.spec, shutdown } }
      for (const pod of seen) current = next(current, { observed: { pods: { [nodeId]: { ...pod, name } } } }).workflow
      return current.status?.phase
    }
    const done = ended('', 'Succeeded')
    expect(phaseAfter(single, done)).toBe('Succeeded')
    const read = { phase: 'Running', isBeingRead: true } as const
    expect(phaseAfter(single, read, done)).toBe('Succeeded')
    expect(phaseAfter(single, { phase: 'Running' }, read, done), 'it was told to end').toBe('Failed')
    const dag = workflowOf({
      entrypoint: 'main',
      templates: [leaf, { name: 'main', dag: { tasks: [{ name: 'a', template: 'leaf' }] } }],
    })
    expect(phaseAfter(dag, done), 'a dag that was stopped').toBe('Failed')
  })
})

describe('podGC', () => {
  const two = (podGC: NonNullable<WorkflowSpec['podGC']>) =>
    workflowOf({
      entrypoint: 'main',
      podGC,
      templates: [
        leaf,
        {
          name: 'main',
          steps: [
            [
              { name: 'good', template: 'leaf' },
              { name: 'bad', template: 'leaf' },
            ],
          ],
        },
      ],
    })

  function collected(podGC: NonNullable<WorkflowSpec['podGC']>, now: number) {
    const first = next(two(podGC))
    const observed: Observed = {
      pods: Object.fromEntries(
        pods(first.plan).map(({ nodeId, nodeName, podName }) => [
          nodeId,
          { ...ended(podName, nodeName.endsWith('bad') ? 'Failed' : 'Succeeded'), labels: { name: nodeName.slice(7) } },
        ]),
      ),
    }
    const over = next(first.workflow, { observed })
    const later = next(over.workflow, { observed, now })
    const names = Object.fromEntries(pods(first.plan).map(({ nodeId, nodeName }) => [nodeId, nodeName.slice(7)]))
    const gone = later.plan.actions.flatMap(action => (action.do === 'deletePod' ? [names[action.nodeId]] : []))
    return { gone, wakeAt: over.plan.wakeAt }
  }

  test.each([
    ['OnPodCompletion', ['good', 'bad']],
    ['OnPodSuccess', ['good']],
    ['OnWorkflowCompletion', ['good', 'bad']],
    ['OnWorkflowSuccess', []],
  ] as const)('%s', (strategy, expected) => {
    expect(collected({ strategy }, start + 5000).gone).toEqual(expected)
    expect(collected({ strategy }, start + 4999).gone).toEqual([])
  })

  test('waits as long as it is told, and looks at labels', () => {
    const { gone, wakeAt } = collected(
      { strategy: 'OnPodCompletion', deleteDelayDuration: '1m', labelSelector: { matchLabels: { name: 'bad' } } },
      start + 60_000,
    )
    expect(gone).toEqual(['bad'])
    expect(wakeAt).toBe(start + 60_000)
  })
})

describe('daemons', () => {
  test('go on until the template that they are a step of is over', () => {
    const workflow = workflowOf({
      entrypoint: 'main',
      templates: [
        leaf,
        { ...leaf, name: 'server', daemon: true },
        { name: 'main', steps: [[{ name: 'server', template: 'server' }], [{ name: 'work', template: 'leaf' }]] },
      ],
    })
    const run = simulate(workflow, {
      endings: nodeName => ({ phase: nodeName.endsWith('server') ? 'Running' : 'Succeeded' }),
    })
    expect(run.status.phase).toBe('Succeeded')
    expect(run.world.stopped).toEqual(['run[0].server'])
    const crashed = simulate(workflow, {
      endings: nodeName => ({ phase: nodeName.endsWith('server') ? 'Failed' : 'Running' }),
    })
    expect(crashed.status.phase, 'a daemon that ends before its time').toBe('Running')
    expect(crashed.node('[0].server')?.phase).toBe('Failed')
  })
})
