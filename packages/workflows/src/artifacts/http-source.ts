import { type OutboundAnswer, sendOutbound } from '@tiphys/kube'
import { FOREIGN_AUTH, type HttpLocation } from '../spec/artifact.ts'
import { missingArtifact, refusedArtifact } from './artifact-failures.ts'
import type { ArtifactReading } from './artifact-source.ts'
import { secretValue } from './secret-value.ts'

const MOST_BYTES = 256 * 2 ** 20
const TIMEOUT_MS = 600_000
/** As Go's client, and with it upstream, has it. */
const MOST_REDIRECTS = 10
/** What is for one server alone. */
const PERSONAL = ['authorization', 'cookie']

/** What an address is answered with, or those that it leads to: each is one that requests may go to. Rejects with `artifact-missing` when there is
 *  nothing. */
export async function fetchHttp(reading: ArtifactReading, http: HttpLocation): Promise<Buffer> {
  let { url } = http
  let headers = { ...headersOf(http), ...(await authorizationOf(reading, http)) }
  for (let redirects = 0; ; redirects++) {
    const answer = await ask(reading, url, headers)
    const next = redirectOf(answer, url)
    if (next === undefined) return contentOf(answer, url)
    if (redirects === MOST_REDIRECTS) throw refusedArtifact(`${http.url} leads on more than ${MOST_REDIRECTS} times`)
    if (next.origin !== new URL(url).origin) headers = withoutPersonal(headers)
    url = next.href
  }
}

const ask = ({ options, signal }: ArtifactReading, url: string, headers: Record<string, string>) =>
  sendOutbound({
    url,
    method: 'GET',
    headers,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
    access: options.access?.outbound ?? {},
    clock: options.env.clock,
    signal,
  })

function redirectOf({ status, headers }: OutboundAnswer, from: string): URL | undefined {
  const [location] = headers.location ?? []
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  if (!URL.canParse(location, from)) throw refusedArtifact(`${from} leads to ${location}, which is no address`)
  return new URL(location, from)
}

function contentOf({ status, isCut, bytes }: OutboundAnswer, url: string): Buffer {
  if (status === 404) throw missingArtifact(url)
  if (status < 200 || status > 299) throw refusedArtifact(`${url} was answered with ${status}`)
  if (isCut) throw refusedArtifact(`${url} has more than ${MOST_BYTES} bytes`)
  return bytes
}

const headersOf = ({ headers = [] }: HttpLocation): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]))

const withoutPersonal = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !PERSONAL.includes(name.toLowerCase())))

async function authorizationOf(
  { client, namespace }: ArtifactReading,
  { url, auth = {} }: HttpLocation,
): Promise<Record<string, string>> {
  const foreign = FOREIGN_AUTH.find(way => auth[way] !== undefined)
  if (foreign !== undefined)
    throw refusedArtifact(`${url} is not asked`, {
      why: `auth.${foreign} is not supported`,
      todo: 'Use auth.basicAuth',
    })
  const { usernameSecret, passwordSecret } = auth.basicAuth ?? {}
  if (!usernameSecret && !passwordSecret) return {}
  const user = usernameSecret ? await secretValue(client, namespace, usernameSecret) : ''
  const password = passwordSecret ? await secretValue(client, namespace, passwordSecret) : ''
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}
