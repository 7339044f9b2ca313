import { randomFillSync } from 'node:crypto'

/** Where randomness comes from. Names, jitter and tokens draw from it, so that a test can repeat a run by its seed. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** `length` unpredictable bytes. */
  bytes(length: number): Uint8Array
}

const POOL_SIZE = 4096
const pool = new Uint8Array(POOL_SIZE)
let poolAt = POOL_SIZE

/** Secure randomness, drawn from a pool because a system call per id is what costs. */
export const systemRandom: Random = {
  next: () => {
    const b = systemRandom.bytes(6)
    let value = 0
    for (let i = 0; i < 6; i++) value = value * 256 + (b[i] as number)
    return value / 2 ** 48
  },
  bytes: length => {
    if (length > POOL_SIZE) return randomFillSync(new Uint8Array(length))
    if (poolAt + length > POOL_SIZE) {
      randomFillSync(pool)
      poolAt = 0
    }
    const out = pool.slice(poolAt, poolAt + length)
    pool.fill(0, poolAt, poolAt + length)
    poolAt += length
    return out
  },
}

/** The same sequence for the same seed (mulberry32). For tests and simulations only. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, bytes: length => Uint8Array.from({ length }, () => Math.floor(next() * 256)) }
}

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))

/** A version 4 UUID from the given randomness. */
export function uuid(random: Random): string {
  const b = random.bytes(16)
  b[6] = ((b[6] as number) & 0x0f) | 0x40
  b[8] = ((b[8] as number) & 0x3f) | 0x80
  const h = (i: number) => HEX[b[i] as number] as string
  return `${h(0)}${h(1)}${h(2)}${h(3)}-${h(4)}${h(5)}-${h(6)}${h(7)}-${h(8)}${h(9)}-${h(10)}${h(11)}${h(12)}${h(13)}${h(14)}${h(15)}`
}
