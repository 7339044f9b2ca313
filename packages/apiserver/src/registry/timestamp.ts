let lastSecond = Number.NaN
let lastText = ''

/** A moment as metav1.Time prints it: whole seconds. Asked for several times by every write, mostly in the same second. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    lastSecond = second
  }
  return lastText
}
