import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificates {
  directory: string
  /** Files. */
  certificateFile: string
  keyFile: string
  /** PEM. A certificate for 127.0.0.1 and localhost that vouches for itself. */
  certificate: string
  key: string
  dispose(): void
}

export function makeCertificates(): Certificates {
  const directory = mkdtempSync(join(tmpdir(), 'certificates-'))
  const [certificateFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certificateFile, '-days', '2', ...subject], {
    stdio: 'ignore',
  })
  return {
    directory,
    certificateFile,
    keyFile,
    certificate: readFileSync(certificateFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
    dispose: () => rmSync(directory, { recursive: true }),
  }
}
