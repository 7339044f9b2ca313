import { accumulatorName, type Expr, type Literal, type MapEntry } from './syntax-tree.ts'

/** Gives nodes their ids and remembers where in the source each of them stands. */
export class TreeBuilder {
  readonly offsets = new Map<number, number>()
  #nextId = 1

  id(offset: number | undefined): number {
    const id = this.#nextId++
    if (offset !== undefined) this.offsets.set(id, offset)
    return id
  }

  offsetOf(expr: { id: number }): number | undefined {
    return this.offsets.get(expr.id)
  }

  /** A builder of nodes that all stand at one place: what a macro expands to stands where the macro was called. */
  at(offset: number | undefined): NodeFactory {
    return new NodeFactory(this, offset)
  }
}

/** Builds the nodes of a macro's expansion. */
export class NodeFactory {
  readonly #builder: TreeBuilder
  readonly #offset: number | undefined

  constructor(builder: TreeBuilder, offset: number | undefined) {
    this.#builder = builder
    this.#offset = offset
  }

  #id(): number {
    return this.#builder.id(this.#offset)
  }

  literal(value: Literal): Expr {
    return { kind: 'literal', id: this.#id(), value }
  }

  ident(name: string): Expr {
    return { kind: 'ident', id: this.#id(), name }
  }

  accumulator(): Expr {
    return this.ident(accumulatorName)
  }

  list(...elements: Expr[]): Expr {
    return { kind: 'list', id: this.#id(), elements, optionals: new Set() }
  }

  emptyMap(): Expr {
    return { kind: 'map', id: this.#id(), entries: [] }
  }

  call(name: string, ...args: Expr[]): Expr {
    return { kind: 'call', id: this.#id(), function: name, target: undefined, args }
  }

  memberCall(name: string, target: Expr, ...args: Expr[]): Expr {
    return { kind: 'call', id: this.#id(), function: name, target, args }
  }

  presenceTest(operand: Expr, field: string): Expr {
    return { kind: 'select', id: this.#id(), operand, field, testOnly: true }
  }

  fold(parts: Omit<Extract<Expr, { kind: 'comprehension' }>, 'kind' | 'id'>): Expr {
    return { kind: 'comprehension', id: this.#id(), ...parts }
  }

  /** Evaluates `init` at most once, when `name` is first read in `result`. */
  bind(name: string, init: Expr, result: Expr): Expr {
    return this.fold({
      range: this.list(),
      iterVar: '#unused',
      iterVar2: undefined,
      accuVar: name,
      init,
      condition: this.literal(false),
      step: this.ident(name),
      result,
    })
  }

  /** The same expression with fresh ids, each where its original stands. */
  copy(expr: Expr): Expr {
    const id = this.#builder.id(this.#builder.offsetOf(expr))
    switch (expr.kind) {
      case 'select':
        return { ...expr, id, operand: this.copy(expr.operand) }
      case 'call':
        return {
          ...expr,
          id,
          target: expr.target === undefined ? undefined : this.copy(expr.target),
          args: expr.args.map(arg => this.copy(arg)),
        }
      case 'list':
        return { ...expr, id, elements: expr.elements.map(element => this.copy(element)) }
      case 'map':
        return { ...expr, id, entries: expr.entries.map(entry => this.#copyEntry(entry)) }
      case 'struct':
        return {
          ...expr,
          id,
          fields: expr.fields.map(field => ({ ...field, id: this.#id(), value: this.copy(field.value) })),
        }
      case 'comprehension':
        return {
          ...expr,
          id,
          range: this.copy(expr.range),
          init: this.copy(expr.init),
          condition: this.copy(expr.condition),
          step: this.copy(expr.step),
          result: this.copy(expr.result),
        }
      default:
        return { ...expr, id }
    }
  }

  #copyEntry(entry: MapEntry): MapEntry {
    return { ...entry, id: this.#id(), key: this.copy(entry.key), value: this.copy(entry.value) }
  }
}
