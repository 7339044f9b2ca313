import type { Parameter } from '../spec/workflow.ts'

/** The text of a value in a manifest: numbers and booleans count as what they look like, lists and objects as nothing, as
 *  upstream has it. Undefined: there is none. */
export function textOf(value: Parameter['value']): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number') return decimal(value)
  return typeof value === 'object' ? '' : String(value)
}

/** All digits, however large or small the number is. */
function decimal(value: number): string {
  const match = /^(-?)(\d)\.?(\d*)e([+-]\d+)$/.exec(String(value))
  if (match === null) return String(value)
  const [, sign = '', whole = '', fraction = '', power = ''] = match
  const point = 1 + Number(power)
  const digits = whole + fraction
  return sign + (point > 0 ? digits.padEnd(point, '0') : `0.${'0'.repeat(-point)}${digits}`)
}

/** A list of parameters as `workflow.parameters` and `inputs.parameters` show it. */
export function parametersJson(parameters: readonly Parameter[] | undefined): string {
  return JSON.stringify((parameters ?? []).map(parameter => withTexts(parameter)))
}

function withTexts({ name, default: fallback, value, ...rest }: Parameter): Record<string, unknown> {
  return {
    name,
    ...(fallback === undefined || fallback === null ? {} : { default: textOf(fallback) }),
    ...(value === undefined || value === null ? {} : { value: textOf(value) }),
    ...rest,
  }
}
