import { delay, TerminalFailure } from '@tiphys/env'
import type { ObjectRef } from '@tiphys/kube'
import { type RetryStrategy, retryPolicy } from '../sensor/retry-policy.ts'
import type { TriggerHost } from './trigger.ts'
import { invalidTrigger } from './trigger-failures.ts'

/** `policy.k8s` of a trigger, as manifests write it: the object is looked at until it has the labels. */
export interface LabelPolicy {
  labels?: Readonly<Record<string, string>>
  backoff?: RetryStrategy
  /** That the labels did not come in time is a failure. */
  errorOnBackoffTimeout?: boolean
}

export async function awaitLabels(ref: ObjectRef, policy: LabelPolicy, host: TriggerHost): Promise<void> {
  const { labels, backoff = {}, errorOnBackoffTimeout = false } = policy
  if (!labels) return
  const { clock, random } = host.env
  const pauses = pausesOf(backoff)
  const missing = new Error('the labels are not there')
  for (let looks = 1; ; looks++) {
    const { metadata } = await host.client.get(ref, { signal: host.signal })
    if (metadata.labels && Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value)) return
    const pauseMs = pauses.delayAfter(missing, { counted: looks, all: looks }, random.next())
    if (pauseMs === undefined) break
    await delay(clock, pauseMs, host.signal)
  }
  if (errorOnBackoffTimeout)
    throw new TerminalFailure('trigger-labels-missing', {
      what: 'failed to determine status of the triggered resource. setting trigger state as failed',
      why: `${ref.kind} ${ref.name} did not get the labels of the policy`,
    })
}

function pausesOf(backoff: RetryStrategy) {
  try {
    return retryPolicy(backoff)
  } catch (cause) {
    throw invalidTrigger('The backoff of the policy cannot be read', { why: (cause as Error).message, cause })
  }
}
