import type { KubeObject } from '@tiphys/kube'
import { type Fields, flagAt, listAt, numberAt, objectAt, optionalObjectAt, textAt } from '../fields.ts'
import { formatAge } from './age.ts'
import { orNone } from './cells.ts'
import { ageColumn, column, nameColumn, table } from './columns.ts'

interface PodSummary {
  reason: string
  ready: number
  total: number
  restarts: number
  /** When a container last ended and was started again; empty if none was. */
  lastRestart: string
}

export const podColumns = table(
  nameColumn,
  column('Ready', pod => {
    const { ready, total } = summarize(pod)
    return `${ready}/${total}`
  }),
  column('Status', pod => summarize(pod).reason),
  column('Restarts', (pod, now) => {
    const { restarts, lastRestart } = summarize(pod)
    return restarts === 0 || lastRestart === '' ? String(restarts) : `${restarts} (${formatAge(lastRestart, now)} ago)`
  }),
  ageColumn,
  column('IP', pod => orNone(textAt(listAt(objectAt(pod, 'status'), 'podIPs')[0], 'ip')), { wide: true }),
  column('Node', pod => orNone(textAt(objectAt(pod, 'spec'), 'nodeName')), { wide: true }),
  column('Nominated Node', pod => orNone(textAt(objectAt(pod, 'status'), 'nominatedNodeName')), { wide: true }),
  column('Readiness Gates', readinessGates, { wide: true }),
)

function readinessGates(pod: KubeObject): string {
  const gates = listAt(objectAt(pod, 'spec'), 'readinessGates')
  if (gates.length === 0) return '<none>'
  const open = gates.filter(gate => conditionStatus(pod, textAt(gate, 'conditionType')) === 'True')
  return `${open.length}/${gates.length}`
}

function conditionStatus(pod: KubeObject, type: string): string {
  const conditions = listAt(objectAt(pod, 'status'), 'conditions')
  return textAt(
    conditions.find(condition => textAt(condition, 'type') === type),
    'status',
  )
}

const isSidecar = (container: Fields | undefined) => textAt(container, 'restartPolicy') === 'Always'

function summarize(pod: KubeObject): PodSummary {
  const spec = objectAt(pod, 'spec')
  const status = objectAt(pod, 'status')
  const initContainers = listAt(spec, 'initContainers')
  const summary: PodSummary = {
    reason: textAt(status, 'reason') || textAt(status, 'phase'),
    ready: 0,
    total: listAt(spec, 'containers').length + initContainers.filter(isSidecar).length,
    restarts: 0,
    lastRestart: '',
  }
  const isGated = listAt(status, 'conditions').some(
    condition => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'SchedulingGated',
  )
  if (isGated) summary.reason = 'SchedulingGated'
  const sidecars = { restarts: 0, lastRestart: '' }
  const isInitializing = addInitContainers(summary, sidecars, status, initContainers)
  if (!isInitializing || conditionStatus(pod, 'Initialized') === 'True') {
    Object.assign(summary, sidecars)
    addContainers(summary, pod, status)
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (textAt(status, 'reason') === 'NodeLost') summary.reason = 'Unknown'
    else if (!['Failed', 'Succeeded'].includes(textAt(status, 'phase'))) summary.reason = 'Terminating'
  }
  return summary
}

function countRestart(into: { restarts: number; lastRestart: string }, container: Fields): void {
  into.restarts += numberAt(container, 'restartCount')
  const ended = textAt(objectAt(objectAt(container, 'lastState'), 'terminated'), 'finishedAt')
  if (ended > into.lastRestart) into.lastRestart = ended
}

/** Whether the pod is still in its init containers. */
function addInitContainers(
  summary: PodSummary,
  sidecars: { restarts: number; lastRestart: string },
  status: Fields,
  initContainers: Fields[],
): boolean {
  for (const [i, container] of listAt(status, 'initContainerStatuses').entries()) {
    const declared = initContainers.find(each => textAt(each, 'name') === textAt(container, 'name'))
    countRestart(summary, container)
    if (isSidecar(declared)) countRestart(sidecars, container)
    const state = objectAt(container, 'state')
    const terminated = optionalObjectAt(state, 'terminated')
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue
    if (isSidecar(declared) && flagAt(container, 'started')) {
      if (flagAt(container, 'ready')) summary.ready += 1
      continue
    }
    const waiting = textAt(objectAt(state, 'waiting'), 'reason')
    if (terminated !== undefined) summary.reason = `Init:${endReason(terminated)}`
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`
    else summary.reason = `Init:${i}/${initContainers.length}`
    return true
  }
  return false
}

function endReason(terminated: Fields): string {
  const reason = textAt(terminated, 'reason')
  if (reason !== '') return reason
  const signal = numberAt(terminated, 'signal')
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`
}

function addContainers(summary: PodSummary, pod: KubeObject, status: Fields): void {
  let isRunning = false
  let failure = ''
  for (const container of [...listAt(status, 'containerStatuses')].reverse()) {
    countRestart(summary, container)
    const state = objectAt(container, 'state')
    const waiting = textAt(objectAt(state, 'waiting'), 'reason')
    const terminated = optionalObjectAt(state, 'terminated')
    if (waiting !== '') summary.reason = waiting
    else if (terminated !== undefined) {
      summary.reason = endReason(terminated)
      if (numberAt(terminated, 'exitCode') !== 0) failure = summary.reason
    } else if (flagAt(container, 'ready') && optionalObjectAt(state, 'running') !== undefined) {
      isRunning = true
      summary.ready += 1
    }
  }
  if (summary.reason !== 'Completed') return
  if (isRunning && conditionStatus(pod, 'Ready') === 'True') summary.reason = 'Running'
  else if (failure !== '') summary.reason = failure
  else if (isRunning) summary.reason = 'NotReady'
}
