import type { Env } from '@tiphys/env'
import type { WorkQueueMetrics } from '@tiphys/kube'
import type { Workflow } from '../spec/workflow.ts'

export interface EngineMetrics {
  ended(workflow: Workflow): void
  reconciled(): void
  failed(): void
  text(now: { workflows: readonly Workflow[]; queue: WorkQueueMetrics }): string
}

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Error'] as const

/** Counts what happens, under upstream's names where there are such. */
export function createEngineMetrics(env: Env): EngineMetrics {
  const startedAt = env.clock.now()
  let [ended, reconciled, failed] = [0, 0, 0]
  return {
    ended: () => void ended++,
    reconciled: () => void reconciled++,
    failed: () => void failed++,
    text({ workflows, queue }) {
      const phases = new Map<string, number>()
      for (const { status } of workflows) {
        const phase = status?.phase || 'Pending'
        phases.set(phase, (phases.get(phase) ?? 0) + 1)
      }
      const lines = [
        '# HELP argo_workflows_gauge Number of Workflows currently accessible by the controller by status',
        '# TYPE argo_workflows_gauge gauge',
        ...PHASES.map(phase => `argo_workflows_gauge{phase="${phase}"} ${phases.get(phase) ?? 0}`),
        '# TYPE argo_workflows_queue_depth_gauge gauge',
        `argo_workflows_queue_depth_gauge{queue_name="workflow_queue"} ${queue.waiting.fresh + queue.waiting.backlog}`,
        '# TYPE argo_workflows_workers_busy_count gauge',
        `argo_workflows_workers_busy_count{worker_type="workflow_queue"} ${queue.processing}`,
        '# TYPE argo_workflows_error_count counter',
        `argo_workflows_error_count{cause="OperationPanic"} ${failed}`,
        '# TYPE tiphys_workflows_ended_total counter',
        `tiphys_workflows_ended_total ${ended}`,
        '# TYPE tiphys_workflows_reconciliations_total counter',
        `tiphys_workflows_reconciliations_total ${reconciled}`,
        '# TYPE tiphys_workflows_uptime_seconds gauge',
        `tiphys_workflows_uptime_seconds ${Math.round((env.clock.now() - startedAt) / 1000)}`,
      ]
      return `${lines.join('\n')}\n`
    },
  }
}
