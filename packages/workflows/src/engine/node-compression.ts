import { gunzipSync, gzipSync } from 'node:zlib'
import { asError, TerminalFailure } from '@tiphys/env'
import type { NodeStatus } from '../spec/workflow.ts'

const MOST_DECODED_BYTES = 256 * 2 ** 20

/** Nodes as upstream compresses them: gzip, then base64. */
export const encodeNodes = (json: string): string => gzipSync(json).toString('base64')

export function decodeNodes(text: string): Record<string, NodeStatus> {
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
