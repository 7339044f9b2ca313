import { expect, test } from 'vitest'
import type { CronWorkflow } from '../spec/workflow.ts'
import { isStopMet, isWhenMet } from './cron-condition.ts'

const now = Date.parse('2026-03-02T11:00:00Z')
const cron = (fields: Partial<CronWorkflow['spec']>): CronWorkflow => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'CronWorkflow',
  metadata: { name: 'tick', namespace: 'clocks', labels: { team: 'a' }, annotations: { note: 'b c' } },
  spec: { workflowSpec: {}, ...fields },
  status: { lastScheduledTime: '2026-03-02T10:00:00Z', succeeded: 3, failed: 1 },
})

test('sees its CronWorkflow, when it ran last, and how its runs ended', () => {
  for (const [when, isMet] of [
    ['{{= cronworkflow.name == "tick" && cronworkflow.namespace == "clocks" }}', true],
    ['{{= cronworkflow.labels["team"] == "a" && cronworkflow.annotations["note"] == "b c" }}', true],
    ['{{= cronworkflow.succeeded + cronworkflow.failed == 4 }}', true],
    ['{{= (now() - cronworkflow.lastScheduledTime).Seconds() > 1800 }}', true],
    ['{{= (now() - cronworkflow.lastScheduledTime).Seconds() > 7200 }}', false],
    ['{{cronworkflow.labels.team}} == a && {{cronworkflow.failed}} == 1', true],
    ['{{cronworkflow.succeeded}} > 3', false],
  ] as const)
    expect(isWhenMet(cron({ when }), now), when).toBe(isMet)
  expect(isStopMet(cron({ stopStrategy: { expression: 'cronworkflow.succeeded >= 3' } }), now)).toBe(true)
  expect(isStopMet(cron({ stopStrategy: { condition: 'failed > 1' } }), now)).toBe(false)
})
