import type { Artifact } from '../spec/workflow.ts'

/** The value of a variable. Null: a step that never ran would have given it; only `??` and defaults can deal with that. */
export type Value = string | null

/** What a name can stand for in an expression: an artifact has no text. */
export type ScopeEntry = readonly [name: string, value: Value | Artifact]

/** The variables that some text can see. Nothing is computed before it is asked for. */
export interface Scope {
  get(name: string): Value | undefined
  /** An artifact such as `steps.a.outputs.artifacts.b`; null when its step never ran, or when nobody gave an optional one. */
  artifact(name: string): Artifact | null | undefined
  /** Everything whose name is `root` or begins with `root.`; expressions see it as an object. `members` are the names behind the
   *  root that are asked for; all, when left out. */
  under(root: string, members?: ReadonlySet<string>): Iterable<ScopeEntry>
}

/** Variables by their full names. */
export class Variables implements Scope {
  readonly #values: Map<string, Value>
  readonly #artifacts = new Map<string, Artifact | null>()

  constructor(values: Iterable<readonly [string, Value]> = []) {
    this.#values = new Map(values)
  }

  set(name: string, value: Value): this {
    this.#values.set(name, value)
    return this
  }

  setArtifact(name: string, artifact: Artifact | null): this {
    this.#artifacts.set(name, artifact)
    return this
  }

  get(name: string): Value | undefined {
    return this.#values.get(name)
  }

  artifact(name: string): Artifact | null | undefined {
    return this.#artifacts.get(name)
  }

  *under(root: string): Generator<ScopeEntry> {
    for (const entry of this.#values) if (isUnder(entry[0], root)) yield entry
    for (const entry of this.#artifacts) if (isUnder(entry[0], root)) yield entry
  }
}

/** The first scope that knows a name answers. */
export function joinScopes(...scopes: readonly Scope[]): Scope {
  return {
    get(name) {
      for (const scope of scopes) {
        const value = scope.get(name)
        if (value !== undefined) return value
      }
      return undefined
    },
    artifact(name) {
      for (const scope of scopes) {
        const value = scope.artifact(name)
        if (value !== undefined) return value
      }
      return undefined
    },
    *under(root, members) {
      // The last one wins where names become an object, so that the first scope comes last.
      for (const scope of scopes.toReversed()) yield* scope.under(root, members)
    },
  }
}

export function isUnder(name: string, root: string): boolean {
  return name === root || (name.startsWith(root) && name[root.length] === '.')
}
