/** The same work, but a call waits for those before it: for scenarios that do to a server what others on it would notice. */
export function oneAtATime<Given extends unknown[], Result>(
  work: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (...given) => {
    const result = last.then(() => work(...given))
    // Whoever asked for it hears of its failure.
    last = result.catch(() => {})
    return result
  }
}
