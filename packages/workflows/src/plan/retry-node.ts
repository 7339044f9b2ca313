import type { NodeStatus, RetryStrategy } from '../spec/workflow.ts'
import { durationOf, humanDuration } from '../variables/duration-text.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import { onlyExpression, replaceText, substitute, VariableError } from '../variables/substitution.ts'
import type { Attempt, Visit } from './call.ts'
import { failedHosts } from './failed-hosts.ts'
import { saveMemo } from './memo.ts'
import { podName } from './node-id.ts'
import { isEnded, isFailure } from './phase.ts'
import { NodeFault, type Run } from './run.ts'
import { isPastDeadline, stoppedMessage } from './stop.ts'
import { isTransient } from './transient.ts'
import { nodeShape, templateNameOf } from './visit.ts'

type Dispatch = (changed: Partial<Attempt>) => Visit

/** The attempts at one node. The node of type Retry is what the others see; each attempt is a child of its own. */
export function visitRetry(run: Run, attempt: Attempt, strategy: RetryStrategy, dispatch: Dispatch): Visit {
  const { call, inputs } = attempt
  let node =
    attempt.node ??
    run.create({
      ...nodeShape(call),
      type: 'Retry',
      phase: 'Running',
      memoizationStatus: attempt.memo,
      inputs: inputs !== undefined && Object.keys(inputs).length > 0 ? inputs : undefined,
    })
  if (node.phase === 'Pending') node = run.mark(node, 'Running', '')
  for (;;) {
    const attempts = attemptsOf(run, node)
    const last = attempts.at(-1)
    if (last !== undefined && isEnded(last.phase)) {
      const verdict = judge(run, attempt, resolved(run, attempt, strategy), attempts)
      if (verdict.kind === 'end') return { node: concluded(run, node, last, verdict.message) }
      if (verdict.kind === 'wait') return { node: run.mark(node, 'Running', verdict.message) }
      if (run.isFrozen) return { node }
      node = run.mark(node, 'Running', '')
    }
    const isNew = last === undefined || isEnded(last.phase)
    const number = isNew ? attempts.length : attempts.length - 1
    const nodeName = isNew ? `${call.nodeName}(${number})` : last.name
    const visited = dispatch({
      nodeName,
      node: isNew ? undefined : last,
      flag: { ...call.flag, retried: true },
      scope: joinScopes(attemptVariables(run, attempt, nodeName, number, attempts[number - 1]), attempt.scope),
      memo: undefined,
      executionDeadline: maxDurationEnd(run, attempt, strategy, attempts[0]),
      avoidedHosts: failedHosts(run, node, strategy),
    })
    if (visited.node === undefined) return { node }
    run.addChild(node.id, visited.node.id)
    node = run.node(node.id) as NodeStatus
    if (!isEnded(visited.node.phase)) {
      return { node: visited.node.daemoned === true ? run.update(node, { phase: 'Running', daemoned: true }) : node }
    }
  }
}

/** The attempts, without hooks, in order. */
export function attemptsOf(run: Run, node: NodeStatus): NodeStatus[] {
  return (node.children ?? []).flatMap(id => {
    const child = run.node(id)
    return child === undefined || (child.nodeFlag?.hooked === true && child.nodeFlag.retried !== true) ? [] : [child]
  })
}

function concluded(run: Run, node: NodeStatus, last: NodeStatus, message: string | undefined): NodeStatus {
  const done = run.update(node, { phase: last.phase, message, outputs: last.outputs, daemoned: undefined })
  saveMemo(run, done)
  return done
}

function resolved(run: Run, { scope, template }: Attempt, strategy: RetryStrategy): RetryStrategy {
  const { expression, ...rest } = strategy
  const path = `templates.${template.name ?? ''}.retryStrategy`
  return { ...substitute(rest, scope, { ...run.env, path }), ...(expression === undefined ? {} : { expression }) }
}

type Verdict = { kind: 'end'; message?: string } | { kind: 'wait'; message: string; until: number } | { kind: 'again' }

/** Whether there is another attempt after the last one, and when. Throws NodeFault. */
function judge(run: Run, attempt: Attempt, strategy: RetryStrategy, attempts: readonly NodeStatus[]): Verdict {
  const last = attempts.at(-1) as NodeStatus
  if (!isFailure(last.phase)) return { kind: 'end' }
  if (run.shutdown !== '') return { kind: 'end', message: stoppedMessage(run) }
  if (isPastDeadline(run, attempt.call.isExit)) {
    return {
      kind: 'end',
      message: `retry exceeded workflow deadline ${new Date(run.deadline as number).toISOString()}`,
    }
  }
  const limitEnd = maxDurationEnd(run, attempt, strategy, attempts[0])
  if (limitEnd !== undefined && run.now > limitEnd) return { kind: 'end', message: 'Max duration limit exceeded' }
  const backoff = afterBackoff(run, attempt, strategy, attempts, limitEnd)
  if (backoff.kind === 'end') return backoff
  if (!policyAllows(run, strategy, last)) return end(last.message)
  const limit = limitOf(strategy, attempt)
  if (limit !== undefined && attempts.length > limit) return { kind: 'end', message: 'No more retries left' }
  if (
    strategy.expression !== undefined &&
    strategy.expression !== '' &&
    !expressionAllows(run, attempt, strategy.expression, attempts)
  ) {
    return { kind: 'end', message: 'retryStrategy.expression evaluated to false' }
  }
  if (backoff.kind === 'wait') run.wake(backoff.until)
  return backoff
}

const end = (message: string | undefined): Verdict =>
  message === undefined ? { kind: 'end' } : { kind: 'end', message }

function limitOf({ limit }: RetryStrategy, { template }: Attempt): number | undefined {
  if (limit === undefined || limit === '') return undefined
  const number = Number(limit)
  if (Number.isInteger(number)) return number
  throw new NodeFault(`templates.${template.name ?? ''}.retryStrategy.limit: ${limit} is no number`)
}

function policyAllows(run: Run, { retryPolicy, expression }: RetryStrategy, last: NodeStatus): boolean {
  const policy = retryPolicy ?? (expression === undefined || expression === '' ? 'OnFailure' : 'Always')
  switch (policy) {
    case 'Always':
      return true
    case 'OnError':
      return last.phase === 'Error'
    case 'OnFailure':
      return last.phase === 'Failed'
    case 'OnTransientError':
      return run.observed.pods?.[last.id]?.outcome?.transient === true || isTransient(last.message ?? '')
    default:
      throw new NodeFault(`${String(policy)} is not a valid retryPolicy`)
  }
}

function expressionAllows(run: Run, attempt: Attempt, expression: string, attempts: readonly NodeStatus[]): boolean {
  const variables = lastRetryVariables(attempts.at(-1), '-1').set('retries', String(attempts.length - 1))
  const scope = joinScopes(variables, attempt.scope)
  const path = `templates.${attempt.template.name ?? ''}.retryStrategy.expression`
  return run.condition(onlyExpression(expression) ?? replaceText(expression, scope, { ...run.env, path }), scope, path)
}

function afterBackoff(
  run: Run,
  attempt: Attempt,
  { backoff }: RetryStrategy,
  attempts: readonly NodeStatus[],
  limitEnd: number | undefined,
): Verdict {
  if (backoff === undefined) return { kind: 'again' }
  const path = `templates.${attempt.template.name ?? ''}.retryStrategy.backoff`
  if (backoff.duration === undefined || backoff.duration === '') throw new NodeFault(`${path}.duration is required`)
  const base = milliseconds(backoff.duration, `${path}.duration`)
  const factor = backoff.factor === undefined || backoff.factor === '' ? 0 : Number(backoff.factor)
  if (!Number.isFinite(factor)) throw new NodeFault(`${path}.factor: ${backoff.factor} is no number`)
  const grown = factor > 0 ? base * factor ** (attempts.length - 1) : base
  const cap =
    backoff.cap === undefined || backoff.cap === '' ? Number.MAX_SAFE_INTEGER : milliseconds(backoff.cap, `${path}.cap`)
  const wait = Math.min(grown, cap, Number.MAX_SAFE_INTEGER)
  const until = Date.parse((attempts.at(-1) as NodeStatus).finishedAt ?? '') + wait
  if (limitEnd !== undefined && until > limitEnd)
    return { kind: 'end', message: 'Backoff would exceed max duration limit' }
  if (run.now >= until) return { kind: 'again' }
  return { kind: 'wait', message: `Backoff for ${humanDuration(wait)}`, until }
}

function maxDurationEnd(
  run: Run,
  attempt: Attempt,
  { backoff }: RetryStrategy,
  first: NodeStatus | undefined,
): number | undefined {
  const text = backoff?.maxDuration
  if (text === undefined || text === '' || first === undefined) return undefined
  const path = `templates.${attempt.template.name ?? ''}.retryStrategy.backoff.maxDuration`
  return Date.parse(first.startedAt ?? '') + milliseconds(replaceText(text, attempt.scope, { ...run.env, path }), path)
}

function milliseconds(text: string, path: string): number {
  try {
    return durationOf(text)
  } catch (error) {
    if (error instanceof VariableError) throw error
    throw new NodeFault(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** `retries`, `lastRetry.*` and the attempt's own `pod.name`. */
function attemptVariables(
  run: Run,
  { call, template }: Attempt,
  nodeName: string,
  number: number,
  before: NodeStatus | undefined,
): Scope {
  const variables = lastRetryVariables(before, '0').set('retries', String(number))
  return variables.set('pod.name', podName(run.name, nodeName, templateNameOf(call, template), run.id(nodeName)))
}

function lastRetryVariables(last: NodeStatus | undefined, noExitCode: string): Variables {
  const hasTimes = Boolean(last?.finishedAt && last.startedAt)
  const duration = hasTimes ? (Date.parse(last?.finishedAt ?? '') - Date.parse(last?.startedAt ?? '')) / 1000 : 0
  return new Variables([
    ['lastRetry.exitCode', last?.outputs?.exitCode ?? noExitCode],
    ['lastRetry.status', last?.phase ?? ''],
    ['lastRetry.duration', String(duration)],
    ['lastRetry.message', last?.message ?? ''],
  ])
}
