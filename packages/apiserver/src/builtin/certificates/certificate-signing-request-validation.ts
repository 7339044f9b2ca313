import { goQuote, type KubeObject } from '@tiphys/kube'
import { duplicate, type FieldError, index, invalid, notSupported, required } from '../../field-error.ts'
import { objectAt, optionalNumberAt, textAt, textsAt } from '../fields.ts'
import { checkLabel, checkSubdomain } from '../names.ts'

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

export function validateCertificateSigningRequest(request: KubeObject): FieldError[] {
  const spec = objectAt(request, 'spec')
  const errors: FieldError[] = []
  const pem = Buffer.from(textAt(spec, 'request'), 'base64').toString('latin1')
  if (!/-----BEGIN (NEW )?CERTIFICATE REQUEST-----/.test(pem)) {
    const detail = 'PEM block type must be CERTIFICATE REQUEST'
    errors.push(invalid('spec.request', textAt(spec, 'request'), detail))
  }
  const usages = textsAt(spec, 'usages')
  if (usages.length === 0) errors.push(required('spec.usages'))
  for (const [i, usage] of usages.entries()) {
    if (!USAGES.includes(usage)) errors.push(notSupported(index('spec.usages', i), usage, USAGES))
  }
  for (const [i, usage] of usages.entries()) {
    if (usages.indexOf(usage) < i) errors.push(duplicate(index('spec.usages', i), usage))
  }
  const signer = textAt(spec, 'signerName')
  if (signer === 'kubernetes.io/legacy-unknown') {
    const detail = 'the legacy signerName is not allowed via this API version'
    errors.push(invalid('spec.signerName', signer, detail))
  } else errors.push(...validateSignerName(signer, 'spec.signerName'))
  const seconds = optionalNumberAt(spec, 'expirationSeconds')
  if (seconds !== undefined && seconds < 600) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(invalid('spec.expirationSeconds', seconds, detail))
  }
  return errors
}

function validateSignerName(signer: string, field: string): FieldError[] {
  if (signer === '') return [required(field)]
  const [domain = '', path = '', ...rest] = signer.split('/')
  if (!signer.includes('/') || rest.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return [invalid(field, signer, detail)]
  }
  const errors: FieldError[] = []
  const firstProblem = (part: string, check: (value: string) => string[]) => {
    const label = part.split('.').find(each => check(each).length > 0)
    if (label === undefined) return
    for (const reason of check(label)) {
      errors.push(invalid(field, part, `validating label ${goQuote(label)}: ${reason}`))
    }
  }
  firstProblem(domain, checkLabel)
  if (!domain.includes('.')) {
    errors.push(invalid(field, domain, 'should be a domain with at least two segments separated by dots'))
  }
  firstProblem(path, checkSubdomain)
  return errors
}
