import type { Problem } from '../problem.ts'
import { type RetryStrategy, retryPolicy } from '../sensor/retry-policy.ts'
import { problemsOf, type Shape } from '../sources/shape.ts'

const SHAPE: Shape = {
  k8s: {
    labels: { '*': 'string' },
    backoff: { duration: 'any', factor: 'any', jitter: 'any', steps: 'any' },
    errorOnBackoffTimeout: 'boolean',
  },
  status: { allow: ['number'] },
}

/** What is wrong with `policy` of a trigger. */
export function policyProblems(policy: unknown): Problem[] {
  const problems = problemsOf(policy, SHAPE, 'policy').filter(({ severity }) => severity === 'error')
  if (problems.length > 0) return problems
  const { k8s, status } = (policy ?? {}) as {
    k8s?: { labels?: object | null; backoff?: RetryStrategy | null } | null
    status?: { allow?: readonly number[] | null } | null
  }
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  if (k8s && Object.keys(k8s.labels ?? {}).length === 0) error('policy.k8s.labels', 'must be specified')
  if (status && (status.allow ?? []).length === 0)
    error('policy.status.allow', 'must be specified: no answer would count as a success')
  try {
    retryPolicy(k8s?.backoff)
  } catch (thrown) {
    error('policy.k8s.backoff', (thrown as Error).message)
  }
  return problems
}
