import { type Clock, TerminalFailure } from '@tiphys/env'
import { type Credential, type CredentialSource, isSameCredential } from './credentials.ts'
import type { ExecConfig } from './kubeconfig.ts'

export interface ExecPluginOptions {
  config: ExecConfig
  /** The cluster the plugin is asked about, told to plugins that want to know. */
  cluster: { server: string; caData?: string; serverName?: string; insecure?: boolean }
  environment: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** What the plugin says to the person in front of it (a login page to open, a code to enter). */
  onOutput?: (text: string) => void
}

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
/** A login takes a person and a browser; beyond this nobody is there. */
const LONGEST_RUN_MS = 5 * 60_000
/** A credential that expires this soon may expire on its way. */
const EXPIRY_MARGIN_MS = 10_000

/** A credential plugin that failed or said something that cannot be used. */
export class ExecPluginFailure extends TerminalFailure {
  constructor(options: { what: string; why?: string; todo?: string; cause?: unknown }) {
    super('kube-exec-plugin-failed', options)
  }
}

interface PluginAnswer {
  apiVersion?: string
  kind?: string
  status?: {
    expirationTimestamp?: string
    token?: string
    clientCertificateData?: string
    clientKeyData?: string
  }
}

/** Credentials from a program, kept until they expire or the server refuses them. The program runs once at a time. */
export function execPlugin(options: ExecPluginOptions): CredentialSource {
  const { config, clock } = options
  refuseUnsupported(config)
  let kept: { credential: Credential; expires: number } | undefined
  let running: Promise<Credential> | undefined

  const run = async () => {
    const status = statusOf(await runPlugin(options), config)
    const credential = credentialOf(status, config)
    const expires = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Number.POSITIVE_INFINITY
    kept = { credential, expires }
    return credential
  }

  return {
    async current() {
      if (kept && clock.now() < kept.expires - EXPIRY_MARGIN_MS) return kept.credential
      running ??= run().finally(() => {
        running = undefined
      })
      return running
    },
    refused(credential) {
      if (kept && isSameCredential(kept.credential, credential)) kept = undefined
    },
  }
}

function refuseUnsupported({ apiVersion, command, interactiveMode }: ExecConfig): void {
  if (!apiVersion || !VERSIONS.includes(apiVersion)) {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} speaks ${apiVersion || 'no version'}`,
      todo: `Set its apiVersion to ${VERSIONS[0]}; a plugin that does not know that version needs an update`,
    })
  }
  if (interactiveMode === 'Always') {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} needs a terminal`,
      why: 'its interactiveMode is Always',
      todo: 'Log in with the plugin by hand first, and set interactiveMode to IfAvailable',
    })
  }
}

async function runPlugin({ config, cluster, environment, clock, onOutput }: ExecPluginOptions): Promise<string> {
  const { command } = config
  // Loaded where there is a plugin: everybody else starts sooner without.
  const { spawn } = await import('node:child_process')
  const child = spawn(command, config.args ?? [], {
    env: {
      ...environment,
      ...pluginEnvironment(config),
      KUBERNETES_EXEC_INFO: JSON.stringify(requestFor(config, cluster)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000)
    onOutput?.(text)
  })
  let isOverdue = false
  const timer = clock.schedule(LONGEST_RUN_MS, () => {
    isOverdue = true
    child.kill()
  })
  try {
    const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (exitCode, signal) => resolve(exitCode ?? signal))
    })
    if (code === 0) return stdout
    const why = isOverdue ? `it did not end within ${LONGEST_RUN_MS / 60_000} minutes` : stderr.trim()
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} ended with ${code}`,
      ...(why !== '' && { why }),
      ...hint(config),
    })
  } catch (thrown) {
    if (thrown instanceof ExecPluginFailure) throw thrown
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} could not be started`,
      cause: thrown,
      ...whyNot(thrown, config),
    })
  } finally {
    timer.cancel()
  }
}

function whyNot(thrown: unknown, config: ExecConfig) {
  const { code, message } = thrown as NodeJS.ErrnoException
  const why = code === 'ENOENT' ? 'it is not installed' : code === 'EACCES' ? 'it is not executable' : message
  return { why, todo: config.installHint?.trim() || `Install ${config.command}, or put it into PATH` }
}

const hint = ({ installHint }: ExecConfig) => (installHint ? { todo: installHint.trim() } : {})

function pluginEnvironment({ env }: ExecConfig): Record<string, string> {
  return Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]))
}

function requestFor({ apiVersion, provideClusterInfo }: ExecConfig, cluster: ExecPluginOptions['cluster']) {
  const { server, caData, serverName, insecure } = cluster
  const info = {
    server,
    ...(serverName !== undefined && { 'tls-server-name': serverName }),
    ...(insecure && { 'insecure-skip-tls-verify': true }),
    ...(caData !== undefined && { 'certificate-authority-data': caData }),
  }
  return {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo && { cluster: info }) },
  }
}

function statusOf(stdout: string, { command, apiVersion }: ExecConfig): NonNullable<PluginAnswer['status']> {
  const wrong = (why: string) =>
    new ExecPluginFailure({ what: `the credential plugin ${command} gave no credential`, why })
  let answer: PluginAnswer
  try {
    answer = JSON.parse(stdout) as PluginAnswer
  } catch {
    throw wrong(`its output is no JSON: ${JSON.stringify(stdout.slice(0, 200))}`)
  }
  if (answer?.kind !== 'ExecCredential') throw wrong(`its output is no ExecCredential`)
  if (answer.apiVersion !== apiVersion)
    throw wrong(`it was asked in ${apiVersion} and answered in ${answer.apiVersion}`)
  if (!answer.status) throw wrong('its output has no status')
  return answer.status
}

function credentialOf(status: NonNullable<PluginAnswer['status']>, { command }: ExecConfig): Credential {
  const { token, clientCertificateData: cert, clientKeyData: key } = status
  if (!token && !cert && !key) {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} gave no credential`,
      why: 'its status has neither a token nor a certificate',
    })
  }
  if (Boolean(cert) !== Boolean(key)) {
    throw new ExecPluginFailure({
      what: `the credential plugin ${command} gave half a credential`,
      why: 'a certificate needs its key',
    })
  }
  return { ...(token && { authorization: `Bearer ${token}` }), ...(cert && key && { certificate: { cert, key } }) }
}
