import { expect, it } from 'vitest'
import { blameOf } from './blame.ts'

it('names the manager of each line, also of items that have keys', () => {
  const lines = blameOf({
    kind: 'Deployment',
    metadata: {
      name: 'web',
      managedFields: [
        { manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        {
          manager: 'tiphys',
          fieldsV1: { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:name': {}, 'f:image': {} } } } },
        },
      ],
    },
    spec: { replicas: 3, containers: [{ name: 'main', image: 'nginx:1' }], empty: {} },
  })
  expect(lines.map(({ text, manager }) => [text, manager])).toEqual([
    ['kind: Deployment', ''],
    ['metadata:', ''],
    ['  name: web', ''],
    ['spec:', ''],
    ['  replicas: 3', 'kubectl'],
    ['  containers:', ''],
    ['  - name: main', 'tiphys'],
    ['    image: "nginx:1"', 'tiphys'],
    ['  empty: {}', ''],
  ])
})
