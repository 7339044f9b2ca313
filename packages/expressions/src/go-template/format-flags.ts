/** What stands between the percent sign and the verb of a format. */
export class FormatFlags {
  sharp = false
  zero = false
  plus = false
  minus = false
  space = false
  width: number | undefined
  precision: number | undefined
  /** `%#v`: Go's own syntax. */
  isSource = false

  setWidth(width: number): void {
    this.width = Math.abs(width)
    if (width >= 0) return
    this.minus = true
    this.zero = false
  }

  /** For the verb `v`, `#` and `+` mean something of their own. */
  forValue(): void {
    this.isSource = this.sharp
    this.sharp = false
    this.plus = false
  }
}

export function padded(text: string, { width, minus, zero }: FormatFlags): string {
  if (width === undefined || width === 0) return text
  const missing = width - Array.from(text).length
  if (missing <= 0) return text
  if (minus) return text + ' '.repeat(missing)
  return (zero ? '0' : ' ').repeat(missing) + text
}
