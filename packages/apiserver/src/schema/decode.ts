import { TerminalFailure } from '@tiphys/env'
import { goQuote, type NumberTexts } from '@tiphys/kube'
import { FatalReadError, planFor, Reading } from './decode-plan.ts'
import type { Json, JsonObject, Schema } from './schema.ts'

/** A body that does not fit its Go type. The message is what Go's decoder says, without the server's prefix. */
export class DecodeFailure extends TerminalFailure {
  constructor(what: string) {
    super('apiserver-decode', { what })
  }
}

export interface Decoded {
  /** The object as the server would write it back. */
  value: JsonObject
  /** The paths of unknown fields (`spec.foo`), in the order of the document, each once, at most 100. */
  unknownFields: string[]
  /** The same as the server says it: `unknown field "spec.foo"`. */
  strictErrors: string[]
}

/** Reads an object of a built-in kind as the server's typed decoder does, and gives back what encoding it again would:
 *  unknown fields, nulls and empty optional values are gone, fields that are always written are there, quantities and
 *  times have their canonical form. The object given is used up: the answer shares its parts.
 *  Throws a `DecodeFailure` for values of the wrong type; `numberTexts` tells `1.0`, which is no integer to Go, from `1`. */
export function decode(
  value: Json,
  schema: Schema,
  fieldValidation: 'Strict' | 'Warn' | 'Ignore' = 'Strict',
  numberTexts?: NumberTexts,
): Decoded {
  const reading = new Reading(fieldValidation !== 'Ignore', numberTexts)
  const plan = planFor(schema)
  try {
    const decoded = plan.read(value, reading) as JsonObject
    if (reading.typeError !== undefined) throw new DecodeFailure(reading.typeError)
    const unknownFields = reading.unknownFields()
    return { value: decoded, unknownFields, strictErrors: unknownFields.map(path => `unknown field ${goQuote(path)}`) }
  } catch (thrown) {
    if (thrown instanceof FatalReadError) throw new DecodeFailure(thrown.message)
    throw thrown
  }
}
