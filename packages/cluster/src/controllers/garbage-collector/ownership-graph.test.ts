import { seededRandom } from '@tiphys/env'
import type { KubeObject, OwnerReference } from '@tiphys/kube'
import { describe, expect, test } from 'vitest'
import { type GraphEffect, OwnershipGraph } from './ownership-graph.ts'

const owner = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Thing',
  name: uid,
  uid,
  ...more,
})

const thing = (uid: string, owners: OwnerReference[] = [], more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: uid, uid, namespace: 'ns', ...(owners.length > 0 && { ownerReferences: owners }), ...more },
})

const deleting = (uid: string, finalizer: string, owners: OwnerReference[] = []) =>
  thing(uid, owners, { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: [finalizer] })

const isDeletion = (change: KubeObject | { deleted: KubeObject }): change is { deleted: KubeObject } =>
  'deleted' in change

const format = (effects: GraphEffect[]) =>
  effects.map(effect =>
    effect.type === 'invalid-namespace' ? `invalid ${effect.dependent.uid}` : `${effect.type} ${effect.uid}`,
  )

const identity = (
  uid: string,
  more: { namespace?: string; name?: string; apiVersion?: string; kind?: string } = {},
) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  namespace: 'ns',
  name: uid,
  uid,
  ...more,
})

describe('what a change asks for', () => {
  const rules: { title: string; before: KubeObject[]; change: KubeObject | { deleted: KubeObject }; asks: string[] }[] =
    [
      { title: 'an object without owners: nothing', before: [], change: thing('a'), asks: [] },
      {
        title: 'an owner that was never seen is looked for',
        before: [],
        change: thing('b', [owner('a')]),
        asks: ['delete a'],
      },
      { title: 'an owner that is there: nothing', before: [thing('a')], change: thing('b', [owner('a')]), asks: [] },
      {
        title: 'the end of an owner sends for its dependents',
        before: [thing('a'), thing('b', [owner('a')]), thing('c', [owner('a')])],
        change: { deleted: thing('a') },
        asks: ['delete b', 'delete c'],
      },
      {
        title: 'foreground deletion sends for the dependents and the owner',
        before: [thing('a'), thing('b', [owner('a')])],
        change: deleting('a', 'foregroundDeletion'),
        asks: ['delete b', 'delete a'],
      },
      {
        title: 'foreground deletion asks once',
        before: [thing('b', [owner('a')]), deleting('a', 'foregroundDeletion')],
        change: deleting('a', 'foregroundDeletion'),
        asks: [],
      },
      {
        title: 'orphaning asks for it',
        before: [thing('a'), thing('b', [owner('a')])],
        change: deleting('a', 'orphan'),
        asks: ['orphan a'],
      },
      {
        title: 'a deletion that waits for a finalizer of somebody else asks for nothing',
        before: [thing('a'), thing('b', [owner('a')])],
        change: deleting('a', 'example.com/mine'),
        asks: [],
      },
      {
        title: 'the end of a dependent lets its waiting owner look again',
        before: [deleting('a', 'foregroundDeletion'), thing('b', [owner('a', { blockOwnerDeletion: true })])],
        change: { deleted: thing('b') },
        asks: ['delete a'],
      },
      {
        title: 'a reference that no longer blocks lets the owner look again',
        before: [thing('a'), thing('b', [owner('a', { blockOwnerDeletion: true })])],
        change: thing('b', [owner('a', { blockOwnerDeletion: false })]),
        asks: ['delete a'],
      },
      {
        title: 'a blocking reference that is taken away lets the owner look again',
        before: [thing('a'), thing('b', [owner('a', { blockOwnerDeletion: true })])],
        change: thing('b'),
        asks: ['delete a'],
      },
      {
        title: 'an owner in another namespace is reported, and the dependent checked',
        before: [thing('a', [], { namespace: 'other' })],
        change: thing('b', [owner('a')]),
        asks: ['invalid b', 'delete b'],
      },
      {
        title: 'an owner that turns out to be in another namespace is reported too',
        before: [thing('b', [owner('a')])],
        change: thing('a', [], { namespace: 'other' }),
        asks: ['invalid b', 'delete b'],
      },
      {
        title: 'a reference by the wrong name is checked',
        before: [thing('a')],
        change: thing('b', [owner('a', { name: 'wrong' })]),
        asks: ['delete b'],
      },
      {
        title: 'a cluster-scoped owner may be named from any namespace',
        before: [thing('a', [], { namespace: '' })],
        change: thing('b', [owner('a')]),
        asks: [],
      },
    ]
  for (const { title, before, change, asks } of rules) {
    test(title, () => {
      const graph = new OwnershipGraph()
      for (const object of before) graph.observe(object)
      const effects = isDeletion(change) ? graph.observeDeletion(change.deleted) : graph.observe(change)
      expect(format(effects)).toEqual(asks)
    })
  }
})

describe('what a live read that found nothing asks for', () => {
  test('the virtual owner goes, and its dependents are looked at', () => {
    const graph = new OwnershipGraph()
    graph.observe(thing('b', [owner('a')]))
    expect(format(graph.confirmAbsence(identity('a')))).toEqual(['delete b'])
    expect(graph.get('a')).toBeUndefined()
    expect(graph.isKnownAbsent(owner('a'), 'ns')).toBe(true)
    expect(graph.isKnownAbsent(owner('a'), 'other')).toBe(false)
  })

  test('a uid that others name by other coordinates is looked for under those next', () => {
    const graph = new OwnershipGraph()
    graph.observe(thing('b', [owner('a')]))
    graph.observe(thing('c', [owner('a', { kind: 'Zebra' })]))
    expect(format(graph.confirmAbsence(identity('a')))).toEqual(['delete b', 'delete-later a'])
    expect(graph.get('a')?.identity.kind).toBe('Zebra')
    expect(format(graph.confirmAbsence(identity('a', { kind: 'Zebra' })))).toEqual(['delete c', 'delete-later a'])
  })

  test('an owner that was seen under other coordinates stays', () => {
    const graph = new OwnershipGraph()
    graph.observe(thing('a'))
    graph.observe(thing('b', [owner('a', { name: 'wrong' })]))
    expect(format(graph.confirmAbsence(identity('a', { name: 'wrong' })))).toEqual(['delete b'])
    expect(graph.get('a')?.isVirtual).toBe(false)
  })

  test('what is known to be absent is forgotten after 500 others', () => {
    const graph = new OwnershipGraph()
    for (let i = 0; i <= 500; i++) graph.rememberAbsent(identity(`u${i}`))
    expect(graph.isKnownAbsent(owner('u0'), 'ns')).toBe(false)
    expect(graph.isKnownAbsent(owner('u1'), 'ns')).toBe(true)
  })
})

/** A cluster whose objects come and go at random. An object that is made anew has another uid, as always. */
describe('many random histories', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

  test('the graph agrees with the objects, and every object whose owners are all gone was asked for', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = seededRandom(seed)
      const pick = <T>(items: readonly T[]) => items[Math.floor(random.next() * items.length)] as T
      const graph = new OwnershipGraph()
      const world = new Map<string, KubeObject>()
      const generations = new Map<string, number>()
      const asked = new Set<string>()
      const note = (effects: GraphEffect[]) => {
        for (const effect of effects) if ('uid' in effect) asked.add(effect.uid)
      }
      const uidOf = (name: string) => `${name}${generations.get(name) ?? 0}`
      for (let step = 0; step < 60; step++) {
        const name = pick(names)
        const uid = uidOf(name)
        const known = world.get(uid)
        if (known && random.next() < 0.4) {
          note(graph.observeDeletion(known))
          world.delete(uid)
          generations.set(name, (generations.get(name) ?? 0) + 1)
        } else {
          const owners = names.filter(other => other !== name && random.next() < 0.25)
          const object = thing(
            uid,
            owners.map(other => owner(uidOf(other), { blockOwnerDeletion: random.next() < 0.5 })),
          )
          world.set(uid, object)
          note(graph.observe(object))
        }
      }
      const referring = (uid: string) =>
        [...world.values()].filter(({ metadata }) => metadata.ownerReferences?.some(reference => reference.uid === uid))
      for (const uid of names.map(uidOf)) {
        const seen = graph.get(uid)
        expect(seen !== undefined && !seen.isVirtual, `seed ${seed}: ${uid}`).toBe(world.has(uid))
        const dependents = graph.dependentsOf(uid).map(({ identity }) => identity.uid)
        if (seen)
          expect(dependents.sort(), `seed ${seed}: dependents of ${uid}`).toEqual(
            referring(uid)
              .map(({ metadata }) => metadata.uid ?? '')
              .sort(),
          )
        // An owner that nobody saw was asked for; that it proves absent leads to its dependents.
        if (!seen?.isVirtual) continue
        expect(asked.has(uid), `seed ${seed}: virtual ${uid}`).toBe(true)
        note(graph.confirmAbsence(identity(uid)))
      }
      for (const { metadata } of world.values()) {
        const owners = metadata.ownerReferences ?? []
        const isGarbage = owners.length > 0 && owners.every(({ uid }) => !world.has(uid))
        if (isGarbage) expect(asked.has(metadata.uid as string), `seed ${seed}: ${metadata.uid}`).toBe(true)
      }
    }
  })
})
