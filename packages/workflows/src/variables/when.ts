import { compileGovaluate, GovaluateError } from '@tiphys/expressions/govaluate'

/** The condition is none; the message says why. */
export class WhenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'WhenError'
  }
}

/** Whether a `when`, whose variables have been put in, lets its step run. Bare words are texts: `main == main`. Throws
 *  WhenError. */
export function shouldExecute(when: string | undefined): boolean {
  if (when === undefined || when === '') return true
  const result = evaluated(when)
  if (typeof result !== 'boolean') {
    throw new WhenError(`Expected boolean evaluation for '${when}'. Got ${String(result)}`)
  }
  return result
}

function evaluated(when: string): unknown {
  try {
    const expression = compileGovaluate(when)
    return expression.evaluate(Object.fromEntries(expression.variables.map(name => [name, name])))
  } catch (error) {
    if (!(error instanceof GovaluateError)) throw error
    const hint = error.message.includes('Invalid token') ? ' (hint: put the text in quotes)' : ''
    throw new WhenError(`Invalid 'when' expression '${when}': ${error.message}${hint}`, { cause: error })
  }
}
