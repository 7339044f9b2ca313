import { compilePattern, PatternError } from '../re2/pattern.ts'
import { type Declaration, declarationsOf } from './declarations.ts'
import type { ExprDialect } from './dialect.ts'
import {
  anyType,
  arrayType,
  boolType,
  bytesType,
  floatType,
  funcType,
  type GoType,
  groupsType,
  intType,
  mapType,
  sliceOf,
  stringType,
} from './go-type.ts'
import { methodType } from './methods.ts'
import {
  anything,
  arrayOf,
  deref,
  elemOf,
  isArray,
  isBool,
  isFloat,
  isIntegerIn,
  isMapNature,
  isNatureAssignable,
  isUnknown,
  keyOf,
  type Nature,
  nilNature,
  typed,
  unknown,
} from './nature.ts'
import { binaryNature } from './operator-check.ts'
import { Fault } from './source.ts'
import type {
  BuiltinNode,
  CallNode,
  ConditionalNode,
  LetNode,
  MemberNode,
  Node,
  SliceNode,
  UnaryNode,
} from './syntax-tree.ts'
import { type ExprObject, own, typeOf } from './value.ts'

/** Types every node. In the newer version the environment's values give their types, and a name that is not there is an
 *  error; in the older one every name may be anything. Throws Fault with the first problem. */
export function check(node: Node, dialect: ExprDialect, environment: ExprObject | undefined): void {
  const checker = new Checker(dialect, environment)
  checker.visit(node)
  if (checker.fault !== undefined) throw checker.fault
}

interface PredicateScope {
  collection: Nature
  names: ReadonlyMap<string, Nature>
}

const noNames: ReadonlyMap<string, Nature> = new Map()

/** Goes on after a problem, as upstream does: only the first one is reported, but it need not be the outermost. */
class Checker {
  fault: Fault | undefined
  readonly #dialect: ExprDialect
  readonly #environment: ExprObject | undefined
  readonly #declarations: ReadonlyMap<string, Declaration>
  readonly #isInteger: (nature: Nature) => boolean
  readonly #scopes: PredicateScope[] = []
  readonly #variables: { name: string; nature: Nature }[] = []

  constructor(dialect: ExprDialect, environment: ExprObject | undefined) {
    this.#dialect = dialect
    this.#environment = dialect === '1.17' ? (environment ?? {}) : undefined
    this.#declarations = declarationsOf(dialect)
    this.#isInteger = isIntegerIn(dialect)
  }

  visit(node: Node): Nature {
    const nature = this.#natureOf(node)
    node.nature = nature
    return nature
  }

  #natureOf(node: Node): Nature {
    switch (node.kind) {
      case 'nil':
        return nilNature
      case 'identifier':
        return this.#identifier(node, node.name)
      case 'integer':
        return typed(intType)
      case 'float':
        return typed(floatType)
      case 'bool':
        return typed(boolType)
      case 'string':
        return typed(stringType)
      case 'bytes':
        return typed(bytesType)
      case 'constant':
        return typed(typeOf(node.value))
      case 'unary':
        return this.#unary(node)
      case 'binary':
        return this.#binary(node)
      case 'chain':
        return this.visit(node.node)
      case 'member':
        return this.#member(node)
      case 'slice':
        return this.#slice(node)
      case 'call':
        return this.#call(node)
      case 'builtin':
        return this.#builtin(node)
      case 'predicate':
        return this.#predicate(node.node)
      case 'pointer':
        return this.#pointer(node, node.name)
      case 'let':
        return this.#let(node)
      case 'sequence':
        return node.nodes.map(one => this.visit(one)).at(-1) ?? unknown
      case 'conditional':
        return this.#conditional(node)
      case 'array':
        return this.#array(node.nodes)
      case 'map':
        for (const { key, value } of node.pairs) {
          this.visit(key)
          this.visit(value)
        }
        return typed(mapType)
    }
  }

  #fail({ position }: Node, problem: string): Nature {
    this.fault ??= new Fault(problem, position)
    return this.#nothingKnown
  }

  get #nothingKnown(): Nature {
    return this.#dialect === '1.17' ? unknown : anything
  }

  #text({ type, isNil }: Nature): string {
    if (type !== undefined) return type.name
    return this.#dialect === '1.15' && isNil === true ? '<nil>' : 'unknown'
  }

  #identifier(node: Node, name: string): Nature {
    const variable = this.#variables.findLast(one => one.name === name)
    if (variable !== undefined) return variable.nature
    if (name === '$env') return this.#dialect === '1.17' ? unknown : typed(mapType)
    return this.#name(node, name, true, true)
  }

  #name(node: Node, name: string, isStrict: boolean, withBuiltins: boolean): Nature {
    if (this.#environment !== undefined && Object.hasOwn(this.#environment, name)) {
      const type = typeOf(own(this.#environment, name))
      return type === undefined ? nilNature : { type }
    }
    const builtin = withBuiltins || this.#dialect === '1.15' ? this.#declarations.get(name) : undefined
    if (builtin !== undefined) return { type: builtin.type, builtin }
    if (this.#environment !== undefined && isStrict) return this.#fail(node, `unknown name ${name}`)
    return this.#nothingKnown
  }

  #unary(node: UnaryNode): Nature {
    const nature = deref(this.visit(node.operand))
    if (node.operator === '!' || node.operator === 'not') {
      if (isBool(nature) || isUnknown(nature)) return typed(boolType)
    } else {
      if (this.#isInteger(nature) || isFloat(nature)) return nature
      if (isUnknown(nature)) return this.#nothingKnown
    }
    return this.#fail(node, `invalid operation: ${node.operator} (mismatched type ${this.#text(nature)})`)
  }

  #binary(node: Node & { kind: 'binary' }): Nature {
    const left = deref(this.visit(node.left))
    const right = deref(this.visit(node.right))
    if (node.operator === 'matches' && node.right.kind === 'string') {
      try {
        compilePattern(node.right.value)
      } catch (error) {
        if (error instanceof PatternError) return this.#fail(node, error.message)
        throw error
      }
    }
    if (node.operator === 'in') return this.#in(node, left, right)
    const result = binaryNature(node.operator, left, right, this.#dialect)
    if (result !== undefined) return result
    const types = `${this.#text(left)} and ${this.#text(right)}`
    return this.#fail(node, `invalid operation: ${node.operator} (mismatched types ${types})`)
  }

  #in(node: Node, left: Nature, right: Nature): Nature {
    const bool = typed(boolType)
    if ((left.type?.kind === 'string' || isUnknown(left)) && right.type?.kind === 'struct') return bool
    if (isMapNature(right)) {
      if (this.#dialect === '1.15' && left.isNil === true) return bool
      if (isUnknown(left) || isNatureAssignable(left, keyOf(right))) return bool
      return this.#fail(node, `cannot use ${this.#text(left)} as type ${this.#text(keyOf(right))} in map key`)
    }
    if (isArray(right)) return this.#inArray(node, left, right)
    if (isUnknown(right) || (isUnknown(left) && right.type?.kind === 'string')) return bool
    const types = `${this.#text(left)} and ${this.#text(right)}`
    return this.#fail(node, `invalid operation: in (mismatched types ${types})`)
  }

  #inArray(node: Node, left: Nature, right: Nature): Nature {
    const bool = typed(boolType)
    if (this.#dialect === '1.17') {
      const elem = elemOf(right)
      if (binaryNature('==', left, elem, this.#dialect) !== undefined) return bool
      return this.#fail(node, `cannot use ${this.#text(left)} as type ${this.#text(elem)} in array`)
    }
    for (const elem of [typed(right.type?.elem), right.elem ?? nilNature]) {
      if (left.isNil === true || binaryNature('==', left, elem, this.#dialect) !== undefined) continue
      return this.#fail(node, `cannot use ${this.#text(left)} as type ${this.#text(elem)} in array`)
    }
    return bool
  }

  #member(node: MemberNode): Nature {
    const isEnvironment = node.base.kind === 'identifier' && node.base.name === '$env'
    if (isEnvironment && this.#dialect === '1.17') return this.#environmentMember(node)
    const base = this.visit(node.base)
    const property = this.visit(node.property)
    if (isEnvironment) return this.#environmentMember(node)
    if (this.#dialect === '1.17' && isUnknown(base)) return unknown
    const name = node.property.kind === 'string' ? node.property.value : undefined
    if (name !== undefined) {
      if (base.isNil === true)
        return this.#fail(node, `type ${this.#dialect === '1.17' ? 'nil' : '<nil>'} has no field ${name}`)
      const method = base.type === undefined ? undefined : methodType(base.type, name)
      if (method !== undefined) return typed(method)
    }
    return this.#element(node, deref(base), property, name)
  }

  #environmentMember(node: MemberNode): Nature {
    if (node.property.kind !== 'string') return this.#nothingKnown
    return this.#name(node, node.property.value, !node.isOptional, false)
  }

  #element(node: MemberNode, base: Nature, property: Nature, name: string | undefined): Nature {
    switch (base.type?.kind) {
      case 'interface':
        return anything
      case 'map': {
        const mayBeKey = isNatureAssignable(property, keyOf(base)) || isUnknown(property)
        if (mayBeKey || (this.#dialect === '1.15' && property.isNil === true)) return elemOf(base)
        const what = `cannot use ${this.#text(property)} to get an element from ${this.#text(base)}`
        return this.#fail(node.property, what)
      }
      case 'slice':
      case 'array': {
        if (this.#isInteger(property) || isUnknown(property))
          return this.#dialect === '1.17' ? elemOf(base) : typed(base.type.elem)
        const what = `array elements can only be selected using an integer (got ${this.#text(property)})`
        return this.#fail(node.property, what)
      }
      default:
    }
    const type = this.#text(base)
    if (name !== undefined && (this.#dialect === '1.17' || base.type?.kind === 'struct'))
      return this.#fail(node, `type ${type} has no ${node.isMethod ? 'method' : 'field'} ${name}`)
    return this.#fail(node, `type ${type}[${this.#text(property)}] is undefined`)
  }

  #slice(node: SliceNode): Nature {
    const base = this.visit(node.base)
    if (this.#dialect === '1.17' && isUnknown(base)) return unknown
    if (!isArray(base) && base.type?.kind !== 'string' && !isUnknown(base))
      return this.#fail(node, `cannot slice ${this.#text(base)}`)
    for (const bound of [node.from, node.to]) {
      if (bound === undefined) continue
      const nature = deref(this.visit(bound))
      if (!this.#isInteger(nature) && !isUnknown(nature))
        return this.#fail(bound, `non-integer slice index ${this.#text(nature)}`)
    }
    return this.#dialect === '1.17' ? base : typed(base.type)
  }

  #call(node: CallNode): Nature {
    const { callee } = node
    if (this.#dialect === '1.17' && callee.kind === 'identifier' && callee.name === '$env')
      return this.#fail(node, 'map[string]interface {} is not callable')
    const nature = this.visit(callee)
    if (this.#dialect === '1.17' && isUnknown(nature)) return unknown
    if (nature.builtin !== undefined) return this.#declared(nature.builtin, node, node.arguments)
    const name = calledName(callee)
    if (nature.isNil === true) return this.#fail(node, `${name} is nil; cannot call nil as function`)
    if (nature.type?.kind === 'interface') return anything
    if (nature.type?.kind !== 'func') return this.#fail(node, `${this.#text(nature)} is not callable`)
    const { result, fault } = this.#arguments(name, nature.type, node.arguments, node)
    if (fault === undefined) return result
    this.fault ??= fault
    return this.#nothingKnown
  }

  #builtin(node: BuiltinNode): Nature {
    const [collection, predicate] = node.arguments
    if (
      collection !== undefined &&
      predicateBuiltins.has(node.name) &&
      !(this.#dialect === '1.15' && /^(sum|sortBy)$/.test(node.name))
    ) {
      const nature = this.#collection(node, collection, predicate)
      if (nature !== undefined) return nature
    }
    if (node.name === 'get') return this.#get(node)
    const declaration = this.#declarations.get(node.name)
    if (declaration === undefined) return this.#fail(node, `unknown builtin ${node.name}`)
    return this.#declared(declaration, node, node.arguments)
  }

  /** The builtins with predicates. Undefined where upstream goes on as if there were no predicate. */
  #collection(node: BuiltinNode, first: Node, predicateNode: Node | undefined): Nature | undefined {
    const collection = deref(this.visit(first))
    if (!isArray(collection) && !isUnknown(collection))
      return this.#fail(first, `builtin ${node.name} takes only array (got ${this.#text(collection)})`)
    if (predicateNode === undefined) {
      if (node.name === 'count') return typed(intType)
      return isUnknown(collection) ? unknown : elemOf(collection)
    }
    this.#scopes.push({ collection, names: pointerNames(node.name, this.#dialect) })
    const predicate = this.visit(predicateNode)
    this.#scopes.pop()
    const order = node.arguments[2]
    if (order !== undefined) {
      const nature = this.visit(order)
      if (node.name === 'sortBy' && nature.type?.kind !== 'string' && !isUnknown(nature))
        return this.#fail(order, `sortBy order argument must be a string (got ${this.#text(nature)})`)
    }
    const result = predicate.type?.signature?.results[0]
    if (result === undefined) {
      if (node.name === 'sum') return undefined
      const inputs = node.name === 'reduce' ? 'two' : 'one'
      return this.#fail(predicateNode, `predicate should has ${inputs} input and one output param`)
    }
    if (booleanPredicates.has(node.name) && result.kind !== 'bool' && result.kind !== 'interface')
      return this.#fail(predicateNode, `predicate should return boolean (got ${result.name})`)
    return this.#collectionResult(node.name, collection, predicate, result)
  }

  #collectionResult(name: string, collection: Nature, predicate: Nature, result: GoType): Nature {
    const isNew = this.#dialect === '1.17'
    const inner = predicate.elem ?? unknown
    switch (name) {
      case 'filter':
        if (isUnknown(collection)) return typed(arrayType)
        return isNew ? arrayOf(elemOf(collection)) : typed(sliceOf(collection.type?.elem ?? anyType))
      case 'map':
        return isNew ? arrayOf(inner) : typed(sliceOf(result))
      case 'find':
      case 'findLast':
        if (isUnknown(collection)) return this.#nothingKnown
        return isNew ? elemOf(collection) : typed(collection.type?.elem)
      case 'count':
      case 'findIndex':
      case 'findLastIndex':
        return typed(intType)
      case 'groupBy':
        return typed(groupsType)
      case 'sortBy':
        return collection
      case 'sum':
        return typed(result)
      case 'reduce':
        return isNew ? inner : typed(result)
      default:
        return typed(boolType)
    }
  }

  #get(node: BuiltinNode): Nature {
    const [first, second] = node.arguments
    if (first === undefined || second === undefined || node.arguments.length !== 2)
      return this.#fail(node, `invalid number of arguments (expected 2, got ${node.arguments.length})`)
    const isEnvironment = first.kind === 'identifier' && first.name === '$env'
    if (this.#dialect === '1.15') {
      if (isEnvironment) return second.kind === 'string' ? nilNature : anything
      return this.#getElement(first, second, this.visit(first), undefined)
    }
    const base = this.visit(first)
    const property = deref(this.visit(second))
    if (isEnvironment) {
      if (second.kind !== 'string' || this.#environment === undefined) return unknown
      return Object.hasOwn(this.#environment, second.value) ? this.#name(node, second.value, false, false) : unknown
    }
    return isUnknown(base) ? unknown : this.#getElement(first, second, base, property)
  }

  #getElement(first: Node, second: Node, base: Nature, visited: Nature | undefined): Nature {
    if (base.type?.kind === 'interface') return anything
    if (!isArray(base) && !isMapNature(base))
      return this.#fail(first, `type ${this.#text(base)} does not support indexing`)
    const property = visited ?? this.visit(second)
    if (this.#dialect === '1.15' && property.isNil === true)
      return this.#fail(second, `cannot use nil as ${isArray(base) ? 'slice' : 'map'} index`)
    const fits = isArray(base) ? this.#isInteger(property) : isNatureAssignable(property, keyOf(base))
    if (fits || isUnknown(property)) return this.#dialect === '1.17' ? elemOf(base) : typed(base.type?.elem)
    if (isArray(base)) return this.#fail(second, `non-integer slice index ${this.#text(property)}`)
    return this.#fail(second, `cannot use ${this.#text(property)} to get an element from ${this.#text(base)}`)
  }

  #declared(declaration: Declaration, node: Node, given: Node[]): Nature {
    const { validate, overloads = [], name } = declaration
    if (validate !== undefined) {
      const types = given.map(one => {
        const nature = this.visit(one)
        return isUnknown(nature) ? anyType : nature.type
      })
      try {
        return typed(validate(types))
      } catch (error) {
        return this.#fail(node, (error as Error).message)
      }
    }
    let last: Fault | undefined
    for (const type of overloads) {
      const { result, fault } = this.#arguments(name, type, given, node)
      if (fault === undefined) return result
      last = fault
    }
    this.fault ??= last
    return this.#nothingKnown
  }

  #arguments(name: string, type: GoType, given: Node[], node: Node): { result: Nature; fault?: Fault } {
    const { parameters, isVariadic, results } = type.signature ?? { parameters: [], isVariadic: true, results: [] }
    const count = this.#countProblem(name, given.length, parameters.length, isVariadic)
    const result = typed(results[0] ?? anyType)
    if (count !== undefined) {
      if (this.#dialect === '1.17') for (const one of given) this.visit(one)
      return { result, fault: new Fault(count, node.position) }
    }
    for (const [index, argument] of given.entries()) {
      const nature = this.visit(argument)
      const last = parameters.length - 1
      const parameter =
        isVariadic && index >= last ? (parameters[last]?.elem ?? anyType) : (parameters[index] ?? anyType)
      if (parameter.kind === 'float64' && this.#isInteger(nature)) {
        given[index] = withFloats(argument)
        continue
      }
      const problem = this.#argumentProblem(name, nature, parameter)
      if (problem !== undefined) return { result, fault: new Fault(problem, argument.position) }
    }
    return { result }
  }

  #countProblem(name: string, given: number, expected: number, isVariadic: boolean): string | undefined {
    if (given < (isVariadic ? expected - 1 : expected)) return `not enough arguments to call ${name}`
    return !isVariadic && given > expected ? `too many arguments to call ${name}` : undefined
  }

  #argumentProblem(name: string, nature: Nature, parameter: GoType): string | undefined {
    if (nature.isNil === true) {
      if (this.#dialect === '1.15' || parameter.kind === 'ptr' || parameter.kind === 'interface') return undefined
      return `cannot use nil as argument (type ${parameter.name}) to call ${name}`
    }
    const to = typed(parameter)
    if (isUnknown(nature) || isNatureAssignable(nature, to) || isNatureAssignable(deref(nature), to)) return undefined
    return `cannot use ${this.#text(nature)} as argument (type ${parameter.name}) to call ${name} `
  }

  #predicate(body: Node): Nature {
    const nature = this.visit(body)
    if (nature.isNil === true) {
      if (this.#dialect === '1.15') return this.#fail(body, 'closure cannot be nil')
      return { type: funcType([anyType], []), elem: nature }
    }
    const result = isUnknown(nature) ? anyType : (nature.type ?? anyType)
    return { type: funcType([anyType], [result]), elem: nature }
  }

  #pointer(node: Node, name: string): Nature {
    const scope = this.#scopes.at(-1)
    if (scope === undefined)
      return this.#fail(
        node,
        `cannot use pointer accessor outside ${this.#dialect === '1.17' ? 'predicate' : 'closure'}`,
      )
    if (name !== '') return scope.names.get(name) ?? this.#fail(node, `unknown pointer #${name}`)
    if (isUnknown(scope.collection)) return this.#nothingKnown
    return this.#dialect === '1.17' ? elemOf(scope.collection) : typed(scope.collection.type?.elem)
  }

  #let(node: LetNode): Nature {
    const { name } = node
    if (this.#environment !== undefined && Object.hasOwn(this.#environment, name))
      return this.#fail(node, `cannot redeclare ${name}`)
    if (this.#declarations.has(name)) return this.#fail(node, `cannot redeclare builtin ${name}`)
    if (this.#variables.some(one => one.name === name)) return this.#fail(node, `cannot redeclare variable ${name}`)
    this.#variables.push({ name, nature: this.visit(node.value) })
    const nature = this.visit(node.body)
    this.#variables.pop()
    return nature
  }

  #conditional(node: ConditionalNode): Nature {
    const condition = deref(this.visit(node.condition))
    if (!isBool(condition) && !isUnknown(condition))
      return this.#fail(node.condition, `non-bool expression (type ${this.#text(condition)}) used as condition`)
    const then = this.visit(node.whenTrue)
    const otherwise = this.visit(node.whenFalse)
    if (then.isNil === true) return otherwise
    if (otherwise.isNil === true) return then
    if (!isNatureAssignable(then, otherwise)) return this.#nothingKnown
    if (this.#dialect === '1.15') return typed(then.type)
    if (isArray(then) && isArray(otherwise)) {
      const [one, other] = [elemOf(then), elemOf(otherwise)]
      if (!isNatureAssignable(one, other) || !isNatureAssignable(other, one)) return typed(arrayType)
    }
    return then
  }

  #array(nodes: Node[]): Nature {
    const natures = nodes.map(node => this.visit(node))
    const isUniform = natures.every((nature, index) => {
      const previous = natures[index - 1]
      if (previous === undefined) return true
      if (this.#dialect === '1.15' && (nature.isNil === true || previous.isNil === true)) return false
      return nature.type?.kind === previous.type?.kind
    })
    const last = natures.at(-1)
    if (this.#dialect === '1.17') return isUniform ? arrayOf(last ?? unknown) : typed(arrayType)
    return isUniform && last !== undefined && last.isNil !== true
      ? { type: arrayType, elem: typed(last.type) }
      : typed(arrayType)
  }
}

const booleanPredicates = new Set('all none any one filter count find findLast findIndex findLastIndex'.split(' '))
const predicateBuiltins = new Set([...booleanPredicates, 'map', 'sum', 'groupBy', 'sortBy', 'reduce'])
const indexName: ReadonlyMap<string, Nature> = new Map([['index', typed(intType)]])
const accumulatorNames: Readonly<Record<ExprDialect, ReadonlyMap<string, Nature>>> = {
  '1.17': new Map([...indexName, ['acc', unknown]]),
  '1.15': new Map([...indexName, ['acc', anything]]),
}

function pointerNames(builtin: string, dialect: ExprDialect): ReadonlyMap<string, Nature> {
  if (builtin === 'map') return indexName
  return builtin === 'reduce' ? accumulatorNames[dialect] : noNames
}

function calledName(callee: Node): string {
  if (callee.kind === 'identifier') return callee.name
  return callee.kind === 'member' && callee.property.kind === 'string' ? callee.property.value : 'function'
}

/** Integers in an argument become floats where the parameter is one. */
function withFloats(node: Node): Node {
  if (node.kind === 'integer')
    return { kind: 'float', value: Number(node.value), position: undefined, nature: typed(floatType) }
  if (node.kind === 'unary') node.operand = withFloats(node.operand)
  if (node.kind === 'binary' && /^[-+*]$/.test(node.operator)) {
    node.left = withFloats(node.left)
    node.right = withFloats(node.right)
  }
  return node
}
