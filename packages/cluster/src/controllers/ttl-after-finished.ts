import { isNotFound, kindRef } from '@tiphys/kube'
import type { Job } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from './controller.ts'

const JOB = kindRef('batch/v1', 'Job')

/** Deletes finished Jobs when the time is over that their `ttlSecondsAfterFinished` gives them. */
export function createTtlAfterFinishedController(context: ControllerContext): Controller {
  const { client, env } = context
  const jobs = wakeBy(context, JOB, ({ type, object }) =>
    type !== 'deleted' && expiryOf(object) !== undefined ? [keyOfObject(object)] : [],
  )
  return createReconciler(context, {
    name: 'ttl-after-finished-controller',
    wakes: [jobs],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const left = timeLeft(jobs.cache.get(name, namespace), env.clock.now())
      if (left === undefined || left > 0) return left
      try {
        // Somebody may have given it more time a moment ago.
        const fresh = await client.get({ ...JOB, namespace, name })
        const freshLeft = timeLeft(fresh, env.clock.now())
        if (freshLeft === undefined || freshLeft > 0) return freshLeft
        const { uid = '' } = fresh.metadata
        await client.delete({ ...JOB, namespace, name }, { propagationPolicy: 'Foreground', preconditions: { uid } })
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown
      }
      return undefined
    },
  })
}

/** When the Job is to go; undefined when that is not known, or it is going already. */
export function expiryOf({ metadata, spec, status }: Job): number | undefined {
  const ttl = spec?.ttlSecondsAfterFinished
  if (metadata.deletionTimestamp !== undefined || ttl === undefined) return undefined
  const finished = status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
  const at = Date.parse(finished?.lastTransitionTime ?? '')
  return Number.isNaN(at) ? undefined : at + ttl * 1000
}

function timeLeft(job: Job | undefined, now: number): number | undefined {
  const expiry = job && expiryOf(job)
  return expiry === undefined ? undefined : expiry - now
}
