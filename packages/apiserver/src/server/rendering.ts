import { formatYaml, parseJson, stringifyJson } from '@tiphys/kube'
import { type ApiRequest, header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { prefersYaml } from '../request/negotiation.ts'

/** Writes a JSON answer as the client reads it best: as YAML, or indented for a person. An answer that has a content
 *  type already stays as it is. */
export function render(request: ApiRequest, response: ApiResponse): ApiResponse {
  const { body, headers } = response
  if (body.type !== 'json' || headers['content-type'] !== undefined) return response
  if (prefersYaml(header(request, 'accept'))) {
    const text = formatYaml(body.value())
    return { ...response, headers: { ...headers, 'content-type': 'application/yaml' }, body: { type: 'text', text } }
  }
  if (!isPretty(request)) return response
  return { ...response, body: { ...body, text: () => stringifyJson(parseJson(body.text()), 2) } }
}

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']
const BROWSERS = ['curl', 'Wget', 'Mozilla/5.0']

function isPretty(request: ApiRequest): boolean {
  const asked = request.query.get('pretty')
  if (asked) return TRUE.includes(asked)
  const agent = header(request, 'user-agent') ?? ''
  return BROWSERS.some(name => agent.startsWith(name))
}
