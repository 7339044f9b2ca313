/** A bound of `[start:end:step]`. A derived end follows from the start: `[2]` is `[2:3]`. */
export interface SliceBound {
  value: number
  isKnown: boolean
  isDerived: boolean
}

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'list'; nodes: Node[] }
  | { kind: 'field'; name: string }
  | { kind: 'identifier'; name: string }
  | { kind: 'array'; bounds: readonly [SliceBound, SliceBound, SliceBound] }
  | { kind: 'filter'; left: ListNode; right: ListNode; operator: string }
  | { kind: 'constant'; value: number | boolean; isFloat: boolean }
  | { kind: 'wildcard' }
  | { kind: 'recursive' }
  | { kind: 'union'; alternatives: ListNode[] }

export type ListNode = Extract<Node, { kind: 'list' }>
