let lastSecond = Number.NaN
let lastText = ''

/** As the API writes times, in whole seconds. Most are of this very second, so the last one is remembered. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    lastSecond = second
  }
  return lastText
}
