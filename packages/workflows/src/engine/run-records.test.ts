import type { NewRecord, Recorder } from '@tiphys/journal/records'
import { expect, test } from 'vitest'
import { plan } from '../plan/plan.ts'
import type { Workflow } from '../spec/workflow.ts'
import { PreciseTimes } from './precise-times.ts'
import { recordSteps } from './run-records.ts'

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
