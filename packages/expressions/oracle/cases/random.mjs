// A small generator with a seed, so that the same cases come out every time.
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
  const below = limit => Math.floor(next() * limit)
  return { next, below, pick: list => list[below(list.length)], chance: probability => next() < probability }
}
