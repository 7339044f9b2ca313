import { type FunctionDeclaration, functionDeclarations, type Overload } from './declarations/declarations.ts'
import type { ParsedExpression } from './parser.ts'
import { CelCompileError, type CelIssue } from './source.ts'
import { type CallExpr, type ComprehensionExpr, type Expr, qualifiedName } from './syntax-tree.ts'
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  formatSignature,
  formatType,
  intType,
  isDyn,
  isSameType,
  listType,
  mapType,
  nullType,
  optionalType,
  parameterOf,
  stringType,
  typeParameter,
  uintType,
  unwrapOptional,
} from './type.ts'
import type { TypeProvider } from './type-provider.ts'
import { Bindings, mostGeneral, substitute, unify, unifyAll } from './type-unification.ts'
import { Uint } from './value.ts'

export interface CheckedExpression extends ParsedExpression {
  types: ReadonlyMap<number, CelType>
  /** Identifiers and dotted names that were resolved, by node. */
  identifiers: ReadonlyMap<number, string>
  /** The overloads that may apply to a call; with `dyn` arguments there can be several. */
  overloads: ReadonlyMap<number, readonly string[]>
}

/** Gives every node its type, or throws CelCompileError with everything that does not fit. */
export function check(
  parsed: ParsedExpression,
  variables: Readonly<Record<string, CelType>>,
  provider: TypeProvider,
): CheckedExpression {
  const checker = new Checker(parsed, variables, provider)
  checker.check(parsed.root)
  if (checker.issues.length > 0) throw new CelCompileError(parsed.source, checker.issues)
  return { ...parsed, ...checker.result() }
}

class Checker {
  readonly issues: CelIssue[] = []
  readonly #parsed: ParsedExpression
  readonly #provider: TypeProvider
  readonly #types = new Map<number, CelType>()
  readonly #identifiers = new Map<number, string>()
  readonly #overloads = new Map<number, readonly string[]>()
  readonly #functions = functionDeclarations()
  readonly #scopes: Map<string, CelType>[]
  readonly #bindings = new Bindings()
  #freeParameters = 0

  constructor(parsed: ParsedExpression, variables: Readonly<Record<string, CelType>>, provider: TypeProvider) {
    this.#parsed = parsed
    this.#provider = provider
    this.#scopes = [new Map(Object.entries(variables))]
  }

  result(): Pick<CheckedExpression, 'types' | 'identifiers' | 'overloads'> {
    const types = new Map<number, CelType>()
    for (const [id, type] of this.#types) types.set(id, substitute(this.#bindings, type, true))
    return { types, identifiers: this.#identifiers, overloads: this.#overloads }
  }

  #report(at: number, message: string): void {
    this.issues.push(this.#parsed.source.issue(this.#parsed.offsets.get(at), message))
  }

  #undeclared(id: number, name: string): void {
    this.#report(id, `undeclared reference to '${name}' (in container '')`)
  }

  #mismatch(id: number, expected: CelType, actual: CelType): void {
    this.#report(id, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
  }

  #type(expr: { id: number }): CelType {
    return this.#types.get(expr.id) ?? errorType
  }

  #assign(actual: CelType, expected: CelType): boolean {
    return unify(this.#bindings, actual, expected)
  }

  #freshParameter(): CelType {
    return typeParameter(`_var${this.#freeParameters++}`)
  }

  #lookup(name: string): CelType | undefined {
    const bare = name.startsWith('.') ? name.slice(1) : name
    for (let depth = this.#scopes.length - 1; depth >= 0; depth--) {
      const type = this.#scopes[depth]?.get(bare)
      if (type !== undefined) return type
    }
    return this.#provider.findIdent(bare)
  }

  #lookupFunction(name: string): FunctionDeclaration | undefined {
    return this.#functions.get(name.startsWith('.') ? name.slice(1) : name)
  }

  check(expr: Expr): void {
    this.#types.set(expr.id, this.#typeOf(expr))
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value)
      case 'ident': {
        const type = this.#resolve(expr.id, expr.name)
        if (type !== undefined) return type
        this.#undeclared(expr.id, expr.name)
        return errorType
      }
      case 'select':
        return this.#checkSelect(expr)
      case 'call':
        return expr.function === '_?._' ? this.#checkOptionalSelect(expr) : this.#checkCall(expr)
      case 'list':
        return this.#checkList(expr)
      case 'map':
        return this.#checkMap(expr)
      case 'struct':
        return this.#checkStruct(expr)
      case 'comprehension':
        return this.#checkComprehension(expr)
      case 'unspecified':
        return errorType
    }
  }

  #resolve(id: number, name: string): CelType | undefined {
    const type = this.#lookup(name)
    if (type !== undefined) this.#identifiers.set(id, name.startsWith('.') ? name.slice(1) : name)
    return type
  }

  #checkSelect(expr: Extract<Expr, { kind: 'select' }>): CelType {
    const name = qualifiedName(expr)
    const declared = name === undefined ? undefined : this.#resolve(expr.id, name)
    if (declared !== undefined) return declared
    const type = this.#fieldType(expr.id, expr.operand, expr.field, false)
    return expr.testOnly ? boolType : substitute(this.#bindings, type, false)
  }

  #checkOptionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args as [Expr, Expr]
    const name = field.kind === 'literal' && typeof field.value === 'string' ? field.value : ''
    this.#overloads.set(expr.id, ['select_optional_field'])
    return substitute(this.#bindings, this.#fieldType(expr.id, operand, name, true), false)
  }

  #fieldType(id: number, operand: Expr, field: string, optional: boolean): CelType {
    this.check(operand)
    const operandType = substitute(this.#bindings, this.#type(operand), false)
    const inner = unwrapOptional(operandType)
    const type = this.#plainFieldType(id, inner ?? operandType, field)
    return inner !== undefined || optional ? optionalType(type) : type
  }

  #plainFieldType(id: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return parameterOf(target, 1)
      case 'struct':
        return this.#structField(id, target.name, field)
      case 'param':
        this.#assign(dynType, target)
        return dynType
      default:
        if (!isDyn(target) && target.kind !== 'error') {
          this.#report(id, `type '${formatType(target)}' does not support field selection`)
        }
        return dynType
    }
  }

  #structField(id: number, structName: string, field: string): CelType {
    if (!this.#provider.hasStruct(structName)) {
      this.#report(id, `unexpected failed resolution of '${structName}'`)
      return errorType
    }
    const type = this.#provider.findField(structName, field)
    if (type === undefined) this.#report(id, `undefined field '${field}'`)
    return type ?? errorType
  }

  #checkCall(expr: CallExpr): CelType {
    for (const arg of expr.args) this.check(arg)
    if (expr.target === undefined) {
      const declaration = this.#lookupFunction(expr.function)
      if (declaration === undefined) {
        this.#undeclared(expr.id, expr.function)
        return errorType
      }
      expr.function = declaration.name
      return this.#resolveOverload(expr, declaration)
    }
    const prefix = qualifiedName(expr.target)
    const namespaced = prefix === undefined ? undefined : this.#lookupFunction(`${prefix}.${expr.function}`)
    if (namespaced !== undefined) {
      expr.function = namespaced.name
      expr.target = undefined
      return this.#resolveOverload(expr, namespaced)
    }
    this.check(expr.target)
    const declaration = this.#lookupFunction(expr.function)
    if (declaration !== undefined) return this.#resolveOverload(expr, declaration)
    this.#undeclared(expr.id, expr.function)
    return errorType
  }

  #resolveOverload(expr: CallExpr, declaration: FunctionDeclaration): CelType {
    const operands = expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    const argTypes = operands.map(operand => this.#type(operand))
    if (declaration.name === '_&&_' || declaration.name === '_||_') return this.#checkLogical(expr, argTypes)
    const matching: string[] = []
    let result: CelType | undefined
    for (const overload of declaration.overloads) {
      if (overload.isMember !== (expr.target !== undefined)) continue
      const resultType = this.#applyOverload(overload, argTypes)
      if (resultType === undefined) continue
      matching.push(overload.id)
      if (result === undefined) result = resultType
      else if (!isDyn(result) && !isSameType(resultType, result)) result = dynType
    }
    if (result === undefined) {
      const shown = argTypes.map(type => substitute(this.#bindings, type, true))
      const signature = formatSignature(shown, expr.target !== undefined)
      this.#report(expr.id, `found no matching overload for '${declaration.name}' applied to '${signature}'`)
      return errorType
    }
    this.#overloads.set(expr.id, matching)
    return result
  }

  #checkLogical(expr: CallExpr, argTypes: readonly CelType[]): CelType {
    let allBool = true
    expr.args.forEach((arg, index) => {
      const type = argTypes[index] ?? errorType
      if (this.#assign(type, boolType)) return
      this.#mismatch(arg.id, boolType, type)
      allBool = false
    })
    if (!allBool) return errorType
    this.#overloads.set(expr.id, [expr.function === '_&&_' ? 'logical_and' : 'logical_or'])
    return boolType
  }

  #applyOverload(overload: Overload, argTypes: readonly CelType[]): CelType | undefined {
    let { argTypes: expected, resultType } = overload
    if (overload.typeParameters.length > 0) {
      const fresh = new Bindings()
      for (const name of overload.typeParameters) fresh.set(typeParameter(name), this.#freshParameter())
      expected = expected.map(type => substitute(fresh, type, false))
      resultType = substitute(fresh, resultType, false)
    }
    if (!unifyAll(this.#bindings, argTypes, expected)) return undefined
    return substitute(this.#bindings, resultType, false)
  }

  #checkList(expr: Extract<Expr, { kind: 'list' }>): CelType {
    let elementType: CelType | undefined
    expr.elements.forEach((element, index) => {
      this.check(element)
      const type = this.#elementType(element, expr.optionals.has(index))
      elementType = this.#join(elementType, type)
    })
    return listType(elementType ?? this.#freshParameter())
  }

  /** The type an element adds to its aggregate: `?element` must be an optional and adds what is inside. */
  #elementType(element: Expr, optional: boolean): CelType {
    const type = this.#type(element)
    if (!optional) return type
    const inner = unwrapOptional(type)
    if (inner === undefined && !isDyn(type)) this.#mismatch(element.id, optionalType(type), type)
    return inner ?? type
  }

  /** Elements of different types make a list of dyn; the validators refuse it later where Kubernetes does. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current
    return this.#assign(previous, current) ? mostGeneral(previous, current) : dynType
  }

  #checkMap(expr: Extract<Expr, { kind: 'map' }>): CelType {
    let keyType: CelType | undefined
    let valueType: CelType | undefined
    for (const { key, value, optional } of expr.entries) {
      this.check(key)
      keyType = this.#join(keyType, this.#type(key))
      this.check(value)
      valueType = this.#join(valueType, this.#elementType(value, optional))
    }
    return mapType(keyType ?? this.#freshParameter(), valueType ?? this.#freshParameter())
  }

  #checkStruct(expr: Extract<Expr, { kind: 'struct' }>): CelType {
    const declared = this.#lookup(expr.typeName)
    if (declared === undefined) {
      this.#undeclared(expr.id, expr.typeName)
      return errorType
    }
    let type = errorType
    if (declared.kind !== 'type') this.#report(expr.id, `'${declared.name}' is not a type`)
    else if (parameterOf(declared, 0).kind === 'struct') type = parameterOf(declared, 0)
    else this.#report(expr.id, `'${parameterOf(declared, 0).name}' is not a message type`)
    for (const field of expr.fields) {
      this.check(field.value)
      const expected = this.#structField(field.id, type.name, field.name)
      const actual = this.#elementType(field.value, field.optional)
      if (this.#assign(expected, actual)) continue
      this.#report(
        field.id,
        `expected type of field '${field.name}' is '${formatType(expected)}' but provided type is '${formatType(actual)}'`,
      )
    }
    return type
  }

  #checkComprehension(expr: ComprehensionExpr): CelType {
    this.check(expr.range)
    this.check(expr.init)
    const rangeType = substitute(this.#bindings, this.#type(expr.range), false)
    const accuType = this.#type(expr.init)
    this.#scopes.push(new Map([[expr.accuVar, accuType]]))
    this.#scopes.push(this.#iterationScope(expr, rangeType))
    this.check(expr.condition)
    this.#assertType(expr.condition, boolType)
    this.check(expr.step)
    this.#assertType(expr.step, accuType)
    this.#scopes.pop()
    this.check(expr.result)
    this.#scopes.pop()
    return substitute(this.#bindings, this.#type(expr.result), false)
  }

  #iterationScope(expr: ComprehensionExpr, rangeType: CelType): Map<string, CelType> {
    const scope = (first: CelType, second: CelType): Map<string, CelType> => {
      const names = new Map([[expr.iterVar, first]])
      if (expr.iterVar2 !== undefined) names.set(expr.iterVar2, second)
      return names
    }
    switch (rangeType.kind) {
      case 'list': {
        const element = parameterOf(rangeType, 0)
        return expr.iterVar2 === undefined ? scope(element, element) : scope(intType, element)
      }
      case 'map':
        return scope(parameterOf(rangeType, 0), parameterOf(rangeType, 1))
      case 'dyn':
      case 'error':
      case 'param':
        this.#assign(dynType, rangeType)
        return scope(dynType, dynType)
      default:
        this.#report(
          expr.range.id,
          `expression of type '${formatType(rangeType)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        return scope(errorType, errorType)
    }
  }

  #assertType(expr: Expr, type: CelType): void {
    if (!this.#assign(type, this.#type(expr))) this.#mismatch(expr.id, type, this.#type(expr))
  }
}

function literalType(value: Extract<Expr, { kind: 'literal' }>['value']): CelType {
  if (value === null) return nullType
  if (value instanceof Uint) return uintType
  if (value instanceof Uint8Array) return bytesType
  switch (typeof value) {
    case 'boolean':
      return boolType
    case 'bigint':
      return intType
    case 'number':
      return doubleType
    default:
      return stringType
  }
}
