const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of a length of time as people write it: `90s`, `1h30m`, `2d`, `1w`. */
export function parseAge(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)]
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== text) return undefined
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0)
}

/** Bytes of a size as people write it: `500`, `10k`, `1.5M`, `2GiB`. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([kmgt]?)(?:i?b)?$/i.exec(text) ?? []
  return amount === undefined ? undefined : Number(amount) * 1024 ** ('kmgt'.indexOf(unit.toLowerCase() || '-') + 1)
}
