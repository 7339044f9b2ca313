import type { NodeStatus, Outputs, Parameter } from '../spec/workflow.ts'
import { durationOf } from '../variables/duration-text.ts'
import { textOf } from '../variables/parameter-text.ts'
import { replaceText, VariableError } from '../variables/substitution.ts'
import type { Attempt } from './call.ts'
import type { Resume } from './observed.ts'
import { exportGlobals } from './outputs.ts'
import { NodeFault, type Run } from './run.ts'
import { deadlineMessage, isPastDeadline, mayExecute, stoppedMessage } from './stop.ts'
import { nodeShape } from './visit.ts'

/** Waits for a person, or for a time to pass. */
export function visitSuspend(run: Run, attempt: Attempt): NodeStatus {
  const { call, inputs } = attempt
  const outputs = suppliedOutputs(attempt)
  let node =
    attempt.node ??
    run.create({
      ...nodeShape(call),
      name: attempt.nodeName,
      type: 'Suspend',
      phase: 'Running',
      nodeFlag: attempt.flag,
      memoizationStatus: attempt.memo,
      inputs: inputs !== undefined && Object.keys(inputs).length > 0 ? inputs : undefined,
      outputs,
    })
  if (node.phase === 'Pending')
    node = run.update(node, { phase: 'Running', ...(outputs === undefined ? {} : { outputs }) })
  if (!mayExecute(run, call.isExit)) return run.mark(node, 'Failed', stoppedMessage(run))
  if (isPastDeadline(run, call.isExit)) return run.mark(node, 'Failed', deadlineMessage)
  const resume = run.observed.resumes?.[node.id]
  if (resume !== undefined) return resumed(run, node, resume)
  const end = endOf(run, attempt, node)
  if (end === undefined) return node
  if (run.now >= end) return expired(run, node)
  run.wake(end)
  return node
}

function endOf(run: Run, { template, scope }: Attempt, node: NodeStatus): number | undefined {
  const duration = template.suspend?.duration
  if (duration === undefined || duration === '') return undefined
  const path = `templates.${template.name ?? ''}.suspend.duration`
  try {
    return Date.parse(node.startedAt ?? '') + durationOf(replaceText(String(duration), scope, { ...run.env, path }))
  } catch (error) {
    if (error instanceof VariableError) throw error
    throw new NodeFault(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The outputs that a person has to give. An input of the same name says what there is to choose from, as upstream has it. */
function suppliedOutputs({ template, inputs }: Attempt): Outputs | undefined {
  const parameters = (template.outputs?.parameters ?? []).filter(({ valueFrom }) => valueFrom?.supplied !== undefined)
  if (parameters.length === 0) return undefined
  return {
    parameters: parameters.map(parameter => {
      const input = inputs?.parameters?.find(({ name }) => name === parameter.name)
      if (input === undefined) return parameter
      const choice = parameter.enum ?? listedIn(input) ?? input.enum
      const description = parameter.description ?? input.description
      const fallback = parameter.valueFrom?.default ?? input.default
      return {
        ...parameter,
        ...(choice === undefined ? {} : { enum: choice }),
        ...(description === undefined ? {} : { description }),
        ...(fallback === undefined ? {} : { valueFrom: { ...parameter.valueFrom, default: fallback } }),
      }
    }),
  }
}

/** A step before may have made the list: the value of the input is then a JSON object with `enum`. */
function listedIn({ value }: Parameter): Parameter['enum'] {
  const text = textOf(value) ?? ''
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const { enum: list } = JSON.parse(text) as { enum?: unknown }
    return Array.isArray(list) && list.length > 0
      ? list.map(item => textOf(item as Parameter['value']) ?? '')
      : undefined
  } catch {
    return undefined // It is a value like any other.
  }
}

/** Nobody will supply any more what is missing now. */
function expired(run: Run, node: NodeStatus): NodeStatus {
  const missing = node.outputs?.parameters?.find(parameter => suppliedValue(parameter) === undefined)
  if (missing !== undefined)
    throw new NodeFault(`the output parameter ${missing.name} was not supplied in time and has no default`)
  return resumed(run, node, { phase: 'Succeeded' })
}

const suppliedValue = ({ value, valueFrom }: Parameter): string | undefined =>
  textOf(value) ?? textOf(valueFrom?.default)

function resumed(run: Run, node: NodeStatus, { phase, message, outputs: given = {} }: Resume): NodeStatus {
  const parameters: Parameter[] = []
  for (const parameter of node.outputs?.parameters ?? []) {
    const value = given[parameter.name] ?? suppliedValue(parameter)
    if (value === undefined && phase === 'Succeeded') {
      return run.mark(
        node,
        'Running',
        `cannot be resumed: the output parameter ${parameter.name} was not supplied and has no default`,
      )
    }
    const { valueFrom: _, ...rest } = parameter
    parameters.push(value === undefined ? parameter : { ...rest, value })
  }
  const done = run.update(node, {
    phase,
    message,
    ...(parameters.length === 0 ? {} : { outputs: { ...node.outputs, parameters } }),
  })
  exportGlobals(run, done.outputs)
  return done
}
