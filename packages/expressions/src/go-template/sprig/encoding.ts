import { fromBytes, toBytes } from '../byte-text.ts'
import { define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'

interface Encoding {
  readonly name: string
  readonly alphabet: string
  /** Bits that a character stands for. */
  readonly bits: number
  /** Characters that are encoded together. */
  readonly group: number
  /** Where the padding after `inGroup` characters of a group is wrong; undefined when it is right. */
  paddingProblem(input: string, at: number, inGroup: number): number | undefined
}

const base64: Encoding = {
  name: 'base64',
  alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  bits: 6,
  group: 4,
  paddingProblem(input, at, inGroup) {
    if (inGroup < 2) return at
    let next = afterLineEnds(input, at + 1)
    if (inGroup === 2) {
      if (next === input.length) return input.length
      if (input[next] !== '=') return next - 1
      next = afterLineEnds(input, next + 1)
    }
    return next < input.length ? next : undefined
  },
}
const base32: Encoding = {
  name: 'base32',
  alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  bits: 5,
  group: 8,
  paddingProblem(input, at, inGroup) {
    const left = input.length - at - 1
    if (inGroup < 2 || left >= 8) return at
    if (left + inGroup < 7) return input.length
    const wrong = input.slice(at + 1, at + 8 - inGroup).search(/[^=]/)
    if (wrong >= 0) return at + wrong
    return inGroup === 3 || inGroup === 6 ? at : undefined
  },
}

function afterLineEnds(input: string, from: number): number {
  let at = from
  while (input[at] === '\r' || input[at] === '\n') at += 1
  return at
}

function encode(bytes: Uint8Array, { alphabet, bits, group }: Encoding): string {
  let text = ''
  let value = 0
  let width = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff
    width += 8
    while (width >= bits) {
      width -= bits
      text += alphabet[(value >> width) & (2 ** bits - 1)]
    }
  }
  if (width > 0) text += alphabet[(value << (bits - width)) & (2 ** bits - 1)]
  return text.padEnd(Math.ceil(text.length / group) * group, '=')
}

/** The bytes that a text encodes. Line ends do not count. Throws GoError, which names the byte that is wrong. */
export function decodeBase64(text: string): Uint8Array {
  return decode(text, base64)
}

function decode(text: string, encoding: Encoding): Uint8Array {
  const { alphabet, bits, group, name } = encoding
  const bytes = toBytes(text).toString('latin1')
  const input = name === 'base32' ? bytes.replace(/[\r\n]/g, '') : bytes
  const illegal = (at: number) => new GoError(`illegal ${name} data at input byte ${at}`)
  const decoded = Buffer.alloc(Math.ceil((input.length * bits) / 8))
  let length = 0
  let value = 0
  let width = 0
  let inGroup = 0
  for (let at = 0; at < input.length; at++) {
    const character = input[at] as string
    if (character === '\r' || character === '\n') continue
    if (character === '=') {
      const problem = encoding.paddingProblem(input, at, inGroup)
      if (problem !== undefined) throw illegal(problem)
      return decoded.subarray(0, length)
    }
    const index = alphabet.indexOf(character)
    if (index < 0) throw illegal(at)
    value = ((value << bits) | index) & 0xffff
    width += bits
    inGroup = (inGroup + 1) % group
    if (width < 8) continue
    width -= 8
    decoded[length++] = (value >> width) & 0xff
  }
  if (inGroup !== 0) throw illegal(input.length - inGroup)
  return decoded.subarray(0, length)
}

function decodedText(text: string, encoding: Encoding): string {
  try {
    return fromBytes(decode(text, encoding))
  } catch (error) {
    if (error instanceof GoError) return error.message
    throw error
  }
}

export const encodingFunctions: Readonly<Record<string, GoFunction>> = {
  b64enc: define(['string'], (_, text) => toBytes(text).toString('base64')),
  b64dec: define(['string'], (_, text) => decodedText(text, base64)),
  b32enc: define(['string'], (_, text) => encode(toBytes(text), base32)),
  b32dec: define(['string'], (_, text) => decodedText(text, base32)),
}
