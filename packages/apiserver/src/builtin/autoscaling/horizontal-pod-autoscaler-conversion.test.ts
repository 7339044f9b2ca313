import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { convertAutoscaler } from './horizontal-pod-autoscaler-conversion.ts'

const v2: KubeObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'x', annotations: { keep: 'me' } },
  spec: {
    maxReplicas: 3,
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
      { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } },
    ],
    behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
  },
}

describe('conversion of autoscalers', () => {
  it('shows the CPU target of v2 in its field and the rest in annotations', () => {
    const v1 = convertAutoscaler(v2, 'v1')
    expect(v1.spec).toEqual({ maxReplicas: 3, targetCPUUtilizationPercentage: 60 })
    expect(v1.metadata.annotations).toEqual({
      keep: 'me',
      'autoscaling.alpha.kubernetes.io/metrics': '[{"type":"Pods","pods":{"metricName":"q","targetAverageValue":"5"}}]',
      'autoscaling.alpha.kubernetes.io/behavior': '{"scaleDown":{"stabilizationWindowSeconds":5}}',
    })
  })

  it('comes back as it was, the CPU metric last', () => {
    const back = convertAutoscaler(convertAutoscaler(v2, 'v1'), 'v2')
    const { metrics, ...rest } = v2.spec as { metrics: unknown[] }
    expect(back).toEqual({ ...v2, spec: { ...rest, metrics: [...metrics].reverse() } })
  })
})
