import type { IncomingMessage } from 'node:http'
import { badRequest, HttpFailure } from './http-failure.ts'

export interface RequestBody {
  /** As it was sent: a number of the value has some 16 digits. */
  text: string
  value: unknown
}

export const LONGEST_BODY = 2 ** 20
/** Nothing that somebody means goes nearly as deep, and what goes through values would run out of stack. */
const DEEPEST = 1000

/** The JSON that somebody sends, up to so many bytes; more are not read. */
export async function readBody(request: IncomingMessage, most = LONGEST_BODY): Promise<RequestBody> {
  if (Number(request.headers['content-length']) > most) throw tooLarge(most)
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request) {
    length += (piece as Buffer).length
    if (length > most) throw tooLarge(most)
    pieces.push(piece as Buffer)
  }
  const text = Buffer.concat(pieces).toString()
  const value = parsed(text)
  if (isDeeper(value, DEEPEST)) throw badRequest(`the body is nested more than ${DEEPEST} deep`)
  return { text, value }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    throw badRequest('the body is no JSON')
  }
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return most === 0 || Object.values(value).some(each => isDeeper(each, most - 1))
}

const tooLarge = (most: number) =>
  new HttpFailure('console-bad-request', { status: 413, what: `the body is larger than ${sizeInWords(most)}` })

const sizeInWords = (bytes: number) => (bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`)
