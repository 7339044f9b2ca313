import { type NumberNode, nodeText, type Operand } from './syntax-tree.ts'
import { anyType, GoComplex, GoInt, type GoType, type GoValue, isIntKind, isUnsignedKind, kindOfType } from './value.ts'

export type Constant = { readonly value: GoValue } | { readonly problem: string }

type ConstantNode = Extract<Operand, { kind: 'bool' | 'string' | 'number' }>

/** The value that a constant has where a type is wanted. */
export function constantAs(type: GoType, node: ConstantNode): Constant {
  if (type === anyType || type === 'reflect.Value') return node.kind === 'number' ? untyped(node) : plain(node)
  const found = (value: GoValue, wanted: string): Constant =>
    value === undefined ? { problem: `expected ${wanted}; found ${nodeText(node)}` } : { value }
  const kind = kindOfType(type)
  const number = node.kind === 'number' ? node : undefined
  if (kind === 'bool') return found(node.kind === 'bool' ? node.value : undefined, 'bool')
  if (kind === 'string') return found(node.kind === 'string' ? node.text : undefined, 'string')
  if (kind === 'float64') return found(number?.float, 'float')
  if (isUnsignedKind(kind)) return found(typedInteger(type, number?.uint), 'unsigned integer')
  if (isIntKind(kind)) return found(typedInteger(type, number?.int), 'integer')
  return { problem: `can't handle ${nodeText(node)} for arg of type ${type}` }
}

const plain = (node: Exclude<ConstantNode, NumberNode>): Constant => ({
  value: node.kind === 'bool' ? node.value : node.text,
})

/** What a number is where nothing says what type it should have. */
function untyped({ text, complex, float, int }: NumberNode): Constant {
  if (complex !== undefined) return { value: new GoComplex(complex.real, complex.imaginary) }
  const isHex = /^0[xX]/.test(text) && !/[pP]/.test(text)
  if (float !== undefined && !isHex && !text.startsWith("'") && /[.eEpP]/.test(text)) return { value: float }
  return int === undefined ? { problem: `${text} overflows int` } : { value: int }
}

function typedInteger(type: GoType, value: bigint | undefined): GoValue {
  if (value === undefined || type === 'int') return value
  return new GoInt(type, type === 'uint32' ? BigInt.asUintN(32, value) : value)
}
