/** A function that says which part of the time since its last call this thread has worked, from 0 to 1. */
export function utilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const before = last
    last = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(last, before).utilization
  }
}
