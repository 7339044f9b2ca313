/** What stays in the process is over after so many turns; what takes longer comes from a disk, a socket or a process. */
const PROMPT_TURNS = 200
const LOOK_EVERY_MS = 1

/** Resolves when `isQuiet` has been true in so many turns of the event loop, one after the other. After many turns it pauses
 *  between two looks, in real time whatever clock drives the rest: whoever asks without a pause takes the processor from
 *  what is waited for. */
export async function untilQuiet(isQuiet: () => boolean | Promise<boolean>, quietTurns: number): Promise<void> {
  let quiet = 0
  for (let turns = 0; quiet < quietTurns; turns++) {
    const isPrompt = quiet > 0 || turns < PROMPT_TURNS
    await new Promise<void>(resolve => (isPrompt ? setImmediate(resolve) : setTimeout(resolve, LOOK_EVERY_MS)))
    quiet = (await isQuiet()) ? quiet + 1 : 0
  }
}
