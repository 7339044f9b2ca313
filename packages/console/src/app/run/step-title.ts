/** A name in so many letters. What tells it from its siblings is often its end: `fetch(19:b)`. */
export function shortTitle(title: string, letters: number): string {
  // Not cut in the middle of what is one letter to a reader.
  const all = Array.from(title)
  if (all.length <= letters) return title
  const end = Math.floor((letters - 1) / 2)
  return `${all.slice(0, letters - 1 - end).join('')}…${all.slice(all.length - end).join('')}`
}
