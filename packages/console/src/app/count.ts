/** `1 event`, `2,000 events`; a word whose plural is another one names it. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
