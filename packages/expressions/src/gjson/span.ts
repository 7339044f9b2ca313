/** A piece of JSON that knows where it was cut from, so that a value found by way of queries and pipes can still be
 *  located in the text that was searched. */
export interface Span {
  readonly text: string
  /** The text it is a piece of: spans with the same origin are comparable by `at`. */
  readonly origin: object
  readonly at: number
}

export function newSpan(text: string): Span {
  return { text, origin: {}, at: 0 }
}

export function cut(span: Span, start: number, end?: number): Span {
  return { text: span.text.slice(start, end), origin: span.origin, at: span.at + start }
}

/** Where the piece begins in the whole; 0 when it is no piece of it. */
export function positionIn(whole: Span, piece: Span): number {
  if (piece.origin !== whole.origin) return 0
  const position = piece.at - whole.at
  return position < 0 || position >= whole.text.length ? 0 : position
}
