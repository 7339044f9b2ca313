import { runes } from './byte-text.ts'
import type { FormatFlags } from './format-flags.ts'
import { type GoValue, integerOf } from './value.ts'

/** Width and precision beyond this are mistakes, says Go. */
const tooLarge = 1_000_000

/** Goes through a format and its arguments. */
export class FormatCursor {
  readonly #format: string
  readonly #args: readonly GoValue[]
  #at = 0
  #argument = 0
  #isReordered = false
  #isIndexGood = true

  constructor(format: string, args: readonly GoValue[]) {
    this.#format = format
    this.#args = args
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#format.length
  }

  takeText(): string {
    const percent = this.#format.indexOf('%', this.#at)
    const end = percent < 0 ? this.#format.length : percent
    const text = this.#format.slice(this.#at, end)
    this.#at = end
    return text
  }

  takeArgument(): GoValue {
    return this.#args[this.#argument++]
  }

  unused(): readonly GoValue[] {
    return this.#isReordered ? [] : this.#args.slice(this.#argument)
  }

  /** Reads from the percent sign to the verb. */
  takeDirective(flags: FormatFlags, report: (text: string) => void): { verb?: string; problem?: string } {
    this.#isIndexGood = true
    this.#at += 1
    this.#takeFlags(flags)
    let isAfterIndex = this.#takeIndex()
    if (this.#format[this.#at] === '*') {
      this.#at += 1
      const width = this.#takeCount()
      if (width === undefined) report('%!(BADWIDTH)')
      else flags.setWidth(width)
      isAfterIndex = false
    } else {
      flags.width = this.#takeNumber()
      if (isAfterIndex && flags.width !== undefined) this.#isIndexGood = false
    }
    if (this.#format[this.#at] === '.' && this.#at + 1 < this.#format.length) {
      this.#at += 1
      if (isAfterIndex) this.#isIndexGood = false
      isAfterIndex = this.#takePrecision(flags, report)
    }
    if (!isAfterIndex) this.#takeIndex()
    if (this.isAtEnd) return { problem: '%!(NOVERB)' }
    const verb = runes(String.fromCodePoint(this.#format.codePointAt(this.#at) as number))[0] as string
    this.#at += verb.length
    if (verb === '%') return { verb }
    if (!this.#isIndexGood) return { problem: `%!${verb}(BADINDEX)` }
    if (this.#argument >= this.#args.length) return { problem: `%!${verb}(MISSING)` }
    if (verb === 'v' || verb === 'w') flags.forValue()
    return { verb }
  }

  #takeFlags(flags: FormatFlags): void {
    for (; ; this.#at++) {
      switch (this.#format[this.#at]) {
        case '#':
          flags.sharp = true
          break
        case '0':
          flags.zero = true
          break
        case '+':
          flags.plus = true
          break
        case '-':
          flags.minus = true
          break
        case ' ':
          flags.space = true
          break
        default:
          return
      }
    }
  }

  /** Returns whether an index was the last thing read. */
  #takePrecision(flags: FormatFlags, report: (text: string) => void): boolean {
    const isAfterIndex = this.#takeIndex()
    if (this.#format[this.#at] === '*') {
      this.#at += 1
      const precision = this.#takeCount()
      if (precision === undefined || precision < 0) report('%!(BADPREC)')
      else flags.precision = precision
      return false
    }
    flags.precision = this.#takeNumber() ?? 0
    return isAfterIndex
  }

  #takeNumber(): number | undefined {
    let number: number | undefined
    for (; /\d/.test(this.#format[this.#at] ?? ''); this.#at++) {
      if ((number ?? 0) > tooLarge) {
        this.#at = this.#format.length
        return undefined
      }
      number = (number ?? 0) * 10 + Number(this.#format[this.#at])
    }
    return number
  }

  #takeCount(): number | undefined {
    if (this.#argument >= this.#args.length) return undefined
    const count = integerOf(this.takeArgument())
    return count === undefined || count > BigInt(tooLarge) || count < -BigInt(tooLarge) ? undefined : Number(count)
  }

  /** `[2]` chooses the argument that comes next. */
  #takeIndex(): boolean {
    if (this.#format[this.#at] !== '[') return false
    this.#isReordered = true
    const close = this.#format.indexOf(']', this.#at)
    if (close < 0) {
      this.#isIndexGood = false
      this.#at += 1
      return false
    }
    const text = this.#format.slice(this.#at + 1, close)
    this.#at = close + 1
    if (!/^\d+$/.test(text)) {
      this.#isIndexGood = false
      return false
    }
    const index = Number(text) - 1
    if (index < 0 || index >= this.#args.length) this.#isIndexGood = false
    else this.#argument = index
    return true
  }
}
