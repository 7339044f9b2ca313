import { expectedArray, JqSyntaxError } from './errors.ts'
import { nativeFor } from './functions.ts'
import { type Closure, type Env, type Machine, type Node, Saved } from './machine.ts'
import {
  alternativeNode,
  arrayNode,
  assignNode,
  type Binder,
  bindNode,
  breakNode,
  commaNode,
  emptyNode,
  enter,
  evaluateAside,
  foreachNode,
  generatorNode,
  getPathNode,
  identityNode,
  ifNode,
  indexNode,
  iterateNode,
  labelNode,
  lastNode,
  literalNode,
  modifyNode,
  nativeNode,
  objectNode,
  pathNode,
  pipeNode,
  reduceNode,
  setPathNode,
  sliceNode,
  tryNode,
  variableNode,
} from './nodes.ts'
import { binaryOperators, negate, plus } from './operators.ts'
import { index } from './paths.ts'
import { preludeDefinition } from './prelude.ts'
import { range } from './ranges.ts'
import { ancestor, type Callable, Scope } from './scope.ts'
import type { Definition, Pattern, Program, Query } from './syntax-tree.ts'
import { type JqValue, newObject } from './value.ts'

/** Throws JqSyntaxError for names that are not defined. */
export function compileProgram({ imports, query }: Program): Node {
  if (imports[0] !== undefined) throw new JqSyntaxError(`cannot load module: ${JSON.stringify(imports[0])}`)
  return compile(query, new Scope())
}

/** The builtins that are written in jq, compiled when a program first calls them. */
const builtins = new Map<string, Callable>()

function builtin(name: string, arity: number): Callable | undefined {
  const key = `${name}/${arity}`
  const known = builtins.get(key)
  if (known !== undefined) return known
  const definition = preludeDefinition(key)
  if (definition === undefined) return undefined
  const callable: Callable = { definition, depth: 0, node: undefined }
  builtins.set(key, callable)
  try {
    callable.node = compileBody(callable, new Scope())
  } catch (error) {
    builtins.delete(key)
    throw error
  }
  return callable
}

function compile(query: Query, scope: Scope): Node {
  switch (query.kind) {
    case 'identity':
      return identityNode
    case 'group':
      return compile(query.body, scope)
    case 'missing':
      throw new JqSyntaxError('missing query (try ".")')
    case 'literal':
      return literalNode(query.value)
    case 'index':
      return indexNode(compile(query.target, scope), compile(query.key, scope))
    case 'slice':
      return sliceNode(
        compile(query.target, scope),
        query.from === undefined ? literalNode(null) : compile(query.from, scope),
        query.to === undefined ? literalNode(null) : compile(query.to, scope),
      )
    case 'iterate':
      return iterateNode(compile(query.target, scope))
    case 'variable':
      return compileVariable(query.name, scope)
    case 'call':
      return compileCall(query.name, query.args, scope)
    case 'object':
      return objectNode(
        query.fields.map(({ key, value }) => ({ key: compile(key, scope), value: compile(value, scope) })),
      )
    case 'array':
      return query.items === undefined ? literalNode([]) : arrayNode(compile(query.items, scope))
    case 'unary':
      return compileUnary(query.operator, query.operand, scope)
    case 'pipe':
      return pipeNode(compile(query.left, scope), compile(query.right, scope))
    case 'comma':
      return commaNode(compile(query.left, scope), compile(query.right, scope))
    case 'binary':
      return compileBinary(query.operator, compile(query.left, scope), compile(query.right, scope))
    case 'define':
      return compileDefinition(query.definition, query.body, scope)
    default:
      return compileControl(query, scope)
  }
}

type Control = Extract<
  Query,
  {
    kind: 'if' | 'try' | 'reduce' | 'foreach' | 'label' | 'break' | 'and' | 'or' | 'alternative' | 'update' | 'bind'
  }
>

function compileControl(query: Control, scope: Scope): Node {
  switch (query.kind) {
    case 'if':
      return ifNode(
        compile(query.condition, scope),
        compile(query.consequence, scope),
        query.otherwise === undefined ? identityNode : compile(query.otherwise, scope),
      )
    case 'and':
    case 'or': {
      const [yes, no] = [literalNode(true), literalNode(false)]
      const right = ifNode(compile(query.right, scope), yes, no)
      const left = compile(query.left, scope)
      return query.kind === 'and' ? ifNode(left, right, no) : ifNode(left, yes, right)
    }
    case 'try':
      return tryNode(
        compile(query.body, scope),
        query.handler === undefined ? undefined : compile(query.handler, scope),
      )
    case 'reduce':
    case 'foreach': {
      const source = compile(query.source, scope)
      const names = namesOf([query.pattern])
      const binder = compilePattern(query.pattern, names, scope)
      const inner = names.reduce((outer, name) => outer.withVariable(name), scope)
      const initial = compile(query.initial, scope)
      const update = compile(query.update, inner)
      if (query.kind === 'reduce') return reduceNode(source, binder, initial, update)
      const extract = query.extract === undefined ? identityNode : compile(query.extract, inner)
      return foreachNode(source, binder, initial, update, extract)
    }
    case 'label':
      return labelNode(query.name, compile(query.body, scope.withVariable(`$%${query.name}`)))
    case 'break': {
      const distance = scope.variable(`$%${query.name}`)
      if (distance === undefined) throw new JqSyntaxError(`label not defined: ${query.name}`)
      return breakNode(distance)
    }
    case 'alternative':
      return alternativeNode(compile(query.left, scope), compile(query.right, scope))
    case 'update':
      return compileUpdate(query.operator, query.left, query.right, scope)
    case 'bind': {
      const names = namesOf(query.patterns)
      const binders = query.patterns.map(pattern => compilePattern(pattern, names, scope))
      const inner = names.reduce((outer, name) => outer.withVariable(name), scope)
      return bindNode(compile(query.source, scope), binders, compile(query.body, inner))
    }
  }
}

function compileBinary(operator: string, left: Node, right: Node): Node {
  const apply = binaryOperators.get(operator)
  if (apply === undefined) throw new JqSyntaxError(`unexpected token ${JSON.stringify(operator)}`)
  return nativeNode([left, right], (_value, [a, b], machine) => apply(a as JqValue, b as JqValue, machine))
}

function compileUnary(operator: '+' | '-', operand: Query, scope: Scope): Node {
  const apply = operator === '-' ? negate : plus
  return nativeNode([compile(operand, scope)], (_value, [value]) => apply(value as JqValue))
}

function compileVariable(name: string, scope: Scope): Node {
  const distance = scope.variable(name)
  if (distance !== undefined) return variableNode(distance)
  if (name === '$ENV') return literalNode(newObject())
  throw new JqSyntaxError(`variable not defined: ${name}`)
}

const currentOperand = '$%operand'

function compileUpdate(operator: string, left: Query, right: Query, scope: Scope): Node {
  if (operator === '|=') return modifyNode(compile(left, scope), compile(right, scope))
  if (operator === '=') {
    const keys = constantKeys(left)
    const replacement = compile(right, scope)
    return keys === undefined ? assignNode(compile(left, scope), replacement) : setPathNode(keys, replacement)
  }
  const inner = scope.withVariable(currentOperand)
  const change = compileBinary(
    operator.slice(0, -1),
    identityNode,
    compile({ kind: 'variable', name: currentOperand }, inner),
  )
  const modify = modifyNode(compile(left, inner), change)
  const operand = compile(right, scope)
  return {
    run: machine =>
      evaluateAside(machine, operand, value => {
        machine.env = { item: value, parent: machine.env }
        modify.run(machine)
      }),
  }
}

function constantKeys(query: Query): JqValue[] | undefined {
  if (query.kind === 'group') return constantKeys(query.body)
  if (query.kind !== 'index' && query.kind !== 'slice') return undefined
  const before = query.target.kind === 'identity' ? [] : constantKeys(query.target)
  const key = query.kind === 'index' ? constantKey(query.key) : constantSlice(query.from, query.to)
  return before === undefined || key === undefined ? undefined : [...before, key]
}

function constantKey(query: Query): JqValue | undefined {
  if (query.kind === 'unary' && query.operand.kind === 'literal' && typeof query.operand.value !== 'string')
    return query.operator === '-' ? negate(query.operand.value) : query.operand.value
  const isKey = query.kind === 'literal' && ['string', 'number', 'bigint'].includes(typeof query.value)
  return isKey ? query.value : undefined
}

function constantSlice(from: Query | undefined, to: Query | undefined): JqValue | undefined {
  const [start, end] = [from, to].map(side => (side === undefined ? null : constantKey(side)))
  if (start === undefined || end === undefined) return undefined
  const key = newObject()
  key.start = start
  key.end = end
  return key
}

function compileDefinition(definition: Definition, body: Query, scope: Scope): Node {
  const callable: Callable = { definition, depth: scope.depth, node: undefined }
  const inner = scope.withFunction(callable)
  callable.node = compileBody(callable, inner)
  return compile(body, inner)
}

function compileBody({ definition }: Callable, scope: Scope): Node {
  const { params, body } = definition
  const withArguments = params.reduce((outer, param) => outer.withArgument(param.replace('$', '')), scope)
  const values = params.filter(param => param.startsWith('$'))
  return compile(
    body,
    values.reduce((outer, name) => outer.withVariable(name), withArguments),
  )
}

function compileCall(name: string, args: Query[], scope: Scope): Node {
  const target = scope.function(name, args.length) ?? builtin(name, args.length)
  if (target === undefined) return compileNative(name, args, scope)
  if ('distance' in target) {
    const { distance } = target
    return {
      run(machine) {
        const { node, env } = (ancestor(machine.env, distance) as Env).item as Closure
        enter(machine, node, env)
      },
    }
  }
  return callNode(
    target,
    args.map(arg => compile(arg, scope)),
    scope.depth - target.depth,
  )
}

function callNode(callable: Callable, args: Node[], distance: number): Node {
  const { params } = callable.definition
  const values = params.flatMap((param, position) => (param.startsWith('$') ? [position] : []))
  /** Values are computed in turn; each sees the caller's input, none sees the others. */
  const bindValues = (machine: Machine, saved: Saved, env: Env | undefined, position: number): void => {
    const argument = values[position]
    if (argument === undefined) {
      enter(machine, callable.node as Node, env)
      return
    }
    machine.env = saved.env
    evaluateAside(machine, args[argument] as Node, value =>
      bindValues(machine, saved, { item: value, parent: env }, position + 1),
    )
  }
  return {
    run(machine) {
      const caller = machine.env
      let env = ancestor(caller, distance)
      for (const node of args) env = { item: { node, env: caller }, parent: env }
      if (values.length === 0) enter(machine, callable.node as Node, env)
      else bindValues(machine, new Saved(machine), env, 0)
    },
  }
}

function compileNative(name: string, args: Query[], scope: Scope): Node {
  const nodes = () => args.map(arg => compile(arg, scope))
  switch (`${name}/${args.length}`) {
    case 'empty/0':
      return emptyNode
    case 'env/0':
      return literalNode(newObject())
    case 'path/1':
      return pathNode(...(nodes() as [Node]))
    case 'getpath/1':
      return getPathNode(...(nodes() as [Node]))
    case '_last/1':
      return lastNode(...(nodes() as [Node]))
    case '_range/3':
      return generatorNode(nodes(), range)
    case 'input/0':
      throw new JqSyntaxError('input(s)/0 is not allowed')
    case 'debug/1':
      nodes()
      break
  }
  const native = nativeFor(`${name}/${args.length}`)
  if (native === undefined) throw new JqSyntaxError(`function not defined: ${name}/${args.length}`)
  return nativeNode(nodes(), native)
}

function namesOf(patterns: readonly Pattern[]): string[] {
  const names = new Set<string>()
  const visit = (pattern: Pattern): void => {
    if (pattern.kind === 'name') names.add(pattern.name)
    else if (pattern.kind === 'items') pattern.items.forEach(visit)
    else
      for (const field of pattern.fields) {
        if (field.name !== undefined) names.add(field.name)
        if (field.value !== undefined) visit(field.value)
      }
  }
  patterns.forEach(visit)
  return [...names]
}

type Bindings = ReadonlyMap<string, JqValue>
type Matcher = (machine: Machine, value: JqValue, bindings: Bindings, use: (bindings: Bindings) => void) => void

function compilePattern(pattern: Pattern, names: string[], scope: Scope): Binder {
  const inner = names.reduce((outer, name) => outer.withVariable(name), scope)
  const matcher = compileMatcher(pattern, names, inner)
  return (machine, value, use) => {
    const saved = new Saved(machine)
    const outer = machine.env
    machine.env = extendEnv(outer, names, new Map())
    matcher(machine, value, new Map(), bindings => {
      saved.restore(machine)
      machine.env = extendEnv(outer, names, bindings)
      use()
    })
  }
}

function extendEnv(env: Env | undefined, names: string[], bindings: Bindings): Env | undefined {
  return names.reduce<Env | undefined>((parent, name) => ({ item: bindings.get(name) ?? null, parent }), env)
}

function compileMatcher(pattern: Pattern, names: string[], scope: Scope): Matcher {
  if (pattern.kind === 'name')
    return (_machine, value, bindings, use) => use(new Map(bindings).set(pattern.name, value))
  if (pattern.kind === 'items') {
    const items = pattern.items.map(item => compileMatcher(item, names, scope))
    return sequence(
      items.map((item, position) => (machine, value, bindings, use) => {
        if (value !== null && !Array.isArray(value)) throw expectedArray(value)
        item(machine, index(value, BigInt(position)), bindings, use)
      }),
    )
  }
  return sequence(
    pattern.fields.map(({ key, name, value: nested }) => {
      const keyNode = compile(key, scope)
      const inside = nested === undefined ? undefined : compileMatcher(nested, names, scope)
      return (machine, value, bindings, use) => {
        const outer = ancestor(machine.env, names.length)
        machine.value = value
        machine.env = extendEnv(outer, names, bindings)
        evaluateAside(machine, keyNode, found => {
          const item = index(value, found)
          const bound = name === undefined ? bindings : new Map(bindings).set(name, item)
          if (inside === undefined) use(bound)
          else inside(machine, item, bound, use)
        })
      }
    }),
  )
}

function sequence(matchers: Matcher[]): Matcher {
  const from = (position: number): Matcher => {
    const matcher = matchers[position]
    if (matcher === undefined) return (_machine, _value, bindings, use) => use(bindings)
    return (machine, value, bindings, use) =>
      matcher(machine, value, bindings, extended => from(position + 1)(machine, value, extended, use))
  }
  return from(0)
}
