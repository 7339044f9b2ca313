/** Moves every line that begins inside brackets or quotes to the right. What the text means stays the same, because there
 *  leading white space means nothing; its lines keep their numbers. */
export function indentFlow(text: string): string {
  const out: string[] = []
  let open: Open = { brackets: 0, quote: '' }
  let blockIndent = -1
  for (const line of text.split('\n')) {
    const isInside = open.brackets > 0 || open.quote !== ''
    const indent = line.search(/\S/)
    if (!isInside && blockIndent >= 0) {
      if (indent < 0 || indent > blockIndent) {
        out.push(line)
        continue
      }
      blockIndent = -1
    }
    out.push(isInside ? MARGIN + line : line)
    open = scanLine(line, open)
    if (open.brackets === 0 && open.quote === '' && BLOCK_SCALAR.test(line)) blockIndent = Math.max(indent, 0)
  }
  return out.join('\n')
}

interface Open {
  brackets: number
  quote: '' | '"' | "'"
}

const MARGIN = ' '.repeat(80)
const BLOCK_SCALAR = /(?:^|[\s:-])[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/

/** What is open at the end of a line. */
function scanLine(line: string, before: Open): Open {
  let { brackets, quote } = before
  let isTokenStart = true
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string
    if (quote !== '') {
      if (quote === '"' && char === '\\') i++
      else if (char === quote) quote = ''
      continue
    }
    if (char === '#' && (i === 0 || /\s/.test(line[i - 1] as string))) break
    if ((char === '"' || char === "'") && isTokenStart) quote = char
    else if ((char === '[' || char === '{') && isTokenStart) brackets++
    else if ((char === ']' || char === '}') && brackets > 0) brackets--
    isTokenStart = startsToken(char, line[i - 1], line[i + 1], brackets > 0, isTokenStart)
  }
  return { brackets, quote }
}

/** Whether a bracket or a quote after this character would open something. */
function startsToken(
  char: string,
  before: string | undefined,
  after: string | undefined,
  isFlow: boolean,
  wasStart: boolean,
): boolean {
  if (char === ' ' || char === '\t') return wasStart || before === ':' || (before === '-' && wasStart)
  if (isFlow) return '[{,:'.includes(char)
  return (
    (char === '-' || char === ':' || char === '?') &&
    (after === ' ' || after === undefined) &&
    (char === ':' || wasStart)
  )
}
