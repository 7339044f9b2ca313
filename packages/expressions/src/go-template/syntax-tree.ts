import { quote } from './quote.ts'

interface At {
  /** Where the node starts in the text. */
  readonly at: number
}

export type Node = ActionNode | TextNode | BranchNode | TemplateNode | LoopControlNode | ListNode

export interface ListNode extends At {
  readonly kind: 'list'
  readonly nodes: Node[]
}

export interface TextNode extends At {
  readonly kind: 'text'
  readonly text: string
}

export interface ActionNode extends At {
  readonly kind: 'action'
  readonly pipe: PipeNode
}

export interface BranchNode extends At {
  readonly kind: 'if' | 'range' | 'with'
  readonly pipe: PipeNode
  readonly list: ListNode
  readonly elseList: ListNode | undefined
}

export interface TemplateNode extends At {
  readonly kind: 'template'
  readonly name: string
  readonly pipe: PipeNode | undefined
}

export interface LoopControlNode extends At {
  readonly kind: 'break' | 'continue'
}

export interface PipeNode extends At {
  readonly kind: 'pipe'
  readonly isAssign: boolean
  readonly declared: readonly VariableNode[]
  readonly commands: readonly CommandNode[]
}

export interface CommandNode extends At {
  readonly kind: 'command'
  readonly args: readonly Operand[]
}

export interface VariableNode extends At {
  readonly kind: 'variable'
  /** The variable, then the fields of it. */
  readonly names: readonly string[]
}

export interface NumberNode extends At {
  readonly kind: 'number'
  readonly text: string
  /** The number as each kind that can hold it. */
  readonly int: bigint | undefined
  readonly uint: bigint | undefined
  readonly float: number | undefined
  readonly complex: { readonly real: number; readonly imaginary: number } | undefined
}

export type Operand =
  | PipeNode
  | VariableNode
  | NumberNode
  | (At & { readonly kind: 'identifier'; readonly name: string })
  | (At & { readonly kind: 'field'; readonly names: readonly string[] })
  | (At & { readonly kind: 'chain'; readonly node: Operand; readonly names: readonly string[] })
  | (At & { readonly kind: 'dot' })
  | (At & { readonly kind: 'nil' })
  | (At & { readonly kind: 'bool'; readonly value: boolean })
  | (At & { readonly kind: 'string'; readonly quoted: string; readonly text: string })

export type AnyNode = Node | Operand | CommandNode

/** The node as error messages show it. */
export function nodeText(node: AnyNode): string {
  switch (node.kind) {
    case 'list':
      return node.nodes.map(nodeText).join('')
    case 'text':
      return node.text
    case 'action':
      return `{{${nodeText(node.pipe)}}}`
    case 'if':
    case 'range':
    case 'with': {
      const otherwise = node.elseList === undefined ? '' : `{{else}}${nodeText(node.elseList)}`
      return `{{${node.kind} ${nodeText(node.pipe)}}}${nodeText(node.list)}${otherwise}{{end}}`
    }
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe === undefined ? '' : ` ${nodeText(node.pipe)}`}}}`
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`
    case 'pipe': {
      const declared = node.declared.map(nodeText).join(', ')
      const commands = node.commands.map(nodeText).join(' | ')
      return declared === '' ? commands : `${declared} ${node.isAssign ? '=' : ':='} ${commands}`
    }
    case 'command':
      return node.args.map(operandText).join(' ')
    case 'identifier':
      return node.name
    case 'variable':
      return node.names.join('.')
    case 'field':
      return node.names.map(name => `.${name}`).join('')
    case 'chain':
      return operandText(node.node) + node.names.map(name => `.${name}`).join('')
    case 'number':
      return node.text
    case 'dot':
      return '.'
    case 'nil':
      return 'nil'
    case 'bool':
      return String(node.value)
    case 'string':
      return node.quoted
  }
}

const operandText = (operand: Operand): string =>
  operand.kind === 'pipe' ? `(${nodeText(operand)})` : nodeText(operand)

/** Whether the node prints nothing but space, so that a definition of the same name may take its place. */
export function isEmptyTree(node: Node): boolean {
  if (node.kind === 'list') return node.nodes.every(isEmptyTree)
  return node.kind === 'text' && node.text.trim() === ''
}
