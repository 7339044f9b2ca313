import { RetryableFailure, TerminalFailure } from '@tiphys/env'
import { ApiError, ConnectionFailure } from '@tiphys/kube'
import { expect, it } from 'vitest'
import { apiFailure } from './trigger-failures.ts'

const answer = (code: number, message = 'words of the server', reason?: string) =>
  new ApiError({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    code,
    message,
    ...(reason !== undefined && { reason }),
  })

it.each([429, 500, 503, 504, 409])('tries again after %d', code => {
  const failure = apiFailure(answer(code), 'Cannot create it')
  expect(failure).toBeInstanceOf(RetryableFailure)
  expect(failure).toMatchObject({ message: 'Cannot create it: words of the server' })
})

it.each([400, 401, 403, 404, 405, 415, 422])('gives up after %d', code => {
  const failure = apiFailure(answer(code), 'Cannot create it')
  expect(failure).toBeInstanceOf(TerminalFailure)
  expect(failure).toMatchObject({ code: 'trigger-refused', message: 'Cannot create it: words of the server' })
})

it('tries again when the server was not reached', () => {
  const away = new ConnectionFailure('https://cluster', new Error('ECONNREFUSED'))
  expect(apiFailure(away, 'Cannot create it')).toBe(away)
})

it('names the permission that is missing, but not where a quota refuses', () => {
  const missing = 'pods is forbidden: User "u" cannot create resource "pods" in API group "" in the namespace "n"'
  expect(apiFailure(answer(403, missing, 'Forbidden'), 'Cannot create it')).toMatchObject({
    code: 'trigger-forbidden',
    todo: 'Give the Sensor\'s ServiceAccount a role with the verb create on resource "pods" in API group "" in the namespace "n"',
  })
  const quota = 'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
  expect(apiFailure(answer(403, quota, 'Forbidden'), 'Cannot create it')).toMatchObject({
    code: 'trigger-refused',
    why: quota,
  })
})
