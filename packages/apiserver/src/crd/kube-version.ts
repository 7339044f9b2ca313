const KUBE_VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/
const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }
const STABLE = 2

/** Orders version names as Kubernetes prefers them: positive when `a` is preferred. Releases come before betas, betas
 *  before alphas, higher numbers before lower ones; names of another form come last, in alphabetical order. */
export function compareKubeVersions(a: string, b: string): number {
  const [left, right] = [KUBE_VERSION.exec(a), KUBE_VERSION.exec(b)]
  if (!left && !right) return a === b ? 0 : a < b ? 1 : -1
  if (!left || !right) return left ? 1 : -1
  const stability = ([, , word]: RegExpExecArray) => (word === undefined ? STABLE : (STABILITY[word] ?? STABLE))
  const minor = ([, , , number]: RegExpExecArray) => Number(number ?? 0)
  return stability(left) - stability(right) || Number(left[1]) - Number(right[1]) || minor(left) - minor(right)
}
