/** Where a command prints to. */
export interface Terminal {
  /** Data and answers. */
  readonly out: Output
  /** Everything meant for a person beside the data. */
  readonly err: Output
}

export interface Output {
  print(line: string): void
  /** Somebody is looking. */
  readonly isInteractive: boolean
  /** Only where somebody is looking, and never with NO_COLOR. */
  readonly hasColours: boolean
}

interface Stream {
  isTTY?: boolean
  write(text: string): unknown
}

export function createTerminal(
  { stdout, stderr }: { stdout: Stream; stderr: Stream },
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const wantsColours = (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  const output = (stream: Stream): Output => {
    const isInteractive = stream.isTTY === true
    return {
      print: line => void stream.write(`${line}\n`),
      isInteractive,
      hasColours: isInteractive && wantsColours,
    }
  }
  return { out: output(stdout), err: output(stderr) }
}

export const bold = (output: Output, text: string): string => styled(output, text, 1, 22)
export const dim = (output: Output, text: string): string => styled(output, text, 2, 22)
export const red = (output: Output, text: string): string => styled(output, text, 31, 39)
export const green = (output: Output, text: string): string => styled(output, text, 32, 39)
export const yellow = (output: Output, text: string): string => styled(output, text, 33, 39)
export const cyan = (output: Output, text: string): string => styled(output, text, 36, 39)

const styled = ({ hasColours }: Output, text: string, on: number, off: number) =>
  hasColours ? `\x1b[${on}m${text}\x1b[${off}m` : text
