/** A piece of a line of YAML, and how it is shown. */
export interface YamlToken {
  text: string
  kind: 'plain' | 'key' | 'string' | 'number' | 'word' | 'comment' | 'mark'
}

const SCALAR =
  /^(?:(~|null|true|false)|(-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)|("(?:\\.|[^"\\])*"|'(?:''|[^'])*')|([|>][+-]?\d?))(?=\s*(?:$|#|,|\]|\}))/

/** Cuts a line of YAML for colouring. It knows lines, not documents: what a block of text contains may look like keys, which
 *  harms nobody. The pieces together are the line. */
export function yamlTokens(line: string): YamlToken[] {
  const tokens: YamlToken[] = []
  const add = (text: string, kind: YamlToken['kind']) => text !== '' && tokens.push({ text, kind })
  const indent = /^[\s]*(?:- +)*(?:-$)?/.exec(line)?.[0] ?? ''
  add(indent, indent.includes('-') ? 'mark' : 'plain')
  let rest = line.slice(indent.length)
  if (rest.startsWith('#') || rest === '---') {
    add(rest, 'comment')
    return tokens
  }
  const key = /^("(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^\s#"'{[][^#]*?)(:)(?=\s|$)/.exec(rest)
  if (key) {
    add(key[1] ?? '', 'key')
    add(':', 'mark')
    rest = rest.slice(key[0].length)
  }
  const blank = /^\s*/.exec(rest)?.[0] ?? ''
  add(blank, 'plain')
  rest = rest.slice(blank.length)
  const scalar = SCALAR.exec(rest)
  if (scalar) {
    const [all, word, number, string] = scalar
    add(all, word ? 'word' : number ? 'number' : string ? 'string' : 'mark')
    rest = rest.slice(all.length)
  }
  const comment = rest.search(/(?:^|\s)#/)
  add(comment < 0 ? rest : rest.slice(0, comment), 'plain')
  if (comment >= 0) add(rest.slice(comment), 'comment')
  return tokens
}
