/** The texts of Warning headers (`299 - "text"`), one header or several in one. */
export function parseWarnings(header: string | readonly string[] | undefined): string[] {
  if (header === undefined) return []
  const lines = typeof header === 'string' ? [header] : header
  return lines.flatMap(line => [...line.matchAll(WARNING)].map(([, text]) => (text as string).replace(/\\(.)/g, '$1')))
}

const WARNING = /\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g
