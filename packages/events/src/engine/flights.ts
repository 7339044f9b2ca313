import type { Env } from '@tiphys/env'
import { asError, TerminalFailure } from '@tiphys/env'
import { FlightFile } from './flight-file.ts'
import { FlightGate } from './flight-gate.ts'

/** Processes that may die while a delivery is being handled before it is given up. */
const MOST_DEATHS = 3
/** A delivery that was under way when a process died is handled while no other is, but not for longer than this. */
const ALONE_FOR_MS = 5000
/** Names of deliveries that have ended are taken out of the file together. */
const CLEARED_AFTER_MS = 200

/** Knows which deliveries are being handled, in a file that outlives the process: one that ends the process again and again is
 *  found out and given up, and everything else goes on.
 *
 *  - Deliveries that were under way when a process died are handled one at a time while no other is, so that the next death
 *    has one culprit, and nobody is given up for having been near it.
 *  - Three deaths are enough. After that only a person can have it tried, and a death of that try is the end of it until
 *    the next time that somebody asks.
 *  - It survives the death of the process, not the loss of power, which is nobody's fault. A file that cannot be written costs
 *    this knowledge, and nothing else. */
export interface Flights {
  /** Handles a delivery. `names` are 32 hexadecimal digits each: the first is its own, the others are of what it came of.
   *  Rejects with `trigger-quarantined` instead when one of them has ended too many processes. Once it has ended, its
   *  deaths are forgotten. `isAskedFor`: a person wants it to be tried. */
  run<T>(
    names: readonly [string, ...string[]],
    signal: AbortSignal,
    handle: () => Promise<T>,
    isAskedFor?: boolean,
  ): Promise<T>
  /** Does what comes before `run`. That it ends says nothing of what follows. */
  prepare<T>(name: string, signal: AbortSignal, handle: () => Promise<T>): Promise<T>
  /** It has ended too many processes: `run` will say so. */
  isGivenUp(name: string): boolean
  /** The process ends because it was told to. Whatever is still under way is not the cause. */
  close(): void
}

export interface FlightsOptions {
  env: Env
  /** The file; one beside it has the deaths. Its folder must be there. */
  path: string
  /** What tells one start of this machine from the next; the kernel's word for it unless told otherwise. */
  boot?: string
}

export function openFlights({ env, path, boot }: FlightsOptions): Flights {
  const file = FlightFile.open(path, boot, error =>
    env.log.warn('which deliveries are under way cannot be stored', { path, error: asError(error) }),
  )
  return new FlightBook(env, file)
}

/** Where no process has to be outlived. */
export const NO_FLIGHTS: Flights = {
  run: (_names, _signal, handle) => handle(),
  prepare: (_name, _signal, handle) => handle(),
  isGivenUp: () => false,
  close() {},
}

class FlightBook implements Flights {
  readonly #env: Env
  readonly #file: FlightFile
  readonly #gate: FlightGate
  /** How often a delivery is under way in this process: filters and the trigger of one event share its name. */
  readonly #underWay = new Map<string, number>()
  /** Resolves when the file has what was added in this turn. */
  #noting: Promise<void> | undefined
  #isClearing = false
  #isClosed = false

  constructor(env: Env, file: FlightFile) {
    this.#env = env
    this.#file = file
    this.#gate = new FlightGate(env.clock, ALONE_FOR_MS)
  }

  isGivenUp(name: string): boolean {
    return this.#deathsOf(name) >= MOST_DEATHS
  }

  async run<T>(
    names: readonly [string, ...string[]],
    signal: AbortSignal,
    handle: () => Promise<T>,
    isAskedFor = false,
  ): Promise<T> {
    const guilty = names.filter(name => this.isGivenUp(name))
    // One that has died since it was given up was tried for somebody, who is told now.
    const hasDiedAgain = guilty.filter(name => this.#deathsOf(name) > MOST_DEATHS)
    if (guilty.length > 0 && (!isAskedFor || hasDiedAgain.length > 0)) {
      if (isAskedFor) for (const name of hasDiedAgain) this.#file.setDeaths(name, MOST_DEATHS)
      throw quarantined()
    }
    const suspects = names.filter(name => this.#deathsOf(name) > 0)
    try {
      return await this.prepare(names[0], signal, handle)
    } finally {
      // Handled, well or not: the process has survived it.
      if (!signal.aborted) for (const name of suspects) this.#file.setDeaths(name, 0)
    }
  }

  async prepare<T>(name: string, signal: AbortSignal, handle: () => Promise<T>): Promise<T> {
    const entered = this.#gate.enter(this.#deathsOf(name) > 0)
    const leave = entered instanceof Promise ? await entered : entered
    this.#begin(name)
    try {
      await this.#noting
      signal.throwIfAborted()
      return await handle()
    } finally {
      this.#end(name)
      leave()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#file.close()
  }

  #deathsOf(name: string): number {
    return this.#file.deaths.get(name) ?? 0
  }

  #begin(name: string): void {
    const times = this.#underWay.get(name) ?? 0
    this.#underWay.set(name, times + 1)
    if (times > 0 || this.#isClosed) return
    this.#file.add(name)
    // Those that begin together share a write, and all of them wait for it.
    this.#noting ??= new Promise(resolve => {
      process.nextTick(() => {
        this.#noting = undefined
        if (!this.#isClosed) this.#file.flush()
        resolve()
      })
    })
  }

  #end(name: string): void {
    const times = (this.#underWay.get(name) ?? 1) - 1
    if (times > 0) {
      this.#underWay.set(name, times)
      return
    }
    this.#underWay.delete(name)
    this.#file.release(name)
    if (this.#isClearing || this.#isClosed) return
    this.#isClearing = true
    this.#env.clock.schedule(CLEARED_AFTER_MS, () => {
      this.#isClearing = false
      if (!this.#isClosed) this.#file.clear()
    })
  }
}

const quarantined = () =>
  new TerminalFailure('trigger-quarantined', {
    what: `It is not tried again: the engine's process has died ${MOST_DEATHS} times while it was being handled`,
    todo: 'Find out in the log what ended the process (memory, a crash), then send a Retry, or a Discard',
  })
