import { canonicalElement, compareElements, type PathElement } from './path-element.ts'

/** A set of fields, in the very form of FieldsV1: a tree of path elements. A node without children is a member; a node
 *  with children is one too when it has the child `.`. The root is no member: `{}` is the empty set.
 *  Sets are immutable and share their parts; a function that changes nothing returns its first argument. Elements are
 *  in their canonical form and order, so a set can be written as it is. */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet
}

export const EMPTY: FieldSet = Object.freeze({})

/** The node of a member without members below it. */
export const LEAF: FieldSet = EMPTY

const SELF = '.'

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

export const isMember = (node: FieldSet): boolean => node === LEAF || SELF in node || isEmpty(node)

/** Makes a node, or a root, from its children in any order. */
export function makeNode(children: [PathElement, FieldSet][], asMember: boolean): FieldSet {
  if (children.length === 0) return LEAF
  if (children.length > 1) sortChildren(children)
  const node: Record<string, FieldSet> = asMember ? { [SELF]: LEAF } : {}
  for (const [element, child] of children) node[element] = child
  return node
}

function sortChildren(children: [PathElement, FieldSet][]): void {
  for (let i = 1; i < children.length; i++) {
    const previous = children[i - 1] as [PathElement, FieldSet]
    if (compareElements(previous[0], (children[i] as [PathElement, FieldSet])[0]) > 0) {
      children.sort(([a], [b]) => compareElements(a, b))
      return
    }
  }
}

/** The node as a member; undefined is a node that was not there. */
export function asMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return LEAF
  return isMember(node) ? node : { [SELF]: LEAF, ...node }
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b
  return isEmpty(b) ? a : unionChildren(a, b, false)
}

export function unionNodes(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined || a === b) return a ?? b
  return unionChildren(a, b, isMember(a) || isMember(b))
}

function unionChildren(a: FieldSet, b: FieldSet, member: boolean): FieldSet {
  let added: [PathElement, FieldSet][] | undefined
  for (const element in b) {
    if (element === SELF) continue
    const own = a[element]
    const merged = unionNodes(own, b[element]) as FieldSet
    if (merged !== own) (added ??= []).push([element, merged])
  }
  if (added === undefined) {
    // An empty `a` is a member already; it stays as it is when nothing is added.
    return !member || isMember(a) ? a : { [SELF]: LEAF, ...a }
  }
  const replaced = new Map(added)
  const children: [PathElement, FieldSet][] = []
  for (const element in a) {
    if (element === SELF) continue
    children.push([element, replaced.get(element) ?? (a[element] as FieldSet)])
    replaced.delete(element)
  }
  children.push(...replaced)
  return makeNode(children, member)
}

/** What is in `a` and not in `b`. Members below a removed member stay. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? a : (without(a, b, false, false) ?? EMPTY)

/** What is in `a`, without the members of `b` and everything below them. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? a : (without(a, b, false, true) ?? EMPTY)

function without(a: FieldSet, b: FieldSet, member: boolean, recursive: boolean): FieldSet | undefined {
  let changed: Map<PathElement, FieldSet | undefined> | undefined
  for (const element in b) {
    if (element === SELF) continue
    const own = a[element]
    if (own === undefined) continue
    const other = b[element] as FieldSet
    const otherIsMember = isMember(other)
    const left =
      recursive && otherIsMember ? undefined : without(own, other, isMember(own) && !otherIsMember, recursive)
    if (left !== own) (changed ??= new Map()).set(element, left)
  }
  const wasMember = isMember(a)
  if (changed === undefined && member === wasMember) return a
  const node: Record<string, FieldSet> = member ? { [SELF]: LEAF } : {}
  let hasChildren = false
  for (const element in a) {
    if (element === SELF) continue
    const child = changed?.has(element) ? changed.get(element) : a[element]
    if (child === undefined) continue
    node[element] = child
    hasChildren = true
  }
  if (!hasChildren) return member ? LEAF : undefined
  return node
}

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => common(a, b, false) ?? EMPTY

function common(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const children: [PathElement, FieldSet][] = []
  for (const element in a) {
    if (element === SELF) continue
    const other = b[element]
    if (other === undefined) continue
    const own = a[element] as FieldSet
    const shared = common(own, other, isMember(own) && isMember(other))
    if (shared !== undefined) children.push([element, shared])
  }
  return children.length === 0 && !member ? undefined : makeNode(children, member)
}

export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) {
    node = node[element]
    if (node === undefined) return false
  }
  return path.length > 0 && isMember(node)
}

/** Whether the element itself is in the set, and what is in the set below it. */
export const hasElement = (set: FieldSet, element: PathElement): boolean => {
  const node = set[element]
  return node !== undefined && isMember(node)
}

export function below(set: FieldSet, element: PathElement): FieldSet {
  return set[element] ?? EMPTY
}

/** Whether the node has members below itself. */
export function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== SELF) return true
  return false
}

/** The children of a node or root, without its own membership. */
export function children(node: FieldSet): [PathElement, FieldSet][] {
  const entries: [PathElement, FieldSet][] = []
  for (const element in node) if (element !== SELF) entries.push([element, node[element] as FieldSet])
  return entries
}

/** Calls `visit` with the path of every member: those of a level first, then what lies below each. */
export function forEachPath(set: FieldSet, visit: (path: PathElement[]) => void, prefix: PathElement[] = []): void {
  for (const [element, node] of children(set)) if (isMember(node)) visit([...prefix, element])
  for (const [element, node] of children(set)) if (hasChildren(node)) forEachPath(node, visit, [...prefix, element])
}

/** A set from paths of elements. */
export function fieldSet(...paths: PathElement[][]): FieldSet {
  let set = EMPTY
  for (const path of paths) set = union(set, pathNode(path, 0))
  return set
}

function pathNode(path: PathElement[], at: number): FieldSet {
  return at === path.length ? LEAF : { [path[at] as PathElement]: pathNode(path, at + 1) }
}

const canonical = new WeakSet<object>()

/** Reads FieldsV1 as a client or the store wrote it. Throws a SyntaxError when it is none. What this function returned
 *  once, it returns again without a second look. */
export function decodeFieldSet(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return EMPTY
  if (typeof fields !== 'object' || Array.isArray(fields))
    throw new SyntaxError('expect { or n, but found something else')
  if (canonical.has(fields)) return fields as FieldSet
  const set = decodeNode(fields as Record<string, unknown>) ?? EMPTY
  canonical.add(set)
  return set
}

/** Says that a set made by these functions needs no second look when it comes back from the store. */
export function rememberCanonical(set: FieldSet): FieldSet {
  canonical.add(set)
  return set
}

/** Undefined for a node that only says that it is a member. */
function decodeNode(fields: Record<string, unknown>): FieldSet | undefined {
  const children = new Map<PathElement, FieldSet>()
  let member = false
  for (const key of Object.keys(fields)) {
    if (key === SELF) {
      member = true
      continue
    }
    const element = canonicalElement(key)
    if (element === undefined) continue
    const value = fields[key]
    if (typeof value !== 'object' || Array.isArray(value))
      throw new SyntaxError('expect { or n, but found something else')
    children.set(element, value === null ? LEAF : (decodeNode(value as Record<string, unknown>) ?? LEAF))
  }
  return children.size === 0 ? undefined : makeNode([...children], member)
}
