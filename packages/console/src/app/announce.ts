import { useSyncExternalStore } from 'react'

/** One polite voice for the whole page: what it says last is read out, and shown for a moment. No more than one message in
 *  five seconds, the newest wins. */
const QUIET_MS = 5000

let message = ''
let spokenAt = 0
let waiting: ReturnType<typeof setTimeout> | undefined
let fading: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export function say(text: string): void {
  clearTimeout(waiting)
  const wait = spokenAt + QUIET_MS - Date.now()
  // What somebody did is answered at once when the voice was silent for long enough.
  if (wait <= 0) speak(text)
  else waiting = setTimeout(() => speak(text), wait)
}

function speak(text: string): void {
  message = text
  spokenAt = Date.now()
  for (const listener of listeners) listener()
  clearTimeout(fading)
  if (text !== '') fading = setTimeout(() => speak(''), QUIET_MS)
}

function onMessage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useAnnouncement = (): string => useSyncExternalStore(onMessage, () => message)
