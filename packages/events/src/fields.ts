/** What a manifest says, read without trusting its form: what is something else than it should be is taken for nothing. */
export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
