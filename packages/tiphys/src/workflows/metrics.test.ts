import { VirtualClock } from '@tiphys/env'
import { afterEach, describe, expect, it } from 'vitest'
import { WORKFLOW, WorkflowsScene } from './scene.ts'

describe('metrics of manifests', () => {
  let scene: WorkflowsScene
  afterEach(() => scene?.close())

  const pretend = (simulation: object) => ({
    metadata: { annotations: { 'tiphys.dev/simulate': JSON.stringify(simulation) } },
    container: { image: 'alpine', command: ['true'] },
  })
  const create = (name: string, spec: Record<string, unknown>) =>
    scene.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec })
  const ownLines = () =>
    (scene.engine?.metrics() ?? '').split('\n').filter(line => /argo_workflows_(my|step|flip|late)/.test(line))

  it('are counted when a step or a run has ended, by the labels and under the conditions that they have', async () => {
    scene = await WorkflowsScene.create()
    const spec = (code: number) => ({
      entrypoint: 'main',
      arguments: { parameters: [{ name: 'team', value: 'a "quoted" one' }] },
      metrics: {
        prometheus: [
          {
            name: 'my_runs',
            help: 'Runs that ended',
            labels: [
              { key: 'team', value: '{{workflow.parameters.team}}' },
              { key: 'status', value: '{{workflow.status}}' },
            ],
            counter: { value: '1' },
          },
          {
            name: 'my_failures',
            help: 'Runs that failed',
            when: '{{workflow.status}} == Failed',
            counter: { value: '2' },
          },
        ],
      },
      templates: [
        {
          name: 'main',
          steps: [[{ name: 'flip', template: 'flip', arguments: { parameters: [{ name: 'n', value: '7' }] } }]],
        },
        {
          name: 'flip',
          inputs: { parameters: [{ name: 'n' }] },
          ...pretend({ exitCode: code }),
          metrics: {
            prometheus: [
              {
                name: 'flip_results',
                help: 'Results',
                labels: [{ key: 'status', value: '{{status}}' }],
                histogram: { value: '{{inputs.parameters.n}}', buckets: [5, 10] },
              },
              { name: 'flip_level', help: 'Level', gauge: { value: '{{exitCode}}', operation: 'Add' } },
              { name: 'flip_wrong', help: 'Wrong', gauge: { value: '{{status}}' } },
            ],
          },
        },
      ],
    })
    await create('first', spec(0))
    await scene.untilOver('first')
    await create('second', spec(3))
    await scene.untilOver('second')
    await scene.settled()
    expect(ownLines()).toEqual([
      '# HELP argo_workflows_flip_results Results',
      '# TYPE argo_workflows_flip_results histogram',
      ...['Succeeded', 'Failed'].flatMap(status => [
        `argo_workflows_flip_results_bucket{status="${status}",le="5"} 0`,
        `argo_workflows_flip_results_bucket{status="${status}",le="10"} 1`,
        `argo_workflows_flip_results_bucket{status="${status}",le="+Inf"} 1`,
        `argo_workflows_flip_results_sum{status="${status}"} 7`,
        `argo_workflows_flip_results_count{status="${status}"} 1`,
      ]),
      '# HELP argo_workflows_flip_level Level',
      '# TYPE argo_workflows_flip_level gauge',
      'argo_workflows_flip_level 3',
      '# HELP argo_workflows_my_runs Runs that ended',
      '# TYPE argo_workflows_my_runs counter',
      'argo_workflows_my_runs{team="a \\"quoted\\" one",status="Succeeded"} 1',
      'argo_workflows_my_runs{team="a \\"quoted\\" one",status="Failed"} 1',
      '# HELP argo_workflows_my_failures Runs that failed',
      '# TYPE argo_workflows_my_failures counter',
      'argo_workflows_my_failures 2',
    ])
    const problems = scene.records.flatMap(record =>
      record.kind === 'health' && record.condition === 'MetricsError' ? [record.message] : [],
    )
    expect(problems).toEqual([
      'templates.flip.metrics.prometheus[2]: gauge.value is "Succeeded", and no number',
      'templates.flip.metrics.prometheus[2]: gauge.value is "Failed", and no number',
    ])
  })

  it('that are realtime tell how long something takes while it goes on', async () => {
    // This midnight: the machine's own clock judges certificates.
    const clock = new VirtualClock(Math.floor(Date.now() / 86_400_000) * 86_400_000)
    const settle = async () => {
      await scene.settledCluster()
      await scene.settled()
    }
    scene = await WorkflowsScene.create({ env: { clock } })
    const gauge = (name: string, value: string) => ({ name, help: name, gauge: { realtime: true, value } })
    await create('slow', {
      entrypoint: 'main',
      metrics: { prometheus: [gauge('late_run', '{{workflow.duration}}')] },
      templates: [
        { name: 'main', suspend: { duration: '60' }, metrics: { prometheus: [gauge('late_step', '{{duration}}')] } },
      ],
    })
    await scene.until('slow', ({ status }) => status?.phase === 'Running')
    const values = () => ownLines().filter(line => !line.startsWith('#'))
    await clock.advance(30_000, settle)
    expect(values()).toEqual(['argo_workflows_late_step 30', 'argo_workflows_late_run 30'])
    await clock.advance(40_000, settle)
    await scene.untilOver('slow')
    await clock.advance(100_000, settle)
    expect(values()).toEqual(['argo_workflows_late_step 60', 'argo_workflows_late_run 60'])
  })

  it('tell what the pods of a step have used, also of one that is steps itself', async () => {
    const clock = new VirtualClock(Math.floor(Date.now() / 86_400_000) * 86_400_000)
    const settle = async () => {
      await scene.settledCluster()
      await scene.settled()
    }
    scene = await WorkflowsScene.create({ env: { clock } })
    const gauge = (name: string, value: string) => ({ name, help: name, gauge: { value } })
    await create('costly', {
      entrypoint: 'main',
      templates: [
        {
          name: 'main',
          steps: [[{ name: 'work', template: 'work' }]],
          metrics: { prometheus: [gauge('my_cores', '{{resourcesDuration.cpu}}')] },
        },
        {
          name: 'work',
          ...pretend({ runFor: '20s' }),
          metrics: { prometheus: [gauge('step_memory', '{{resourcesDuration.memory}}')] },
        },
      ],
    })
    await scene.until('costly', ({ status }) => status?.phase === 'Running')
    await clock.advance(30_000, settle)
    const run = await scene.untilOver('costly')
    expect(ownLines().filter(line => !line.startsWith('#'))).toEqual([
      'argo_workflows_step_memory 20',
      'argo_workflows_my_cores 20',
    ])
    expect(run.status?.resourcesDuration).toEqual({ cpu: 20, memory: 20 })
  })
})
