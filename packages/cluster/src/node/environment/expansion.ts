/** Replaces `$(NAME)` by its value. `$$` stands for a single `$`, so `$$(NAME)` stays `$(NAME)`; a name that is not known
 *  stays as it is written. */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/gu, (match: string, name: string | undefined) => {
    if (match === '$$') return '$'
    return lookup(name ?? '') ?? match
  })
}
