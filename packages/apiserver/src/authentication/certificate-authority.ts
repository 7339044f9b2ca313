import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Env } from '@tiphys/env'
import { bits, bool, explicit, implicit, integer, octets, oid, sequence, set, time, utf8 } from './der.ts'

export interface KeyPair {
  /** PEM. */
  certificate: string
  /** PEM. */
  key: string
}

export interface CertificateRequest {
  commonName: string
  organizations?: readonly string[]
  /** Names and addresses that a server may be reached under. */
  hosts?: readonly string[]
  usage: 'server' | 'client'
}

const DAY = 86_400_000
const CA_LIFETIME = 3650 * DAY
const LEAF_LIFETIME = 365 * DAY

const OID = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectAltName: '2.5.29.17',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
}

/** Issues the certificates of one server: its own, and those of its users. */
export class CertificateAuthority {
  readonly certificate: string
  readonly #name: Buffer
  readonly #key: KeyObject
  readonly #env: Env

  private constructor(env: Env, certificate: string, key: KeyObject) {
    this.#env = env
    this.certificate = certificate
    this.#key = key
    this.#name = distinguishedName('tiphys-ca', [])
  }

  static create(env: Env): CertificateAuthority {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const name = distinguishedName('tiphys-ca', [])
    const extensions = [
      extension(OID.basicConstraints, sequence(bool(true)), true),
      // digitalSignature, keyCertSign, cRLSign
      extension(OID.keyUsage, bits(Buffer.from([0b1000_0110]), 1), true),
    ]
    const der = certificateDer(env, {
      issuer: name,
      subject: name,
      publicKey,
      lifetime: CA_LIFETIME,
      extensions,
      signer: privateKey,
    })
    return new CertificateAuthority(env, pem('CERTIFICATE', der), privateKey)
  }

  /** The authority of an earlier run. */
  static restore(env: Env, { certificate, key }: KeyPair): CertificateAuthority {
    return new CertificateAuthority(env, certificate, createPrivateKey(key))
  }

  export(): KeyPair {
    return { certificate: this.certificate, key: this.#key.export({ type: 'pkcs8', format: 'pem' }) as string }
  }

  issue(request: CertificateRequest): KeyPair {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    return { certificate: this.#sign(request, publicKey), key }
  }

  /** Signs somebody else's public key (a CertificateSigningRequest). */
  sign(request: CertificateRequest, publicKey: KeyObject | string): string {
    return this.#sign(request, typeof publicKey === 'string' ? createPublicKey(publicKey) : publicKey)
  }

  #sign({ commonName, organizations = [], hosts = [], usage }: CertificateRequest, publicKey: KeyObject): string {
    const extensions = [
      extension(OID.basicConstraints, sequence(), true),
      // digitalSignature
      extension(OID.keyUsage, bits(Buffer.from([0b1000_0000]), 7), true),
      extension(OID.extendedKeyUsage, sequence(oid(usage === 'server' ? OID.serverAuth : OID.clientAuth))),
    ]
    if (hosts.length > 0) extensions.push(extension(OID.subjectAltName, sequence(...hosts.map(alternativeName))))
    const subject = distinguishedName(commonName, organizations)
    const der = certificateDer(this.#env, {
      issuer: this.#name,
      subject,
      publicKey,
      lifetime: LEAF_LIFETIME,
      extensions,
      signer: this.#key,
    })
    return pem('CERTIFICATE', der)
  }
}

interface CertificateFields {
  issuer: Buffer
  subject: Buffer
  publicKey: KeyObject
  lifetime: number
  extensions: Buffer[]
  signer: KeyObject
}

function certificateDer({ clock, random }: Env, fields: CertificateFields): Buffer {
  const serial = random.bytes(16)
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40
  const algorithm = sequence(oid(OID.ecdsaWithSha256))
  const now = clock.now()
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    fields.issuer,
    // A day earlier, for clients whose clock is behind.
    sequence(time(now - DAY), time(now + fields.lifetime)),
    fields.subject,
    fields.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...fields.extensions)),
  )
  return sequence(body, algorithm, bits(sign('sha256', body, fields.signer)))
}

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  critical ? sequence(oid(id), bool(true), octets(value)) : sequence(oid(id), octets(value))

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const parts = organizations.map(name => set(sequence(oid(OID.organization), utf8(name))))
  return sequence(...parts, set(sequence(oid(OID.commonName), utf8(commonName))))
}

/** A host name has no colon and does not consist of numbers. (`net.isIP` compiles a pattern that costs more than the
 *  certificate.) */
const isAddress = (host: string): boolean => host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host)

function alternativeName(host: string): Buffer {
  return isAddress(host) ? implicit(7, addressBytes(host)) : implicit(2, Buffer.from(host))
}

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const words = (text: string) => (text === '' ? [] : text.split(':').map(word => Number.parseInt(word, 16)))
  const left = words(head)
  const right = tail === undefined ? [] : words(tail)
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
  return Buffer.from(all.flatMap(word => [word >> 8, word & 0xff]))
}

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`
