import type { Clock, Timer } from '@tiphys/env'
import type { NewRecord } from '@tiphys/journal/records'
import { dim, type Output, red, type Terminal, widthOf, yellow } from '../terminal.ts'
import { createTally, type Tally } from './tally.ts'

/** The line at the bottom of a terminal: how much has happened, what waits for a person, where the console is. */
export interface StatusLine {
  /** Takes a record into account; true when there is something new to show. */
  count(record: NewRecord): boolean
  renew(): void
  /** Says where the console is and draws the line from now on. */
  begin(options: StatusOptions): void
  end(): void
}

export interface StatusOptions {
  console?: string
  /** How many deliveries wait for a person, those of former times included. */
  parked?(): Promise<number>
}

/** What came since is asked for together. */
const ASK_AFTER_MS = 250

export function createStatusLine(terminal: Terminal, clock: Clock): StatusLine {
  const tally = createTally()
  let parked = 0
  let asking: Timer | undefined
  let options: StatusOptions | undefined
  let pinned: ReturnType<Terminal['pin']> | undefined
  const askForParked = () => {
    if (options?.parked === undefined || asking) return
    const { parked: ask } = options
    asking = clock.schedule(ASK_AFTER_MS, () => {
      asking = undefined
      ask().then(
        count => {
          parked = count
          pinned?.renew()
        },
        () => {
          // The archive is closing, or cannot be read: it says so itself, and the line keeps the last number.
        },
      )
    })
  }
  return {
    count(record) {
      if (record.kind === 'delivery' && changesParked(record, parked)) askForParked()
      return tally.count(record)
    },
    renew: () => pinned?.renew(),
    begin(given) {
      options = given
      pinned = terminal.pin(width => [formatStatus(terminal.out, { tally, parked, console: given.console }, width)])
      askForParked()
    },
    end() {
      asking?.cancel()
      pinned?.remove()
      options = pinned = undefined
    },
  }
}

const changesParked = ({ outcome }: Extract<NewRecord, { kind: 'delivery' }>, parked: number): boolean =>
  outcome === 'parked' || (parked > 0 && outcome !== 'started' && outcome !== 'failed')

interface Status {
  tally: Pick<Tally, 'events' | 'runs' | 'running' | 'failed'>
  parked: number
  console: string | undefined
}

/** As much as fits: the address goes without what signs in, then altogether. */
export function formatStatus(out: Output, { tally, parked, console }: Status, width: number): string {
  const { events, runs, running, failed } = tally
  const counts = [
    number(events, 'event'),
    `${number(runs, 'run')}${running > 0 ? ` (${running} running)` : ''}`,
    failed > 0 ? red(out, `${failed} failed`) : '0 failed',
    parked > 0 ? yellow(out, `${parked} parked`) : '0 parked',
  ].join(dim(out, ' · '))
  const addresses = console === undefined ? [] : [console, new URL(console).origin]
  const lines = addresses.map(address => `${counts}${dim(out, '  │  ')}${address}`)
  return lines.find(line => widthOf(line) <= width) ?? counts
}

const number = (count: number, what: string) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
