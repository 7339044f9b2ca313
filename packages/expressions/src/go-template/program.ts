import type { Builtin } from './builtins.ts'
import type { GoFunction } from './function.ts'
import type { ListNode } from './syntax-tree.ts'

/** What a key that a map lacks gives. */
export type MissingKey = 'invalid' | 'zero' | 'error'

/** What the templates of a text share while one of them is executed. */
export interface Program {
  /** The name that positions are given with. */
  readonly name: string
  readonly text: string
  readonly trees: ReadonlyMap<string, ListNode>
  readonly functions: ReadonlyMap<string, GoFunction>
  readonly builtins: ReadonlyMap<string, Builtin>
  readonly missingKey: MissingKey
}
