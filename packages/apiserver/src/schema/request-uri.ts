const SCHEME = /^[A-Za-z][A-Za-z0-9+\-.]*:/
const HOST = /^(?:\[[0-9A-Fa-f:.]+(?:%25[^\]]*)?\]|[A-Za-z0-9\-._~!$&'()*+,;=<>"\u0080-\uffff]*)(?::\d*)?$/
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/** Whether Go's url.ParseRequestURI takes the text: an absolute URI or an absolute path. */
export function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return false
  if (text === '*') return true
  if (text.startsWith(':')) return false
  const scheme = SCHEME.exec(text)?.[0] ?? ''
  const rest = text.slice(scheme.length).replace(/\?[^]*$/, '')
  if (!rest.startsWith('/')) return scheme !== ''
  if (scheme === '' || !rest.startsWith('//')) return !BAD_ESCAPE.test(rest)
  const end = rest.indexOf('/', 2)
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, end)
  const at = authority.lastIndexOf('@')
  if (at >= 0 && (!USER.test(authority.slice(0, at)) || BAD_ESCAPE.test(authority.slice(0, at)))) return false
  return HOST.test(authority.slice(at + 1)) && !BAD_ESCAPE.test(end < 0 ? '' : rest.slice(end))
}
