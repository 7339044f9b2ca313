/** A piece of a layout: text, or an element that stands for a part of the time. */
export interface LayoutPiece {
  /** The text before the element. */
  literal: string
  /** The element as the layout writes it; empty at the end of the layout. */
  element: string
}

const elements =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|_2(?!006)|__2|3|4|5|PM|pm|[-Z]07(?::00:00|0000|:00|00|)|[.,](?:0+|9+)(?!\d)/g

/** Takes a layout apart: `2006-01-02` is written with the parts of Monday, 2 January 2006, 15:04:05 at -0700. The last piece
 *  has no element. */
export function splitLayout(layout: string): LayoutPiece[] {
  const pieces: LayoutPiece[] = []
  let from = 0
  for (const match of layout.matchAll(elements)) {
    pieces.push({ literal: layout.slice(from, match.index), element: match[0] })
    from = match.index + match[0].length
  }
  pieces.push({ literal: layout.slice(from), element: '' })
  return pieces
}

export const longMonths = 'January February March April May June July August September October November December'.split(
  ' ',
)
export const longWeekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
export const shortMonths = longMonths.map(name => name.slice(0, 3))
export const shortWeekdays = longWeekdays.map(name => name.slice(0, 3))

/** The layouts that Go's package time names. */
export const layouts = {
  ansic: 'Mon Jan _2 15:04:05 2006',
  rfc822: '02 Jan 06 15:04 MST',
  rfc1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  rfc3339: '2006-01-02T15:04:05Z07:00',
  rfc3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  /** What a time prints as. */
  string: '2006-01-02 15:04:05.999999999 -0700 MST',
} as const
