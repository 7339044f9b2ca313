import { withDefaults } from './merge.ts'
import { withoutNulls } from './without-nulls.ts'
import type { Template, TemplateRef, WorkflowSpec, WorkflowTemplate } from './workflow.ts'

/** Where names of templates are looked up: in the Workflow itself, or in the template object that a templateRef led into. */
export interface TemplateContext {
  readonly scope: 'local' | 'namespaced' | 'cluster'
  readonly name: string
}

/** A call names a template, refers to one of another object, or has it inline. */
export interface TemplateHolder {
  template?: string
  templateRef?: TemplateRef
  inline?: Template
}

export interface Lookup {
  get(kind: 'WorkflowTemplate' | 'ClusterWorkflowTemplate', name: string): WorkflowTemplate | undefined
}

/** No such template; the message names it and its object. */
export class TemplateMissing extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TemplateMissing'
  }
}

export const scopeText = ({ scope, name }: TemplateContext) => `${scope}/${name}`

const indexes = new WeakMap<readonly Template[], Map<string, Template>>()

function templateNamed(templates: readonly Template[] | undefined, name: string): Template | undefined {
  if (templates === undefined) return undefined
  let index = indexes.get(templates)
  if (index === undefined) {
    index = new Map(templates.map(template => [template.name ?? '', template]))
    indexes.set(templates, index)
  }
  return index.get(name)
}

/** The templates that a run can call. What another object gave is kept under `SCOPE/OBJECT/TEMPLATE` from its first use on, so
 *  that a run ends with the templates it began with. */
export class TemplateLibrary {
  readonly local: TemplateContext
  /** Templates that were used for the first time and have to be stored. */
  readonly added: Record<string, Template> = {}
  readonly #spec: WorkflowSpec
  readonly #source: Lookup
  readonly #stored: Readonly<Record<string, Template>>

  constructor(name: string, spec: WorkflowSpec, source: Lookup, stored: Readonly<Record<string, Template>> = {}) {
    this.local = { scope: 'local', name }
    this.#spec = spec
    this.#source = source
    this.#stored = stored
  }

  /** The template, with templateDefaults, and the context of what it calls itself. Throws TemplateMissing. */
  resolve(holder: TemplateHolder, context: TemplateContext): { template: Template; context: TemplateContext } {
    const found = this.#find(holder, context)
    return { template: withDefaults(found.template, this.#spec.templateDefaults), context: found.context }
  }

  #find(holder: TemplateHolder, context: TemplateContext): { template: Template; context: TemplateContext } {
    const { inline, templateRef, template: name } = holder
    if (inline !== undefined) return { template: inline, context }
    if (templateRef !== undefined) {
      const { name: object = '', template = '', clusterScope = false } = templateRef
      const inside: TemplateContext = { scope: clusterScope ? 'cluster' : 'namespaced', name: object }
      return { template: this.#foreign(inside, template), context: inside }
    }
    if (name === undefined || name === '') throw new TemplateMissing('neither template, templateRef nor inline is set')
    if (context.scope !== 'local') return { template: this.#foreign(context, name), context }
    const template = templateNamed(this.#spec.templates, name)
    if (template === undefined) throw new TemplateMissing(`template ${name} is not in spec.templates`)
    return { template, context }
  }

  #foreign(context: TemplateContext, name: string): Template {
    const key = `${scopeText(context)}/${name}`
    const kept = this.#stored[key] ?? this.added[key]
    if (kept !== undefined) return kept
    const kind = context.scope === 'cluster' ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'
    const object = this.#source.get(kind, context.name)
    if (object === undefined)
      throw new TemplateMissing(`${kind} ${context.name} does not exist; its template ${name} is called here`)
    const template = templateNamed(withoutNulls(object.spec).templates, name)
    if (template === undefined) throw new TemplateMissing(`${kind} ${context.name} has no template ${name}`)
    this.added[key] = template
    return template
  }
}
