/** Text of one colour and weight. */
export interface Run {
  text: string
  className: string
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
// Colours alone are taken over. Links, titles and everything else that a terminal would do is dropped.
const SEQUENCE =
  /\x1b\[([0-9;]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-9;?]*[A-Za-z]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]/g

/** A line of output without its control sequences, in pieces of one look each. */
export function runsOf(line: string): Run[] {
  if (!/[\x00-\x08\x0b-\x1f\x7f]/.test(line)) return [{ text: line, className: '' }]
  const runs: Run[] = []
  let [colour, isBold, from] = ['', false, 0]
  const push = (to: number) => {
    if (to > from)
      runs.push({
        text: line.slice(from, to),
        className: [colour, isBold ? 'ansi-bold' : ''].filter(Boolean).join(' '),
      })
  }
  for (const match of line.matchAll(SEQUENCE)) {
    push(match.index)
    from = match.index + match[0].length
    if (match[1] === undefined) continue
    for (const code of match[1].split(';').map(Number)) {
      if (code === 0) [colour, isBold] = ['', false]
      else if (code === 1) isBold = true
      else if (code === 22) isBold = false
      else if (code === 39) colour = ''
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = `ansi-${COLOURS[code % 10]}`
    }
  }
  push(line.length)
  return runs
}

export const plainText = (line: string): string =>
  runsOf(line)
    .map(({ text }) => text)
    .join('')
