import type { Json } from './http.ts'

/** What was asked, and what the server answered. A golden file holds these after normalisation. */
export interface Step {
  request: string
  status: number
  headers?: Record<string, string>
  body?: Json
  /** What a watch delivered, in order. */
  events?: Json[]
}

/** One place where two transcripts of the same scenario do not agree. */
export interface Disagreement {
  /** `3 body.metadata.name`: the step, counted from 1, and the way to the value. */
  path: string
  request: string
  expected: Json | undefined
  actual: Json | undefined
}

export function compareTranscripts(expected: Step[], actual: Step[]): Disagreement[] {
  const found: Disagreement[] = []
  for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
    found.push(...compareSteps(index, expected[index], actual[index]))
    // The requests of a scenario follow from earlier answers: after the first one that differs nothing is comparable.
    if (expected[index]?.request !== actual[index]?.request) return found
  }
  return found
}

/** The same of one step, counted from 0. */
export function compareSteps(index: number, wanted: Step | undefined, got: Step | undefined): Disagreement[] {
  const found: Disagreement[] = []
  const request = wanted?.request ?? got?.request ?? ''
  const report = (path: string, left: Json | undefined, right: Json | undefined) => {
    found.push({ path: `${index + 1} ${path}`, request, expected: left, actual: right })
  }
  if (wanted === undefined || got === undefined || wanted.request !== got.request) {
    report('request', wanted?.request, got?.request)
    return found
  }
  compareValues('status', wanted.status, got.status, report)
  compareValues('headers', wanted.headers, got.headers, report)
  compareValues('body', wanted.body, got.body, report)
  compareValues('events', wanted.events, got.events, report)
  return found
}

type Report = (path: string, expected: Json | undefined, actual: Json | undefined) => void

function compareValues(path: string, expected: Json | undefined, actual: Json | undefined, report: Report): void {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [index, value] of expected.entries()) compareValues(`${path}.${index}`, value, actual[index], report)
  } else if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compareValues(`${path}.${key}`, own(expected, key), own(actual, key), report)
    }
  } else if (JSON.stringify(expected) !== JSON.stringify(actual)) {
    report(path, expected, actual)
  }
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value in words: text as it is, anything else as JSON. */
export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function own(object: { [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** For the person who reads a failed run. */
export function describeDisagreements(
  disagreements: Disagreement[],
  [expectedName, actualName]: [string, string],
): string {
  const shown = disagreements.slice(0, 25).map(({ path, request, expected, actual }) => {
    return `step ${path}  (${request})\n    ${expectedName}: ${show(expected)}\n    ${actualName}: ${show(actual)}`
  })
  if (disagreements.length > shown.length) shown.push(`… and ${disagreements.length - shown.length} more`)
  return shown.join('\n')
}

function show(value: Json | undefined): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value)
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}
