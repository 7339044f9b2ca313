/** One component of a path that names a single place. */
export interface PathPart {
  readonly key: string
  /** The component as a gjson path, with its escapes. */
  readonly lookup: string
  /** `:0` is a key, never an index. */
  readonly isForced: boolean
}

/** The components of a path, or undefined if it is a gjson query. */
export function parseSetPath(path: string): PathPart[] | undefined {
  const parts: PathPart[] = []
  for (let start = 0; ; ) {
    const isForced = path[start] === ':'
    const begin = isForced ? start + 1 : start
    let key = ''
    let at = begin
    for (; at < path.length && path[at] !== '.'; at++) {
      if ('|#@*?'.includes(path.charAt(at))) return undefined
      if (path[at] === '\\') at++
      key += path.charAt(at)
    }
    const end = Math.min(at, path.length)
    parts.push({ key, lookup: path.slice(begin, end), isForced })
    if (at >= path.length) return parts
    start = at + 1
  }
}

/** The index that a component names: that of an empty one is 0. */
export function indexOf({ key, isForced }: PathPart): number | undefined {
  return isForced || !/^[0-9]*$/.test(key) ? undefined : Number(key)
}

/** `-1` stands for the element behind the last, or for the last one where something is deleted. */
export function isEnd({ key, isForced }: PathPart): boolean {
  return key === '-1' && !isForced
}
