import https from 'node:https'
import { createSecureContext } from 'node:tls'
import type { KubeObject } from '@tiphys/kube'
import type { KeyPair } from '../authentication/certificate-authority.ts'
import { type GroupResource, notFound, StatusError } from '../status-error.ts'
import type { LocalNodes } from './local-nodes.ts'
import type { Upstream } from './upstream.ts'

/** With what this server shows itself to nodes, and how it knows them. */
export interface NodeCredentials {
  caCertificate: string
  client: KeyPair
}

interface Node extends KubeObject {
  status?: {
    addresses?: { type: string; address: string }[]
    daemonEndpoints?: { kubeletEndpoint?: { Port?: number } }
  }
}

const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'Hostname']
const DEFAULT_PORT = 10_250

/** Finds the endpoints of nodes in what the nodes say of themselves. */
export class NodeConnections {
  readonly #node: (name: string) => KubeObject | undefined
  readonly #credentials: () => NodeCredentials
  /** Those that need no connection. */
  local: LocalNodes | undefined
  #known: NodeCredentials | undefined
  #agent: https.Agent | undefined

  /** The credentials are asked for when the first node is. */
  constructor(node: (name: string) => KubeObject | undefined, credentials: () => NodeCredentials) {
    this.#node = node
    this.#credentials = credentials
  }

  /** Throws the refusal when there is no such node, or no way to it. `asked` is what the request was about: a missing
   *  node is told in its words. */
  find(name: string, asked: GroupResource): Upstream {
    const node: Node | undefined = this.#node(name)
    if (!node) throw notFound(asked, name)
    const { addresses = [], daemonEndpoints } = node.status ?? {}
    const types = ADDRESS_TYPES.filter(type => addresses.some(address => address.type === type))
    const found = addresses.find(({ type }) => type === types[0])
    if (!found) throw new StatusError(500, '', `no preferred addresses found; known addresses: ${printed(addresses)}`)
    const { caCertificate, client } = this.#shown()
    return {
      scheme: 'https',
      host: found.address,
      port: daemonEndpoints?.kubeletEndpoint?.Port || DEFAULT_PORT,
      tls: { ca: caCertificate, cert: client.certificate, key: client.key },
    }
  }

  /** As `find`, over connections that are kept for the next request: what is asked for often and only read. */
  findKept(name: string, asked: GroupResource): Upstream {
    const { tls: _, ...place } = this.find(name, asked)
    return { ...place, agent: (this.#agent ??= this.#createAgent()) }
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#agent?.destroy()
  }

  #createAgent(): https.Agent {
    const { caCertificate, client } = this.#shown()
    const secureContext = createSecureContext({ ca: caCertificate, cert: client.certificate, key: client.key })
    // A resumed session does not bring the client's certificate along.
    return new https.Agent({ keepAlive: true, maxCachedSessions: 0, secureContext })
  }

  #shown(): NodeCredentials {
    return (this.#known ??= this.#credentials())
  }
}

/** As Go prints a list of structures. */
const printed = (addresses: readonly { type: string; address: string }[]): string =>
  `[${addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')}]`
