import { parseLabelSelector } from '@tiphys/kube'
import type { Problem } from '../problem.ts'

/** What an argoWorkflow trigger does with a Workflow. */
export const WORKFLOW_OPERATIONS = [
  'submit',
  'submit-from',
  'resubmit',
  'resume',
  'retry',
  'suspend',
  'terminate',
  'stop',
] as const
export type WorkflowOperation = (typeof WORKFLOW_OPERATIONS)[number]

/** `args` of an argoWorkflow trigger, understood. Upstream hands them to the `argo` command. */
export interface ArgoArguments {
  parameters?: Record<string, string>
  name?: string
  generateName?: string
  labels?: Record<string, string>
  serviceAccountName?: string
  entrypoint?: string
  priority?: number
  memoized?: boolean
  nodeFieldSelector?: string
  restartSuccessful?: boolean
  message?: string
}

interface Flag {
  names: readonly string[]
  /** Left out: it stands alone. */
  takesValue?: boolean
  operations: readonly WorkflowOperation[]
  /** Operations for which it only changes what the `argo` command prints. */
  printing?: readonly WorkflowOperation[]
  /** Says what is wrong with the value. */
  set(to: ArgoArguments, value: string): string | undefined
}

const MAKING = ['submit', 'submit-from', 'resubmit'] as const satisfies readonly WorkflowOperation[]

/** Sets a field to a text. */
const text =
  (field: 'name' | 'generateName' | 'serviceAccountName' | 'entrypoint' | 'message' | 'nodeFieldSelector') =>
  (to: ArgoArguments, value: string): undefined => {
    to[field] = value
  }

const FLAGS: readonly Flag[] = [
  {
    names: ['-p', '--parameter'],
    takesValue: true,
    operations: [...MAKING, 'retry'],
    set(to, value) {
      const at = value.indexOf('=')
      if (at < 1) return `expected a parameter of the form NAME=VALUE, not ${JSON.stringify(value)}`
      to.parameters = own({ ...to.parameters }, value.slice(0, at), value.slice(at + 1))
      return undefined
    },
  },
  {
    names: ['-l', '--labels'],
    takesValue: true,
    operations: MAKING,
    set(to, value) {
      for (const pair of value.split(',')) {
        const at = pair.indexOf('=')
        if (at < 1) return `expected labels of the form NAME=VALUE,NAME=VALUE, not ${JSON.stringify(value)}`
        to.labels = own({ ...to.labels }, pair.slice(0, at), pair.slice(at + 1))
      }
      return undefined
    },
  },
  {
    names: ['--priority'],
    takesValue: true,
    operations: MAKING,
    set(to, value) {
      if (!/^[+-]?\d{1,9}$/.test(value)) return `expected a whole number, not ${JSON.stringify(value)}`
      to.priority = Number(value)
      return undefined
    },
  },
  { names: ['--name'], takesValue: true, operations: MAKING, set: text('name') },
  { names: ['--generate-name'], takesValue: true, operations: MAKING, set: text('generateName') },
  { names: ['--serviceaccount'], takesValue: true, operations: MAKING, set: text('serviceAccountName') },
  { names: ['--entrypoint'], takesValue: true, operations: MAKING, set: text('entrypoint') },
  { names: ['--message'], takesValue: true, operations: ['stop'], set: text('message') },
  {
    names: ['--node-field-selector'],
    takesValue: true,
    operations: ['resume', 'retry', 'stop'],
    printing: MAKING,
    set(to, value) {
      try {
        parseLabelSelector(value)
      } catch {
        return `expected a selector like phase=abc, not ${JSON.stringify(value)}`
      }
      to.nodeFieldSelector = value
      return undefined
    },
  },
  {
    names: ['-o', '--output'],
    takesValue: true,
    operations: [],
    printing: [...MAKING, 'retry'],
    set: () => undefined,
  },
  {
    names: ['--memoized'],
    operations: ['resubmit'],
    set(to) {
      to.memoized = true
      return undefined
    },
  },
  {
    names: ['--restart-successful'],
    operations: ['retry'],
    set(to) {
      to.restartSuccessful = true
      return undefined
    },
  },
]

/** Reads the arguments that an operation knows, in the spellings of the `argo` command: `--name x`, `--name=x`, `-p a=b`,
 *  `-pa=b`. The others are problems, each by its name: none is passed over in silence. Paths are relative to the trigger. */
export function readArguments(
  args: readonly string[],
  operation: WorkflowOperation,
): { arguments: ArgoArguments; problems: readonly Problem[] } {
  const found: ArgoArguments = {}
  const problems: Problem[] = []
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] as string
    const path = `args[${i}]`
    const error = (message: string) => problems.push({ path, message, severity: 'error' })
    const { name, value } = split(argument)
    const flag = FLAGS.find(({ names }) => names.includes(name))
    if (!flag) {
      error(`the argument ${JSON.stringify(name)} is not supported by Tiphys: ${supported(operation)}`)
      continue
    }
    const given = flag.takesValue ? (value ?? args[++i]) : ''
    if (given === undefined) error(`the argument ${name} needs a value`)
    else if (flag.printing?.includes(operation))
      problems.push({
        path,
        message: `the argument ${name} has no effect: it is about what the argo command prints`,
        severity: 'warning',
      })
    else if (!flag.operations.includes(operation))
      error(`the argument ${name} is not for the operation ${operation}: ${supported(operation)}`)
    else {
      const problem = flag.set(found, given)
      if (problem !== undefined) error(`${name}: ${problem}`)
    }
  }
  return { arguments: found, problems }
}

function split(argument: string): { name: string; value?: string } {
  const long = /^(--[^=]+)=([\s\S]*)$/.exec(argument)
  if (long) return { name: long[1] as string, value: long[2] as string }
  const short = /^(-[a-zA-Z])=?([\s\S]+)$/.exec(argument)
  return short ? { name: short[1] as string, value: short[2] as string } : { name: argument }
}

function supported(operation: WorkflowOperation): string {
  const names = FLAGS.filter(({ operations }) => operations.includes(operation)).map(({ names }) => names.at(-1))
  return names.length === 0 ? `${operation} takes no arguments` : `${operation} knows ${names.join(', ')}`
}

/** A field whatever it is called. */
function own(fields: Record<string, string>, name: string, value: string): Record<string, string> {
  return Object.fromEntries([...Object.entries(fields), [name, value]])
}
