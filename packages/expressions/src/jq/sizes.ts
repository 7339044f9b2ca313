import { JqLimitError } from './errors.ts'

/** No value is larger, because V8 ends the whole process when a single allocation goes far beyond a worker's limit. */
export const maxTextLength = 2 * 1024 * 1024
export const maxItems = 1024 * 1024
export const maxKeys = 200_000

export function checkItems(count: number): void {
  if (count > maxItems) throw new JqLimitError(`the program makes an array of more than ${maxItems} items`)
}

export function checkKeys(count: number): void {
  if (count > maxKeys) throw new JqLimitError(`the program makes an object of more than ${maxKeys} keys`)
}

export function checkText(length: number): void {
  if (length > maxTextLength)
    throw new JqLimitError(`the program makes a string of more than ${maxTextLength} characters`)
}

/** The code points of a text. */
export function charactersOf(text: string): string[] {
  checkItems(text.length)
  return Array.from(text)
}
