import { asError, Failure } from '@tiphys/env'
import { invalidTrigger } from './trigger-failures.ts'

/** Does something with parameters and templates; what cannot be carried out is a failure that says so. */
export function evaluated<T>(what: string, call: () => T): T {
  try {
    return call()
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown
    throw invalidTrigger(what, { why: asError(thrown).message, cause: thrown })
  }
}
