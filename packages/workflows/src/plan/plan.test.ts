import { describe, expect, test } from 'vitest'
import type { Template, WorkflowSpec, WorkflowTemplate } from '../spec/workflow.ts'
import { type Plan, plan } from './plan.ts'
import { resubmitRun, retryRun } from './retry-run.ts'
import { ended, kinds, leaf, next, nothing, pods, single, start, workflowOf } from './testing/planning.ts'
import { simulate } from './testing/simulation.ts'

describe('a run', () => {
  test('waits while the engine has no room for it', () => {
    const held = next(single, { hold: 'the namespace runs 3 of 3' })
    expect(held.workflow.status).toMatchObject({ phase: 'Pending', message: 'the namespace runs 3 of 3' })
    expect(held.workflow.status?.startedAt).toBeUndefined()
    expect(held.plan.actions).toEqual([])
    const begun = next(held.workflow)
    expect(begun.workflow.status).toMatchObject({ phase: 'Running', startedAt: '2026-03-29T12:00:00Z' })
    expect(begun.workflow.status?.message).toBeUndefined()
    expect(next(begun.workflow, { hold: 'full' }).plan.changed, 'once it has begun').toBe(false)
  })

  test('takes what is null for what is not written', () => {
    const template = {
      name: 'main',
      inputs: null,
      steps: [[{ name: 'a', template: 'leaf', arguments: { parameters: null } }]],
    }
    const spec = { entrypoint: 'main', onExit: null, templates: [template, leaf] } as unknown as WorkflowSpec
    expect(pods(next(workflowOf(spec)).plan).map(({ nodeName }) => nodeName)).toEqual(['run[0].a'])
  })

  test('labels its Workflow, and says when it is over', () => {
    const first = next(
      workflowOf({
        ...single.spec,
        workflowMetadata: { labels: { a: 'b' }, labelsFrom: { c: { expression: "workflow.name + '-x'" } } },
      }),
    )
    expect(first.plan.labels).toEqual({
      a: 'b',
      c: 'run-x',
      'workflows.argoproj.io/phase': 'Running',
      'workflows.argoproj.io/completed': 'false',
    })
    const last = next(first.workflow, { observed: { pods: { run: ended('run') } }, now: start + 5000 })
    expect(last.plan.labels).toMatchObject({
      'workflows.argoproj.io/phase': 'Succeeded',
      'workflows.argoproj.io/completed': 'true',
    })
    expect(last.workflow.status).toMatchObject({
      phase: 'Succeeded',
      finishedAt: '2026-03-29T12:00:05Z',
      progress: '1/1',
    })
    expect(last.workflow.status?.conditions).toContainEqual({ type: 'Completed', status: 'True' })
    expect(last.plan.transitions.map(({ node, from }) => [node.id, from, node.phase])).toEqual([
      ['run', 'Pending', 'Succeeded'],
    ])
    expect(next(last.workflow).plan).toMatchObject({ changed: false, actions: [] })
  })

  test('puts variables into the labels and annotations that its Workflow is to have, once', () => {
    const labelled = (labels: Record<string, string>) =>
      workflowOf({
        ...single.spec,
        arguments: { parameters: [{ name: 'team', value: 'green' }] },
        workflowMetadata: { labels, annotations: { title: 'Of {{workflow.parameters.team}}, {{workflow.status}}' } },
      })
    const first = next(labelled({ team: 't-{{workflow.parameters.team}}' }))
    const title = 'Of green, {{workflow.status}}'
    expect(first.plan).toMatchObject({ labels: { team: 't-green' }, annotations: { title } })
    const last = next(first.workflow, { observed: { pods: { run: ended('run') } } })
    expect(last.plan).toMatchObject({ labels: { team: 't-green' }, annotations: { title } })
    expect(next(last.workflow).plan.annotations, 'what is over keeps what it has').not.toHaveProperty('title')
    const refused = next(labelled({ team: '{{workflow.parameters.team}}!' }))
    expect(refused.plan.status).toMatchObject({
      phase: 'Error',
      message: 'spec.workflowMetadata.labels.team: "green!" is no valid label value',
    })
    expect(refused.plan.labels).not.toHaveProperty('team')
  })

  test('begins as many steps at once as the Workflow and the template around allow', () => {
    const loop = (limits: { workflow?: number; template?: number }) => {
      const { workflow, template } = limits
      const tasks = [{ name: 'each', template: 'leaf', withItems: [1, 2, 3, 4] }]
      return workflowOf({
        entrypoint: 'main',
        ...(workflow !== undefined && { parallelism: workflow }),
        templates: [{ name: 'main', dag: { tasks }, ...(template !== undefined && { parallelism: template }) }, leaf],
      })
    }
    const begun = (limits: Parameters<typeof loop>[0]) => pods(next(loop(limits)).plan).length
    expect([begun({}), begun({ workflow: 3 }), begun({ template: 2 }), begun({ workflow: 3, template: 2 })]).toEqual([
      4, 3, 2, 2,
    ])
    expect(begun({ template: 0 }), 'no limit, as upstream has it').toBe(4)
    expect(begun({ workflow: 0 }), 'held, as upstream has it').toBe(0)
    const first = next(loop({ template: 2 }))
    const [one] = pods(first.plan)
    const id = one?.nodeId ?? ''
    const second = next(first.workflow, { observed: { pods: { [id]: ended(one?.podName ?? '') } } })
    expect(pods(second.plan).filter(({ nodeId }) => first.workflow.status?.nodes?.[nodeId] === undefined)).toHaveLength(
      1,
    )
  })

  test('tells of a step that has ended what comes after it, when that is known', () => {
    const first = next(
      workflowOf({
        entrypoint: 'main',
        templates: [
          leaf,
          {
            name: 'main',
            steps: [
              [
                { name: 'fast', template: 'leaf' },
                { name: 'slow', template: 'leaf' },
              ],
              [{ name: 'last', template: 'leaf' }],
            ],
          },
        ],
      }),
    )
    const [fast, slow] = pods(first.plan)
    const children = ({ transitions }: Plan) =>
      transitions.map(({ node, from }) => [node.displayName, from, node.phase, node.children?.length ?? 0])
    const seen = { [fast?.nodeId ?? '']: ended(fast?.podName ?? '') }
    const second = next(first.workflow, { observed: { pods: seen } })
    expect(children(second.plan)).toEqual([['fast', 'Pending', 'Succeeded', 0]])
    const third = next(second.workflow, {
      observed: { pods: { ...seen, [slow?.nodeId ?? '']: ended(slow?.podName ?? '') } },
    })
    expect(children(third.plan)).toEqual([
      ['slow', 'Pending', 'Succeeded', 1],
      ['[0]', 'Running', 'Succeeded', 2],
      ['[1]', undefined, 'Running', 1],
      ['last', undefined, 'Pending', 0],
      ['fast', 'Succeeded', 'Succeeded', 1],
    ])
  })

  test('is planned for the time at which something is due', () => {
    const waiting = workflowOf({
      entrypoint: 'wait',
      activeDeadlineSeconds: 60,
      templates: [{ name: 'wait', suspend: { duration: '10' } }],
    })
    const first = next(waiting)
    expect(first.plan.wakeAt).toBe(start + 10_000)
    expect(next(first.workflow, { now: start + 9_999 }).plan.changed).toBe(false)
    expect(next(first.workflow, { now: start + 10_000 }).workflow.status?.phase).toBe('Succeeded')
    const unlimited = next(workflowOf({ entrypoint: 'wait', templates: [{ name: 'wait', suspend: {} }] }))
    expect(unlimited.plan.wakeAt).toBeUndefined()
  })

  test('goes on with the templates it began with', () => {
    const library = (command: string): WorkflowTemplate => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTemplate',
      metadata: { name: 'lib' },
      spec: {
        templates: [
          { name: 'two', steps: [[{ name: 'a', template: 'inner' }], [{ name: 'b', template: 'inner' }]] },
          { name: 'inner', container: { image: 'x', command: [command] } },
        ],
      },
    })
    const workflow = workflowOf({
      entrypoint: 'main',
      templates: [{ name: 'main', steps: [[{ name: 'call', templateRef: { name: 'lib', template: 'two' } }]] }],
    })
    const first = next(workflow, { templates: { get: () => library('old') } })
    expect(Object.keys(first.workflow.status?.storedTemplates ?? {})).toEqual([
      'namespaced/lib/two',
      'namespaced/lib/inner',
    ])
    const [pod] = pods(first.plan)
    const observed = { pods: { [pod?.nodeId ?? '']: ended(pod?.podName ?? '') } }
    for (const templates of [nothing, { get: () => library('new') }]) {
      expect(
        pods(next(first.workflow, { observed, templates }).plan).map(({ template }) => template.container?.command),
      ).toEqual([['old']])
    }
  })

  test('keeps the spec of its WorkflowTemplate, but for what people do with the Workflow', () => {
    const template: WorkflowTemplate = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTemplate',
      metadata: { name: 'lib' },
      spec: { ...single.spec, parallelism: 5 },
    }
    const first = next(workflowOf({ workflowTemplateRef: { name: 'lib' } }), { templates: { get: () => template } })
    expect(first.workflow.status?.storedWorkflowTemplateSpec).toMatchObject({ entrypoint: 'leaf', parallelism: 5 })
    expect(first.plan.labels).toMatchObject({ 'workflows.argoproj.io/workflow-template': 'lib' })
    const stopped = { ...first.workflow, spec: { ...first.workflow.spec, shutdown: 'Terminate' as const } }
    expect(next(stopped).workflow.status?.phase).toBe('Failed')
  })

  test('that was stopped says what whoever did it had to say, until it is retried', () => {
    const first = next(workflowOf({ entrypoint: 'gate', templates: [{ name: 'gate', suspend: {} }] })).workflow
    const annotations = { 'tiphys.dev/stop-message': 'enough' }
    const stop = { metadata: { ...first.metadata, annotations }, spec: { ...first.spec, shutdown: 'Stop' as const } }
    const stopped = next({ ...first, ...stop }).workflow
    expect(stopped.status).toMatchObject({ phase: 'Failed', message: "Stopped with strategy 'Stop': enough" })
    expect(retryRun(stopped, { now: start }).workflow.metadata.annotations).toEqual({ 'tiphys.dev/retries': '1' })
    expect(resubmitRun(stopped, { now: start, name: 'again' }).metadata).not.toHaveProperty('annotations')
  })

  test('whose template calls itself without end says where', () => {
    const main: Template = { name: 'main', steps: [[{ name: 'again', template: 'main' }]] }
    const { status } = simulate(workflowOf({ entrypoint: 'main', templates: [main] }))
    expect(status.phase).toBe('Failed')
    expect(Object.values(status.nodes ?? {}).map(({ message }) => message)).toContainEqual(
      'Maximum recursion depth exceeded at the step again of template main: more than 100 templates call each other there; give the call a when that ends it',
    )
  })

  test('takes defaults where it says nothing', () => {
    const planned = plan({
      workflow: single,
      templates: nothing,
      observed: {},
      now: start,
      defaults: { parallelism: 1, nodeSelector: { a: 'b' } },
    })
    expect(pods(planned)[0]?.shared).toEqual({ nodeSelector: { a: 'b' } })
  })

  test('reads the ConfigMaps of its arguments first', () => {
    const workflow = workflowOf({
      ...single.spec,
      arguments: { parameters: [{ name: 'x', valueFrom: { configMapKeyRef: { name: 'settings', key: 'x' } } }] },
    })
    const first = next(workflow)
    expect(first.plan.actions).toEqual([{ do: 'readConfigMap', name: 'settings', namespace: 'team' }])
    expect(next(workflow, { observed: { configMaps: { settings: null } } }).workflow.status).toMatchObject({
      phase: 'Failed',
      message: 'failed to set global parameters: parameter x: ConfigMap team/settings does not exist',
    })
  })

  test('says what it was accepted with and does not carry out', () => {
    const warnings = (artifactGC: { strategy: string }) =>
      (next(workflowOf({ ...single.spec, artifactGC })).workflow.status?.conditions ?? []).flatMap(
        ({ type, message }) => (type === 'SpecWarning' ? [message] : []),
      )
    expect(warnings({ strategy: 'OnWorkflowDeletion' })).toEqual([
      'spec.artifactGC: artifacts are not removed by themselves; let the bucket expire them, or remove them in a step',
    ])
    expect(warnings({ strategy: 'Never' })).toEqual([])
  })

  test('warns of a resource template that is about its own pod: the step said no more than that there is none', () => {
    const manifest = 'apiVersion: v1\nkind: Pod\nmetadata: { name: "{{pod.name}}" }'
    const templates = [{ name: 'main', resource: { action: 'patch', manifest } }]
    const { workflow } = next(workflowOf({ entrypoint: 'main', templates }))
    expect(workflow.status?.conditions).toContainEqual({
      type: 'SpecWarning',
      status: 'True',
      message: expect.stringContaining('spec.templates[0].resource.manifest: {{pod.name}} leads to no pod'),
    })
  })

  test('makes its volume claims before its first pod, and removes them after its success', () => {
    const claim = { metadata: { name: 'work' }, spec: { accessModes: ['ReadWriteOnce'] } } as never
    const workflow = workflowOf({ ...single.spec, volumeClaimTemplates: [claim] })
    const first = next(workflow)
    expect(kinds(first.plan)).toEqual(['createVolumeClaim'])
    const claims = { 'run-work': { exists: true } }
    const second = next(first.workflow, { observed: { volumeClaims: claims } })
    expect(pods(second.plan)[0]?.volumes).toEqual([{ name: 'work', persistentVolumeClaim: { claimName: 'run-work' } }])
    const third = next(second.workflow, { observed: { volumeClaims: claims, pods: { run: ended('run') } } })
    expect(third.plan.actions).toEqual([{ do: 'deleteVolumeClaim', name: 'run-work' }])
    const last = next(third.workflow, { observed: { volumeClaims: { 'run-work': { exists: false } } } })
    expect(last.workflow.status?.persistentVolumeClaims).toBeUndefined()
    expect(last.plan.actions).toEqual([])
  })
})
