import { stringifyJson } from '@tiphys/kube'
import { type ApiRequest, header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { methodNotAllowed, notAcceptableRepresentations } from '../status-error.ts'
import { ISSUER, type ServiceAccountTokens, SIGNING_ALGORITHM } from './service-account-tokens.ts'

const CONFIGURATION_PATH = '/.well-known/openid-configuration'
const KEYS_PATH = '/openid/v1/jwks'
const KEYS_TYPE = 'application/jwk-set+json'

/** What those who get a ServiceAccount's token need to check it without asking the API; undefined for other paths. */
export function serveIssuerMetadata(
  tokens: ServiceAccountTokens,
  request: ApiRequest,
  path: string,
): ApiResponse | undefined {
  if (path === CONFIGURATION_PATH) {
    const address = header(request, 'host') ?? new URL(ISSUER).host
    return answer(request, 'application/json', {
      issuer: ISSUER,
      jwks_uri: `https://${address}${KEYS_PATH}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
    })
  }
  if (path === KEYS_PATH) return answer(request, KEYS_TYPE, { keys: [tokens.publicKey()] })
  return undefined
}

function answer(request: ApiRequest, type: string, value: object): ApiResponse {
  if (request.method !== 'GET') throw methodNotAllowed()
  const accepted = (header(request, 'accept') || '*/*').split(',').map(part => part.split(';')[0]?.trim())
  if (!accepted.includes('*/*') && !accepted.includes(type)) throw notAcceptableRepresentations([type])
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=3600' }
  return { status: 200, headers, body: { type: 'json', value: () => value, text: () => stringifyJson(value) } }
}
