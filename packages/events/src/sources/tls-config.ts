import type { Problem } from '../problem.ts'
import type { Shape } from './shape.ts'

/** `tls` of a connection, as manifests write it. */
export interface TlsConfig {
  caCertSecret?: SecretRef
  clientCertSecret?: SecretRef
  clientKeySecret?: SecretRef
  insecureSkipVerify?: boolean
}

export interface SecretRef {
  name?: string
  key: string
}

/** What Node's TLS is told. PEM. */
export interface TlsSecrets {
  ca?: string
  cert?: string
  key?: string
  rejectUnauthorized?: boolean
}

export const SECRET_SHAPE: Shape = { name: 'string', key: 'string', optional: 'boolean' }
export const TLS_SHAPE: Shape = {
  caCertSecret: SECRET_SHAPE,
  clientCertSecret: SECRET_SHAPE,
  clientKeySecret: SECRET_SHAPE,
  insecureSkipVerify: 'boolean',
}

export function checkTls(tls: TlsConfig | undefined): Problem[] {
  if (!tls || tls.insecureSkipVerify) return []
  const { caCertSecret, clientCertSecret, clientKeySecret } = tls
  const error = (message: string): Problem => ({ path: 'tls', message, severity: 'error' })
  if ((clientCertSecret === undefined) !== (clientKeySecret === undefined))
    return [error('invalid tls config, both clientCertSecret and clientKeySecret need to be configured')]
  if (caCertSecret === undefined && clientCertSecret === undefined)
    return [
      error(
        'invalid tls config, please configure either caCertSecret, or clientCertSecret and clientKeySecret, or both',
      ),
    ]
  return []
}

export async function tlsSecrets(
  tls: TlsConfig,
  host: { secret(ref: SecretRef): Promise<string> },
): Promise<TlsSecrets> {
  const { caCertSecret, clientCertSecret, clientKeySecret, insecureSkipVerify = false } = tls
  // As upstream: who trusts everybody shows no certificate, either.
  if (insecureSkipVerify) return { rejectUnauthorized: false }
  return {
    ...(caCertSecret && { ca: await host.secret(caCertSecret) }),
    ...(clientCertSecret && { cert: await host.secret(clientCertSecret) }),
    ...(clientKeySecret && { key: await host.secret(clientKeySecret) }),
  }
}
