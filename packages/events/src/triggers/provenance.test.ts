import { expect, it } from 'vitest'
import { doneNote, generatedName } from './provenance.ts'

const KEY = '0123456789abcdef0123456789abcdef'
const host = { sensor: { namespace: 'default', name: 's', uid: 'u' }, trigger: 't' }
const object = (annotations: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { annotations },
})

it('gives an action the same name every time, and another for every salt', () => {
  expect(generatedName('web-', KEY, 0)).toBe('web-0123456789')
  const salted = [1, 2].map(salt => generatedName('web-', KEY, salt))
  expect(new Set(['web-0123456789', ...salted]).size).toBe(3)
  expect([1, 2].map(salt => generatedName('web-', KEY, salt))).toEqual(salted)
})

it('remembers which actions are done, but not more than could come again', () => {
  let annotations: Record<string, string> = {}
  for (let i = 0; i < 100; i++) {
    const { isDone, annotation, value } = doneNote(object(annotations), {
      ...host,
      actionKey: String(i).padStart(32, '0').split('').reverse().join(''),
    })
    expect(isDone).toBe(false)
    annotations = { [annotation]: value }
  }
  const isDone = (i: number) =>
    doneNote(object(annotations), { ...host, actionKey: String(i).padStart(32, '0').split('').reverse().join('') })
      .isDone
  expect([isDone(99), isDone(36), isDone(35)]).toEqual([true, true, false])
  expect(Object.values(annotations)[0]?.length).toBeLessThan(1200)
})

it('keeps the notes of triggers apart', () => {
  const names = ['t', 'other'].map(trigger => doneNote(object({}), { ...host, trigger, actionKey: KEY }).annotation)
  expect(names[0]).toMatch(/^done\.tiphys\.dev\/[0-9a-f]{10}$/)
  expect(names[0]).not.toBe(names[1])
})
