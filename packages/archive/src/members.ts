/** A JSON object, of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>

export function isRecordOf(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member; what an object inherits is none of its data. */
export function member(value: unknown, name: string): unknown {
  return isRecordOf(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
