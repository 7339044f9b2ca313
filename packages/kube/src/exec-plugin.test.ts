import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { VirtualClock } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ExecPluginFailure, execPlugin } from './exec-plugin.ts'
import type { ExecConfig } from './kubeconfig.ts'

const V1 = 'client.authentication.k8s.io/v1'
const clock = new VirtualClock(Date.UTC(2030, 0, 1))
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'exec-plugin-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** A plugin that counts its runs in a file and then does what the script says. */
async function plugin(script: string, config: Partial<ExecConfig> = {}) {
  const command = path.join(directory, 'plugin.sh')
  await writeFile(command, `#!/bin/sh\necho run >> "${directory}/runs"\n${script}\n`)
  await chmod(command, 0o755)
  const output: string[] = []
  const source = execPlugin({
    config: { apiVersion: V1, command, ...config },
    cluster: { server: 'https://h:1', caData: 'Q0E=' },
    environment: process.env,
    clock,
    onOutput: text => output.push(text),
  })
  const runs = async () => (await readFile(`${directory}/runs`, 'utf8')).split('\n').length - 1
  return { source, runs, output }
}

const answer = (status: object, apiVersion = V1) =>
  `echo '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}'`

describe('a credential plugin', () => {
  it('runs once for many requests, until its credential expires', async () => {
    const { source, runs } = await plugin(answer({ token: 't', expirationTimestamp: '2030-01-01T01:00:00Z' }))
    await Promise.all([source.current(), source.current()])
    expect(await source.current()).toEqual({ authorization: 'Bearer t' })
    expect(await runs()).toBe(1)
    await clock.advance(3600_000)
    await source.current()
    expect(await runs()).toBe(2)
  })

  it('runs again when the server refused its credential', async () => {
    const { source, runs } = await plugin(answer({ token: 't' }))
    source.refused({ ...(await source.current()) })
    await source.current()
    expect(await runs()).toBe(2)
  })

  it('may give a certificate', async () => {
    const { source } = await plugin(answer({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }))
    expect(await source.current()).toEqual({ certificate: { cert: 'CERT', key: 'KEY' } })
  })

  it('is told the version, its own variables and, when it wants, the cluster', async () => {
    const script = `printf '%s\\n%s' "$KUBERNETES_EXEC_INFO" "$PLUGIN_MODE $1" > "${directory}/told"\n${answer({ token: 't' })}`
    const env = [{ name: 'PLUGIN_MODE', value: 'quiet' }]
    const { source } = await plugin(script, { args: ['get-token'], env, provideClusterInfo: true })
    await source.current()
    const [info, variables] = (await readFile(`${directory}/told`, 'utf8')).split('\n')
    expect(JSON.parse(info as string)).toEqual({
      apiVersion: V1,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://h:1', 'certificate-authority-data': 'Q0E=' } },
    })
    expect(variables).toBe('quiet get-token')
  })

  it('that fails is quoted', async () => {
    const { source, output } = await plugin('echo "please log in" >&2; exit 3', { installHint: 'Run: cloud login' })
    await expect(source.current()).rejects.toThrow(/plugin\.sh ended with 3: please log in\. Run: cloud login/)
    expect(output.join('')).toBe('please log in\n')
  })

  it('that is not installed comes with its hint', async () => {
    const { source } = await plugin('', { command: 'no-such-plugin-here', installHint: 'Get it from your cloud.' })
    await expect(source.current()).rejects.toThrow(
      'the credential plugin no-such-plugin-here could not be started: it is not installed. Get it from your cloud.',
    )
  })

  it.each([
    ['echo nonsense', /gave no credential: its output is no JSON: "nonsense\\n"/],
    ['echo "{}"', /its output is no ExecCredential/],
    [answer({ token: 't' }, 'client.authentication.k8s.io/v1beta1'), /it was asked in .*v1 and answered in .*v1beta1/],
    [answer({}), /neither a token nor a certificate/],
    [answer({ clientKeyData: 'KEY' }), /half a credential: a certificate needs its key/],
  ])('that says %s is refused', async (script, message) => {
    const { source } = await plugin(script)
    await expect(source.current()).rejects.toThrow(message)
    await expect(source.current()).rejects.toThrow(ExecPluginFailure)
  })

  it('of a version that was removed, or that needs a terminal, is refused before it runs', async () => {
    await expect(plugin('', { apiVersion: 'client.authentication.k8s.io/v1alpha1' })).rejects.toThrow(
      /Set its apiVersion to .*v1;/,
    )
    await expect(plugin('', { interactiveMode: 'Always' })).rejects.toThrow('needs a terminal')
  })
})
