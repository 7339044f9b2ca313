import { StatusError } from '../status-error.ts'

const LARGEST = 2n ** 64n - 1n

/** What is wrong with a resourceVersion as a request gives it; undefined when it is a number. */
export function revisionProblem(text: string): string | undefined {
  const isNumber = /^\d+$/.test(text)
  if (isNumber && BigInt(text) <= LARGEST) return undefined
  const quoted = JSON.stringify(text)
  const why = isNumber ? 'value out of range' : 'invalid syntax'
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`
}

/** The resourceVersion of a get or a watch as a number. */
export function readRevision(text: string): number {
  const problem = revisionProblem(text)
  if (problem !== undefined) throw new StatusError(500, '', problem)
  return Number(text)
}
