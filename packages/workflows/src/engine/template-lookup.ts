import { type Client, isForbidden, isNotFound, UnknownKindFailure } from '@tiphys/kube'
import type { TemplateSource } from '../plan/plan.ts'
import type { WorkflowTemplate } from '../spec/workflow.ts'
import { CLUSTER_WORKFLOW_TEMPLATE, WORKFLOW_TEMPLATE } from './engine-context.ts'
import type { ServedObjects } from './served-objects.ts'

type Kind = Parameters<TemplateSource['get']>[0]

export interface TemplateCaches {
  templates: Pick<ServedObjects<WorkflowTemplate>, 'get'>
  clusterTemplates: Pick<ServedObjects<WorkflowTemplate>, 'get'>
}

/** The templates that one run may see, for as long as it is planned. A Workflow and its templates are often made together and come by
 *  different streams: those that a cache does not have yet are asked for, so that no run fails for want of them. */
export class TemplateLookup implements TemplateSource {
  readonly #caches: TemplateCaches
  readonly #namespace: string
  readonly #missing = new Map<string, { kind: Kind; name: string }>()
  readonly #asked = new Set<string>()
  readonly #found = new Map<string, WorkflowTemplate>()

  constructor(caches: TemplateCaches, namespace: string) {
    this.#caches = caches
    this.#namespace = namespace
  }

  get(kind: Kind, name: string): WorkflowTemplate | undefined {
    const { templates, clusterTemplates } = this.#caches
    const key = `${kind}/${name}`
    const known = kind === 'WorkflowTemplate' ? templates.get(name, this.#namespace) : clusterTemplates.get(name)
    const template = known ?? this.#found.get(key)
    if (template === undefined && !this.#asked.has(key)) this.#missing.set(key, { kind, name })
    return template
  }

  /** Whether something was looked for in vain. */
  get isWanting(): boolean {
    return this.#missing.size > 0
  }

  /** Asks for what was looked for in vain, once. True: some of it is there, and what was planned without is to be planned again;
   *  what has come may refer to more. */
  async ask(client: Pick<Client, 'get'>): Promise<boolean> {
    const wanted = [...this.#missing]
    this.#missing.clear()
    const before = this.#found.size
    await Promise.all(
      wanted.map(async ([key, { kind, name }]) => {
        this.#asked.add(key)
        const template = await (kind === 'WorkflowTemplate'
          ? existing(client.get({ ...WORKFLOW_TEMPLATE, namespace: this.#namespace, name }))
          : existing(client.get({ ...CLUSTER_WORKFLOW_TEMPLATE, name })))
        if (template !== undefined) this.#found.set(key, template)
      }),
    )
    return this.#found.size > before
  }
}

/** Undefined also where nobody may ask, and where there is no such kind: the cache has nothing then, either. */
async function existing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (thrown) {
    if (isNotFound(thrown) || isForbidden(thrown) || thrown instanceof UnknownKindFailure) return undefined
    throw thrown
  }
}
