const FORMAT = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/

/** A quantity as Kubernetes writes it (`1000m` is `1`), or why the text is none. */
export function canonicalQuantity(text: string): { text: string } | { error: string } {
  if (FORMAT.test(text)) return { text }
  return { error: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" }
}
