/** Where a command prints to. */
export interface Terminal {
  /** Data and answers. */
  out(line: string): void
  /** Everything meant for a person beside the data. */
  err(line: string): void
  /** Whether `out` and `err` show colours: only on a terminal, never with NO_COLOR. */
  colour: boolean
  isInteractive: boolean
}

export function processTerminal(streams = process, env = process.env): Terminal {
  const isInteractive = streams.stderr.isTTY === true
  const colour = isInteractive && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  return {
    out: line => void streams.stdout.write(`${line}\n`),
    err: line => void streams.stderr.write(`${line}\n`),
    colour,
    isInteractive,
  }
}

export const bold = (terminal: Terminal, text: string): string => (terminal.colour ? `\x1b[1m${text}\x1b[22m` : text)
export const dim = (terminal: Terminal, text: string): string => (terminal.colour ? `\x1b[2m${text}\x1b[22m` : text)
export const red = (terminal: Terminal, text: string): string => (terminal.colour ? `\x1b[31m${text}\x1b[39m` : text)
