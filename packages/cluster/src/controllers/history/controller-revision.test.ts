import type { ControllerRevision, PodTemplateSpec } from '@tiphys/kube/kinds'
import { describe, expect, test } from 'vitest'
import {
  newRevision,
  planRevision,
  revisionHash,
  surplusRevisions,
  templateOf,
  templatePatch,
} from './controller-revision.ts'

const template = (image: string): PodTemplateSpec => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
})
const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web', namespace: 'default', uid: 'u' } }
const revisionOf = (image: string, revision: number): ControllerRevision =>
  newRevision({ owner, template: template(image), revision, collisionCount: 0 })

test('a revision is named as Kubernetes names it', () => {
  const data = templatePatch({
    metadata: { labels: { app: 'w1' }, annotations: { z: '1', b: '<2>' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'nginx',
          args: ['a<b && c>d', 'ü\u2028'],
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
    },
  })
  // What kube-controller-manager 1.36.3 made of the same StatefulSet.
  expect(revisionHash(data, 0)).toBe('584c4fdc96')
})

test('a revision gives its template back', () => {
  expect(templateOf(revisionOf('nginx:1', 1))).toEqual(template('nginx:1'))
})

describe('the revision of the present template', () => {
  test('is created when there is none', () => {
    const step = planRevision(owner, template('nginx:2'), [revisionOf('nginx:1', 4)], 0)
    expect(step).toMatchObject({ type: 'create', revision: { revision: 5 } })
  })

  test('is kept when it is the latest', () => {
    const latest = revisionOf('nginx:1', 4)
    expect(planRevision(owner, template('nginx:1'), [revisionOf('nginx:0', 3), latest], 0)).toEqual({
      type: 'keep',
      revision: latest,
    })
  })

  test('is raised when it is a former one', () => {
    const former = revisionOf('nginx:1', 1)
    expect(planRevision(owner, template('nginx:1'), [former, revisionOf('nginx:2', 2)], 0)).toEqual({
      type: 'raise',
      revision: former,
      to: 3,
    })
  })
})

test('the oldest revisions that are not in use go first', () => {
  const revisions = [1, 2, 3, 4].map(number => revisionOf(`nginx:${number}`, number))
  const surplus = surplusRevisions(revisions, ({ revision }) => revision === 1 || revision === 4, 1)
  expect(surplus.map(({ revision }) => revision)).toEqual([2])
})
