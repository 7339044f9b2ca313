import type { Template } from '../spec/workflow.ts'

const texts = new WeakMap<Template, string>()

/** Whether a template reads `outputs.result` of one of its steps: only then its log has to be kept as a value. */
export function usesResult(template: Template | undefined, kind: 'steps' | 'tasks', name: string): boolean {
  if (template === undefined) return false
  let text = texts.get(template)
  if (text === undefined)
    texts.set(template, (text = JSON.stringify(template).replaceAll('\\"', "'").replaceAll(/\s/g, '')))
  return text.includes(`${kind}.${name}.outputs.result`) || text.includes(`${kind}['${name}'].outputs.result`)
}
