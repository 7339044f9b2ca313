import { describe, expect, test } from 'vitest'
import type { Template, Workflow } from '../spec/workflow.ts'
import { resubmitRun, retryRun } from './retry-run.ts'
import type { Endings } from './testing/simulated-world.ts'
import { simulate } from './testing/simulation.ts'

const now = Date.parse('2026-03-29T13:00:00Z')

function workflowOf(templates: Template[], extra: object = {}): Workflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run' },
    spec: { entrypoint: 'main', templates, ...extra },
  }
}

const work: Template = { name: 'work', container: { image: 'x', command: ['true'] } }

const failing =
  (...names: string[]): Endings =>
  nodeName => ({ phase: names.includes(nodeName) ? 'Failed' : 'Succeeded' })

const phasesOf = (workflow: Workflow) =>
  Object.fromEntries(Object.values(workflow.status?.nodes ?? {}).map(({ name, phase }) => [name.slice(3), phase]))

describe('retryRun', () => {
  const dag = workflowOf(
    [
      {
        name: 'main',
        dag: {
          tasks: [
            { name: 'a', template: 'work' },
            { name: 'b', template: 'work', depends: 'a' },
            { name: 'c', template: 'work', depends: 'a' },
            { name: 'd', template: 'work', depends: 'b && c' },
          ],
        },
      },
      work,
    ],
    { onExit: 'work' },
  )

  test('does again what failed, what was omitted after it, and the exit handler; keeps the rest', () => {
    const failed = simulate(dag, { endings: failing('run.b') })
    expect(failed.status.phase).toBe('Failed')
    const { workflow, deletePods, removed } = retryRun(failed.workflow, { now })
    expect(phasesOf(workflow)).toEqual({ '': 'Running', '.a': 'Succeeded', '.c': 'Succeeded' })
    expect(removed.map(({ name }) => name).sort()).toEqual(['run.b', 'run.d', 'run.onExit'])
    expect(deletePods.map(({ nodeId }) => nodeId).sort()).toEqual(
      removed
        .filter(({ type }) => type === 'Pod')
        .map(({ id }) => id)
        .sort(),
    )

    const again = simulate(workflow)
    expect(again.status.phase).toBe('Succeeded')
    expect([...again.world.created.keys()].length).toBe(3)
    expect(again.node('.d')?.phase).toBe('Succeeded')
  })

  test('takes new parameters, also where a template around the failed step was given the old ones', () => {
    const steps = workflowOf(
      [
        {
          name: 'main',
          inputs: { parameters: [{ name: 'word' }] },
          steps: [
            [
              {
                name: 'say',
                template: 'say',
                arguments: { parameters: [{ name: 'word', value: '{{inputs.parameters.word}}' }] },
              },
            ],
          ],
        },
        { ...work, name: 'say', inputs: { parameters: [{ name: 'word' }] } },
      ],
      { arguments: { parameters: [{ name: 'word', value: 'old' }] } },
    )
    const failed = simulate(steps, { endings: failing('run[0].say') })
    const { workflow } = retryRun(failed.workflow, { now, parameters: { word: 'new' } })
    const again = simulate(workflow)
    expect(again.status.phase).toBe('Succeeded')
    expect(again.node('[0].say')?.inputs?.parameters).toEqual([{ name: 'word', value: 'new' }])
    expect(again.node('root')?.inputs?.parameters).toEqual([{ name: 'word', value: 'new' }])
  })

  test('starts the attempts of a retry strategy anew', () => {
    const retried = workflowOf([
      { name: 'main', steps: [[{ name: 'a', template: 'again' }]] },
      { ...work, name: 'again', retryStrategy: { limit: 1 } },
    ])
    const failed = simulate(retried, { endings: failing('run[0].a(0)', 'run[0].a(1)') })
    expect(failed.node('[0].a')?.message).toBe('No more retries left')
    const { workflow, removed } = retryRun(failed.workflow, { now })
    expect(removed.map(({ name }) => name).sort()).toEqual(['run[0].a', 'run[0].a(0)', 'run[0].a(1)'])
    expect(simulate(workflow).status.phase).toBe('Succeeded')
  })

  test('keeps a step that succeeded at another attempt, also where a template was tried again', () => {
    const tried = workflowOf([
      {
        name: 'main',
        steps: [
          [
            { name: 'a', template: 'again', onExit: 'work' },
            { name: 'b', template: 'all' },
            { name: 'c', template: 'work' },
          ],
        ],
      },
      { name: 'all', retryStrategy: { limit: 1 }, steps: [[{ name: 'x', template: 'work' }]] },
      work,
      { ...work, name: 'again', retryStrategy: { limit: 1 } },
    ])
    const endings = failing('run[0].a(0)', 'run[0].a.onExit', 'run[0].b(0)[0].x', 'run[0].c')
    const failed = simulate(tried, { endings })
    const { workflow, removed } = retryRun(failed.workflow, { now })
    expect(removed.map(({ name }) => name).sort()).toEqual(['run[0].a.onExit', 'run[0].c'])
    const again = simulate(workflow)
    expect(again.status.phase).toBe('Succeeded')
    expect(again.node('[0].b(0)')).toMatchObject({ phase: 'Failed', message: failed.node('[0].b(0)')?.message })
  })

  test('goes on with the last attempt at a template', () => {
    const tried = workflowOf([
      {
        name: 'main',
        retryStrategy: { limit: 1 },
        steps: [[{ name: 'x', template: 'work' }], [{ name: 'y', template: 'work' }]],
      },
      work,
    ])
    const failed = simulate(tried, { endings: failing('run(0)[1].y', 'run(1)[1].y') })
    const { workflow, removed } = retryRun(failed.workflow, { now })
    expect(removed.map(({ name }) => name)).toEqual(['run(1)[1].y'])
    const again = simulate(workflow)
    expect(again.status.phase).toBe('Succeeded')
    expect(again.node('(0)')?.message).toBe(failed.node('(0)')?.message)
  })

  test('does a failed task again that only its failure handler came after, also where it is deeper inside', () => {
    const tasks = (template: string) => [
      { name: 'a', template },
      { name: 'tell', template: 'work', depends: 'a.Failed' },
      { name: 'deploy', template: 'work', depends: 'a.Succeeded' },
    ]
    const handled = workflowOf([
      { name: 'main', dag: { tasks: [...tasks('inner'), { name: 'other', template: 'work' }] } },
      { name: 'inner', steps: [[{ name: 'x', template: 'work' }], [{ name: 'y', template: 'work' }]] },
      work,
    ])
    const failed = simulate(handled, { endings: failing('run.a[1].y') })
    expect(failed.node('.tell')?.phase).toBe('Succeeded')
    const { workflow, removed } = retryRun(failed.workflow, { now })
    expect(removed.map(({ name }) => name).sort()).toEqual(['run.a[1].y', 'run.deploy', 'run.tell'])
    const again = simulate(workflow)
    expect(again.status.phase).toBe('Succeeded')
    expect([again.node('.tell')?.phase, again.node('.deploy')?.phase]).toEqual(['Omitted', 'Succeeded'])
  })

  test('leaves a failed task alone that the dag made up for', () => {
    const madeUp = workflowOf([
      { name: 'main', steps: [[{ name: 'a', template: 'dag' }], [{ name: 'b', template: 'work' }]] },
      {
        name: 'dag',
        dag: {
          tasks: [
            { name: 'first', template: 'work' },
            { name: 'second', template: 'work', depends: 'first.Failed' },
            { name: 'usual', template: 'work', depends: 'first' },
            { name: 'end', template: 'work', depends: 'second || usual' },
          ],
        },
      },
      work,
    ])
    const failed = simulate(madeUp, { endings: failing('run[0].a.first', 'run[1].b') })
    const { workflow, removed } = retryRun(failed.workflow, { now })
    expect(removed.map(({ name }) => name)).toEqual(['run[1].b'])
    expect(simulate(workflow).status.phase).toBe('Succeeded')
  })

  test('does a run again that is one step', () => {
    const single = workflowOf([{ ...work, name: 'main' }])
    const failed = simulate(single, { endings: failing('run') })
    const { workflow, removed } = retryRun(failed.workflow, { now })
    expect(removed.map(({ name }) => name)).toEqual(['run'])
    expect(simulate(workflow).status.phase).toBe('Succeeded')
  })

  test('leaves a failure alone that the run went on after', () => {
    const continued = workflowOf([
      {
        name: 'main',
        steps: [
          [{ name: 'a', template: 'work', continueOn: { failed: true } }],
          [{ name: 'b', template: 'work' }],
          [{ name: 'c', template: 'work' }],
        ],
      },
      work,
    ])
    const failed = simulate(continued, { endings: failing('run[0].a', 'run[2].c') })
    const { removed, workflow } = retryRun(failed.workflow, { now })
    expect(removed.map(({ name }) => name)).toEqual(['run[2].c'])
    expect(simulate(workflow).status.phase).toBe('Succeeded')
  })

  test('leaves a failure alone that the run went on after also where its step has retries and hooks', () => {
    const continued = workflowOf([
      {
        name: 'main',
        steps: [
          [{ name: 'a', template: 'again', continueOn: { failed: true }, onExit: 'all' }],
          [{ name: 'b', template: 'work' }],
          [{ name: 'c', template: 'work' }],
        ],
      },
      { name: 'all', steps: [[{ name: 'x', template: 'work' }]] },
      work,
      { ...work, name: 'again', retryStrategy: { limit: 1 } },
    ])
    const failures = ['run[0].a(0)', 'run[0].a(1)']
    const failed = simulate(continued, { endings: failing(...failures, 'run[2].c') })
    expect(retryRun(failed.workflow, { now }).removed.map(({ name }) => name)).toEqual(['run[2].c'])
    const next = simulate(continued, { endings: failing(...failures, 'run[1].b') })
    expect(
      retryRun(next.workflow, { now })
        .removed.map(({ name }) => name)
        .sort(),
    ).toEqual(expect.arrayContaining(['run[1].b', ...failures]))
  })

  test('restarts steps that succeeded when they are selected, with all that came after', () => {
    const done = simulate(dag)
    const { workflow, removed } = retryRun(done.workflow, { now, restart: ({ displayName }) => displayName === 'b' })
    expect(removed.map(({ name }) => name).sort()).toEqual(['run.b', 'run.d', 'run.onExit'])
    expect(simulate(workflow).status.phase).toBe('Succeeded')
  })

  test('refuses a run that goes on, and one that succeeded without a selection', () => {
    expect(() => retryRun({ ...dag, status: { phase: 'Running' } }, { now })).toThrow(
      /phase Running and cannot be retried/,
    )
    expect(() => retryRun(simulate(dag).workflow, { now })).toThrow(/restartSuccessful/)
  })
})

describe('resubmitRun', () => {
  const steps = workflowOf([
    {
      name: 'main',
      steps: [
        [{ name: 'a', template: 'make' }],
        [
          {
            name: 'b',
            template: 'take',
            arguments: { parameters: [{ name: 'x', value: '{{steps.a.outputs.parameters.x}}' }] },
          },
        ],
      ],
    },
    { ...work, name: 'make', outputs: { parameters: [{ name: 'x', valueFrom: { path: '/tmp/x' } }] } },
    { ...work, name: 'take', inputs: { parameters: [{ name: 'x' }] } },
  ])

  test('makes a new Workflow without the state of the old one', () => {
    const done = simulate(steps, { endings: () => ({ phase: 'Succeeded', outcome: { parameters: { x: '1' } } }) })
    const fresh = resubmitRun(done.workflow, { now, name: 'second' })
    expect(fresh.status).toBeUndefined()
    expect(fresh.metadata.labels).toEqual({ 'workflows.argoproj.io/resubmitted-from-workflow': 'run' })
  })

  test('takes over what succeeded when it is memoized', () => {
    const failed = simulate(steps, {
      endings: nodeName => ({
        phase: nodeName === 'run[1].b' ? 'Failed' : 'Succeeded',
        outcome: { parameters: { x: '1' } },
      }),
    })
    const fresh = resubmitRun(failed.workflow, { now, name: 'second', memoized: true })
    const again = simulate(fresh)
    expect(again.status.phase).toBe('Succeeded')
    expect([...again.world.created.keys()].length).toBe(1)
    expect(again.node('[0].a')?.message).toMatch(/^original pod: run-/)
    expect(again.node('[1].b')?.inputs?.parameters).toEqual([{ name: 'x', value: '1' }])
  })

  test('knows what the rounds of a loop gave that it took over', () => {
    const item = { parameters: [{ name: 'x', value: '{{item}}' }] }
    const loop = workflowOf([
      {
        name: 'main',
        steps: [
          [{ name: 'a', template: 'take', withItems: ['1', '2'], arguments: item }],
          [
            {
              name: 'b',
              template: 'take',
              arguments: { parameters: [{ name: 'x', value: '{{steps.a.outputs.result}}' }] },
            },
          ],
        ],
      },
      { ...work, name: 'take', inputs: { parameters: [{ name: 'x' }] } },
    ])
    const failed = simulate(loop, {
      endings: nodeName => ({
        phase: nodeName === 'run[1].b' ? 'Failed' : 'Succeeded',
        outcome: { result: nodeName.slice('run[0].a(0:'.length, -1) },
      }),
    })
    expect(failed.node('[1].b')?.inputs?.parameters).toEqual([{ name: 'x', value: '[1,2]' }])
    const again = simulate(resubmitRun(failed.workflow, { now, name: 'second', memoized: true }))
    expect(again.node('[1].b')?.inputs?.parameters).toEqual([{ name: 'x', value: '[1,2]' }])
    expect(again.status.phase).toBe('Succeeded')
  })
})
