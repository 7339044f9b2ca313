const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g

/** JSON with a line for every value, as `JSON.stringify` would indent it, but with all digits of its numbers. */
export function indentedJson(json: string): string {
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  return json.replace(TOKEN, token => {
    if (token.startsWith('"')) return token
    if (token.length > 1 || /\s/.test(token)) return token.replace(/\s+/g, '')
    if (token === ',') return token + line()
    if (token === ':') return ': '
    depth += token === '{' || token === '[' ? 1 : -1
    return token === '{' || token === '[' ? token + line() : line() + token
  })
}
