import { nearest } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import { type Flags, listOf } from '../command.ts'

/** What `-p name=value` gives; undefined when nothing is given. */
export function parametersOf(flags: Flags): Record<string, string> | undefined {
  const given = listOf(flags, 'parameter')
  if (given.length === 0) return undefined
  return Object.fromEntries(
    given.map(text => {
      const at = text.indexOf('=')
      if (at <= 0) throw new UsageFailure(`-p cannot be ${JSON.stringify(text)}`, 'It looks like -p name=value')
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

/** What is given to a Workflow that neither declares nor reads it: likely a slip of the pen. The engine takes it all the same. */
export function unknownParameters({ spec }: KubeObject, given: Readonly<Record<string, string>> = {}): string[] {
  const { arguments: { parameters = [] } = {}, workflowTemplateRef } = (spec ?? {}) as {
    arguments?: { parameters?: readonly { name: string }[] }
    workflowTemplateRef?: unknown
  }
  if (workflowTemplateRef !== undefined) return []
  const text = JSON.stringify(spec ?? {})
  const readsAll = /workflow\.parameters(?:\.json)?\s*\}\}/.test(text)
  const known = parameters.map(({ name }) => name)
  return Object.keys(given)
    .filter(name => !readsAll && !known.includes(name) && !isRead(text, name))
    .map(name => {
      const near = nearest(name, known)
      return `the workflow has no parameter ${JSON.stringify(name)}${near === undefined ? '' : `, did you mean ${near}?`}`
    })
}

const isRead = (text: string, name: string): boolean =>
  [...text.matchAll(/workflow\.parameters\.([\w-]+)/g)].some(([, read]) => read === name)
