import type { NodeStatus } from '../spec/workflow.ts'
import { compact } from './json-items.ts'
import { textOf } from './parameter-text.ts'
import { type Value, Variables } from './scope.ts'

const known = new WeakMap<NodeStatus, Variables>()

/** What `steps.NAME.…` and `tasks.NAME.…` say of a node, by the names behind the prefix: `status`, `outputs.result`, … */
export function nodeVariables(node: NodeStatus): Variables {
  let variables = known.get(node)
  if (variables === undefined) {
    variables = new Variables(valuesOf(node))
    for (const artifact of node.outputs?.artifacts ?? []) {
      variables.setArtifact(`outputs.artifacts.${artifact.name}`, artifact)
    }
    known.set(node, variables)
  }
  return variables
}

function* valuesOf(node: NodeStatus): Generator<readonly [string, Value]> {
  yield ['id', node.id]
  if (node.startedAt) yield ['startedAt', node.startedAt]
  if (node.finishedAt) yield ['finishedAt', node.finishedAt]
  if (node.podIP !== undefined) yield ['ip', node.podIP]
  if (node.phase !== '') yield ['status', node.phase]
  if (node.hostNodeName !== undefined) yield ['hostNodeName', node.hostNodeName]
  const { outputs } = node
  if (outputs?.result !== undefined) yield ['outputs.result', outputs.result]
  if (outputs?.exitCode !== undefined) yield ['exitCode', outputs.exitCode]
  for (const parameter of outputs?.parameters ?? []) {
    const value = textOf(parameter.value)
    if (value !== undefined) yield [`outputs.parameters.${parameter.name}`, value]
  }
}

/** The outputs of the rounds of a loop together, as JSON lists in the order of the items. Only rounds that succeeded count. */
export function loopVariables(rounds: readonly NodeStatus[]): Variables {
  const results: string[] = []
  const maps: Record<string, string>[] = []
  const lists = new Map<string, string[]>()
  for (const { phase, outputs } of rounds) {
    if (phase !== 'Succeeded' || outputs === undefined) continue
    if (outputs.parameters !== undefined && outputs.parameters.length > 0) {
      const map: Record<string, string> = {}
      for (const parameter of outputs.parameters) {
        const value = textOf(parameter.value) ?? ''
        map[parameter.name] = value
        const list = lists.get(parameter.name)
        if (list === undefined) lists.set(parameter.name, [value])
        else list.push(value)
      }
      maps.push(map)
    }
    if (outputs.result !== undefined) results.push(jsonOrText(outputs.result))
  }
  const variables = new Variables([
    ['outputs.result', `[${results.join(',')}]`],
    ['outputs.parameters', JSON.stringify(maps)],
  ])
  for (const [name, list] of lists) variables.set(`outputs.parameters.${name}`, joined(list))
  return variables
}

/** Lists and objects are joined as such, everything else as texts. */
function joined(values: readonly string[]): string {
  const areAllNested = values.every(text => /^\s*[[{]/.test(text) && isJson(text))
  return areAllNested ? `[${values.map(compact).join(',')}]` : JSON.stringify(values)
}

/** A round's result counts as what it looks like, as upstream has it; text that is no JSON stays text. */
const jsonOrText = (result: string): string => (isJson(result) ? compact(result) : JSON.stringify(result))

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // It is joined as a text.
    return false
  }
}
