import { type LuaError, LuaLimitError, type LuaValue, type Runtime } from './value.ts'

const maxMatches = 500_000

type Class = (code: number) => boolean

type Item =
  | { kind: 'one'; matches: Class }
  | { kind: 'repeat'; matches: Class; times: '*' | '+' | '-' | '?' }
  | { kind: 'open' | 'close' | 'position'; group: number }
  | { kind: 'balanced'; open: number; close: number }
  | { kind: 'reference'; group: number }

export interface Pattern {
  readonly items: Item[]
  readonly isAnchored: boolean
  readonly isToEnd: boolean
  readonly groups: number
}

/** Positions count from 0; a position capture has its own number instead. */
export interface Match {
  readonly start: number
  readonly end: number
  readonly captures: LuaValue[]
}

const inRange = (from: string, to: string): Class => {
  const [low, high] = [from.charCodeAt(0), to.charCodeAt(0)]
  return code => code >= low && code <= high
}
const isDigit = inRange('0', '9')
const isLower = inRange('a', 'z')
const isUpper = inRange('A', 'Z')
const isLetter: Class = code => isLower(code) || isUpper(code)
const isControl: Class = code => code < 0x20 || code === 0x7f

const classes: ReadonlyMap<string, Class> = new Map([
  ['a', isLetter],
  ['c', isControl],
  ['d', isDigit],
  ['l', isLower],
  ['p', (code: number) => code > 0x20 && code < 0x7f && !isLetter(code) && !isDigit(code)],
  ['s', (code: number) => code === 0x20 || (code >= 9 && code <= 13)],
  ['u', isUpper],
  ['w', (code: number) => isLetter(code) || isDigit(code)],
  ['x', (code: number) => isDigit(code) || inRange('a', 'f')(code) || inRange('A', 'F')(code)],
  ['z', (code: number) => code === 0],
])

function escapedClass(letter: string): Class {
  const known = classes.get(letter.toLowerCase())
  if (known === undefined) return exactly(letter)
  return letter === letter.toLowerCase() ? known : code => !known(code)
}

function exactly(character: string): Class {
  const wanted = character.charCodeAt(0)
  return code => code === wanted
}

export function parsePattern(source: string, fail: (message: string) => LuaError): Pattern {
  const isAnchored = source.startsWith('^')
  const items: Item[] = []
  const open: number[] = []
  let groups = 0
  let isToEnd = false
  let at = isAnchored ? 1 : 0
  while (at < source.length) {
    const character = source[at] as string
    const following = source[at + 1]
    if (character === '(') {
      const isPosition = following === ')'
      items.push({ kind: isPosition ? 'position' : 'open', group: groups })
      if (!isPosition) open.push(groups)
      groups++
      at += isPosition ? 2 : 1
    } else if (character === ')') {
      const group = open.pop()
      if (group === undefined) throw fail(`invalid ')' at ${Math.max(at - 1, 0)}`)
      items.push({ kind: 'close', group })
      at++
    } else if (character === '$' && at === source.length - 1 && open.length === 0) {
      isToEnd = true
      at++
    } else if (character === '%' && following === '0') throw fail(`invalid capture index at ${at}`)
    else if (character === '%' && following !== undefined && /[1-9]/.test(following)) {
      items.push({ kind: 'reference', group: Number(following) - 1 })
      at += 2
    } else if (character === '%' && following === 'b') {
      items.push({ kind: 'balanced', open: source.charCodeAt(at + 2), close: source.charCodeAt(at + 3) })
      at += 4
    } else {
      const [matches, end] = parseClass(source, at, fail)
      const times = source[end]
      const isRepeated = times === '*' || times === '+' || times === '-' || times === '?'
      items.push(isRepeated ? { kind: 'repeat', matches, times } : { kind: 'one', matches })
      at = isRepeated ? end + 1 : end
    }
  }
  if (open.length > 0) throw fail('unfinished capture at EOS')
  return { items, isAnchored, isToEnd, groups }
}

function parseClass(source: string, at: number, fail: (message: string) => LuaError): [Class, end: number] {
  const character = source[at] as string
  if (character === '.') return [() => true, at + 1]
  if (character === '%') {
    const letter = source[at + 1]
    return letter === undefined ? [() => false, at + 1] : [escapedClass(letter), at + 2]
  }
  return character === '[' ? parseSet(source, at + 1, fail) : [exactly(character), at + 1]
}

function parseSet(source: string, from: number, fail: (message: string) => LuaError): [Class, end: number] {
  const isNegated = source[from] === '^'
  const members: Class[] = []
  let at = isNegated ? from + 1 : from
  while (source[at] !== ']' || members.length === 0) {
    const character = source[at]
    if (character === undefined) throw fail('unexpected EOS at EOS')
    if (character === '%' && source[at + 1] !== undefined) {
      members.push(escapedClass(source[at + 1] as string))
      at += 2
    } else if (source[at + 1] === '-' && source[at + 2] !== undefined && source[at + 2] !== ']') {
      members.push(inRange(character, source[at + 2] as string))
      at += 3
    } else {
      members.push(exactly(character))
      at++
    }
  }
  return [code => members.some(matches => matches(code)) !== isNegated, at + 1]
}

interface Group {
  start: number
  end: number
  isPosition: boolean
}

/** Matches by backtracking; every step is paid for. */
class Matcher {
  readonly #pattern: Pattern
  readonly #text: string
  readonly #runtime: Runtime
  readonly groups: Group[]

  constructor(pattern: Pattern, text: string, runtime: Runtime) {
    this.#pattern = pattern
    this.#text = text
    this.#runtime = runtime
    this.groups = Array.from({ length: pattern.groups }, () => ({ start: 0, end: 0, isPosition: false }))
  }

  /** Where the match ends, or -1. */
  match(item: number, from: number): number {
    const { items, isToEnd } = this.#pattern
    let at = from
    for (let next = item; ; next++) {
      this.#runtime.spend(0.25)
      const current = items[next]
      if (current === undefined) return isToEnd && at < this.#text.length ? -1 : at
      if (current.kind === 'repeat') return this.#repeat(current, next, at)
      if (current.kind === 'open' || current.kind === 'close') return this.#bound(current.kind, current.group, next, at)
      const end = this.#step(current, at)
      if (end < 0) return -1
      at = end
    }
  }

  #step(item: Exclude<Item, { kind: 'repeat' | 'open' | 'close' }>, at: number): number {
    switch (item.kind) {
      case 'one':
        return at < this.#text.length && item.matches(this.#text.charCodeAt(at)) ? at + 1 : -1
      case 'balanced':
        return this.#balanced(item.open, item.close, at)
      case 'reference': {
        const group = this.groups[item.group]
        if (group === undefined) throw this.#runtime.error('invalid capture index')
        const captured = this.#text.slice(group.start, group.end)
        return this.#text.startsWith(captured, at) ? at + captured.length : -1
      }
      default:
        this.groups[item.group] = { start: at, end: at, isPosition: true }
        return at
    }
  }

  #bound(side: 'open' | 'close', group: number, item: number, at: number): number {
    const saved = this.groups[group] as Group
    this.groups[group] = side === 'open' ? { ...saved, start: at } : { ...saved, end: at }
    const end = this.match(item + 1, at)
    if (end < 0) this.groups[group] = saved
    return end
  }

  #repeat({ matches, times }: Extract<Item, { kind: 'repeat' }>, item: number, at: number): number {
    const isMatch = (position: number) => position < this.#text.length && matches(this.#text.charCodeAt(position))
    if (times === '-') {
      for (let position = at; ; position++) {
        const end = this.match(item + 1, position)
        if (end >= 0 || !isMatch(position)) return end
      }
    }
    const most = times === '?' ? at + 1 : Number.POSITIVE_INFINITY
    let position = at
    while (position < most && isMatch(position)) position++
    this.#runtime.spend((position - at) / 16)
    for (const least = times === '+' ? at + 1 : at; position >= least; position--) {
      const end = this.match(item + 1, position)
      if (end >= 0) return end
    }
    return -1
  }

  #balanced(open: number, close: number, at: number): number {
    if (this.#text.charCodeAt(at) !== open) return -1
    let depth = 1
    for (let position = at + 1; position < this.#text.length; position++) {
      const code = this.#text.charCodeAt(position)
      if (code === close && --depth === 0) return position + 1
      if (code === open) depth++
    }
    return -1
  }
}

/** The matches from an offset on, at most `limit` of them when it is not negative. */
export function findAll(pattern: Pattern, text: string, offset: number, limit: number, runtime: Runtime): Match[] {
  const found: Match[] = []
  for (let start = offset; start <= text.length; ) {
    const matcher = new Matcher(pattern, text, runtime)
    const end = matcher.match(0, start)
    if (end >= 0) {
      const captures = matcher.groups.map(group =>
        group.isPosition ? group.start + 1 : text.slice(group.start, group.end),
      )
      if (found.length >= maxMatches) throw new LuaLimitError(`the pattern matches more than ${maxMatches} times`)
      found.push({ start, end, captures })
    }
    start = Math.max(start + 1, end)
    if (found.length === limit || pattern.isAnchored) break
  }
  return found
}
