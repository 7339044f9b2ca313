import { isObject, type Json } from './trace-record.ts'

/** What may be a number that `JSON.stringify` writes otherwise: with many digits, zeros at its end, or an exponent. */
const UNUSUAL = /\d{9}|\.\d*0(?!\d)|\.000000|\d[eE]|-0(?![\d.])/
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|\s+/g

/** The JSON of a value, with its numbers as they are in the text that it was read from: a number here has some 16 digits. All else is as
 *  `JSON.stringify` writes it. Where a name stands twice in an object, all is: the value has one of the two, and nobody has looked whether
 *  the other is a secret. */
export function withWrittenNumbers(value: Json, written: string): string {
  const usual = JSON.stringify(value)
  // A text that was no JSON is a value itself.
  if (usual === written || value === written || !UNUSUAL.test(written)) return usual
  let names = 0
  const text = written.replace(STRING_OR_SPACE, (found: string, colon: string | undefined) => {
    if (!found.startsWith('"')) return ''
    if (colon !== undefined) names++
    const string = colon === undefined ? found : found.slice(0, -colon.length)
    const usualString = string.includes('\\') ? JSON.stringify(JSON.parse(string)) : string
    return colon === undefined ? usualString : `${usualString}:`
  })
  return names === countNames(value) ? text : usual
}

function countNames(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item: Json) => sum + countNames(item), 0)
  if (!isObject(value)) return 0
  return Object.values(value).reduce((sum: number, member) => sum + 1 + countNames(member), 0)
}
