import { UsageFailure } from '../arguments.ts'
import { type Flags, textOf } from '../command.ts'

const FLAG = 'archive-mask'
const VARIABLE = 'TIPHYS_ARCHIVE_MASK'

/** The fields whose values are never stored in the history, beside those of Secrets: by a flag, else by the environment. */
export function maskedFields(flags: Flags, environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const flag = textOf(flags, FLAG)
  const text = flag ?? environment[VARIABLE] ?? ''
  const fields = text
    .split(',')
    .map(field => field.trim())
    .filter(field => field !== '')
  const wrong = fields.find(field => !/^[\w$/-]+(?:\.[\w$/-]+)*$/.test(field))
  if (wrong !== undefined)
    throw new UsageFailure(
      `${flag === undefined ? VARIABLE : `--${FLAG}`} cannot have ${JSON.stringify(wrong)}`,
      'It is names of fields with commas between them, or the ends of their paths: password,spec.auth.token',
    )
  return fields
}
