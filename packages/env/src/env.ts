import { type Clock, systemClock } from './clock.ts'
import { type Log, silentLog } from './log.ts'
import { type Random, systemRandom } from './random.ts'

/** What a component gets from outside instead of reading it globally: time, randomness and a place to log to. */
export interface Env {
  clock: Clock
  random: Random
  log: Log
}

/** The machine's clock and randomness, and a silent log. */
export const systemEnv: Env = { clock: systemClock, random: systemRandom, log: silentLog }
