const DECIMAL = /^[1-9][0-9]*$/

/** Orders two resourceVersions of one resource: negative when `a` is older, 0 when they are the same, positive when `a` is
 *  newer, undefined when that cannot be known. Kubernetes declares versions comparable since 1.35 where they are decimal
 *  numbers; of any other spelling only equality means something. */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : 1
}
