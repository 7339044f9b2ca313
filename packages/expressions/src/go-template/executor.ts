import { TemplateExecutionError, TemplateLimitError } from './budget.ts'
import type { Builtin } from './builtins.ts'
import { type Constant, constantAs } from './constant.ts'
import { sprint, valueText } from './format.ts'
import type { CallContext, GoFunction } from './function.ts'
import { GoError } from './go-error.ts'
import { element, type Held, heldType, truth, unbox } from './held.ts'
import { methodOf } from './methods.ts'
import { Output } from './output.ts'
import type { Program } from './program.ts'
import { quote } from './quote.ts'
import {
  type AnyNode,
  type BranchNode,
  type CommandNode,
  type ListNode,
  type Node,
  nodeText,
  type Operand,
  type PipeNode,
  type TemplateNode,
  type VariableNode,
} from './syntax-tree.ts'
import {
  anyType,
  fromJson,
  GoInt,
  GoMap,
  GoSlice,
  type GoType,
  type GoValue,
  integerOf,
  kindOfType,
  typeOf,
  zeroOf,
} from './value.ts'

/** Templates that call each other are not followed deeper than this. */
const maxTemplateDepth = 1000

/** Nothing is piped into the command. */
const nothing = Symbol('nothing')
type Final = Held | typeof nothing

type Signal = 'break' | 'continue' | undefined

interface Variable {
  readonly name: string
  value: Held
}

/** Executes one template; `{{template}}` makes another. */
export class Executor {
  readonly #program: Program
  readonly #name: string
  readonly #context: CallContext
  readonly #output: Output
  readonly #depth: number
  readonly #variables: Variable[]
  /** The node that errors are reported at. */
  #node: AnyNode | undefined

  constructor(program: Program, name: string, context: CallContext, output: Output, dot: Held, depth = 0) {
    this.#program = program
    this.#name = name
    this.#context = context
    this.#output = output
    this.#depth = depth
    this.#variables = [{ name: '$', value: dot }]
  }

  run(): void {
    const root = this.#program.trees.get(this.#name) as ListNode
    this.#walk((this.#variables[0] as Variable).value, root)
  }

  #fail(message: string, cause?: unknown): never {
    const node = this.#node
    const where =
      node === undefined
        ? `${this.#program.name}:`
        : `${this.#location(node)}: executing ${quote(this.#name)} at <${nodeText(node)}>:`
    throw new TemplateExecutionError(`template: ${where} ${message}`, { cause })
  }

  #location(node: AnyNode): string {
    const before = this.#program.text.slice(0, node.at)
    const lines = before.split('\n')
    return `${this.#program.name}:${lines.length}:${Buffer.byteLength(lines.at(-1) as string)}`
  }

  #show(held: Held): string {
    return sprint(this.#context.budget, [unbox(held)])
  }

  #walk(dot: Held, node: Node): Signal {
    this.#node = node
    this.#context.budget.step()
    switch (node.kind) {
      case 'list':
        for (const each of node.nodes) {
          const signal = this.#walk(dot, each)
          if (signal !== undefined) return signal
        }
        return undefined
      case 'text':
        this.#output.write(node.text)
        return undefined
      case 'action': {
        const value = this.#pipeline(dot, node.pipe)
        if (node.pipe.declared.length === 0) this.#print(node, value)
        return undefined
      }
      case 'if':
      case 'with':
        return this.#branch(dot, node)
      case 'range':
        return this.#range(dot, node)
      case 'template':
        this.#template(dot, node)
        return undefined
      case 'break':
      case 'continue':
        return node.kind
    }
  }

  #print(node: Node, value: GoValue): void {
    this.#node = node
    this.#output.write(value === undefined ? '<no value>' : valueText(this.#context.budget, value))
  }

  #branch(dot: Held, node: BranchNode): Signal {
    const mark = this.#variables.length
    const value = this.#pipeline(dot, node.pipe)
    let signal: Signal
    if (truth(value)) signal = this.#walk(node.kind === 'with' ? value : dot, node.list)
    else if (node.elseList !== undefined) signal = this.#walk(dot, node.elseList)
    this.#variables.length = mark
    return signal
  }

  #range(dot: Held, node: BranchNode): Signal {
    const before = this.#variables.length
    const value = this.#pipeline(dot, node.pipe)
    const mark = this.#variables.length
    let ran = false
    for (const [index, item] of this.#iterate(value, node)) {
      ran = true
      this.#bindIteration(node.pipe, index, item)
      const signal = this.#walk(item, node.list)
      this.#variables.length = mark
      if (signal === 'break') break
    }
    let signal: Signal
    if (!ran && node.elseList !== undefined) signal = this.#walk(dot, node.elseList)
    this.#variables.length = before
    return signal
  }

  *#iterate(value: GoValue, { pipe }: BranchNode): Iterable<readonly [index: GoValue, item: Held]> {
    const count = integerOf(value)
    if (count !== undefined) {
      if (pipe.declared.length > 1) {
        this.#fail(`can't use ${this.#show(value)} to iterate over more than one variable`)
      }
      for (let index = 0n; index < count; index++) {
        yield [undefined, value instanceof GoInt ? new GoInt(value.type, index) : index]
      }
    } else if (value instanceof GoSlice) {
      let index = 0n
      for (const item of value.items) yield [index++, element(item, value.elementType)]
    } else if (value instanceof GoMap) {
      for (const key of value.sortedKeys()) yield [key, element(value.entries.get(key), value.elementType)]
    } else if (value !== undefined && value !== null) {
      this.#fail(`range can't iterate over ${this.#show(value)}`)
    }
  }

  #bindIteration({ declared, isAssign }: PipeNode, index: GoValue, item: Held): void {
    const [first, second] = declared
    if (first === undefined) return
    if (isAssign) {
      this.#assign(first, second === undefined ? item : index)
      if (second !== undefined) this.#assign(second, item)
      return
    }
    ;(this.#variables.at(-1) as Variable).value = item
    if (second !== undefined) (this.#variables.at(-2) as Variable).value = index
  }

  #assign(variable: VariableNode, value: Held): void {
    this.#variable(variable.names[0] as string).value = value
  }

  #variable(name: string): Variable {
    const found = this.#variables.findLast(variable => variable.name === name)
    return found ?? this.#fail(`undefined variable: ${name}`)
  }

  #template(dot: Held, node: TemplateNode): void {
    if (!this.#program.trees.has(node.name)) this.#fail(`template ${quote(node.name)} not defined`)
    if (this.#depth >= maxTemplateDepth) this.#fail(`exceeded maximum template depth (${maxTemplateDepth})`)
    const inner = node.pipe === undefined ? undefined : this.#pipeline(dot, node.pipe)
    new Executor(this.#program, node.name, this.#context, this.#output, inner, this.#depth + 1).run()
  }

  #pipeline(dot: Held, pipe: PipeNode): GoValue {
    this.#node = pipe
    let value: Final = nothing
    for (const command of pipe.commands) value = unbox(this.#command(dot, command, value)) ?? undefined
    const result = value as GoValue
    for (const variable of pipe.declared) {
      if (pipe.isAssign) this.#assign(variable, result)
      else this.#variables.push({ name: variable.names[0] as string, value: result })
    }
    return result
  }

  #command(dot: Held, command: CommandNode, final: Final): Held {
    this.#context.budget.step()
    const first = command.args[0] as Operand
    switch (first.kind) {
      case 'field':
        return this.#field(dot, first, first.names, command.args, final)
      case 'chain':
        return this.#chain(dot, first, command.args, final)
      case 'identifier':
        return this.#function(dot, first.name, first, command, command.args, final)
      case 'pipe':
        this.#mustTakeNoArgument(command.args, final)
        return this.#pipeline(dot, first)
      case 'variable':
        return this.#variableField(dot, first, command.args, final)
      default:
        this.#node = first
        this.#mustTakeNoArgument(command.args, final)
        if (first.kind === 'nil') return this.#fail('nil is not a command')
        return first.kind === 'dot' ? dot : this.#settled(constantAs(anyType, first))
    }
  }

  #mustTakeNoArgument(args: readonly Operand[], final: Final): void {
    if (args.length <= 1 && final === nothing) return
    this.#fail(`can't give argument to non-function ${nodeText(args[0] as Operand)}`)
  }

  #settled(constant: Constant): GoValue {
    return 'problem' in constant ? this.#fail(constant.problem) : constant.value
  }

  #field(dot: Held, node: AnyNode, names: readonly string[], args: readonly Operand[] | undefined, final: Final): Held {
    this.#node = node
    return this.#fieldChain(dot, dot, node, names, args, final)
  }

  #chain(
    dot: Held,
    node: Extract<Operand, { kind: 'chain' }>,
    args: readonly Operand[] | undefined,
    final: Final,
  ): Held {
    this.#node = node
    if (node.node.kind === 'nil') this.#fail(`indirection through explicit nil in ${nodeText(node)}`)
    return this.#fieldChain(dot, this.#argument(dot, undefined, node.node), node, node.names, args, final)
  }

  #variableField(dot: Held, node: VariableNode, args: readonly Operand[] | undefined, final: Final): Held {
    this.#node = node
    const { value } = this.#variable(node.names[0] as string)
    if (node.names.length > 1) return this.#fieldChain(dot, value, node, node.names.slice(1), args, final)
    this.#mustTakeNoArgument(args ?? [node], final)
    return value
  }

  #fieldChain(
    dot: Held,
    from: Held,
    node: AnyNode,
    names: readonly string[],
    args: readonly Operand[] | undefined,
    final: Final,
  ): Held {
    let receiver = from
    for (const name of names.slice(0, -1)) receiver = this.#fieldOf(dot, name, node, undefined, nothing, receiver)
    return this.#fieldOf(dot, names.at(-1) as string, node, args, final, receiver)
  }

  #fieldOf(
    dot: Held,
    name: string,
    node: AnyNode,
    args: readonly Operand[] | undefined,
    final: Final,
    receiver: Held,
  ): Held {
    const value = unbox(receiver)
    if (value === undefined) {
      if (this.#program.missingKey === 'error') this.#fail(`nil data; no entry for key ${quote(name)}`)
      return undefined
    }
    if (value === null) return this.#fail(`nil pointer evaluating ${anyType}.${name}`)
    const method = methodOf(value, name)
    if (method !== undefined) return this.#call(dot, method, node, name, args, final)
    if (!(value instanceof GoMap)) return this.#fail(`can't evaluate field ${name} in type ${heldType(receiver)}`)
    if ((args !== undefined && args.length > 1) || final !== nothing) {
      this.#fail(`${name} is not a method but has arguments`)
    }
    const found = value.entries.get(name)
    if (found !== undefined) return element(found, value.elementType)
    if (this.#program.missingKey === 'error') this.#fail(`map has no entry for key ${quote(name)}`)
    return this.#program.missingKey === 'zero' ? zeroOf(value.elementType) : undefined
  }

  #function(
    dot: Held,
    name: string,
    node: AnyNode,
    command: AnyNode,
    args: readonly Operand[] | undefined,
    final: Final,
  ): Held {
    this.#node = node
    const given = this.#program.functions.get(name)
    if (given !== undefined) return this.#call(dot, given, command, name, args, final)
    const builtin = this.#program.builtins.get(name)
    if (builtin === undefined) return this.#fail(`${quote(name)} is not a defined function`)
    if (!('isRaw' in builtin)) return this.#call(dot, builtin, command, name, args, final)
    return this.#callRaw(dot, builtin, command, name, args?.slice(1) ?? [], final)
  }

  #checkCount(name: string, least: number, isVariadic: boolean, given: number, final: Final): void {
    const count = given + (final === nothing ? 0 : 1)
    if (isVariadic) {
      if (count < least) this.#fail(`wrong number of args for ${name}: want at least ${least} got ${given}`)
    } else if (count !== least) this.#fail(`wrong number of args for ${name}: want ${least} got ${count}`)
  }

  /** Calls a builtin that takes values as they are. */
  #callRaw(
    dot: Held,
    builtin: Extract<Builtin, { isRaw: true }>,
    command: AnyNode,
    name: string,
    args: readonly Operand[],
    final: Final,
  ): Held {
    this.#checkCount(name, builtin.least, builtin.isVariadic, args.length, final)
    const piped = final === nothing ? [] : [final]
    if (builtin.stopsAt !== undefined) {
      let value: Held
      for (const arg of args) {
        value = this.#argument(dot, 'reflect.Value', arg)
        if (truth(value) === builtin.stopsAt) return value
      }
      return final === nothing ? value : final
    }
    const values = [...args.map(arg => this.#argument(dot, 'reflect.Value', arg)), ...piped]
    for (const value of values) this.#context.budget.charge(unbox(value))
    const callee = args[0] === undefined ? String(unbox(values[0])) : nodeText(args[0])
    return this.#guard(name, command, () => builtin.call(this.#context, values, callee))
  }

  #call(
    dot: Held,
    called: GoFunction,
    node: AnyNode,
    name: string,
    argsWithName: readonly Operand[] | undefined,
    final: Final,
  ): Held {
    const args = argsWithName?.slice(1) ?? []
    const { parameters, isVariadic } = called
    this.#checkCount(name, parameters.length - (isVariadic ? 1 : 0), isVariadic, args.length, final)
    const typeAt = (index: number) => parameters[Math.min(index, parameters.length - 1)] as GoType
    const values = args.map((arg, index) => unbox(this.#argument(dot, typeAt(index), arg)))
    if (final !== nothing) values.push(unbox(this.#checked(final, typeAt(args.length))))
    for (const value of values) this.#context.budget.charge(value)
    return this.#guard(name, node, () => {
      const result = called.call(this.#context, values)
      this.#context.budget.charge(result)
      return result
    })
  }

  #guard(name: string, node: AnyNode, call: () => Held): Held {
    this.#context.budget.step()
    try {
      return call()
    } catch (error) {
      if (!(error instanceof GoError)) throw error
      this.#node = node
      return this.#fail(`error calling ${name}: ${error.message}`, error)
    }
  }

  #canBeNil(type: GoType): boolean {
    return type === 'reflect.Value' || type.startsWith('*') || ['interface', 'map', 'slice'].includes(kindOfType(type))
  }

  #checked(held: Held, type: GoType | undefined): Held {
    if (type === undefined) return held
    if (held === undefined) {
      if (type === 'reflect.Value') return undefined
      return this.#canBeNil(type) ? zeroOf(type) : this.#fail(`invalid value; expected ${type}`)
    }
    if (type === 'reflect.Value') return held
    const value = unbox(held)
    if (type === anyType || typeOf(value) === type) return value
    return this.#fail(`wrong type for value; expected ${type}; got ${value === null ? anyType : typeOf(value)}`)
  }

  #argument(dot: Held, type: GoType | undefined, node: Operand): Held {
    this.#node = node
    switch (node.kind) {
      case 'dot':
        return this.#checked(dot, type)
      case 'nil':
        if (type !== undefined && !this.#canBeNil(type)) this.#fail(`cannot assign nil to ${type}`)
        return type === undefined || type === 'reflect.Value' ? undefined : zeroOf(type)
      case 'field':
        return this.#checked(this.#field(dot, node, node.names, [node], nothing), type)
      case 'variable':
        return this.#checked(this.#variableField(dot, node, undefined, nothing), type)
      case 'pipe':
        return this.#checked(this.#pipeline(dot, node), type)
      case 'identifier':
        return this.#checked(this.#function(dot, node.name, node, node, undefined, nothing), type)
      case 'chain':
        return this.#checked(this.#chain(dot, node, undefined, nothing), type)
      default:
        return this.#settled(constantAs(type ?? anyType, node))
    }
  }
}

/** Executes a template. Throws TemplateExecutionError. */
export function execute(program: Program, data: unknown, context: CallContext): string {
  const output = new Output(context.budget)
  try {
    new Executor(program, program.name, context, output, fromJson(data) ?? undefined).run()
  } catch (error) {
    // The stack has its end where neither the template's depth nor a value's was too great by itself.
    if (error instanceof RangeError) throw new TemplateLimitError('template is nested too deeply')
    throw error
  }
  return output.text
}
