import type { Json } from '@tiphys/journal/records'

const LONGEST = 200

/** A value that a filter looked at, as it is recorded. `raw`: in JSON. */
export function recordedValue(raw: string): Json {
  let value: Json
  try {
    value = JSON.parse(raw) as Json
  } catch {
    value = raw
  }
  if (raw.length <= LONGEST) return value
  // Fields inside of it may have to be masked, of which a part of a text tells nothing.
  return typeof value === 'string' ? `${value.slice(0, LONGEST)}…` : `(${raw.length} characters)`
}
