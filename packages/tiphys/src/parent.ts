const LOOK_EVERY_MS = 250

/** Calls back once when the process that started this one is gone. Does not keep the process alive. */
export function whenParentIsGone(callback: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    callback()
  }, LOOK_EVERY_MS)
  timer.unref()
}
