import { getJson } from '@tiphys/expressions/gjson'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { error, warning } from './finding.ts'

/** Where a text becomes a program. */
interface Program {
  path: string
  text: string
}

const SHELLS = /(?:^|\/)(?:ba|da|z|k|a)?sh$/

/** Texts of a Workflow's templates that are programs: scripts, and the arguments of a shell. */
function* programsOf(workflow: Fields, at: string): Iterable<Program> {
  for (const [i, item] of listOf(fieldsOf(workflow.spec).templates).entries()) {
    const { script, container } = fieldsOf(item)
    const path = `${at}spec.templates[${i}]`
    if (textOf(fieldsOf(script).source) !== '')
      yield { path: `${path}.script.source`, text: textOf(fieldsOf(script).source) }
    const { command, args } = fieldsOf(container)
    if (!isShell(fieldsOf(container))) continue
    for (const [name, list] of Object.entries({ command, args }))
      for (const [j, word] of listOf(list).entries())
        if (/\s/.test(textOf(word))) yield { path: `${path}.container.${name}[${j}]`, text: textOf(word) }
  }
}

/** A parameter that is pasted into a program is part of the program: who decides its value decides what runs. `fed` are the
 *  names of parameters that events decide. */
export function checkPrograms(workflow: Fields, at: string, fed: ReadonlySet<string> = new Set()): Problem[] {
  return [...programsOf(workflow, at)].flatMap(({ path, text }) => {
    const pasted = [...text.matchAll(/\{\{=?\s*(?:inputs|workflow)\.parameters\.([\w-]+)\s*\}\}/g)].map(
      ([, name = '']) => name,
    )
    const hostile = pasted.find(name => fed.has(name))
    const way = 'give it to the program as an environment variable or an argument instead'
    if (hostile !== undefined)
      return [
        error(
          path,
          `the parameter "${hostile}" comes from an event and is pasted into a program, so that an event can run commands: ${way}`,
        ),
      ]
    return pasted.length > 0
      ? [
          warning(
            path,
            `the parameter "${pasted[0]}" is pasted into a program, where quotes and $(…) in it are carried out: ${way}`,
          ),
        ]
      : []
  })
}

/** Whether a value that is set at a path of an object becomes a program, or a part of one. */
export function isProgramPath(dest: string, json: string): boolean {
  if (/(?:^|\.)script\.source$/.test(dest)) return true
  const [, container, field] = /^(.+)\.(command|args)(?:\.|$)/.exec(dest) ?? []
  if (
    container === undefined ||
    !/(?:^|\.)(?:container|containers\.[^.]+|initContainers\.[^.]+|sidecars\.[^.]+)$/.test(container)
  )
    return false
  return field === 'command' || isShell(fieldsOf(parseOr(getJson(json, container).raw)))
}

function isShell({ command, args }: Fields): boolean {
  const words = [...listOf(command), ...listOf(args)].map(textOf)
  return words.some(word => SHELLS.test(word)) && words.some(word => /^-\w*c$/.test(word))
}

function parseOr(raw: string): unknown {
  return raw === '' ? undefined : JSON.parse(raw)
}
