import { problemOfExpression } from '../variables/expression.ts'
import { checkCount, ItemsError, itemsOfJson, TooManyItems } from '../variables/json-items.ts'
import { itemsOfSequence } from '../variables/sequence.ts'
import { hasTags } from '../variables/substitution.ts'
import { isGivenNothing } from './exit-hook.ts'
import { namesOf } from './given-arguments.ts'
import {
  CallNames,
  checkExpression,
  checkReferences,
  type KnownNames,
  Names,
  type VisibleCalls,
} from './known-names.ts'
import { GraphError, type TaskGraph, taskGraph, taskResults } from './task-graph.ts'
import type { TemplateCheck } from './template-check.ts'
import type { TemplateContext, TemplateHolder } from './template-library.ts'
import type { Call, DagTask, DagTemplate, Template, WorkflowStep } from './workflow.ts'

const namePattern = /^[a-zA-Z0-9][-a-zA-Z0-9_]*$/

/** Where the values of arguments do not come from. */
const foreignSources = ['path', 'jsonPath', 'jqFilter', 'parameter', 'expression', 'event'] as const

/** The steps or tasks of one template: what they call, what they give it, what they refer to. */
export class CallCheck {
  readonly #check: TemplateCheck
  readonly #template: Template
  readonly #context: TemplateContext
  readonly #names: Names
  readonly #path: string
  /** The group of each step that is behind. */
  readonly #order = new Map<string, number>()
  readonly #declared = new Map<string, () => ReturnType<VisibleCalls['outputs']>>()

  constructor(check: TemplateCheck, template: Template, context: TemplateContext, names: Names, path: string) {
    this.#check = check
    this.#template = template
    this.#context = context
    this.#names = names
    this.#path = path
  }

  steps(groups: readonly (readonly WorkflowStep[])[]): void {
    const { problems } = this.#check
    const seen = new Set<string>()
    if (groups.length === 0) problems.add(`${this.#path}.steps`, 'needs at least one group of steps')
    for (const [index, group] of groups.entries()) {
      const path = `${this.#path}.steps[${index}]`
      if (!Array.isArray(group)) {
        problems.add(path, 'is no list: steps are lists of steps that run side by side')
        continue
      }
      for (const [position, step] of group.entries()) {
        const place = `${path}[${position}]`
        if (!hasTags(step.name ?? '')) this.#name(step, seen, place)
        this.#remember(step)
        const names = this.#visible('steps', name => (this.#order.get(name) ?? index) < index)
        this.#call(step, names, place)
        this.#hooks(
          step,
          this.#visible('steps', name => name === step.name || (this.#order.get(name) ?? index) < index),
          place,
        )
      }
      for (const step of group) this.#order.set(step.name, index)
    }
    this.#outputs(this.#visible('steps', name => this.#order.has(name)))
  }

  dag(dag: DagTemplate): void {
    const path = `${this.#path}.dag`
    const seen = new Set<string>()
    const usesDepends = (dag.tasks ?? []).some(({ depends }) => depends !== undefined && depends !== '')
    for (const [index, task] of (dag.tasks ?? []).entries()) {
      const place = `${path}.tasks[${index}]`
      this.#name(task, seen, place)
      this.#depends(task, place, usesDepends, dag.tasks)
      this.#remember(task)
    }
    if (seen.size === 0) this.#check.problems.add(`${path}.tasks`, 'needs at least one task')
    const graph = this.#graph(dag, path)
    if (graph === undefined) return
    for (const [index, task] of (dag.tasks ?? []).entries()) {
      const place = `${path}.tasks[${index}]`
      const isBefore = (name: string) => isAncestor(graph, name, task.name)
      this.#call(task, this.#visible('tasks', isBefore), place)
      this.#hooks(
        task,
        this.#visible('tasks', name => name === task.name || isBefore(name)),
        place,
      )
    }
    this.#outputs(this.#visible('tasks', name => graph.tasks.has(name)))
  }

  /** Names that a step may use: those of the template, and of other steps that have ended by then. */
  #visible(kind: 'steps' | 'tasks', isVisible: (name: string) => boolean): CallNames {
    return new CallNames(this.#names, kind, { isVisible, outputs: name => this.#declared.get(name)?.() })
  }

  #remember(spec: Call): void {
    this.#declared.set(spec.name, () => {
      const template = this.#known(spec)
      if (template === undefined) return undefined
      const named = (items: readonly { name: string }[] | undefined) => new Set((items ?? []).map(({ name }) => name))
      return { parameters: named(template.outputs?.parameters), artifacts: named(template.outputs?.artifacts) }
    })
  }

  #name({ name }: Call, seen: Set<string>, path: string): void {
    const { problems } = this.#check
    if (typeof name !== 'string' || name === '') problems.add(`${path}.name`, 'is required')
    else if (!namePattern.test(name)) problems.add(`${path}.name`, `${name} may have letters, digits, - and _ only`)
    else if (seen.has(name)) problems.add(`${path}.name`, `there is another one named ${name}`)
    seen.add(name)
  }

  #call(spec: Call, outer: KnownNames, path: string): void {
    const { problems } = this.#check
    const holder = holderOf(spec)
    const ways = Object.keys(holder)
    if (loopsOf(spec).length > 1) problems.add(path, 'has more than one of withItems, withParam and withSequence')
    else this.#loop(spec, path)
    const names = withItemNames(spec, outer)
    const { hooks: _, onExit: _exit, inline: _inline, withItems, withParam, withSequence, ...rest } = spec
    checkReferences(rest, names, path, problems)
    checkReferences({ withItems, withParam, withSequence }, outer, path, problems)
    this.#artifacts(spec, names, path)
    if (ways.length !== 1) {
      problems.add(
        path,
        ways.length === 0
          ? 'calls nothing; set template, templateRef or inline'
          : `has ${ways.join(' and ')}; set one of them`,
      )
      return
    }
    const { parameters = [], artifacts = [] } = spec.arguments ?? {}
    for (const [index, { name, value, valueFrom }] of parameters.entries()) {
      const place = `${path}.arguments.parameters[${index}]`
      if ((value ?? valueFrom) === undefined) problems.add(place, `${name} has no value`)
      for (const source of foreignSources.filter(field => valueFrom?.[field] !== undefined))
        problems.add(
          `${place}.valueFrom.${source}`,
          `is for ${source === 'event' ? 'WorkflowEventBindings' : 'outputs'}; write a value with {{…}} or {{=…}}`,
        )
    }
    this.#check.call(
      holder,
      this.#context,
      new Set(parameters.map(({ name }) => name)),
      new Set(artifacts.map(({ name }) => name)),
      path,
    )
  }

  /** How many items a loop has is known before it runs where no variables are in it. What else is wrong with them is told by the run, as
   *  upstream does, and so is all of it where a `when` may leave the step out. */
  #loop({ withItems, withParam = '', withSequence, when = '' }: Call, path: string): void {
    const { problems } = this.#check
    const { count, end } = withSequence ?? {}
    if (count !== undefined && end !== undefined)
      problems.add(`${path}.withSequence`, 'has both count and end; set one of them')
    if (when !== '') return
    const limit = (field: string, items: () => unknown) => {
      try {
        items()
      } catch (error) {
        if (error instanceof TooManyItems) problems.add(`${path}.${field}`, error.message)
        else if (!(error instanceof ItemsError)) throw error
      }
    }
    if (withItems !== undefined) limit('withItems', () => checkCount(withItems.length))
    if (withParam !== '' && !hasTags(withParam)) limit('withParam', () => itemsOfJson(withParam))
    if (withSequence !== undefined && !hasTags(JSON.stringify(withSequence)))
      limit('withSequence', () => itemsOfSequence(withSequence))
  }

  #artifacts({ arguments: args }: Call, names: KnownNames, path: string): void {
    for (const [index, { from, fromExpression }] of (args?.artifacts ?? []).entries()) {
      const place = `${path}.arguments.artifacts[${index}]`
      checkExpression(fromExpression, names, `${place}.fromExpression`, this.#check.problems)
      const name = from?.replace(/^\{\{|\}\}$/g, '').trim()
      if (name !== undefined && !hasTags(name) && names.has(name) === false)
        this.#check.problems.add(`${place}.from`, `failed to resolve ${from}`)
    }
  }

  #hooks(spec: Call, outer: KnownNames, path: string): void {
    const names = withItemNames(spec, outer)
    const { given } = this.#check
    checkReferences(spec.onExit, names, `${path}.onExit`, this.#check.problems)
    if (spec.onExit !== undefined && spec.onExit !== '')
      this.#check.call({ template: spec.onExit }, this.#context, given.parameters, given.artifacts, `${path}.onExit`)
    for (const [name, hook] of Object.entries(spec.hooks ?? {})) {
      const place = `${path}.hooks.${name}`
      if (name !== 'exit' && (hook.expression ?? '') === '') this.#check.problems.add(place, 'needs an expression')
      const { expression, ...call } = hook
      checkExpression(expression, names, `${place}.expression`, this.#check.problems)
      checkReferences(call, names, place, this.#check.problems)
      const { parameters, artifacts } = name === 'exit' && isGivenNothing(hook) ? given : namesOf(hook.arguments)
      this.#check.call(holderOf(hook), this.#context, parameters, artifacts, place)
    }
  }

  #known(spec: Call): Template | undefined {
    const holder = holderOf(spec)
    if (Object.keys(holder).length !== 1 || JSON.stringify(holder.templateRef ?? holder.template ?? '').includes('{{'))
      return undefined
    return this.#check.call(holder, this.#context, undefined, undefined, this.#path)
  }

  /** As upstream has it, a dag speaks one language: where one task has `depends`, none has what it replaces. */
  #depends(
    { depends = '', dependencies, continueOn }: DagTask,
    path: string,
    usesDepends: boolean,
    tasks: readonly DagTask[],
  ): void {
    const { problems } = this.#check
    if (!usesDepends) return
    if (dependencies !== undefined && dependencies.length > 0)
      problems.add(
        depends === '' ? `${path}.dependencies` : path,
        depends === ''
          ? 'cannot be set in a dag of which another task has depends; say depends here, too'
          : 'has both depends and dependencies; set one of them',
      )
    if (continueOn !== undefined)
      problems.add(
        `${path}.continueOn`,
        depends === ''
          ? 'cannot be set in a dag that uses depends; say A.Failed || A.Errored in the depends of the tasks that follow'
          : 'cannot be set beside depends; say A.Failed || A.Errored there',
      )
    for (const [, task, result] of depends.matchAll(/([a-zA-Z0-9][-\w]*?)\.([A-Z][a-zA-Z]+)/g)) {
      if (!(taskResults as readonly string[]).includes(result ?? ''))
        problems.add(`${path}.depends`, `${task}.${result}: ${result} is not one of ${taskResults.join(', ')}`)
      const asked = tasks.find(({ name }) => name === task)
      if ((result === 'AnySucceeded' || result === 'AllFailed') && asked !== undefined && !isLoop(asked))
        problems.add(`${path}.depends`, `${task}.${result}: ${task} has no items; ${result} is for loops`)
    }
  }

  /** The order of the tasks. Undefined when there is none. */
  #graph(dag: DagTemplate, path: string): TaskGraph | undefined {
    const { problems } = this.#check
    try {
      const graph = taskGraph(dag, path, hasTags(dag.target ?? '') ? '' : dag.target)
      for (const { spec, depends, index } of graph.tasks.values()) {
        if (depends !== undefined) this.#expression(depends, spec.depends ?? '', `${path}.tasks[${index}].depends`)
      }
      return graph
    } catch (error) {
      if (!(error instanceof GraphError)) throw error
      problems.add(
        path,
        error.message.startsWith(path) ? error.message.slice(path.length).replace(/^[:.\s]+/, '') : error.message,
      )
      return undefined
    }
  }

  #expression(source: string, written: string, path: string): void {
    const problem = problemOfExpression(source)
    if (problem !== undefined) this.#check.problems.add(path, `${written} is no expression: ${problem}`)
  }

  #outputs(names: KnownNames): void {
    checkReferences(this.#template.outputs, names, `${this.#path}.outputs`, this.#check.problems)
    for (const [index, { valueFrom, value, name }] of (this.#template.outputs?.parameters ?? []).entries()) {
      const path = `${this.#path}.outputs.parameters[${index}]`
      const { parameter, expression, default: fallback } = valueFrom ?? {}
      checkExpression(expression, names, `${path}.valueFrom.expression`, this.#check.problems)
      if ((parameter ?? expression ?? fallback ?? value) === undefined) {
        this.#check.problems.add(path, `${name} needs a valueFrom.parameter or valueFrom.expression`)
      }
      const reference = parameter?.replace(/^\{\{|\}\}$/g, '').trim()
      if (reference !== undefined && reference !== '' && !hasTags(reference) && names.has(reference) === false) {
        this.#check.problems.add(`${path}.valueFrom.parameter`, `failed to resolve ${parameter}`)
      }
    }
  }
}

const loopsOf = ({ withItems, withParam, withSequence }: Call) =>
  [withItems, withParam, withSequence].filter(way => way !== undefined)

const isLoop = (spec: Call) => loopsOf(spec).length > 0

/** What a step may name, with the item of its loop. */
const withItemNames = (spec: Call, outer: KnownNames): KnownNames =>
  isLoop(spec) ? new Names(outer).add('item').addAll('item.') : outer

/** Whether one task runs before another. Those next to it are most often asked for. */
function isAncestor(graph: TaskGraph, name: string, of: string): boolean {
  const seen = new Set<string>([of])
  for (const current of seen) {
    const dependencies = graph.tasks.get(current)?.dependencies ?? []
    if (dependencies.includes(name)) return true
    for (const dependency of dependencies) seen.add(dependency)
  }
  return false
}

function holderOf({ template, templateRef, inline }: TemplateHolder): TemplateHolder {
  return {
    ...(template === undefined || template === '' ? {} : { template }),
    ...(templateRef === undefined || templateRef === null ? {} : { templateRef }),
    ...(inline === undefined || inline === null ? {} : { inline }),
  }
}
