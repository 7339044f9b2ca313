/** A number as specs give it: absolute (`2`) or a share of the whole (`"25%"`). */
export type IntOrPercent = number | string

/** The number that `value` means of `total`. Anything that is neither an integer nor a percentage means zero: validation
 *  does not let it come here. */
export function resolveIntOrPercent(value: IntOrPercent | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  const percent = /^(\d+)%$/.exec(value ?? '')
  if (!percent) return 0
  const share = (Number(percent[1]) * total) / 100
  return round === 'up' ? Math.ceil(share) : Math.floor(share)
}
