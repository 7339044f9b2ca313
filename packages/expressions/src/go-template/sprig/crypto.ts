import { createCipheriv, createDecipheriv, createHash, createHmac, scryptSync } from 'node:crypto'
import { fromBytes, toBytes } from '../byte-text.ts'
import { type CallContext, define, type GoFunction } from '../function.ts'
import { checkSliceBounds, GoError } from '../go-error.ts'
import { bcryptHash } from './bcrypt.ts'
import { decodeBase64 } from './encoding.ts'

const hashed = (algorithm: string): GoFunction =>
  define(['string'], (_, text) => createHash(algorithm).update(toBytes(text)).digest('hex'))

function adler32(bytes: Uint8Array): number {
  let a = 1
  let b = 0
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return b * 65_536 + a
}

function aesKey(password: string): Buffer {
  const key = Buffer.alloc(32)
  toBytes(password).copy(key)
  return key
}

const blockSize = 16

function encryptAes({ random }: CallContext, password: string, text: string): string {
  if (text === '') return ''
  const iv = random.bytes(blockSize)
  const cipher = createCipheriv('aes-256-cbc', aesKey(password), iv)
  return Buffer.concat([iv, cipher.update(toBytes(text)), cipher.final()]).toString('base64')
}

function decryptAes(password: string, encoded: string): string {
  if (encoded === '') return ''
  const bytes = decodeBase64(encoded)
  if (bytes.length < blockSize) {
    throw new GoError(
      `runtime error: slice bounds out of range [:${blockSize}] with capacity ${sliceCapacity(encoded)}`,
    )
  }
  const content = bytes.subarray(blockSize)
  if (content.length % blockSize !== 0) throw new GoError('crypto/cipher: input not full blocks')
  if (content.length === 0) throw new GoError('runtime error: index out of range [-1]')
  const decipher = createDecipheriv('aes-256-cbc', aesKey(password), bytes.subarray(0, blockSize))
  decipher.setAutoPadding(false)
  const text = Buffer.concat([decipher.update(content), decipher.final()])
  const end = text.length - (text.at(-1) as number)
  checkSliceBounds(undefined, end, text.length)
  return fromBytes(text.subarray(0, end))
}

/** The room that Go's decoder made for the bytes. */
const sliceCapacity = (encoded: string): number => Math.floor(encoded.length / 4) * 3

const passwordTemplates: Readonly<Record<string, string>> = {
  maximum: 'anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno',
  long:
    'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv ' +
    'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv ' +
    'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno',
  medium: 'CvcnoCvc CvcCvcno',
  short: 'Cvcn',
  basic: 'aaanaaan aannaaan aaannaaa',
  pin: 'nnnn',
}

const vowels = 'AEIOU'
const consonants = 'BCDFGHJKLMNPQRSTVWXYZ'
const letters = `${vowels}${vowels.toLowerCase()}${consonants}${consonants.toLowerCase()}`
const passwordCharacters: Readonly<Record<string, string>> = {
  V: vowels,
  C: consonants,
  v: vowels.toLowerCase(),
  c: consonants.toLowerCase(),
  A: vowels + consonants,
  a: letters,
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: `${letters}0123456789!@#$%^&*()`,
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** What a slow hash costs, in steps. */
const slowHashSteps = 250_000

/** The Master Password algorithm. */
function derivePassword(
  { budget }: CallContext,
  counter: number,
  type: string,
  password: string,
  user: string,
  site: string,
): string {
  const templates = Object.hasOwn(passwordTemplates, type) ? passwordTemplates[type]?.split(' ') : undefined
  if (templates === undefined) return `cannot find password template ${type}`
  budget.step(slowHashSteps)
  const seedName = Buffer.from('com.lyndir.masterpassword')
  const [userBytes, siteBytes] = [toBytes(user), toBytes(site)]
  const salt = Buffer.concat([seedName, uint32(userBytes.length), userBytes])
  const key = scryptSync(toBytes(password), salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 256 * 1024 * 1024 })
  const message = Buffer.concat([seedName, uint32(siteBytes.length), siteBytes, uint32(counter)])
  const seed = createHmac('sha256', key).update(message).digest()
  const template = templates[(seed[0] as number) % templates.length] as string
  return Array.from(template, (kind, index) => {
    const characters = passwordCharacters[kind] as string
    return characters[(seed[index + 1] as number) % characters.length]
  }).join('')
}

function bcrypt({ budget, random }: CallContext, password: string): string {
  const bytes = toBytes(password)
  if (bytes.length > 72) {
    return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes'
  }
  budget.step(slowHashSteps)
  return bcryptHash(bytes, random.bytes(16))
}

/** The functions that make keys and certificates, which take what they take upstream and always fail. */
const keyFunctions: Readonly<Record<string, readonly string[]>> = {
  genPrivateKey: ['string'],
  buildCustomCert: ['string', 'string'],
  genCA: ['string', 'int'],
  genCAWithKey: ['string', 'int', 'string'],
  genSelfSignedCert: ['string', 'list', 'list', 'int'],
  genSelfSignedCertWithKey: ['string', 'list', 'list', 'int', 'string'],
  genSignedCert: ['string', 'list', 'list', 'int', 'any'],
  genSignedCertWithKey: ['string', 'list', 'list', 'int', 'any', 'string'],
}

const noKeys = (name: string, parameters: readonly string[]): GoFunction =>
  define(parameters, () => {
    throw new GoError(`${name} is not supported: templates make no keys and certificates`)
  })

export const cryptoFunctions: Readonly<Record<string, GoFunction>> = {
  sha1sum: hashed('sha1'),
  sha256sum: hashed('sha256'),
  sha512sum: hashed('sha512'),
  adler32sum: define(['string'], (_, text) => String(adler32(toBytes(text)))),
  bcrypt: define(['string'], bcrypt),
  htpasswd: define(['string', 'string'], (context, user, password) =>
    user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(context, password)}`,
  ),
  derivePassword: define(['uint32', 'string', 'string', 'string', 'string'], derivePassword),
  encryptAES: define(['string', 'string'], encryptAes),
  decryptAES: define(['string', 'string'], (_, password, encoded) => decryptAes(password, encoded)),
  randBytes: define(['int'], ({ budget, random }, count) => {
    if (count < 0) throw new GoError('runtime error: makeslice: len out of range')
    budget.reserve(count)
    return Buffer.from(random.bytes(count)).toString('base64')
  }),
  ...Object.fromEntries(Object.entries(keyFunctions).map(([name, parameters]) => [name, noKeys(name, parameters)])),
}
