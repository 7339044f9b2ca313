import type { FilterVerdict } from './trace-record.ts'

/** A recorded filter, as one reads it. */
export function filterText({ by, paths = [], says }: FilterVerdict): string {
  switch (by) {
    case 'data':
      return [...paths, says].join(' ')
    case 'time':
      return `between ${says}`
    case 'script':
      return `script: ${says}`
    default:
      return says
  }
}
