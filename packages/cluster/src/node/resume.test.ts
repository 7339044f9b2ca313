import type { Pod, PodStatus } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { NODE_LOST, resumePod } from './resume.ts'

const NOW = Date.parse('2024-01-01T01:00:00Z')

const pod = (restartPolicy: string, status: PodStatus): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
  spec: { restartPolicy, containers: [{ name: 'main' }] },
  status,
})

const running: PodStatus = {
  phase: 'Running',
  containerStatuses: [
    {
      name: 'main',
      ready: true,
      restartCount: 2,
      image: 'x',
      imageID: 'x',
      containerID: 'process://1',
      state: { running: { startedAt: '2024-01-01T00:00:00Z' } },
    },
  ],
}

describe('a pod that this node does not run any more', () => {
  it('starts again if it is a server', () => {
    const { containers, verdict, isOver } = resumePod(pod('Always', running), NOW)
    expect({ verdict, isOver }).toEqual({ verdict: undefined, isOver: false })
    expect(containers.get('main')).toMatchObject({
      activity: { state: 'unstarted' },
      restartCount: 3,
      lastTermination: { exitCode: 255, reason: 'Unknown', id: 'process://1', finishedAt: NOW },
    })
  })

  it.each(['Never', 'OnFailure'])('is lost if it ran to completion (%s)', policy => {
    const { containers, verdict } = resumePod(pod(policy, running), NOW)
    expect(verdict).toEqual(NODE_LOST)
    expect(containers.get('main')?.activity).toMatchObject({ state: 'exited', termination: { exitCode: 255 } })
  })

  it('starts if it had not begun', () => {
    const waiting = { phase: 'Pending', containerStatuses: [] }
    expect(resumePod(pod('Never', waiting), NOW)).toEqual({ containers: new Map(), isOver: false })
  })

  it('stays as it is when it was over', () => {
    expect(resumePod(pod('Never', { ...running, phase: 'Succeeded' }), NOW).isOver).toBe(true)
  })
})
