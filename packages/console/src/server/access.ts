import type { Env } from '@tiphys/env'
import type { Client, KubeObject } from '@tiphys/kube'
import type { Permission } from '../api/answers.ts'
import type { Caller } from './caller.ts'
import { HttpFailure } from './http-failure.ts'

export type Verdict =
  | { answer: 'allowed' }
  | { answer: 'denied'; why: string }
  /** The cluster could not be asked. */
  | { answer: 'unknown'; why: string }

/** What a caller may do, as the cluster says it. Every answer is asked for with the caller's own rights and kept for no more
 *  than ten seconds. */
export interface Access {
  may(caller: Caller, permission: Permission): Promise<Verdict>
  /** The same as the cluster says it now. Whoever keeps the answer keeps it for no longer than it would be kept here. */
  ask(caller: Caller, permission: Permission): Promise<Verdict>
  /** Throws a HttpFailure unless it is allowed. */
  demand(caller: Caller, permission: Permission): Promise<void>
}

const KEPT_MS = 10_000
const MOST_KEPT = 20_000

export interface AccessOptions {
  env: Env
  clientFor(caller: Caller): Client
}

export function createAccess({ env, clientFor }: AccessOptions): Access {
  const known = new Map<string, { until: number; verdict: Promise<Verdict> }>()

  const ask = (caller: Caller, permission: Permission): Promise<Verdict> => {
    const key = keyOf(caller, permission)
    if (known.size >= MOST_KEPT) known.clear()
    const verdict = review(clientFor(caller), permission)
    known.set(key, { until: env.clock.now() + KEPT_MS, verdict })
    // What could not be asked is asked again.
    void verdict.then(({ answer }) => answer === 'unknown' && known.delete(key))
    return verdict
  }
  const may = (caller: Caller, permission: Permission): Promise<Verdict> => {
    const found = known.get(keyOf(caller, permission))
    return found && found.until > env.clock.now() ? found.verdict : ask(caller, permission)
  }

  return {
    may,
    ask,
    async demand(caller, permission) {
      const verdict = await may(caller, permission)
      if (isAllowed(verdict, `whether you may ${inWords(permission)}`)) return
      throw new HttpFailure('console-forbidden', {
        status: 403,
        what: `you may not ${inWords(permission)}`,
        why: verdict.why,
        todo: 'Ask who administers the cluster for a role with this verb and resource',
        details: { permission },
      })
    },
  }
}

/** Unknown is not denied: throws when the cluster could not be asked. */
export function isAllowed(verdict: Verdict, what: string): verdict is Extract<Verdict, { answer: 'allowed' }> {
  if (verdict.answer === 'unknown') throw accessUnknown(what, verdict.why)
  return verdict.answer === 'allowed'
}

export const accessUnknown = (what: string, why: string): HttpFailure =>
  new HttpFailure('console-access-unknown', {
    status: 503,
    what: `the cluster could not be asked ${what}`,
    why,
    todo: 'Try again',
  })

function keyOf({ user, groups, token }: Caller, permission: Permission): string {
  const { verb, group, resource, subresource, namespace, name } = permission
  return JSON.stringify([user, groups, token, verb, group, resource, subresource, namespace, name])
}

/** `create retries.tiphys.dev in default` */
export function inWords({ verb, group, resource, subresource, namespace, name }: Permission): string {
  const what = `${resource}${subresource ? `/${subresource}` : ''}${group === '' ? '' : `.${group}`}`
  return [verb, what, name, namespace === undefined ? 'in all namespaces' : `in ${namespace}`]
    .filter(part => part !== undefined)
    .join(' ')
}

interface AccessReview extends KubeObject {
  status?: { allowed?: boolean; denied?: boolean; reason?: string; evaluationError?: string }
}

async function review(client: Client, permission: Permission): Promise<Verdict> {
  try {
    const { status } = await client.create<AccessReview>({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: { ...permission } },
    })
    if (status?.allowed === true) return { answer: 'allowed' }
    if (status?.evaluationError && status.denied !== true) return { answer: 'unknown', why: status.evaluationError }
    return { answer: 'denied', why: status?.reason || 'no role grants it' }
  } catch (error) {
    return { answer: 'unknown', why: error instanceof Error ? error.message : String(error) }
  }
}
