// The password hash bcrypt, version 2a: Blowfish with a key schedule that is made slow on purpose.

const rounds = 16
const cost = 10
const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

interface State {
  readonly p: Uint32Array
  /** Four tables of 256 words. */
  readonly s: Uint32Array
}

let initial: State | undefined

/** Blowfish starts from the digits of π after the point: 18 words, then four times 256. */
function initialState(): State {
  initial ??= stateFromPi()
  return { p: initial.p.slice(), s: initial.s.slice() }
}

function stateFromPi(): State {
  const words = 18 + 4 * 256
  const guard = 64n
  const bits = BigInt(words * 32) + guard
  const one = 1n << bits
  // Machin: π = 16 arctan(1/5) - 4 arctan(1/239).
  const arctan = (inverse: bigint): bigint => {
    let power = one / inverse
    let sum = power
    const square = inverse * inverse
    for (let divisor = 3n, sign = -1n; power > 0n; divisor += 2n, sign = -sign) {
      power /= square
      sum += (sign * power) / divisor
    }
    return sum
  }
  const pi = 16n * arctan(5n) - 4n * arctan(239n)
  const fraction = (pi - 3n * one) >> guard
  const hex = fraction.toString(16).padStart(words * 8, '0')
  const all = Uint32Array.from({ length: words }, (_, index) =>
    Number.parseInt(hex.slice(index * 8, index * 8 + 8), 16),
  )
  return { p: all.slice(0, 18), s: all.slice(18) }
}

/** Encrypts the block of two words in place. */
function encrypt({ p, s }: State, block: Uint32Array): void {
  let left = block[0] as number
  let right = block[1] as number
  for (let round = 0; round < rounds; round += 2) {
    left ^= p[round] as number
    right ^= mix(s, left)
    right ^= p[round + 1] as number
    left ^= mix(s, right)
  }
  block[0] = right ^ (p[17] as number)
  block[1] = left ^ (p[16] as number)
}

function mix(s: Uint32Array, word: number): number {
  const sum = (s[word >>> 24] as number) + (s[256 + ((word >>> 16) & 0xff)] as number)
  return ((sum ^ (s[512 + ((word >>> 8) & 0xff)] as number)) + (s[768 + (word & 0xff)] as number)) | 0
}

/** The words of the bytes, over and over. */
function words(bytes: Uint8Array, count: number): Uint32Array {
  let at = 0
  return Uint32Array.from({ length: count }, () => {
    let word = 0
    for (let each = 0; each < 4; each++) {
      word = (word << 8) | (bytes[at] as number)
      at = (at + 1) % bytes.length
    }
    return word >>> 0
  })
}

function expandKey(state: State, key: Uint32Array, salt: Uint32Array | undefined): void {
  for (let index = 0; index < 18; index++) state.p[index] = (state.p[index] as number) ^ (key[index] as number)
  const block = new Uint32Array(2)
  let at = 0
  for (const table of [state.p, state.s]) {
    for (let index = 0; index < table.length; index += 2) {
      if (salt !== undefined) {
        block[0] = (block[0] as number) ^ (salt[at] as number)
        block[1] = (block[1] as number) ^ (salt[at + 1] as number)
        at = (at + 2) % 4
      }
      encrypt(state, block)
      table[index] = block[0] as number
      table[index + 1] = block[1] as number
    }
  }
}

/** bcrypt's own base64, without padding. */
function encode(bytes: Uint8Array): string {
  const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const text = Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return Array.from(text, character => alphabet[standard.indexOf(character)]).join('')
}

/** The hash of a password of at most 72 bytes with a salt of 16, as `$2a$10$…`. */
export function bcryptHash(password: Uint8Array, salt: Uint8Array): string {
  const state = initialState()
  const key = words(Uint8Array.from([...password, 0]), 18)
  const saltKey = words(salt, 18)
  expandKey(state, key, words(salt, 4))
  for (let round = 0; round < 2 ** cost; round++) {
    expandKey(state, key, undefined)
    expandKey(state, saltKey, undefined)
  }
  const text = words(Buffer.from('OrpheanBeholderScryDoubt'), 6)
  for (let block = 0; block < 6; block += 2) {
    for (let time = 0; time < 64; time++) encrypt(state, text.subarray(block, block + 2))
  }
  const bytes = Buffer.alloc(24)
  for (const [index, word] of text.entries()) bytes.writeUInt32BE(word, index * 4)
  return `$2a$${cost}$${encode(salt)}${encode(bytes.subarray(0, 23))}`
}
