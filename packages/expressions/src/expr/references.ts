import type { Source } from './source.ts'
import { changeChildren, type Node } from './syntax-tree.ts'

/** A name that an expression takes from its environment. */
export interface ExprReference {
  readonly name: string
  /** The name and the members that are read from it, as far as they are written out: `['steps', 'a', 'status']`. */
  readonly path: readonly string[]
  /** `f` in `f(x)`. */
  readonly isCalled: boolean
  /** Whether a missing name is allowed for: `$env?.name`. */
  readonly isOptional: boolean
  readonly line: number
  readonly column: number
}

/** The free names of a tree, in the order in which they are written. */
export function referencesIn(tree: Node, source: Source): ExprReference[] {
  const found: { position: number; reference: ExprReference }[] = []
  const add = (node: Node, path: readonly string[], isCalled: boolean, isOptional: boolean) => {
    const position = node.position ?? 0
    const before = source.characters.slice(0, position)
    const line = before.filter(character => character === '\n').length + 1
    const column = position - before.lastIndexOf('\n')
    found.push({ position, reference: { name: path[0] as string, path, isCalled, isOptional, line, column } })
  }
  const visit = (node: Node, bound: ReadonlySet<string>, isCalled = false): void => {
    const path = pathOf(node)
    if (path !== undefined && !bound.has(path.names[0] ?? '')) {
      const isEnvironment = path.names[0] === '$env'
      const names = isEnvironment ? path.names.slice(1) : path.names
      if (names.length > 0) add(isEnvironment ? node : path.root, names, isCalled, isEnvironment && path.isOptional)
      visitIndexes(node, bound)
      return
    }
    if (node.kind === 'let') {
      visit(node.value, bound)
      visit(node.body, new Set([...bound, node.name]))
      return
    }
    if (node.kind === 'call') {
      visit(node.callee, bound, true)
      for (const one of node.arguments) visit(one, bound)
      return
    }
    changeChildren(node, child => {
      visit(child, bound)
      return child
    })
  }
  /** `a[b].c` reads b too. */
  const visitIndexes = (node: Node, bound: ReadonlySet<string>): void => {
    if (node.kind === 'chain') visitIndexes(node.node, bound)
    if (node.kind !== 'member') return
    visitIndexes(node.base, bound)
    if (node.property.kind !== 'string') visit(node.property, bound)
  }
  visit(tree, new Set())
  return found.sort((left, right) => left.position - right.position).map(({ reference }) => reference)
}

interface Path {
  names: string[]
  root: Node
  isOptional: boolean
  /** An index that is not written out ends the path. */
  isOpen: boolean
}

function pathOf(node: Node): Path | undefined {
  if (node.kind === 'identifier') return { names: [node.name], root: node, isOptional: false, isOpen: true }
  if (node.kind === 'chain') return pathOf(node.node)
  if (node.kind !== 'member') return undefined
  const base = pathOf(node.base)
  if (base === undefined) return undefined
  const isOptional = base.isOptional || node.isOptional
  if (!base.isOpen || node.property.kind !== 'string') return { ...base, isOptional, isOpen: false }
  return { ...base, isOptional, names: [...base.names, node.property.value] }
}

/** The builtins that are called. */
export function builtinCalls(tree: Node): string[] {
  const names = new Set<string>()
  const visit = (node: Node): Node => {
    if (node.kind === 'builtin') names.add(node.name)
    changeChildren(node, visit)
    return node
  }
  visit(tree)
  return [...names]
}
