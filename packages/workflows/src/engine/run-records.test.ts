import type { NewRecord, Recorder } from '@tiphys/journal/records'
import { expect, test } from 'vitest'
import { plan } from '../plan/plan.ts'
import type { NodeStatus, Workflow } from '../spec/workflow.ts'
import { PreciseTimes } from './precise-times.ts'
import { recordRun, recordSteps } from './run-records.ts'

test('two steps whose names have one hash are recorded with the pods that they have', () => {
  const workflow: Workflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run', namespace: 'team', uid: 'u1' },
    spec: {
      entrypoint: 'main',
      templates: [
        { name: 'leaf', container: { image: 'x', command: ['true'] } },
        {
          name: 'main',
          dag: {
            tasks: [
              { name: 'lpocznx', template: 'leaf' },
              { name: 'lgjurvz', template: 'leaf' },
            ],
          },
        },
      ],
    },
  }
  const planned = plan({ workflow, templates: { get: () => undefined }, observed: {}, now: 0 })
  const made = planned.actions.flatMap(action => (action.do === 'createPod' ? [action.podName] : []))
  expect(made).toEqual(['run-leaf-485847814', 'run-leaf-485847814-2'])

  const records: NewRecord[] = []
  const recorder = { record: (record: NewRecord) => void records.push(record) } as Recorder
  recordSteps({ recorder, times: new PreciseTimes(), now: 0 }, workflow, planned.transitions)
  expect(records.flatMap(record => (record.kind === 'step' && record.pod !== undefined ? [record.pod] : []))).toEqual(
    made,
  )
})

test('what a step was given and gave is recorded by where it is, without content and passwords', () => {
  const workflow: Workflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run', namespace: 'team', uid: 'u1' },
    spec: {},
  }
  const secret = { name: 'keys', key: 'access' }
  const node: NodeStatus = {
    id: 'run-1',
    name: 'run.make',
    displayName: 'make',
    type: 'Pod',
    phase: 'Succeeded',
    inputs: {
      artifacts: [
        { name: 'typed', path: '/in/typed', raw: { data: 'canary é' } },
        { name: 'page', path: '/in/page', http: { url: 'https://user:canary@example.com/a.html?token=canary#x' } },
        { name: 'code', path: '/src', git: { repo: 'git@example.com:team/code.git' } },
        { name: 'part', path: '/in/part', subPath: 'a.txt', s3: { key: 'shared/folder' } },
        { name: 'away', path: '/in/away', optional: true },
      ],
    },
    outputs: {
      artifacts: [
        { name: 'report', path: '/out', globalName: 'final', s3: { key: 'team/run/pod/report.tgz' } },
        {
          name: 'model',
          path: '/model',
          s3: { bucket: 'models', endpoint: 'http://canary:canary@minio:9000/', key: 'model', accessKeySecret: secret },
        },
      ],
    },
  }
  const records: NewRecord[] = []
  const recorder = { record: (record: NewRecord) => void records.push(record) } as Recorder
  recordSteps({ recorder, times: new PreciseTimes(), now: 0 }, workflow, [{ node, from: 'Running' }])
  expect(records).toMatchObject([
    {
      inputArtifacts: [
        { name: 'typed', path: '/in/typed', from: 'the manifest', bytes: 9 },
        { name: 'page', path: '/in/page', from: 'https://example.com/a.html' },
        { name: 'code', path: '/src', from: 'git@example.com:team/code.git' },
        { name: 'part', path: '/in/part', key: 'shared/folder/a.txt' },
        { name: 'away', path: '/in/away' },
      ],
      outputArtifacts: [
        { name: 'report', path: '/out', globalName: 'final', key: 'team/run/pod/report.tgz' },
        { name: 'model', key: 'model', store: 'http://minio:9000/models' },
      ],
    },
  ])
  expect(JSON.stringify(records)).not.toMatch(/canary|keys/)
})

test('an attempt says what it takes the place of: the one before, or all that did something inside of that', () => {
  const node = (name: string, type: NodeStatus['type'], more: Partial<NodeStatus> = {}): NodeStatus => ({
    id: name,
    name,
    displayName: name,
    type,
    phase: 'Failed',
    ...more,
  })
  const retried = { nodeFlag: { retried: true } }
  const nodes = [
    node('run.b(0)[0].c', 'Pod', { boundaryID: 'run.b(0)' }),
    node('run.a(0)', 'Pod', retried),
    node('run.b(0)', 'Steps', retried),
    node('run.b(0)[0]', 'StepGroup', { boundaryID: 'run.b(0)' }),
  ]
  const workflow: Workflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run', namespace: 'team', uid: 'u1' },
    spec: {},
    status: { nodes: Object.fromEntries(nodes.map(each => [each.id, each])) },
  }
  const records: NewRecord[] = []
  const recorder = { record: (record: NewRecord) => void records.push(record) } as Recorder
  const begun = [node('run.a(1)', 'Pod', retried), node('run.b(1)', 'Steps', retried), node('run.c(1)', 'Pod')]
  recordSteps(
    { recorder, times: new PreciseTimes(), now: 0 },
    workflow,
    begun.map(each => ({ node: each, from: undefined })),
  )
  const told = records.map(record => record.kind === 'step' && record.replaces)
  expect(told).toEqual([['run.a(0)'], ['run.b(0)[0].c'], undefined])
})

test('a run that a CronWorkflow has made says for which time; one that somebody made from it does not', () => {
  const scheduled = '2026-03-29T05:00:00Z'
  const timeOf = (name: string) => {
    const records: NewRecord[] = []
    const recorder = { record: (record: NewRecord) => void records.push(record) } as Recorder
    const metadata = {
      name,
      namespace: 'team',
      uid: 'u1',
      labels: { 'workflows.argoproj.io/cron-workflow': 'nightly' },
      annotations: { 'workflows.argoproj.io/scheduled-time': scheduled },
    }
    const workflow: Workflow = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata, spec: {} }
    recordRun({ recorder, times: new PreciseTimes(), now: 0 }, workflow, { phase: 'Running' })
    const [record] = records
    return record?.kind === 'run' ? record.scheduledAt : 'no record'
  }
  expect(timeOf(`nightly-${Date.parse(scheduled) / 1000}`)).toBe(Date.parse(scheduled))
  expect(timeOf('nightly-1234567890')).toBeUndefined()
  expect(timeOf('nightly-x7k2p')).toBeUndefined()
})
