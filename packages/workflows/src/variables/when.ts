import { compileGovaluate, GovaluateError } from '@tiphys/expressions/govaluate'

/** The condition is none; the message says why. */
export class WhenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'WhenError'
  }
}

/** Whether a `when`, whose variables have been put in, lets its step run. Bare words are texts: `main == main`. Throws
 *  WhenError, which names the path where one is given. */
export function shouldExecute(when: string | undefined, path = ''): boolean {
  if (when === undefined || when === '') return true
  const place = path === '' ? '' : `${path}: `
  const result = evaluated(when, place)
  if (typeof result !== 'boolean') {
    throw new WhenError(`${place}Expected boolean evaluation for '${when}'. Got ${String(result)}`)
  }
  return result
}

function evaluated(when: string, place: string): unknown {
  try {
    const expression = compileGovaluate(when)
    return expression.evaluate(Object.fromEntries(expression.variables.map(name => [name, name])))
  } catch (error) {
    if (!(error instanceof GovaluateError)) throw error
    const hint = error.message.includes('Invalid token') ? ' (hint: put the text in quotes)' : ''
    throw new WhenError(`${place}Invalid 'when' expression '${when}': ${error.message}${hint}`, { cause: error })
  }
}
