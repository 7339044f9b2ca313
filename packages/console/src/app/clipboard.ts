import { say } from './announce.ts'

/** Copies text and says so. */
export async function copy(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(what)
  } catch {
    say('The browser does not let this page copy')
  }
}
