import { UsageFailure } from '../arguments.ts'
import { type Flags, listOf } from '../command.ts'

/** What `-p name=value` gives; undefined when nothing is given. */
export function parametersOf(flags: Flags): Record<string, string> | undefined {
  const given = listOf(flags, 'parameter')
  if (given.length === 0) return undefined
  return Object.fromEntries(
    given.map(text => {
      const at = text.indexOf('=')
      if (at <= 0) throw new UsageFailure(`-p cannot be ${JSON.stringify(text)}`, 'It looks like -p name=value')
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}
