import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '@tiphys/env'
import type { ClientCertificate } from '../request/api-request.ts'

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

interface Shown {
  subject: ClientCertificate
  from: number
  until: number
}

/** Knows who is at the other end of a connection by the certificate that was shown there.
 *
 *  Whether the authority signed it is decided here and not by OpenSSL: the first authority that Node gives to OpenSSL has it
 *  read every root certificate of the web, a tenth of the start of a server. The authority signs nothing but leaves, so that
 *  its signature, the time and the purpose are all there is to check; that the client has the key, the handshake has shown. */
export class ClientCertificates {
  readonly #pem: string
  readonly #clock: Clock
  #authority: X509Certificate | undefined
  /** What each connection has shown: reading it from the socket costs more than a request. */
  readonly #shown = new WeakMap<TLSSocket, Shown | 'nothing' | 'untrusted'>()

  /** `authority` is the certificate that signs those of clients (PEM). */
  constructor(authority: string, clock: Clock) {
    this.#pem = authority
    this.#clock = clock
  }

  /** The subject of the certificate; 'untrusted' when it is not worth anything, or not any more. */
  certificateOf(socket: TLSSocket): ClientCertificate | 'untrusted' | undefined {
    let shown = this.#shown.get(socket)
    if (shown === undefined) {
      shown = this.#read(socket)
      this.#shown.set(socket, shown)
    }
    if (shown === 'nothing') return undefined
    if (shown === 'untrusted') return shown
    const now = this.#clock.now()
    return now < shown.from || now > shown.until ? 'untrusted' : shown.subject
  }

  #read(socket: TLSSocket): Shown | 'nothing' | 'untrusted' {
    const certificate = socket.getPeerX509Certificate()
    if (!certificate) return 'nothing'
    this.#authority ??= new X509Certificate(this.#pem)
    const isOurs = certificate.checkIssued(this.#authority) && certificate.verify(this.#authority.publicKey)
    // Named so for historical reasons: these are the extended usages.
    const isForClients = certificate.keyUsage === undefined || certificate.keyUsage.includes(CLIENT_AUTH)
    if (!isOurs || !isForClients) return 'untrusted'
    return {
      subject: subjectOf(socket),
      from: Date.parse(certificate.validFrom),
      until: Date.parse(certificate.validTo),
    }
  }
}

function subjectOf(socket: TLSSocket): ClientCertificate {
  const { CN, O } = socket.getPeerCertificate().subject as { CN?: string | string[]; O?: string | string[] }
  return { commonName: [CN].flat()[0] ?? '', organizations: O === undefined ? [] : [O].flat() }
}
