import type { TemplateContext, TemplateHolder } from '../spec/template-library.ts'
import type { Inputs, NodeStatus, Template } from '../spec/workflow.ts'
import type { Scope } from '../variables/scope.ts'
import type { ResolvedArguments } from './inputs.ts'

/** The steps or dag node that a node is inside of. */
export interface Boundary {
  readonly id: string
  readonly template: Template
  /** Where what is inside is not to run: an attempt before has failed there. */
  readonly avoidedHosts: readonly string[]
}

/** A place where a template is called: by a step, a task, a hook, or as the entrypoint. */
export interface Call {
  readonly nodeName: string
  readonly holder: TemplateHolder
  /** Where the called template is looked up. */
  readonly context: TemplateContext
  /** Asked for once, before the node is there. Undefined: something has to be read first. */
  arguments(): ResolvedArguments | undefined
  /** What can be referred to where it is called, and further out: the volumes of the Workflow are written for all places. */
  readonly around?: Scope
  readonly boundary: Boundary | undefined
  /** Part of an exit handler: it runs although the workflow is being stopped, and beyond its deadline. */
  readonly isExit: boolean
  readonly flag: NodeStatus['nodeFlag']
  /** The step or task that calls: `name` has the item of a loop in it, `base` has not. */
  readonly step: { readonly kind: 'steps' | 'tasks'; readonly name: string; readonly base: string } | undefined
  readonly depth: number
}

/** What came of a visit. No node: it has to wait for room, or for something to be read. */
export interface Visit {
  readonly node?: NodeStatus
}

/** One try at a node: the node itself, or an attempt of its retry node. */
export interface Attempt {
  readonly call: Call
  readonly nodeName: string
  readonly node: NodeStatus | undefined
  readonly template: Template
  /** Where the template's own calls are looked up. */
  readonly inside: TemplateContext
  readonly inputs: Inputs | undefined
  /** Inputs, local and global variables. */
  readonly scope: Scope
  readonly flag: NodeStatus['nodeFlag']
  readonly memo: NodeStatus['memoizationStatus']
  /** When a retry's maxDuration is over. */
  readonly executionDeadline: number | undefined
  /** Where it is not to run: an attempt before has failed there. */
  readonly avoidedHosts: readonly string[]
}
