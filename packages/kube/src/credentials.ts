/** What proves who a request comes from. */
export interface Credential {
  /** The value of the Authorization header. */
  authorization?: string
  /** A client certificate and its key, PEM. */
  certificate?: { cert: string; key: string }
}

/** Where credentials come from: fixed ones, a file that is rewritten, or a program. */
export interface CredentialSource {
  /** The credential to use now. Throws a Failure when there is none to be had. */
  current(): Promise<Credential>
  /** The server refused `credential`: the next `current` looks for a newer one. */
  refused(credential: Credential): void
}

export function fixedCredential(credential: Credential): CredentialSource {
  return { current: async () => credential, refused: () => {} }
}

export function isSameCredential(a: Credential, b: Credential): boolean {
  return a.authorization === b.authorization && isSameCertificate(a.certificate, b.certificate)
}

export function isSameCertificate(a: Credential['certificate'], b: Credential['certificate']): boolean {
  return a?.cert === b?.cert && a?.key === b?.key
}
