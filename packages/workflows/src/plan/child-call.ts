import type { Call as CallSpec } from '../spec/template.ts'
import type { TemplateHolder } from '../spec/template-library.ts'
import type { NodeStatus } from '../spec/workflow.ts'
import { joinScopes, type Scope } from '../variables/scope.ts'
import { containsTags, replaceText, substitute } from '../variables/substitution.ts'
import { shouldExecute } from '../variables/when.ts'
import type { Attempt, Boundary, Call, Visit } from './call.ts'
import { resolveArguments } from './inputs.ts'
import { type Round, withItem } from './loop.ts'
import type { Run } from './run.ts'
import { faulted, nodeShape, visit } from './visit.ts'

/** The template whose steps or tasks are being visited. */
export interface Parent {
  readonly attempt: Attempt
  readonly boundary: Boundary
  readonly kind: 'steps' | 'tasks'
  /** What its steps and tasks can refer to. */
  readonly scope: Scope
}

/** Visits a step or task, or one round of it: `when` first, then the template that it calls. `attach` is called for a new node. */
export function visitChild(
  run: Run,
  parent: Parent,
  spec: CallSpec,
  round: Round | undefined,
  nodeName: string,
  path: string,
  attach: (node: NodeStatus) => void,
): Visit {
  const existing = run.named(nodeName)
  const scope = withItem(parent.scope, round?.item)
  const outer = parent.attempt.call.around
  const call: Call = {
    nodeName,
    holder: holderOf(spec),
    context: parent.attempt.inside,
    arguments: () => resolveArguments(run, spec.arguments, scope, `${path}.arguments`),
    around: outer === undefined ? scope : joinScopes(scope, outer),
    boundary: parent.boundary,
    isExit: parent.attempt.call.isExit,
    flag: undefined,
    step: { kind: parent.kind, name: round?.name ?? spec.name, base: spec.name },
    depth: parent.attempt.call.depth + 1,
  }
  if (existing !== undefined) return visit(run, { ...call, holder: knownHolder(existing, call.holder) })
  if (run.isFrozen) return {}
  const visited = visitNew(run, call, spec, scope, path)
  if (visited.node !== undefined) attach(visited.node)
  return visited
}

function visitNew(run: Run, call: Call, spec: CallSpec, scope: Scope, path: string): Visit {
  try {
    const when =
      spec.when === undefined ? undefined : replaceText(spec.when, scope, { ...run.env, path: `${path}.when` })
    if (!shouldExecute(when, `${path}.when`)) {
      const message = `when '${when}' evaluated false`
      return { node: run.create({ ...nodeShape(call), type: 'Skipped', phase: 'Skipped', message }) }
    }
    return visit(run, { ...call, holder: namedHolder(run, call.holder, scope, path) })
  } catch (error) {
    return faulted(run, call.nodeName, call, undefined, error)
  }
}

const holders = new WeakMap<CallSpec, TemplateHolder>()

function holderOf(spec: CallSpec): TemplateHolder {
  let holder = holders.get(spec)
  if (holder === undefined) {
    const { template, templateRef, inline } = spec
    holder = {
      ...(template === undefined || template === '' ? {} : { template }),
      ...(templateRef === undefined || templateRef === null ? {} : { templateRef }),
      ...(inline === undefined || inline === null ? {} : { inline }),
    }
    holders.set(spec, holder)
  }
  return holder
}

/** What is called, with the variables in its names put in. Throws VariableError. */
export function namedHolder(run: Run, holder: TemplateHolder, scope: Scope, path: string): TemplateHolder {
  if (!containsTags(holder)) return holder
  const { inline, ...names } = holder
  return { ...substitute(names, scope, { ...run.env, path }), ...(inline === undefined ? {} : { inline }) }
}

/** Names with variables in them are looked up as they were when the node was made. */
export function knownHolder(node: NodeStatus, holder: TemplateHolder): TemplateHolder {
  if (holder.inline !== undefined || !containsTags(holder)) return holder
  return {
    ...(node.templateName === undefined ? {} : { template: node.templateName }),
    ...(node.templateRef === undefined ? {} : { templateRef: node.templateRef }),
  }
}
