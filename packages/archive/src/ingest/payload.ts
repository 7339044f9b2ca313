import { hash } from 'node:crypto'
import type { Json } from '@tiphys/journal/records'
import { isRecordOf, textMember } from '../members.ts'

/** A payload in up to three parts. Those that tell of an object carry it twice, as it is and as it was; what it was is what the
 *  event before it told, so that each version is stored once. */
export interface SplitPayload {
  rest: Part
  body?: Part
  oldBody?: Part
  bytes: number
}

export interface Part {
  hash: string
  content: Buffer
}

export function splitPayload(payload: Json): SplitPayload {
  if (!isRecordOf(payload)) {
    const rest = partOf(payload)
    return { rest, bytes: rest.content.length }
  }
  const { body, oldBody, ...others } = payload
  const split: SplitPayload = { rest: partOf(isRecordOf(body) || isRecordOf(oldBody) ? others : payload), bytes: 0 }
  if (isRecordOf(body)) split.body = partOf(body)
  else if (isRecordOf(oldBody) && body !== undefined) split.rest = partOf({ ...others, body })
  if (isRecordOf(oldBody)) split.oldBody = partOf(oldBody)
  else if (isRecordOf(body) && oldBody !== undefined) split.rest = partOf({ ...others, oldBody })
  split.bytes = split.rest.content.length + (split.body?.content.length ?? 0) + (split.oldBody?.content.length ?? 0)
  return split
}

export function joinPayload(rest: string, body: string | undefined, oldBody: string | undefined): Json {
  const payload = JSON.parse(rest) as Json
  if (body === undefined && oldBody === undefined) return payload
  return {
    ...(payload as Record<string, Json>),
    ...(body === undefined ? {} : { body: JSON.parse(body) as Json }),
    ...(oldBody === undefined ? {} : { oldBody: JSON.parse(oldBody) as Json }),
  }
}

function partOf(value: unknown): Part {
  const content = Buffer.from(JSON.stringify(value) ?? 'null')
  return { hash: contentHash(content), content }
}

/** What happened to the object, and which version of it, when the payload tells. */
export function changeOf(payload: Json | undefined): { change?: string; version?: string; uid?: string } {
  const type = textMember(payload, 'type')
  const metadata = isRecordOf(payload) && isRecordOf(payload.body) ? payload.body.metadata : undefined
  const version = textMember(metadata, 'resourceVersion')
  const uid = textMember(metadata, 'uid')
  return {
    ...(type !== undefined && /^[A-Z]{1,20}$/.test(type) ? { change: type } : {}),
    ...(version === undefined ? {} : { version }),
    ...(uid === undefined ? {} : { uid }),
  }
}

/** By which content is known: 128 bits of SHA-256. */
export const contentHash = (content: Uint8Array): string => hash('sha256', content, 'base64url').slice(0, 22)
