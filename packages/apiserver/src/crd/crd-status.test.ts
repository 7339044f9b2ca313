import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CrdNames, CrdStatus, CustomResourceDefinition } from './crd.ts'
import { decideEstablished, decideNames, withStoredVersion } from './crd-status.ts'

const now = '2026-01-01T00:00:00Z'
const later = '2026-01-02T00:00:00Z'

function crd(names: CrdNames, group = 'names.example.com'): CustomResourceDefinition {
  const complete = { singular: names.kind.toLowerCase(), listKind: `${names.kind}List`, ...names }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, scope: 'Cluster', names: complete, versions: [{ name: 'v1', served: true, storage: true }] },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  }
}

/** Does what the server does after every write of a CRD. */
function settle(changed: CustomResourceDefinition, all: readonly CustomResourceDefinition[], at: string): void {
  for (const decide of [() => decideNames(changed, all, at), () => decideEstablished(changed, at)]) {
    const status = decide()
    if (status) changed.status = status
  }
}

const reasons = ({ status }: CustomResourceDefinition) =>
  status?.conditions?.map(({ type, status: value, reason, lastTransitionTime }) => [
    type,
    value,
    reason,
    lastTransitionTime,
  ])

describe('names of CRDs in one group', () => {
  const file = new URL('./testdata/name-answers.json', import.meta.url)
  const { statuses } = JSON.parse(readFileSync(file, 'utf8')) as {
    statuses: (Pick<CustomResourceDefinition, 'spec'> & { status: CrdStatus })[]
  }

  it('are accepted and refused as by kube-apiserver 1.36.3', () => {
    const all: CustomResourceDefinition[] = []
    for (const { spec, status } of statuses) {
      const created = { ...crd(spec.names), spec }
      settle(created, all, now)
      all.push(created)
      expect(created.status).toEqual(status)
    }
  })

  it('become free when the CRD that has them goes', () => {
    const first = crd({ plural: 'as', kind: 'A' })
    const second = crd({ plural: 'bs', kind: 'A' })
    settle(first, [first, second], now)
    settle(second, [first, second], now)
    expect(reasons(second)).toEqual([
      ['NamesAccepted', 'False', 'ListKindConflict', now],
      ['Established', 'False', 'NotAccepted', now],
    ])
    settle(second, [second], later)
    expect(reasons(second)).toEqual([
      ['NamesAccepted', 'True', 'NoConflicts', later],
      ['Established', 'True', 'InitialNamesAccepted', later],
    ])
  })

  it('may be the same in different groups', () => {
    const first = crd({ plural: 'as', kind: 'A' })
    const second = crd({ plural: 'as', kind: 'A' }, 'other.example.com')
    settle(first, [first, second], now)
    settle(second, [first, second], now)
    expect(reasons(second)?.[1]).toEqual(['Established', 'True', 'InitialNamesAccepted', now])
  })

  it('stay established when a new short name is refused', () => {
    const first = crd({ plural: 'as', kind: 'A', shortNames: ['x'] })
    const second = crd({ plural: 'bs', kind: 'B' })
    for (const created of [first, second]) settle(created, [first, second], now)
    second.spec.names.shortNames = ['x']
    settle(second, [first, second], later)
    expect(reasons(second)).toEqual([
      ['NamesAccepted', 'False', 'ShortNamesConflict', later],
      ['Established', 'True', 'InitialNamesAccepted', now],
    ])
  })

  it('are not looked at again when nothing changed', () => {
    const first = crd({ plural: 'as', kind: 'A' })
    settle(first, [first], now)
    expect(decideNames(first, [first], later)).toBeUndefined()
    expect(decideEstablished(first, later)).toBeUndefined()
  })
})

it('remembers every version that objects were stored in', () => {
  const { spec } = crd({ plural: 'as', kind: 'A' })
  spec.versions = [
    { name: 'v1', served: true, storage: false },
    { name: 'v2', served: true, storage: true },
  ]
  const status = withStoredVersion({ storedVersions: ['v1'] }, spec)
  expect(status.storedVersions).toEqual(['v1', 'v2'])
  expect(withStoredVersion(status, spec)).toBe(status)
})
