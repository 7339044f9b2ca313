/** What a Go function returns as its error, or panics with. The template that called it fails with this text. */
export class GoError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GoError'
  }
}

export const nilDereference = (): GoError =>
  new GoError('runtime error: invalid memory address or nil pointer dereference')

/** Checks `text[start:end]` as Go does, where either bound may have been left out. */
export function checkSliceBounds(start: number | undefined, end: number | undefined, length: number): void {
  const message = sliceProblem(start, end, length)
  if (message !== undefined) throw new GoError(`runtime error: slice bounds out of range ${message}`)
}

function sliceProblem(start: number | undefined, end: number | undefined, length: number): string | undefined {
  if (end !== undefined && end < 0) return `[:${end}]`
  if (end !== undefined && end > length) return `[:${end}] with length ${length}`
  if (start === undefined) return undefined
  if (start < 0) return `[${start}:]`
  const last = end ?? length
  return start > last ? `[${start}:${last}]` : undefined
}
