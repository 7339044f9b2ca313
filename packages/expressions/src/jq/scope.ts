import type { Env, Node } from './machine.ts'
import type { Definition } from './syntax-tree.ts'

/** A function that a call enters. Its node is set once the body is compiled, which may call the function itself. */
export interface Callable {
  readonly definition: Definition
  /** How many items the environment has where it is defined. */
  readonly depth: number
  node: Node | undefined
}

type Entry =
  | { kind: 'variable'; name: string; depth: number }
  | { kind: 'argument'; name: string; depth: number }
  | { kind: 'function'; callable: Callable }

/** What names mean at a place in the program; `depth` counts the items of the environment there. */
export class Scope {
  readonly depth: number
  readonly #entry: Entry | undefined
  readonly #parent: Scope | undefined

  constructor(depth = 0, entry?: Entry, parent?: Scope) {
    this.depth = depth
    this.#entry = entry
    this.#parent = parent
  }

  withVariable(name: string): Scope {
    return new Scope(this.depth + 1, { kind: 'variable', name, depth: this.depth + 1 }, this)
  }

  withArgument(name: string): Scope {
    return new Scope(this.depth + 1, { kind: 'argument', name, depth: this.depth + 1 }, this)
  }

  withFunction(callable: Callable): Scope {
    return new Scope(this.depth, { kind: 'function', callable }, this)
  }

  /** How many items of the environment lie above the variable's. */
  variable(name: string): number | undefined {
    const entry = this.#find(candidate => candidate.kind === 'variable' && candidate.name === name)
    return entry?.kind === 'variable' ? this.depth - entry.depth : undefined
  }

  function(name: string, arity: number): Callable | { distance: number } | undefined {
    const entry = this.#find(candidate =>
      candidate.kind === 'function'
        ? candidate.callable.definition.name === name && candidate.callable.definition.params.length === arity
        : candidate.kind === 'argument' && arity === 0 && candidate.name === name,
    )
    if (entry?.kind === 'function') return entry.callable
    return entry?.kind === 'argument' ? { distance: this.depth - entry.depth } : undefined
  }

  #find(matches: (entry: Entry) => boolean): Entry | undefined {
    if (this.#entry !== undefined && matches(this.#entry)) return this.#entry
    return this.#parent === undefined ? undefined : this.#parent.#find(matches)
  }
}

export function ancestor(env: Env | undefined, distance: number): Env | undefined {
  let at = env
  for (let left = distance; left > 0; left--) at = at?.parent
  return at
}
