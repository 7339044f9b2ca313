import type { Parameter } from '../spec/workflow.ts'

/** The text of a value in a manifest: numbers and booleans count as what they look like. Undefined: there is none. */
export function textOf(value: Parameter['value']): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : String(value)
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
