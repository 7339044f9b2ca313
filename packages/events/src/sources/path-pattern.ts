import { compilePattern } from '@tiphys/expressions'

const SPECIAL = /[.*+?^${}()|[\]\\]/g

/** Whether a path is one of those that an endpoint stands for, by the rules of the router that upstream uses: `{name}` is a segment or a part
 *  of one, `{name:pattern}` what an RE2 pattern matches, and everything else itself. Throws what is wrong with the endpoint. */
export function pathPattern(endpoint: string): (path: string) => boolean {
  const parts = partsOf(endpoint)
  if (parts.every(part => part.type === 'text')) return path => path === endpoint
  const names = new Set<string>()
  const pieces = parts.map(part => {
    if (part.type === 'text') return part.text.replace(SPECIAL, '\\$&')
    const colon = part.text.indexOf(':')
    const [name, pattern] = colon < 0 ? [part.text, '[^/]+'] : [part.text.slice(0, colon), part.text.slice(colon + 1)]
    if (name === '' || pattern === '') throw new Error(`{${part.text}} has no ${name === '' ? 'name' : 'pattern'}`)
    if (names.has(name)) throw new Error(`{${name}} is there twice`)
    names.add(name)
    return `(?:${pattern})`
  })
  const pattern = compilePattern(`^${pieces.join('')}$`)
  return path => pattern.test(decoded(path))
}

interface Part {
  type: 'text' | 'variable'
  text: string
}

/** Braces may stand in braces, as those of a pattern do: `{year:[0-9]{4}}`. */
function partsOf(endpoint: string): Part[] {
  const parts: Part[] = []
  let [depth, begin] = [0, 0]
  for (let at = 0; at < endpoint.length; at++) {
    const isOpening = endpoint[at] === '{'
    if (!isOpening && endpoint[at] !== '}') continue
    if (!isOpening && depth === 0) throw new Error(`there is no { before the } at ${at + 1}`)
    if (isOpening ? depth++ > 0 : --depth > 0) continue
    if (at > begin || !isOpening) parts.push({ type: isOpening ? 'text' : 'variable', text: endpoint.slice(begin, at) })
    begin = at + 1
  }
  if (depth > 0) throw new Error('a { is not closed')
  if (begin < endpoint.length) parts.push({ type: 'text', text: endpoint.slice(begin) })
  return parts
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // What is no text in any encoding is looked at as it came.
    return path
  }
}
