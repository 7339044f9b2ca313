import { createHash, createHmac } from 'node:crypto'

export interface S3Credentials {
  accessKey: string
  secretKey: string
  sessionToken?: string
}

export interface SignedRequest {
  method: string
  url: URL
  region: string
  credentials: S3Credentials
  /** In hexadecimal, or `UNSIGNED-PAYLOAD`. */
  contentHash: string
  now: number
}

/** The headers that authenticate a request (AWS Signature Version 4). Every service that speaks S3 understands them. */
export function signatureHeaders(request: SignedRequest): Record<string, string> {
  const { method, url, region, credentials, contentHash } = request
  const time = new Date(request.now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': contentHash,
    'x-amz-date': time,
    ...(credentials.sessionToken !== undefined && { 'x-amz-security-token': credentials.sessionToken }),
  }
  const names = Object.keys(headers).sort()
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map(name => `${name}:${headers[name] ?? ''}`),
    '',
    names.join(';'),
    contentHash,
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [time.slice(0, 8), region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${credentials.secretKey}`,
  )
  const signature = hmac(key, text).toString('hex')
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

/** As the signature wants it: stricter than what URLs need. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
