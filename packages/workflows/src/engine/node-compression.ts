import { gunzipSync, gzipSync } from 'node:zlib'
import { asError, TerminalFailure } from '@tiphys/env'
import type { NodeStatus, Workflow, WorkflowStatus } from '../spec/workflow.ts'

/** Above this the nodes are stored compressed, as upstream does it: gzip, then base64. */
const MOST_PLAIN_BYTES = 512 * 1024
/** The API server's storage takes no object above 1.5 MiB. */
const MOST_COMPRESSED_BYTES = 1_250_000
const MOST_DECODED_BYTES = 256 * 2 ** 20

/** The status with its nodes as they are stored. */
export function compressed(status: WorkflowStatus): WorkflowStatus {
  const { nodes, ...rest } = status
  if (!nodes) return status
  const text = JSON.stringify(nodes)
  if (text.length <= MOST_PLAIN_BYTES) return { ...rest, nodes }
  const compressedNodes = gzipSync(text).toString('base64')
  if (compressedNodes.length > MOST_COMPRESSED_BYTES)
    throw new TerminalFailure('workflow-status-too-large', {
      what: `The status of the workflow has ${compressedNodes.length} bytes after compression`,
      todo: 'Split the workflow, or hand large values on as artifacts',
    })
  return { ...rest, compressedNodes }
}

/** The Workflow with its nodes in full. */
export function decompressed(workflow: Workflow): Workflow {
  const text = workflow.status?.compressedNodes
  if (text === undefined || text === '') return workflow
  const { compressedNodes: _, ...rest } = workflow.status as WorkflowStatus
  return { ...workflow, status: { ...rest, nodes: decode(text) } }
}

function decode(text: string): Record<string, NodeStatus> {
  try {
    const json = gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: MOST_DECODED_BYTES }).toString()
    return JSON.parse(json) as Record<string, NodeStatus>
  } catch (cause) {
    throw new TerminalFailure('workflow-status-unreadable', {
      what: 'status.compressedNodes cannot be read',
      why: asError(cause).message,
      todo: 'Resubmit the workflow',
      cause,
    })
  }
}
