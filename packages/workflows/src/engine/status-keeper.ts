import { createHash } from 'node:crypto'
import { TerminalFailure } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Workflow, WorkflowStatus } from '../spec/workflow.ts'
import { largeValueKeys, withLargeValues, withoutLargeValues } from './large-values.ts'
import { decodeNodes, encodeNodes } from './node-compression.ts'

/** Above this the nodes are stored compressed, as upstream does it. */
const MOST_PLAIN_BYTES = 512 * 1024
/** The API takes no object above 1.5 MiB, and others write into it too. */
const MOST_OBJECT_BYTES = 1_000_000
/** Of values that were read or stored lately. */
const MOST_REMEMBERED_BYTES = 64 * 2 ** 20

/** Between the status as planning knows it and the status as the API can keep it.
 *
 *  - Up to 512 KiB nodes are stored as they are, above that compressed.
 *  - Where that is too much for an object, long values go to the artifact store: the status shows how each begins and where it is.
 *  - Where that is still too much, the nodes go there as a whole; `offloadNodeStatusVersion` says which.
 *
 *  `whole` undoes all of it. Both answer at once where the artifact store is not needed. Without an artifact store `whole` leaves what
 *  is there out (`isElsewhere` says so), and `stored` keeps where it is. */
export interface StatusKeeper {
  whole(workflow: Workflow): Workflow | Promise<Workflow>
  /** The status for the Workflow, of which the rest is as given. What it refers to is stored when it is answered. */
  stored(workflow: Workflow, status: WorkflowStatus): WorkflowStatus | Promise<WorkflowStatus>
  /** The Workflow is gone: what was stored for it goes too. */
  forget(workflow: Workflow): Promise<void>
}

export function createStatusKeeper(artifacts?: ArtifactStore): StatusKeeper {
  return new Keeper(artifacts)
}

/** Parts of it are in the artifact store. */
export const isElsewhere = ({ offloadNodeStatusVersion, storedValues = {} }: WorkflowStatus): boolean =>
  Boolean(offloadNodeStatusVersion) || Object.keys(storedValues).length > 0

class Keeper implements StatusKeeper {
  readonly #artifacts: ArtifactStore | undefined
  /** Each version of a Workflow is taken apart once. */
  readonly #known = new WeakMap<KubeObject, Workflow | Promise<Workflow>>()
  readonly #remembered = new Map<string, string>()
  #rememberedBytes = 0

  constructor(artifacts: ArtifactStore | undefined) {
    this.#artifacts = artifacts
  }

  whole(workflow: Workflow): Workflow | Promise<Workflow> {
    let whole = this.#known.get(workflow)
    if (whole === undefined) {
      whole = this.#whole(workflow)
      this.#known.set(workflow, whole)
      // What failed is tried anew.
      if (whole instanceof Promise) whole.catch(() => this.#known.delete(workflow))
    }
    return whole
  }

  #whole(workflow: Workflow): Workflow | Promise<Workflow> {
    const { status } = workflow
    if (status === undefined) return workflow
    if (isElsewhere(status) && this.#artifacts) return this.#fetched(workflow, status)
    return status.compressedNodes ? { ...workflow, status: decompressed(status) } : workflow
  }

  async #fetched(workflow: Workflow, status: WorkflowStatus): Promise<Workflow> {
    const { offloadNodeStatusVersion: version, ...rest } = status
    const nodes = version ? decodeNodes(await this.#get(version)) : undefined
    const plain = nodes ? { ...rest, nodes } : decompressed(rest)
    const keys = largeValueKeys(status)
    const values = new Map<string, string>()
    for (const key of keys) values.set(key, await this.#get(key))
    return { ...workflow, status: withLargeValues(plain, values) }
  }

  stored(workflow: Workflow, status: WorkflowStatus): WorkflowStatus | Promise<WorkflowStatus> {
    const fitting = fitted(workflow, status, MOST_PLAIN_BYTES)
    return fitting ?? this.#offloaded(workflow, status)
  }

  async #offloaded(workflow: Workflow, status: WorkflowStatus): Promise<WorkflowStatus> {
    const prefix = folderOf(workflow)
    const { status: smaller, values } = withoutLargeValues(status, prefix)
    for (const [key, value] of values) await this.#put(key, value)
    const fitting = fitted(workflow, smaller, MOST_PLAIN_BYTES)
    if (fitting) return fitting
    const { nodes = {}, ...rest } = smaller
    const encoded = encodeNodes(JSON.stringify(nodes))
    const key = `${prefix}/nodes-${createHash('sha256').update(encoded).digest('hex')}`
    await this.#put(key, encoded)
    const last = { ...rest, offloadNodeStatusVersion: key }
    const bytes = sizeOf({ ...workflow, status: last })
    if (bytes <= MOST_OBJECT_BYTES + MOST_PLAIN_BYTES) return last
    throw new TerminalFailure('workflow-status-too-large', {
      what: `The workflow ${workflow.metadata.name ?? ''} has ${bytes} bytes without its nodes, which is more than the API takes`,
      todo: 'Hand large values on as artifacts, and keep large manifests in templates of their own',
    })
  }

  async forget(workflow: Workflow): Promise<void> {
    const { offloadNodeStatusVersion, storedValues } = workflow.status ?? {}
    if (!offloadNodeStatusVersion && !storedValues) return
    await this.#artifacts?.remove(folderOf(workflow))
    // One that was submitted with nodes had no uid yet.
    await this.#artifacts?.remove(folderOf({ ...workflow, metadata: { ...workflow.metadata, uid: '' } }))
  }

  async #put(key: string, value: string): Promise<void> {
    if (this.#remembered.has(key)) return
    await this.#store().put(key, once(Buffer.from(value)))
    this.#remember(key, value)
  }

  async #get(key: string): Promise<string> {
    const known = this.#remembered.get(key)
    if (known !== undefined) return known
    const pieces: Uint8Array[] = []
    for await (const piece of await this.#store().get(key)) pieces.push(piece)
    const value = Buffer.concat(pieces).toString()
    this.#remember(key, value)
    return value
  }

  #store(): ArtifactStore {
    if (this.#artifacts) return this.#artifacts
    throw new TerminalFailure('workflow-status-too-large', {
      what: 'The workflow is larger than the API takes, and there is no artifact store to put parts of it',
      todo: 'Do it through the console of the running instance',
    })
  }

  #remember(key: string, value: string): void {
    this.#remembered.set(key, value)
    this.#rememberedBytes += value.length
    for (const [oldest, text] of this.#remembered) {
      if (this.#rememberedBytes <= MOST_REMEMBERED_BYTES) return
      this.#remembered.delete(oldest)
      this.#rememberedBytes -= text.length
    }
  }
}

/** The status with its nodes plain or compressed; undefined when the object is too large either way. */
function fitted(workflow: Workflow, status: WorkflowStatus, mostPlain: number): WorkflowStatus | undefined {
  const { nodes, ...rest } = status
  if (!nodes) return status
  const json = JSON.stringify(nodes)
  // Short of that, nothing else in it can make the object too large. A character has three bytes at most.
  if (json.length * 3 <= mostPlain) return status
  const room = MOST_OBJECT_BYTES - sizeOf({ ...workflow, status: rest })
  if (Buffer.byteLength(json) <= Math.min(room, mostPlain)) return status
  const compressedNodes = encodeNodes(json)
  return compressedNodes.length <= room ? { ...rest, compressedNodes } : undefined
}

function decompressed(status: WorkflowStatus): WorkflowStatus {
  const { compressedNodes, ...rest } = status
  return compressedNodes ? { ...rest, nodes: decodeNodes(compressedNodes) } : status
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const folderOf = ({ metadata: { namespace = '', name = '', uid = '' } }: Workflow): string =>
  `${namespace}/${name}/status-${uid || 'new'}`

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
