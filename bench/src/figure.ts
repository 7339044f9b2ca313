import { type Spread, spread } from './statistics.ts'

/** One line of the table: what is measured and how much better it has to be. */
export interface Figure {
  what: string
  unit: 'ms' | '/s' | 'KB' | 'MB' | '% of a core' | 'elements' | 'rows'
  better: 'less' | 'more'
  /** How many times better than the peer it has to be. */
  bar?: number
  /** How many times the peer's value it may be. */
  share?: number
  /** The most it may be, whatever the peer does. */
  limit?: number
  ours: readonly number[]
  /** The peer's values, each from the same round as ours at its place. */
  peers?: readonly number[]
}

export interface Row {
  what: string
  unit: string
  ours: Spread
  peer: Spread | undefined
  /** How many times better than the peer, round by round; of a figure with a `share`, how many times the peer's value. */
  ratio: Spread | undefined
  bar: string
  met: boolean | undefined
}

export function rowOf({ what, unit, better, bar, share, limit, ours, peers }: Figure): Row {
  const ratio = peers && spread(ours.map((value, round) => timesBetter(value, peers[round] as number, better)))
  const row = { what, unit, ours: spread(ours), peer: peers && spread(peers), ratio }
  if (limit !== undefined) return { ...row, bar: `≤ ${limit} ${unit}`, met: row.ours.median <= limit }
  if (share !== undefined && peers) {
    const shares = spread(ours.map((value, round) => value / (peers[round] as number)))
    return { ...row, ratio: shares, bar: `≤ ${share}×`, met: shares.median <= share }
  }
  if (bar !== undefined && ratio) return { ...row, bar: `≥ ${bar}×`, met: ratio.median >= bar }
  return { ...row, bar: '', met: undefined }
}

const timesBetter = (ours: number, peer: number, better: Figure['better']): number =>
  better === 'less' ? peer / ours : ours / peer
