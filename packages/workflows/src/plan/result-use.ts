import type { Template } from '../spec/workflow.ts'

const users = new WeakMap<Template, ReadonlySet<string>>()

const REFERENCE = /(steps|tasks)(?:\.([\w-]+)|\['([^']*)'\])\.outputs\.result/g

/** Whether a template reads `outputs.result` of one of its steps: only then its log has to be kept as a value. */
export function usesResult(template: Template | undefined, kind: 'steps' | 'tasks', name: string): boolean {
  if (template === undefined) return false
  let used = users.get(template)
  if (used === undefined) users.set(template, (used = referencesIn(template)))
  return used.has(`${kind}.${name}`) || used.has(`${kind}.{{`)
}

/** A name with a variable in it may be that of any step. */
const COMPUTED = /(steps|tasks)\.[\w-]*\{\{/g

/** `steps.NAME` and `tasks.NAME`, looked for once a template: it may have a thousand steps. */
function referencesIn(template: Template): ReadonlySet<string> {
  const text = JSON.stringify(template).replaceAll('\\"', "'").replaceAll(/\s/g, '')
  const named = Array.from(text.matchAll(REFERENCE), ([, kind, plain, quoted]) => `${kind}.${plain ?? quoted}`)
  return new Set([...named, ...Array.from(text.matchAll(COMPUTED), ([, kind]) => `${kind}.{{`)])
}
