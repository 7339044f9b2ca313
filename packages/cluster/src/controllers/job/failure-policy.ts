import type {
  ContainerStatus,
  Pod,
  PodCondition,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '@tiphys/kube/kinds'

/** What a Job's pod failure policy says about one failed pod. */
export interface FailureVerdict {
  /** Whether the failure counts towards the backoff limit. */
  isCounted: boolean
  action?: 'Ignore' | 'FailIndex' | 'Count' | 'FailJob'
  /** Why the whole Job fails; only with `FailJob`. */
  message?: string
}

export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const reason = matchRule(rule, pod)
    if (reason === undefined) continue
    switch (rule.action) {
      case 'Ignore':
        return { isCounted: false, action: 'Ignore' }
      case 'FailIndex':
      case 'Count':
        return { isCounted: true, action: rule.action }
      case 'FailJob':
        return { isCounted: true, action: 'FailJob', message: `${reason} matching FailJob rule at index ${index}` }
    }
  }
  return { isCounted: true }
}

function matchRule({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = pod.status ?? {}
  if (onExitCodes) {
    const container = [...containerStatuses, ...initContainerStatuses].find(status => hasExitCode(status, onExitCodes))
    const code = container?.state?.terminated?.exitCode
    return container && `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code}`
  }
  const isWanted = (condition: PodCondition) =>
    onPodConditions?.some(({ type, status = 'True' }) => condition.type === type && condition.status === status)
  const condition = conditions.find(isWanted)
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`
}

function hasExitCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode
  if (code === undefined || code === 0) return false
  if (containerName !== undefined && containerName !== name) return false
  return values.includes(code) === (operator === 'In')
}
