import {
  asMember,
  children,
  EMPTY,
  type FieldSet,
  fieldSet,
  hasChildren,
  isMember,
  LEAF,
  makeNode,
  recursiveDifference,
  union,
} from './field-set.ts'
import type { FieldType, MapForm } from './field-type.ts'
import type { PathElement } from './path-element.ts'

/** The set with the named fields on the way to its members as members too: who owns `spec.replicas` also holds `spec`.
 *  Keys of maps are no named fields. */
export function withNamedParents(set: FieldSet, type: FieldType | undefined): FieldSet {
  const nodes: [PathElement, FieldSet][] = []
  for (const [element, node] of children(set)) {
    if (!hasChildren(node)) {
      nodes.push([element, node])
      continue
    }
    const { childType, isNamed } = step(element, type)
    const below = withNamedParents(node, childType)
    nodes.push([element, isNamed || isMember(node) ? asMember(below) : below])
  }
  return nodes.length === 0 ? EMPTY : makeNode(nodes, false)
}

function step(
  element: PathElement,
  type: FieldType | undefined,
): { childType: FieldType | undefined; isNamed: boolean } {
  if (element[0] === 'f' && type?.map !== undefined) {
    const field = type.map.field(element.slice(2))
    return { childType: field === undefined ? type.map.rest : field.type, isNamed: field !== undefined }
  }
  return { childType: element[0] === 'k' ? type?.list?.item : undefined, isNamed: false }
}

const reconciled = new WeakMap<FieldSet, FieldType>()

/** The set as it must be when a schema that owned a value in parts now owns it as one piece. */
export function reconcile(set: FieldSet, type: FieldType): FieldSet {
  if (reconciled.get(set) === type) return set
  const merged: PathElement[][] = []
  findMerged(set, type, [], false, merged)
  let result = set
  if (merged.length > 0) {
    const paths = fieldSet(...merged)
    result = union(recursiveDifference(set, paths), paths)
  }
  reconciled.set(result, type)
  return result
}

/** Says that the set was made with this type. */
export function rememberReconciled(set: FieldSet, type: FieldType): void {
  reconciled.set(set, type)
}

/** Collects the paths of atomic values that the set owns in parts. */
function findMerged(
  node: FieldSet,
  type: FieldType,
  path: PathElement[],
  isLeaf: boolean,
  found: PathElement[][],
): void {
  if (type.map !== undefined) findInMap(node, type.map, path, isLeaf, found)
  else if (type.scalar === undefined && type.list !== undefined) {
    if (!isLeaf && type.list.isAtomic) found.push(path)
    else for (const [element, child] of children(node)) descend(element, child, type.list.item, path, found)
  }
}

function findInMap(node: FieldSet, map: MapForm, path: PathElement[], isLeaf: boolean, found: PathElement[][]): void {
  if (map.isDeduced) return
  if (!isLeaf && map.isAtomic) {
    if (hasChildren(node) && path.length > 0) found.push(path)
    return
  }
  for (const [element, child] of children(node)) {
    const field = element[0] === 'f' ? map.field(element.slice(2)) : undefined
    const type = field?.type ?? map.rest
    if (type !== undefined) descend(element, child, type, path, found)
  }
}

function descend(
  element: PathElement,
  node: FieldSet,
  type: FieldType,
  path: PathElement[],
  found: PathElement[][],
): void {
  const isLeaf = node === LEAF || !hasChildren(node)
  findMerged(node, type, [...path, element], isLeaf, found)
}
