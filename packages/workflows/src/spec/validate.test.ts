import { type KubeObject, parseYaml } from '@tiphys/kube'
import { describe, expect, test } from 'vitest'
import { checkWorkflowObject } from './validate.ts'

const head = 'apiVersion: argoproj.io/v1alpha1\nmetadata: { name: it }\n'

async function problemsOf(text: string, others: readonly KubeObject[] = []): Promise<string[]> {
  const { value } = await parseYaml(head + text)
  return checkWorkflowObject(value as KubeObject, others).map(({ path, message }) => `${path}: ${message}`)
}

const ok = '{ name: ok, container: { image: x, command: [a] } }'

const workflow = (templates: string, more = '') =>
  `kind: Workflow\nspec:\n  entrypoint: main\n${more}\n  templates: [${ok}, ${templates}]`

describe('a Workflow', () => {
  test.each(
    [
      ['kind: Workflow\nspec: { templates: [] }', 'spec.entrypoint: is required'],
      [workflow('{ name: other, suspend: {} }'), 'spec.entrypoint: template main is not in spec.templates'],
      [workflow('{ name: main }'), 'spec.templates[1]: has no type'],
      [workflow('{ name: main, data: {} }'), 'spec.templates[1].data: templates of type data are not supported'],
      [
        workflow(
          '{ name: main, container: { image: x, command: [a] }, inputs: { artifacts: [{ name: a, path: /a, gcs: { key: k } }] } }',
        ),
        'spec.templates[1].inputs.artifacts[0].gcs: artifacts in gcs are not supported; use s3, http',
      ],
      [
        workflow(
          '{ name: main, container: { image: x, command: [a] }, outputs: { artifacts: [{ name: a, path: /a, oss: { key: k } }] } }',
        ),
        'spec.templates[1].outputs.artifacts[0].oss: artifacts in oss are not supported; use s3, or no location',
      ],
      [
        workflow(
          '{ name: main, container: { image: x, command: [a] }, outputs: { artifacts: [{ name: a, path: /a, http: { url: "http://x" } }] } }',
        ),
        'spec.templates[1].outputs.artifacts[0].http: nothing is stored by http; use s3, or no location',
      ],
      [
        workflow(
          '{ name: main, container: { image: x, command: [a] }, inputs: { artifacts: [{ name: a, path: /a, http: { url: "http://x", auth: { oauth2: {} } } }] } }',
        ),
        'spec.templates[1].inputs.artifacts[0].http.auth.oauth2: is not supported; use basicAuth',
      ],
      [workflow('{ name: main, plugin: {} }'), 'spec.templates[1].plugin: templates of type plugin are not supported'],
      [
        workflow('{ name: main, suspend: {} }, { name: main, suspend: {} }'),
        'spec.templates[2].name: there is another template named main',
      ],
      [
        workflow('{ name: main, suspend: {} }, { name: a_b, suspend: {} }'),
        'spec.templates[2].name: a_b may have letters',
      ],
      [
        workflow('{ name: main, suspend: { duration: soon } }'),
        'spec.templates[1].suspend.duration: unable to parse soon',
      ],
      [workflow('{ name: main, http: {} }'), 'spec.templates[1].http.url: is required'],
      [
        workflow('{ name: main, resource: { action: invent, manifest: x } }'),
        'spec.templates[1].resource.action: invent is not one of',
      ],
      [workflow('{ name: main, resource: { action: create } }'), 'spec.templates[1].resource.manifest: is required'],
      [
        workflow('{ name: main, containerSet: { containers: [] } }'),
        'spec.templates[1].containerSet.containers: needs at least one',
      ],
      [
        workflow('{ name: main, containerSet: { containers: [{ name: a, dependencies: [b] }] } }'),
        'there is no container b',
      ],
      [
        workflow('{ name: main, suspend: {}, retryStrategy: { retryPolicy: Sometimes } }'),
        'retryStrategy.retryPolicy: Sometimes is not one of',
      ],
      [
        workflow('{ name: main, suspend: {}, retryStrategy: { limit: many } }'),
        'retryStrategy.limit: many is no number',
      ],
      [
        workflow('{ name: main, suspend: {}, retryStrategy: { backoff: { factor: 2 } } }'),
        'retryStrategy.backoff.duration: is required',
      ],
      [workflow('{ name: main, suspend: {}, memoize: { key: a } }'), 'memoize.cache.configMap.name: is required'],
      [
        workflow('{ name: main, suspend: {}, synchronization: { semaphores: [{}] } }'),
        'synchronization: a semaphore needs a configMapKeyRef',
      ],
      [
        workflow('{ name: main, suspend: {} }', '  podGC: { strategy: Never }'),
        'spec.podGC.strategy: Never is not one of',
      ],
      [
        workflow('{ name: main, suspend: {} }', '  retryStrategy: { retryPolicy: Sometimes }'),
        'spec.retryStrategy.retryPolicy: Sometimes is not one of',
      ],
      [
        workflow('{ name: main, suspend: {} }', '  workflowMetadata: { labels: { cost: $5 } }'),
        'spec.workflowMetadata.labels.cost: "$5" is no valid label value',
      ],
      [
        workflow('{ name: main, suspend: {} }', '  podGC: { labelSelector: { matchLabels: { kept: true } } }'),
        'spec.podGC.labelSelector.matchLabels.kept: is no text; write it in quotes',
      ],
      [
        workflow(
          '{ name: main, suspend: {} }',
          '  podGC: { labelSelector: { matchExpressions: [{ key: kept, operator: Is }] } }',
        ),
        'spec.podGC.labelSelector: "Is" is not a valid label selector operator',
      ],
      [
        workflow('{ name: main, suspend: {} }', '  arguments: { parameters: [{ name: a }] }'),
        'spec.arguments.parameters[0].value: the parameter a has no value',
      ],
      [workflow('{ name: main, suspend: {} }', '  onExit: bye'), 'spec.onExit: template bye is not in spec.templates'],
      [
        workflow('{ name: main, suspend: {} }', '  hooks: { running: { template: ok } }'),
        'spec.hooks.running: needs an expression',
      ],
      [workflow('{ name: main, steps: [{ name: a, template: ok }] }'), 'spec.templates[1].steps[0]: is no list'],
      [
        workflow('{ name: main, suspend: {} }', '  arguments: { parameters: { a: b } }'),
        'spec.arguments.parameters: is no list',
      ],
      [workflow('{ name: main, container: { image: 5 } }'), 'spec.templates[1].container.image: is no text'],
      [workflow('{ name: main, dag: [] }'), 'spec.templates[1].dag: is no object'],
      [workflow('{ name: main, steps: [] }'), 'spec.templates[1].steps: needs at least one group of steps'],
      [workflow('{ name: main, dag: { tasks: [] } }'), 'spec.templates[1].dag.tasks: needs at least one task'],
      [
        workflow('{ name: main, timeout: 2s, suspend: {} }'),
        'spec.templates[1].timeout: is not for templates that wait',
      ],
      [
        workflow(
          '{ name: main, dag: { tasks: [{ name: a, template: ok }, { name: b, template: ok, depends: a.AllFailed }] } }',
        ),
        'dag.tasks[1].depends: a.AllFailed: a has no items; AllFailed is for loops',
      ],
      [
        workflow(
          '{ name: main, steps: [[{ name: a, template: ok, arguments: { parameters: [{ name: x, valueFrom: { expression: "1" } }] } }]] }',
        ),
        'steps[0][0].arguments.parameters[0].valueFrom.expression: is for outputs',
      ],
      [
        workflow(
          '{ name: main, steps: [[{ name: a, template: ok, hooks: { exit: { template: ok, arguments: { parameters: [{ name: x, value: "{{item}}" }] } } } }]] }',
        ),
        'steps[0][0].hooks.exit.arguments.parameters[0].value: failed to resolve {{item}}',
      ],
      [workflow('{ name: main, steps: [[{ name: a }]] }'), 'steps[0][0]: calls nothing'],
      [
        workflow('{ name: main, steps: [[{ name: a, template: ok, inline: { suspend: {} } }]] }'),
        'has template and inline',
      ],
      [
        workflow('{ name: main, steps: [[{ name: a, template: ok }], [{ name: a, template: ok }]] }'),
        'steps[1][0].name: there is another one named a',
      ],
      [
        workflow('{ name: main, steps: [[{ name: a, template: ok, withItems: [1], withParam: "[]" }]] }'),
        'has more than one of withItems',
      ],
      [
        workflow('{ name: main, steps: [[{ name: a, template: ok, withSequence: { count: 1000000000 } }]] }'),
        'steps[0][0].withSequence: the loop has 1000000000 items, at most 10000 are run',
      ],
      [
        workflow(
          '{ name: main, dag: { tasks: [{ name: a, template: ok, withSequence: { start: 5, end: "-10000" } }] } }',
        ),
        'dag.tasks[0].withSequence: the loop has 10006 items',
      ],
      [
        workflow('{ name: main, steps: [[{ name: a, template: ok, withSequence: { count: "{{=1}}", end: 2 } }]] }'),
        'steps[0][0].withSequence: has both count and end',
      ],
      [
        workflow(`{ name: main, steps: [[{ name: a, template: ok, withItems: [${'1, '.repeat(10_001)}] }]] }`),
        'steps[0][0].withItems: the loop has 10001 items',
      ],
      [
        workflow(`{ name: main, steps: [[{ name: a, template: ok, withParam: "[${'1, '.repeat(10_001)}1]" }]] }`),
        'steps[0][0].withParam: the loop has 10002 items',
      ],
      [
        workflow('{ name: main, steps: [[{ name: a, template: ok, when: "{{item}} == 1" }]] }'),
        'steps[0][0].when: failed to resolve {{item}}',
      ],
      [
        workflow('{ name: main, steps: [[{ name: a, template: ok, withParam: "{{steps.b.outputs.result}}" }]] }'),
        'withParam: failed to resolve',
      ],
      [
        workflow('{ name: main, steps: [[{ name: a, templateRef: { name: far, template: t } }]] }'),
        'WorkflowTemplate far does not exist',
      ],
      [
        workflow('{ name: main, dag: { tasks: [{ name: a, template: ok, depends: b }] } }'),
        'spec.templates[1].dag: tasks[0]: a depends on b, which is no task',
      ],
      [workflow('{ name: main, dag: { tasks: [{ name: a, template: ok, depends: a }] } }'), 'circle: a → a'],
      [
        workflow(
          '{ name: main, dag: { tasks: [{ name: a, template: ok }, { name: b, template: ok, depends: "a.Done" }] } }',
        ),
        'a.Done: Done is not one of',
      ],
      [
        workflow(
          '{ name: main, dag: { tasks: [{ name: a, template: ok }, { name: b, template: ok, depends: "a &&" }] } }',
        ),
        'a && is no expression',
      ],
      [
        workflow(
          '{ name: main, steps: [[{ name: a, template: ok, hooks: { x: { template: ok, expression: "1 +" } } }]] }',
        ),
        'steps[0][0].hooks.x.expression: 1 + is no expression',
      ],
      [
        workflow(
          '{ name: main, steps: [[{ name: a, template: ok, hooks: { exit: { template: ok, expression: "{{inputs.parameters.b}}" } } }]] }',
        ),
        'steps[0][0].hooks.exit.expression: failed to resolve {{inputs.parameters.b}}',
      ],
      [
        workflow('{ name: main, container: { image: x }, retryStrategy: { expression: "lastRetry.exitCode = 1" } }'),
        'spec.templates[1].retryStrategy.expression: lastRetry.exitCode = 1 is no expression',
      ],
      [
        workflow('{ name: main, http: { url: "http://x", successCondition: "response.statusCode ==" } }'),
        'http.successCondition: response.statusCode == is no expression',
      ],
      [
        workflow(
          '{ name: main, steps: [[{ name: a, template: ok }]], outputs: { parameters: [{ name: b, valueFrom: { expression: "(" } }] } }',
        ),
        'outputs.parameters[0].valueFrom.expression: ( is no expression',
      ],
      [
        workflow(
          '{ name: main, steps: [[{ name: a, template: ok, arguments: { artifacts: [{ name: b, fromExpression: "(" }] } }]] }',
        ),
        'steps[0][0].arguments.artifacts[0].fromExpression: ( is no expression',
      ],
      [
        workflow(
          '{ name: main, dag: { tasks: [{ name: a, template: ok }, { name: b, template: ok, depends: a, dependencies: [a] }] } }',
        ),
        'has both depends and dependencies',
      ],
      [
        workflow(
          '{ name: main, dag: { tasks: [{ name: a, template: ok }, { name: b, template: ok, depends: a, continueOn: { failed: true } }] } }',
        ),
        'continueOn: cannot be set beside depends',
      ],
      [workflow('{ name: main, dag: { target: z, tasks: [{ name: a, template: ok }] } }'), 'target: z is no task'],
      [
        workflow('{ name: main, dag: { tasks: [] }, activeDeadlineSeconds: 5 }'),
        'activeDeadlineSeconds: is for templates that run something themselves',
      ],
      [
        workflow('{ name: main, container: { image: "{{workflow.parameters.none}}" } }'),
        'container.image: failed to resolve {{workflow.parameters.none}}',
      ],
      [
        workflow('{ name: main, container: { image: x, args: ["{{=inputs.parameters.none}}"] } }'),
        'there is no inputs.parameters.none',
      ],
      [
        workflow('{ name: main, container: { image: x }, outputs: { parameters: [{ name: a }] } }'),
        'outputs.parameters[0].valueFrom: says nothing about where a comes from',
      ],
      [
        workflow(
          '{ name: main, steps: [[{ name: a, template: ok }]], outputs: { parameters: [{ name: a, valueFrom: { parameter: "{{steps.a.outputs.parameters.none}}" } }] } }',
        ),
        'failed to resolve {{steps.a.outputs.parameters.none}}',
      ],
    ].map(([text = '', problem = '']) => [problem, text] as const),
  )('%s', async (problem, text) => {
    expect((await problemsOf(text)).join('\n')).toContain(problem)
  })

  test.each([
    [
      'variables of other languages',
      workflow('{ name: main, container: { image: x, args: ["{{ .Values.x }} {{foo}}"] } }'),
    ],
    [
      'retries where there are some',
      workflow(
        '{ name: main, container: { image: x, args: ["{{retries}} {{lastRetry.exitCode}}"] }, retryStrategy: { limit: 1 } }',
      ),
    ],
    [
      'items in loops',
      workflow('{ name: main, steps: [[{ name: a, template: "{{item}}", withItems: [ok], when: "{{item}} != no" }]] }'),
    ],
    [
      'long loops that it leaves out, or whose length is not known yet',
      workflow(
        '{ name: main, steps: [[{ name: a, template: ok, withSequence: { count: 1000000000 }, when: "{{workflow.parameters.t}} == no" }, { name: b, template: ok, withSequence: { count: "{{workflow.parameters.t}}" } }]] }',
        '  arguments: { parameters: [{ name: t, value: a }] }',
      ),
    ],
    [
      'a target with variables',
      workflow(
        '{ name: main, dag: { target: "{{workflow.parameters.t}}", tasks: [{ name: a, template: ok }] } }',
        '  arguments: { parameters: [{ name: t, value: a }] }',
      ),
    ],
    [
      'both forms of locks',
      workflow(
        '{ name: main, suspend: {}, synchronization: { mutex: { name: a }, mutexes: [{ name: b }], semaphore: { configMapKeyRef: { name: a, key: b } } } }',
        '  synchronization: { mutex: { name: c } }\n  podPriority: 5',
      ),
    ],
  ])('may have %s', async (_, text) => {
    expect(await problemsOf(text)).toEqual([])
  })

  test('says nothing twice when a template is called from many places', async () => {
    const problems = await problemsOf(
      workflow(
        '{ name: main, steps: [[{ name: a, template: bad }], [{ name: b, template: bad }]] }, { name: bad, http: {} }',
      ),
    )
    expect(problems).toEqual(['spec.templates[2].http.url: is required'])
  })

  test('takes its WorkflowTemplate into account', async () => {
    const { value } = await parseYaml(
      `apiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nmetadata: { name: lib }\nspec: { entrypoint: ok, templates: [${ok}] }`,
    )
    const text = 'kind: Workflow\nspec: { workflowTemplateRef: { name: lib } }'
    expect(await problemsOf(text, [value as KubeObject])).toEqual([])
    expect(await problemsOf(text)).toEqual(['spec.workflowTemplateRef: WorkflowTemplate lib does not exist'])
  })
})

describe('a CronWorkflow', () => {
  const cron = (fields: string) =>
    `kind: CronWorkflow\nspec:\n  ${fields}\n  workflowSpec: { entrypoint: ok, templates: [${ok}] }`
  test.each(
    [
      [cron('schedules: []'), 'spec.schedules: needs at least one schedule'],
      [cron('schedules: ["61 * * * *"]'), 'spec.schedules[0]: 61 * * * * is no schedule'],
      [cron('schedule: "* * *"'), 'spec.schedules[0]: * * * is no schedule'],
      [
        cron('{ schedules: ["* * * * *"], timezone: Mars/Olympus }')
          .replace('{ ', '')
          .replace(' }', '')
          .replace(', timezone', '\n  timezone'),
        'spec.timezone',
      ],
      [cron('schedules: ["* * * * *"]\n  concurrencyPolicy: Maybe'), 'spec.concurrencyPolicy: Maybe is not one of'],
    ].map(([text = '', problem = '']) => [problem, text] as const),
  )('%s', async (problem, text) => {
    expect((await problemsOf(text)).join('\n')).toContain(problem)
  })

  test('may have its schedule in either form', async () => {
    expect(await problemsOf(cron('schedule: "0 3 * * *"\n  timezone: Europe/Berlin'))).toEqual([])
    expect(await problemsOf(cron('schedules: ["0 3 * * *", "@daily"]'))).toEqual([])
  })

  test('has the problems of its Workflow under workflowSpec', async () => {
    const text =
      'kind: CronWorkflow\nspec: { schedules: ["@daily"], workflowSpec: { entrypoint: none, templates: [] } }'
    expect(await problemsOf(text)).toEqual(['spec.workflowSpec.entrypoint: template none is not in spec.templates'])
  })
})

test('a WorkflowTemplate may leave its entrypoint and parameters to its Workflow', async () => {
  expect(
    await problemsOf(
      `kind: WorkflowTemplate\nspec: { templates: [{ name: a, inputs: { parameters: [{ name: x }] }, container: { image: "{{workflow.parameters.y}} {{inputs.parameters.x}}" } }] }`,
    ),
  ).toEqual([])
})
