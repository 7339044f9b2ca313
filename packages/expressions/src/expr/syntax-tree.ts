import type { Nature } from './nature.ts'
import type { Position } from './source.ts'
import type { ExprValue } from './value.ts'

interface Base {
  position: Position
  /** What the checker found; replaced when the optimizer puts another node in this one's place. */
  nature?: Nature
}

export type Node =
  | NilNode
  | IdentifierNode
  | IntegerNode
  | FloatNode
  | BoolNode
  | StringNode
  | BytesNode
  | ConstantNode
  | UnaryNode
  | BinaryNode
  | ChainNode
  | MemberNode
  | SliceNode
  | CallNode
  | BuiltinNode
  | PredicateNode
  | PointerNode
  | LetNode
  | SequenceNode
  | ConditionalNode
  | ArrayNode
  | MapNode

export interface NilNode extends Base {
  kind: 'nil'
}
export interface IdentifierNode extends Base {
  kind: 'identifier'
  name: string
}
export interface IntegerNode extends Base {
  kind: 'integer'
  value: bigint
}
export interface FloatNode extends Base {
  kind: 'float'
  value: number
}
export interface BoolNode extends Base {
  kind: 'bool'
  value: boolean
}
export interface StringNode extends Base {
  kind: 'string'
  value: string
}
export interface BytesNode extends Base {
  kind: 'bytes'
  value: Uint8Array
}
/** A value that was computed at compile time. */
export interface ConstantNode extends Base {
  kind: 'constant'
  value: ExprValue
}
export interface UnaryNode extends Base {
  kind: 'unary'
  operator: string
  operand: Node
}
export interface BinaryNode extends Base {
  kind: 'binary'
  operator: string
  left: Node
  right: Node
}
/** The extent of a `?.`: nil anywhere within it makes the whole nil. */
export interface ChainNode extends Base {
  kind: 'chain'
  node: Node
}
export interface MemberNode extends Base {
  kind: 'member'
  base: Node
  property: Node
  isOptional: boolean
  isMethod: boolean
}
export interface SliceNode extends Base {
  kind: 'slice'
  base: Node
  from: Node | undefined
  to: Node | undefined
}
export interface CallNode extends Base {
  kind: 'call'
  callee: Node
  arguments: Node[]
}
export interface BuiltinNode extends Base {
  kind: 'builtin'
  name: string
  arguments: Node[]
  /** `map` after `filter` in one go, and what `filter(...)[0]` becomes: the optimizer's. */
  mapped?: Node
  throws?: boolean
  threshold?: bigint
}
export interface PredicateNode extends Base {
  kind: 'predicate'
  node: Node
}
export interface PointerNode extends Base {
  kind: 'pointer'
  name: string
}
export interface LetNode extends Base {
  kind: 'let'
  name: string
  value: Node
  body: Node
}
export interface SequenceNode extends Base {
  kind: 'sequence'
  nodes: Node[]
}
export interface ConditionalNode extends Base {
  kind: 'conditional'
  condition: Node
  whenTrue: Node
  whenFalse: Node
}
export interface ArrayNode extends Base {
  kind: 'array'
  nodes: Node[]
}
export interface MapNode extends Base {
  kind: 'map'
  pairs: { key: Node; value: Node; position: Position }[]
}

/** Replaces every child by what `change` gives for it. */
export function changeChildren(node: Node, change: (child: Node) => Node): void {
  switch (node.kind) {
    case 'unary':
      node.operand = change(node.operand)
      break
    case 'binary':
      node.left = change(node.left)
      node.right = change(node.right)
      break
    case 'chain':
    case 'predicate':
      node.node = change(node.node)
      break
    case 'member':
      node.base = change(node.base)
      node.property = change(node.property)
      break
    case 'slice':
      node.base = change(node.base)
      if (node.from !== undefined) node.from = change(node.from)
      if (node.to !== undefined) node.to = change(node.to)
      break
    case 'call':
      node.callee = change(node.callee)
      node.arguments = node.arguments.map(change)
      break
    case 'builtin':
      node.arguments = node.arguments.map(change)
      break
    case 'let':
      node.value = change(node.value)
      node.body = change(node.body)
      break
    case 'sequence':
    case 'array':
      node.nodes = node.nodes.map(change)
      break
    case 'conditional':
      node.condition = change(node.condition)
      node.whenTrue = change(node.whenTrue)
      node.whenFalse = change(node.whenFalse)
      break
    case 'map':
      for (const pair of node.pairs) {
        pair.key = change(pair.key)
        pair.value = change(pair.value)
      }
      break
    default:
  }
}
