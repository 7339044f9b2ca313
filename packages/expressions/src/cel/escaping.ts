const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop ' +
    'package namespace return var void while'
  ).split(' '),
)

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

const unescapes: ReadonlyMap<string, string> = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
])

/** The identifier under which an expression reaches a property, or undefined when it cannot be reached at all. */
export function escapePropertyName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined
  if (reserved.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, match => escapes[match] as string)
}

/** The property that an escaped identifier stands for, or undefined when it is no valid escape. */
export function unescapePropertyName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return identifier
  let valid = true
  const name = identifier.replace(/_{2}([^_]+)_{2}/g, (match, content: string) => {
    const character = unescapes.get(content)
    if (character !== undefined) return character
    if (!reserved.has(content) || match.length !== identifier.length) valid = false
    return content
  })
  return valid ? name : undefined
}

export function isReservedName(name: string): boolean {
  return reserved.has(name)
}
