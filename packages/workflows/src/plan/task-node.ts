import type { NodeStatus } from '../spec/workflow.ts'
import type { Attempt } from './call.ts'
import { resolveLeaf } from './inputs.ts'
import type { HttpResponse } from './observed.ts'
import { endWith } from './pod-node.ts'
import { NodeFault, type Run } from './run.ts'
import { deadlineMessage, isPastDeadline, mayExecute, stoppedMessage } from './stop.ts'
import { nodeShape, timeLimit } from './visit.ts'

/** A resource or http template: the engine itself carries it out. */
export function visitTask(run: Run, attempt: Attempt): NodeStatus | undefined {
  const { call, template, inputs } = attempt
  let { node } = attempt
  if (node === undefined) {
    const { parallelism } = run.spec
    if (template.resource !== undefined && parallelism !== undefined && run.activePods() >= parallelism) {
      run.isBlocked = true
      return undefined
    }
    node = run.create({
      ...nodeShape(call),
      name: attempt.nodeName,
      type: template.http === undefined ? 'Pod' : 'HTTP',
      phase: 'Pending',
      nodeFlag: attempt.flag,
      memoizationStatus: attempt.memo,
      inputs: inputs !== undefined && Object.keys(inputs).length > 0 ? inputs : undefined,
    })
  }
  const task = run.observed.tasks?.[node.id]
  if (task !== undefined && task.phase !== 'Running') return judged(run, attempt, node)
  const deadline = endOf(run, attempt, node)
  const why = stopReason(run, attempt, deadline)
  if (why !== undefined) {
    if (task !== undefined) run.ask({ do: 'cancelTask', nodeId: node.id, why })
    return run.mark(node, 'Failed', why)
  }
  if (deadline !== undefined) run.wake(deadline)
  if (task !== undefined) return run.mark(node, 'Running')
  run.ask({
    do: template.http === undefined ? 'runResource' : 'runHttp',
    nodeId: node.id,
    nodeName: attempt.nodeName,
    template: resolveLeaf(run, template, inputs, attempt.scope),
    ...(deadline === undefined ? {} : { deadline }),
  })
  return node
}

function stopReason(run: Run, { call }: Attempt, deadline: number | undefined): string | undefined {
  if (!mayExecute(run, call.isExit)) return stoppedMessage(run)
  const isLate = isPastDeadline(run, call.isExit) || (deadline !== undefined && run.now >= deadline)
  return isLate ? deadlineMessage : undefined
}

function endOf(run: Run, attempt: Attempt, node: NodeStatus): number | undefined {
  const { template, scope } = attempt
  const started = Date.parse(node.startedAt ?? '')
  const path = `templates.${template.name ?? ''}`
  const ends: number[] = []
  if (template.timeout !== undefined && template.timeout !== '') {
    ends.push(started + timeLimit(run, template.timeout, scope, `${path}.timeout`))
  }
  if (template.activeDeadlineSeconds !== undefined) {
    ends.push(started + timeLimit(run, String(template.activeDeadlineSeconds), scope, `${path}.activeDeadlineSeconds`))
  }
  if (attempt.executionDeadline !== undefined) ends.push(attempt.executionDeadline)
  if (run.deadline !== undefined && !attempt.call.isExit) ends.push(run.deadline)
  return ends.length === 0 ? undefined : Math.min(...ends)
}

function judged(run: Run, attempt: Attempt, node: NodeStatus): NodeStatus {
  const task = run.observed.tasks?.[node.id]
  const outcome = task?.outcome ?? {}
  if (task?.response === undefined || attempt.template.http === undefined) {
    return endWith(run, attempt, node, task?.phase === 'Running' ? 'Error' : (task?.phase ?? 'Error'), outcome)
  }
  const { response } = task
  const verdict = successOf(run, attempt, response)
  return endWith(run, attempt, node, verdict === undefined ? 'Succeeded' : 'Failed', {
    ...outcome,
    result: response.body,
    ...(verdict === undefined ? {} : { message: verdict }),
  })
}

/** Why an answer is no success; undefined when it is one. */
function successOf(run: Run, attempt: Attempt, response: HttpResponse): string | undefined {
  const http = resolveLeaf(run, attempt.template, attempt.inputs, attempt.scope).http
  const condition = http?.successCondition
  if (http === undefined) throw new NodeFault('the template is not of type http')
  if (condition === undefined || condition === '') {
    const isSuccess = response.statusCode >= 200 && response.statusCode < 300
    return isSuccess ? undefined : `received non-2xx response code: ${response.statusCode}`
  }
  const request = {
    method: http.method ?? 'GET',
    url: http.url,
    body: http.body ?? '',
    headers: Object.fromEntries((http.headers ?? []).map(({ name, value }) => [name, [value ?? '']])),
  }
  const path = `templates.${attempt.template.name ?? ''}.http.successCondition`
  const seen = { statusCode: BigInt(response.statusCode), body: response.body, headers: response.headers }
  const isSuccess = run.condition(condition, attempt.scope, path, { request, response: seen })
  return isSuccess ? undefined : `successCondition '${condition}' evaluated false`
}
