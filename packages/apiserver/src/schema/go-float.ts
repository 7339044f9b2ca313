/** A number that Go holds as a float64, however whole it is: errors print it as such. */
export class Float64 {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A double as Go prints it with %v: 1e+06, 5e-07, 2.5. */
export function goFloat(value: number): string {
  const magnitude = Math.abs(value)
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e6)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
  }
  return String(value)
}
