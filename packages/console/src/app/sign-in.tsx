import { type ReactElement, useState } from 'react'
import { post, RequestFailure } from './request.ts'

/** Exchanges the token in the fragment for a cookie, and takes it out of the address bar and the history. */
export async function signInFromAddress(): Promise<string | undefined> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (token === undefined) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return signIn(decoded(token))
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token)
  } catch {
    return token // cut or mistyped: the server says that it is not valid
  }
}

async function signIn(token: string): Promise<string | undefined> {
  try {
    await post('/session', { token })
    return undefined
  } catch (error) {
    return error instanceof RequestFailure ? `${error.message}. ${error.todo ?? ''}` : String(error)
  }
}

export function SignIn({ problem }: { problem: string | undefined }): ReactElement {
  const [token, setToken] = useState('')
  const [error, setError] = useState(problem)
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    const refused = await signIn(token.trim())
    setBusy(false)
    setError(refused)
    if (refused === undefined) location.reload()
  }
  return (
    <main className="sign-in" id="main">
      <img src="/icon.svg" alt="" width="48" height="48" />
      <h1>Sign in to Tiphys</h1>
      <p>
        On this machine, open the address that <code>tiphys</code> printed when it started. For a cluster, paste a token
        that it accepts:
      </p>
      <pre>
        <code>kubectl create token my-account</code>
      </pre>
      <form
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        <label className="field">
          <span>Token</span>
          <input
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            value={token}
            onChange={event => setToken(event.target.value)}
          />
        </label>
        <button type="submit" className="button primary" disabled={isBusy || token.trim() === ''}>
          Sign in
        </button>
      </form>
      {error !== undefined && (
        <p className="problem" role="alert">
          {error}
        </p>
      )}
    </main>
  )
}
