import { request } from 'node:https'
import { createApiServer } from '@tiphys/apiserver'

/* What a program that embeds the server waits for. Prints one line of JSON. Run as: program SERVERS. */

const servers = Number(process.argv[2])
const first = await timeToFirstAnswer()
const later = await timeToFirstAnswer()
const begin = performance.now()
for (let i = 0; i < servers; i++) await useOnce(i)
const together = performance.now() - begin
process.stdout.write(`${JSON.stringify({ first, later, together })}\n`)

/** Milliseconds until a new server has answered an authenticated request over HTTPS with 200. */
async function timeToFirstAnswer(): Promise<number> {
  const started = performance.now()
  const server = await createApiServer()
  const { url } = await server.listen()
  const { certificate, key } = server.issueClientCertificate({ name: 'bench', groups: ['system:masters'] })
  const status = await statusOf(`${url}/api/v1/namespaces?limit=1`, {
    ca: server.caCertificate,
    cert: certificate,
    key,
  })
  const elapsed = performance.now() - started
  await server.close()
  if (status !== 200) throw new Error(`the first answer was ${status}`)
  return elapsed
}

function statusOf(url: string, tls: { ca: string; cert: string; key: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...tls, agent: false }, response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

async function useOnce(number: number): Promise<void> {
  const server = await createApiServer()
  const client = server.client()
  const name = `used-${number}`
  await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { name } })
  await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name })
  await server.close()
}
