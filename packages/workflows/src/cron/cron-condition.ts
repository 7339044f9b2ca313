import { seededRandom } from '@tiphys/env'
import type { ExprObject } from '@tiphys/expressions/expr'
import { GoTime } from '@tiphys/expressions/go-time'
import type { CronWorkflow } from '../spec/workflow.ts'
import { evaluateCondition } from '../variables/expression.ts'
import { Variables } from '../variables/scope.ts'
import { onlyExpression, replaceText } from '../variables/substitution.ts'
import { shouldExecute } from '../variables/when.ts'

/** Whether a CronWorkflow's `when` lets it run now. Throws with what is wrong in it. */
export function isWhenMet(cron: CronWorkflow, now: number): boolean {
  const { when } = cron.spec
  if (when === undefined || when.trim() === '') return true
  const expression = onlyExpression(when)
  if (expression !== undefined) return judge(expression, cron, now)
  return shouldExecute(replaceText(when, texts(cron), { now, random: seededRandom(now), path: 'spec.when' }))
}

/** Whether a CronWorkflow's `stopStrategy` says that it has run enough. Throws with what is wrong in it. */
export function isStopMet(cron: CronWorkflow, now: number): boolean {
  const { expression, condition } = cron.spec.stopStrategy ?? {}
  const text = expression ?? condition
  return text !== undefined && text.trim() !== '' && judge(text, cron, now)
}

const judge = (expression: string, cron: CronWorkflow, now: number): boolean =>
  evaluateCondition(expression, new Variables(), { now, random: seededRandom(now) }, values(cron))

/** What expressions see: numbers are numbers, a time is a time. `failed` and `succeeded` also stand alone, as v3 had them. */
function values({ metadata, status = {} }: CronWorkflow): ExprObject {
  const { lastScheduledTime, failed = 0, succeeded = 0 } = status
  const counts = { failed: BigInt(failed), succeeded: BigInt(succeeded) }
  return {
    ...counts,
    cronworkflow: {
      name: metadata.name ?? '',
      namespace: metadata.namespace ?? '',
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations },
      lastScheduledTime: lastScheduledTime === undefined ? null : GoTime.fromMillis(Date.parse(lastScheduledTime)),
      ...counts,
    },
  }
}

function texts({ metadata, status = {} }: CronWorkflow): Variables {
  const { name = '', namespace = '', labels = {}, annotations = {} } = metadata
  return new Variables([
    ['cronworkflow.name', name],
    ['cronworkflow.namespace', namespace],
    ['cronworkflow.lastScheduledTime', status.lastScheduledTime ?? 'nil'],
    ['cronworkflow.failed', String(status.failed ?? 0)],
    ['cronworkflow.succeeded', String(status.succeeded ?? 0)],
    ['cronworkflow.labels.json', JSON.stringify(labels)],
    ['cronworkflow.annotations.json', JSON.stringify(annotations)],
    ...Object.entries(labels).map(([key, value]) => [`cronworkflow.labels.${key}`, value] as const),
    ...Object.entries(annotations).map(([key, value]) => [`cronworkflow.annotations.${key}`, value] as const),
  ])
}
