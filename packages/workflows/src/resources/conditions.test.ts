import { describe, expect, it } from 'vitest'
import { judge, parseConditions } from './conditions.ts'

const JOB = {
  metadata: { name: 'a', labels: { x: 'y' } },
  status: { succeeded: 2, phase: 'Done', conditions: [{ type: 'Ready', status: 'True' }] },
}
const verdict = (success?: string, failure?: string) => judge(parseConditions(success, failure), JOB)

describe('the conditions of a resource template', () => {
  it.each([
    ['status.succeeded > 1', 'succeeded'],
    ['status.succeeded > 2', 'waiting'],
    ['status.succeeded < 3, status.phase == Done', 'succeeded'],
    ['status.succeeded < 3, status.phase == Other', 'waiting'],
    ['status.phase in (Done, Over)', 'succeeded'],
    ['status.phase notin (Failed)', 'succeeded'],
    ['status.phase != Failed', 'succeeded'],
    ['status.conditions.0.type = Ready', 'succeeded'],
    ['status.missing', 'waiting'],
    ['!status.missing', 'succeeded'],
  ])('%s is %s', (condition, expected) => {
    expect(verdict(condition).verdict).toBe(expected)
  })

  it('fail when one of the failure condition holds, before anything else', () => {
    expect(verdict('status.succeeded > 1', 'status.phase == Done')).toEqual({
      verdict: 'failed',
      by: 'status.phase==Done',
    })
    expect(verdict('status.succeeded > 1', 'status.phase == Broken').verdict).toBe('succeeded')
  })

  it('that cannot be read are refused', () => {
    expect(() => parseConditions('status.phase ==== x', undefined)).toThrow()
  })
})
