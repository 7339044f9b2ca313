import { accumulatorName, type Expr } from './syntax-tree.ts'
import type { NodeFactory } from './tree-builder.ts'

/** A macro call that cannot be expanded; `at` is the argument to blame. */
export class MacroError extends Error {
  readonly at: Expr

  constructor(at: Expr, message: string) {
    super(message)
    this.at = at
  }
}

/** The expansion of a call, or undefined when the call is an ordinary one after all. */
export type Macro = (nodes: NodeFactory, args: Expr[], target: Expr | undefined) => Expr | undefined

/** Keyed by name, argument count and whether it is called on a receiver. */
export function macroKey(name: string, argCount: number, receiver: boolean): string {
  return `${name}:${argCount}:${receiver}`
}

type ReceiverMacro = (nodes: NodeFactory, target: Expr, args: Expr[]) => Expr | undefined

function receiver(name: string, argCount: number, expand: ReceiverMacro): [string, Macro] {
  return [macroKey(name, argCount, true), (nodes, args, target) => target && expand(nodes, target, args)]
}

function argument(args: Expr[], index: number): Expr {
  return args[index] as Expr
}

function variableName(expr: Expr, message: string): string {
  if (expr.kind !== 'ident') throw new MacroError(expr, message)
  return expr.name
}

function iterationVariable(expr: Expr, message: string): string {
  const name = variableName(expr, message)
  if (name === accumulatorName || name === '__result__') {
    throw new MacroError(expr, 'iteration variable overwrites accumulator variable')
  }
  return name
}

interface IterationVariables {
  iterVar: string
  iterVar2: string | undefined
  rest: Expr[]
}

function oneVariable(args: Expr[], message: string): IterationVariables {
  return { iterVar: iterationVariable(argument(args, 0), message), iterVar2: undefined, rest: args.slice(1) }
}

function twoVariables(args: Expr[]): IterationVariables {
  const [first, second] = [argument(args, 0), argument(args, 1)]
  const iterVar = variableName(first, 'argument must be a simple name')
  const iterVar2 = variableName(second, 'argument must be a simple name')
  if (iterVar === iterVar2) throw new MacroError(second, `duplicate variable name: ${iterVar}`)
  iterationVariable(first, '')
  iterationVariable(second, '')
  return { iterVar, iterVar2, rest: args.slice(2) }
}

function all(nodes: NodeFactory, range: Expr, { iterVar, iterVar2, rest }: IterationVariables): Expr {
  return nodes.fold({
    range,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init: nodes.literal(true),
    condition: nodes.call('@not_strictly_false', nodes.accumulator()),
    step: nodes.call('_&&_', nodes.accumulator(), argument(rest, 0)),
    result: nodes.accumulator(),
  })
}

function exists(nodes: NodeFactory, range: Expr, { iterVar, iterVar2, rest }: IterationVariables): Expr {
  return nodes.fold({
    range,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init: nodes.literal(false),
    condition: nodes.call('@not_strictly_false', nodes.call('!_', nodes.accumulator())),
    step: nodes.call('_||_', nodes.accumulator(), argument(rest, 0)),
    result: nodes.accumulator(),
  })
}

function existsOne(nodes: NodeFactory, range: Expr, { iterVar, iterVar2, rest }: IterationVariables): Expr {
  return nodes.fold({
    range,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init: nodes.literal(0n),
    condition: nodes.literal(true),
    step: nodes.call(
      '_?_:_',
      argument(rest, 0),
      nodes.call('_+_', nodes.accumulator(), nodes.literal(1n)),
      nodes.accumulator(),
    ),
    result: nodes.call('_==_', nodes.accumulator(), nodes.literal(1n)),
  })
}

/** Collects into a list or map: `collect` is the step for one element, skipped where `filter` is false. */
function collect(
  nodes: NodeFactory,
  range: Expr,
  { iterVar, iterVar2 }: IterationVariables,
  parts: { init: Expr; filter: Expr | undefined; step: Expr },
): Expr {
  const { init, filter, step } = parts
  return nodes.fold({
    range,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init,
    condition: nodes.literal(true),
    step: filter === undefined ? step : nodes.call('_?_:_', filter, step, nodes.accumulator()),
    result: nodes.accumulator(),
  })
}

/** The filter, when there is one, comes before the transformation. */
function filterAndTransform(rest: Expr[]): { filter: Expr | undefined; transform: Expr } {
  return rest.length === 2
    ? { filter: argument(rest, 0), transform: argument(rest, 1) }
    : { filter: undefined, transform: argument(rest, 0) }
}

function transformList(nodes: NodeFactory, range: Expr, variables: IterationVariables): Expr {
  const { filter, transform } = filterAndTransform(variables.rest)
  const init = nodes.list()
  return collect(nodes, range, variables, {
    init,
    filter,
    step: nodes.call('_+_', nodes.accumulator(), nodes.list(transform)),
  })
}

function map(nodes: NodeFactory, range: Expr, args: Expr[]): Expr {
  return transformList(nodes, range, oneVariable(args, 'argument is not an identifier'))
}

function filter(nodes: NodeFactory, range: Expr, args: Expr[]): Expr {
  const variables = oneVariable(args, 'argument is not an identifier')
  return collect(nodes, range, variables, {
    init: nodes.list(),
    filter: argument(args, 1),
    step: nodes.call('_+_', nodes.accumulator(), nodes.list(argument(args, 0))),
  })
}

function transformMap(nodes: NodeFactory, range: Expr, args: Expr[]): Expr {
  const variables = twoVariables(args)
  const { filter, transform } = filterAndTransform(variables.rest)
  const step = nodes.call('cel.@mapInsert', nodes.accumulator(), nodes.ident(variables.iterVar), transform)
  return collect(nodes, range, variables, { init: nodes.emptyMap(), filter, step })
}

function transformMapEntry(nodes: NodeFactory, range: Expr, args: Expr[]): Expr {
  const variables = twoVariables(args)
  const { filter, transform } = filterAndTransform(variables.rest)
  const step = nodes.call('cel.@mapInsert', nodes.accumulator(), transform)
  return collect(nodes, range, variables, { init: nodes.emptyMap(), filter, step })
}

const has: Macro = (nodes, args) => {
  const field = argument(args, 0)
  if (field.kind !== 'select') throw new MacroError(field, 'invalid argument to has() macro')
  return nodes.presenceTest(field.operand, field.field)
}

function optionalMap(wrapsResult: boolean, name: string): ReceiverMacro {
  return (nodes, target, args) => {
    const variable = variableName(argument(args, 0), `${name}() variable name must be a simple identifier`)
    const value = nodes.memberCall('value', nodes.copy(target))
    const mapped = nodes.bind(variable, value, argument(args, 1))
    return nodes.call(
      '_?_:_',
      nodes.memberCall('hasValue', target),
      wrapsResult ? nodes.call('optional.of', mapped) : mapped,
      nodes.call('optional.none'),
    )
  }
}

function sortBy(nodes: NodeFactory, target: Expr, args: Expr[]): Expr {
  const input = '@__sortBy_input__'
  if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct') {
    throw new MacroError(
      target,
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    )
  }
  const keys = map(nodes, nodes.ident(input), args)
  return nodes.bind(input, target, nodes.memberCall('@sortByAssociatedKeys', nodes.ident(input), keys))
}

function celBind(nodes: NodeFactory, target: Expr, args: Expr[]): Expr | undefined {
  if (target.kind !== 'ident' || target.name !== 'cel') return undefined
  const name = variableName(argument(args, 0), 'cel.bind() variable names must be simple identifiers')
  return nodes.bind(name, argument(args, 1), argument(args, 2))
}

const simpleName = 'argument must be a simple name'

const kubernetesMacros: [string, Macro][] = [
  [macroKey('has', 1, false), has],
  receiver('all', 2, (nodes, range, args) => all(nodes, range, oneVariable(args, simpleName))),
  receiver('exists', 2, (nodes, range, args) => exists(nodes, range, oneVariable(args, simpleName))),
  receiver('exists_one', 2, (nodes, range, args) => existsOne(nodes, range, oneVariable(args, simpleName))),
  receiver('map', 2, map),
  receiver('map', 3, map),
  receiver('filter', 2, filter),
  receiver('all', 3, (nodes, range, args) => all(nodes, range, twoVariables(args))),
  receiver('exists', 3, (nodes, range, args) => exists(nodes, range, twoVariables(args))),
  receiver('exists_one', 3, (nodes, range, args) => existsOne(nodes, range, twoVariables(args))),
  receiver('existsOne', 3, (nodes, range, args) => existsOne(nodes, range, twoVariables(args))),
  receiver('transformList', 3, (nodes, range, args) => transformList(nodes, range, twoVariables(args))),
  receiver('transformList', 4, (nodes, range, args) => transformList(nodes, range, twoVariables(args))),
  receiver('transformMap', 3, transformMap),
  receiver('transformMap', 4, transformMap),
  receiver('transformMapEntry', 3, transformMapEntry),
  receiver('transformMapEntry', 4, transformMapEntry),
  receiver('optMap', 2, optionalMap(true, 'optMap')),
  receiver('optFlatMap', 2, optionalMap(false, 'optFlatMap')),
  receiver('sortBy', 2, sortBy),
]

/** The macros of the Kubernetes environment, and of cel-go's bindings extension when `bindings` is set. */
export function macrosOf({ bindings }: { bindings: boolean }): ReadonlyMap<string, Macro> {
  return bindings ? withBindings : withoutBindings
}

const withoutBindings: ReadonlyMap<string, Macro> = new Map(kubernetesMacros)
const withBindings: ReadonlyMap<string, Macro> = new Map([...kubernetesMacros, receiver('bind', 3, celBind)])
