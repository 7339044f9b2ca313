import { runes, toBytes } from '../byte-text.ts'

const upperCase = /^\p{Lu}$/u
const lowerCase = /^\p{Ll}$/u
const titleCase = /^\p{Lt}$/u
const letter = /^\p{L}$/u
const numeric = /^\p{N}$/u
const punctuation = /^\p{P}$/u
const whiteSpace = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

/** Go changes the case of one character into one character; what would become several stays as it is. */
export function upperRune(character: string): string {
  const upper = character.toUpperCase()
  return Array.from(upper).length === 1 ? upper : character
}

export function lowerRune(character: string): string {
  if (character === '\u0130') return 'i'
  const lower = character.toLowerCase()
  return Array.from(lower).length === 1 ? lower : character
}

const digraphs: Readonly<Record<string, string>> = { Ǆ: 'ǅ', ǆ: 'ǅ', Ǉ: 'ǈ', ǉ: 'ǈ', Ǌ: 'ǋ', ǌ: 'ǋ', Ǳ: 'ǲ', ǳ: 'ǲ' }

const titleRune = (character: string): string => digraphs[character] ?? upperRune(character)

export const upper = (text: string): string => runes(text).map(upperRune).join('')
export const lower = (text: string): string => runes(text).map(lowerRune).join('')

/** Whether what follows this character begins a word. */
function isSeparator(character: string): boolean {
  if (character <= '\x7f') return !/\w/.test(character)
  return !/^[\p{L}\p{Nd}]$/u.test(character) && whiteSpace.test(character)
}

export function title(text: string): string {
  let previous = ' '
  return runes(text)
    .map(character => {
      const titled = isSeparator(previous) ? titleRune(character) : character
      previous = character
      return titled
    })
    .join('')
}

export function untitle(text: string): string {
  let isNext = true
  return runes(text)
    .map(character => {
      if (whiteSpace.test(character)) isNext = true
      else if (isNext) {
        isNext = false
        return lowerRune(character)
      }
      return character
    })
    .join('')
}

export function swapCase(text: string): string {
  return runes(text)
    .map(character => {
      if (upperCase.test(character) || titleCase.test(character)) return lowerRune(character)
      return lowerCase.test(character) ? upperRune(character) : character
    })
    .join('')
}

/** A space as Go's unicode package has it, of the bytes that a text consists of. */
const isSpaceByte = (byte: number): boolean =>
  (byte >= 9 && byte <= 13) || byte === 32 || byte === 0x85 || byte === 0xa0

/** Looks at bytes, not characters: upstream takes every byte for one. */
export function initials(text: string): string {
  let isAfterGap = true
  let found = ''
  for (const byte of toBytes(text)) {
    if (isSpaceByte(byte)) isAfterGap = true
    else if (isAfterGap) {
      found += String.fromCharCode(byte)
      isAfterGap = false
    }
  }
  return found
}

/** Bytes again: a text that loses a space has its other characters taken apart into bytes. */
export function withoutSpace(text: string): string {
  const bytes = toBytes(text)
  const kept = bytes.filter(byte => !isSpaceByte(byte))
  return kept.length === bytes.length ? text : Array.from(kept, byte => String.fromCharCode(byte)).join('')
}

const isConnector = (character: string): boolean => /^[-_]$/.test(character) || whiteSpace.test(character)

/** `http_server` becomes `HttpServer`. */
export function pascalCase(text: string): string {
  const characters = runes(text)
  const first = characters.findIndex(character => !isConnector(character))
  // Upstream writes the last of nothing but connectors twice.
  if (first < 0) return characters.join('') + (characters.at(-1) ?? '')
  let written = characters.slice(0, first).join('')
  let isWordUpper = upperCase.test(characters[first] as string)
  let current = upperRune(characters[first] as string)
  for (const character of characters.slice(first + 1)) {
    const previous = current
    current = character
    if (isConnector(current) && isConnector(previous)) {
      written += previous
      continue
    }
    if (isConnector(previous)) {
      isWordUpper = upperCase.test(current)
      current = upperRune(current)
      continue
    }
    if (isWordUpper) {
      if (upperCase.test(current)) current = lowerRune(current)
      else isWordUpper = false
    }
    written += previous
  }
  return written + current
}

type WordKind = 'none' | 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other'

interface Word {
  kind: WordKind
  text: string
}

/** A letter that is no Chinese character. */
const isAlphabet = (character: string): boolean =>
  letter.test(character) && !/^[\u3400-\u4d85\u4e00-\u9fcc\u{20000}-\u{2b81d}]$/u.test(character)

function runOf(characters: readonly string[], from: number, accepts: (character: string) => boolean): number {
  let end = from
  while (end < characters.length && accepts(characters[end] as string)) end += 1
  return end
}

const isLowerLetter = (character: string): boolean => isAlphabet(character) && !upperCase.test(character)

function wordAt(characters: readonly string[], start: number): Word {
  const take = (kind: WordKind, end: number): Word => ({ kind, text: characters.slice(start, end).join('') })
  const first = characters[start]
  if (first === undefined) return { kind: 'none', text: '' }
  if (isConnector(first)) return take('connector', runOf(characters, start + 1, isConnector))
  if (punctuation.test(first))
    return take(
      'punctuation',
      runOf(characters, start + 1, each => punctuation.test(each)),
    )
  if (upperCase.test(first)) {
    const end = runOf(characters, start + 1, each => upperCase.test(each))
    const next = characters[end]
    if (end === start + 1) {
      return take('upper', next !== undefined && isAlphabet(next) ? runOf(characters, end, isLowerLetter) : end)
    }
    return take('upper', next !== undefined && isAlphabet(next) ? end - 1 : end)
  }
  if (isAlphabet(first)) return take('alphabet', runOf(characters, start + 1, isLowerLetter))
  if (numeric.test(first))
    return take(
      'number',
      runOf(characters, start + 1, each => numeric.test(each)),
    )
  const ends = (each: string) => isConnector(each) || isAlphabet(each) || numeric.test(each) || punctuation.test(each)
  return take(
    'other',
    runOf(characters, start + 1, each => !ends(each)),
  )
}

/** `HTTPServer` becomes `http_server` or `http-server`. */
export function separateWords(text: string, connector: string): string {
  const characters = runes(text)
  let at = 0
  const next = (): Word => {
    const word = wordAt(characters, at)
    at += Array.from(word.text).length
    return word
  }
  const isLast = () => at >= characters.length
  const separates = ({ kind }: Word) => kind !== 'connector' && kind !== 'punctuation'
  const written: string[] = []
  const write = ({ kind, text: word }: Word) => {
    if (kind !== 'upper' && kind !== 'connector') written.push(word)
    else written.push(...Array.from(word, each => (isConnector(each) ? connector : lowerRune(each))))
  }
  const writeRun = (from: Word): Word => {
    let word = from
    while (word.kind === 'alphabet' || word.kind === 'number') {
      write(word)
      word = next()
    }
    return word
  }

  let word = next()
  while (!isLast()) {
    const previous = word
    if (previous.kind !== 'connector') write(previous)
    word = next()
    if (previous.kind === 'number') {
      word = writeRun(word)
      if (word.kind !== 'none' && separates(word)) written.push(connector)
    } else if (previous.kind === 'connector') {
      write(previous)
    } else if (previous.kind !== 'punctuation') {
      if (word.kind !== 'number') {
        if (separates(word)) written.push(connector)
      } else if (!isLast()) {
        const digits = word
        word = next()
        if (word.kind === 'alphabet') {
          written.push(connector)
          write(digits)
          word = writeRun(word)
          if (word.kind !== 'none' && separates(word)) written.push(connector)
        } else {
          write(digits)
          if (separates(word)) written.push(connector)
        }
      }
    }
  }
  write(word)
  return written.join('')
}
