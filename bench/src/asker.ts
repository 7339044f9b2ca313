import { Agent, request } from 'node:http'

/** Somebody who asks a server for pages, with a token, over connections that are kept. */
export class Asker {
  readonly #agent: Agent
  readonly #address: string
  readonly #token: string

  constructor(address: string, token: string, connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
    this.#address = address
    this.#token = token
  }

  ask(path: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#token}` }
      const sent = request(`${this.#address}${path}`, { agent: this.#agent, headers }, answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      })
      sent.on('error', reject)
      sent.end()
    })
  }
}
