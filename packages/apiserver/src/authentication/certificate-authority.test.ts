import { X509Certificate } from 'node:crypto'
import { systemEnv } from '@tiphys/env'
import { expect, it } from 'vitest'
import { CertificateAuthority } from './certificate-authority.ts'

it('issues server certificates that its own certificate verifies', () => {
  const authority = CertificateAuthority.create(systemEnv)
  const issued = authority.issue({
    commonName: 'kube-apiserver',
    hosts: ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'],
    usage: 'server',
  })
  const certificate = new X509Certificate(issued.certificate)
  const root = new X509Certificate(authority.certificate)
  expect(certificate.verify(root.publicKey)).toBe(true)
  expect(certificate.checkIssued(root)).toBe(true)
  expect(root.ca).toBe(true)
  expect(certificate.ca).toBe(false)
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.checkIP('::1')).toBeDefined()
  expect(certificate.checkHost('kubernetes.default.svc')).toBeDefined()
})

it('puts user and groups into client certificates', () => {
  const issued = CertificateAuthority.create(systemEnv).issue({
    commonName: 'joe',
    organizations: ['dev', 'ops'],
    usage: 'client',
  })
  expect(new X509Certificate(issued.certificate).subject).toBe('O=dev\nO=ops\nCN=joe')
})

it('goes on with the authority of an earlier run', () => {
  const first = CertificateAuthority.create(systemEnv)
  const again = CertificateAuthority.restore(systemEnv, first.export())
  const issued = new X509Certificate(again.issue({ commonName: 'joe', usage: 'client' }).certificate)
  expect(issued.verify(new X509Certificate(first.certificate).publicKey)).toBe(true)
})
