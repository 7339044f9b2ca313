import { parseGoFloat } from '../gjson/go-float.ts'
import { parseInt64, parseUint64 } from './number-text.ts'
import { quote, unquoteCharacter } from './quote.ts'
import type { NumberNode } from './syntax-tree.ts'

const none = { int: undefined, uint: undefined, float: undefined, complex: undefined }

/** Reads a number or character constant. Throws an Error with Go's text. */
export function parseNumberLiteral(text: string, kind: 'number' | 'complex' | 'charConstant', at: number): NumberNode {
  const node = (values: Partial<NumberNode>): NumberNode => ({ kind: 'number', at, text, ...none, ...values })
  if (kind === 'charConstant') return node(characterValues(text))
  if (kind === 'complex') {
    const split = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'))
    const [real, imaginary] = [parseReal(text.slice(0, split)), parseReal(text.slice(split, -1))]
    if (real === undefined || imaginary === undefined) throw new Error('syntax error scanning complex number')
    return node(complexValues(real, imaginary))
  }
  if (text.endsWith('i')) {
    const imaginary = parseReal(text.slice(0, -1))
    if (imaginary !== undefined) return node(complexValues(0, imaginary))
  }
  return node(realValues(text))
}

function parseReal(text: string): number | undefined {
  const value = parseGoFloat(text)
  return value === undefined || !Number.isFinite(value) ? undefined : value
}

function characterValues(text: string): Partial<NumberNode> {
  const read = unquoteCharacter(text.slice(1), "'")
  if (read === undefined) throw new Error('invalid syntax')
  if (text.slice(1 + read.length) !== "'") throw new Error(`malformed character constant: ${text}`)
  const code = (read.text.codePointAt(0) as number) - (read.isByte ? 0xdc00 : 0)
  return { int: BigInt(code), uint: BigInt(code), float: code }
}

function complexValues(real: number, imaginary: number): Partial<NumberNode> {
  const complex = { real, imaginary }
  return imaginary === 0 ? { complex, float: real, ...wholeValues(real) } : { complex }
}

/** A float that is whole serves as an integer as well. */
function wholeValues(value: number): Partial<NumberNode> {
  if (!Number.isInteger(value)) return {}
  const whole = BigInt(value)
  return {
    ...(whole === BigInt.asIntN(64, whole) ? { int: whole } : {}),
    ...(whole === BigInt.asUintN(64, whole) ? { uint: whole } : {}),
  }
}

function realValues(text: string): Partial<NumberNode> {
  const signed = parseInt64(text, 0)
  const unsigned = parseUint64(text, 0)
  const int = 'value' in signed ? signed.value : undefined
  const uint = 'value' in unsigned ? unsigned.value : int === 0n ? 0n : undefined
  if (int !== undefined || uint !== undefined) return { int, uint, float: Number(int ?? uint) }
  const float = parseReal(text)
  if (float === undefined) throw new Error(`illegal number syntax: ${quote(text)}`)
  if (!/[.eEpP]/.test(text)) throw new Error(`integer overflow: ${quote(text)}`)
  return { float, ...wholeValues(float) }
}
