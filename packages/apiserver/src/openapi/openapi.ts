import type { Resources } from '../registry/resources.ts'
import { type ApiRequest, header } from '../request/api-request.ts'
import type { ApiResponse, ResponseBody } from '../request/api-response.ts'
import { parseAccept } from '../request/negotiation.ts'
import { type Document, Documents } from './documents.ts'
import { encodeDocument } from './protobuf-document.ts'

const known = new WeakMap<Resources, Documents>()

function documentsOf(resources: Resources): Documents {
  let documents = known.get(resources)
  if (!documents) {
    documents = new Documents(resources)
    known.set(resources, documents)
  }
  return documents
}

/** Answers `/openapi/v2` and everything under `/openapi/v3`. */
export function serveOpenApi(resources: Resources, request: ApiRequest, path: string): ApiResponse | undefined {
  const documents = documentsOf(resources)
  if (path === '/openapi/v2') return versionTwo(documents.versionTwo(), request)
  if (path === '/openapi/v3' || path === '/openapi/v3/') return index(documents)
  if (!path.startsWith('/openapi/v3/')) return undefined
  const document = documents.versionThree(path.slice('/openapi/v3/'.length))
  return document ? versionThree(document, request, path) : { status: 404, headers: {}, body: { type: 'empty' } }
}

function index(documents: Documents): ApiResponse {
  const paths: Record<string, { serverRelativeURL: string }> = {}
  for (const path of documents.paths()) {
    const document = documents.versionThree(path)
    if (document) paths[path] = { serverRelativeURL: pinned(`/openapi/v3/${path}`, document) }
  }
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  return { status: 200, headers, body: { type: 'text', text: JSON.stringify({ paths }) } }
}

const pinned = (path: string, { hash }: Document): string => `${path}?hash=${hash}`

/** Under its hash a document never changes; under another hash the client is sent to the one of today. */
function versionThree(document: Document, request: ApiRequest, path: string): ApiResponse {
  const etag = `"${document.hash}"`
  const headers: Record<string, string> = { 'content-type': 'application/json', etag, vary: 'Accept' }
  const hash = request.query.get('hash')
  if (hash && hash !== document.hash) {
    return { status: 301, headers: { ...headers, location: pinned(path, document) }, body: { type: 'empty' } }
  }
  if (hash) {
    headers['cache-control'] = 'public, immutable'
  }
  return unlessKnown(request, headers, () => jsonText(document.text))
}

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
/** Clients also write the type in this older form, which is none by the rules. */
const PROTOBUF_TYPES = new Set([PROTOBUF, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'])

function versionTwo(document: Document, request: ApiRequest): ApiResponse {
  const headers = { etag: `"${document.hash}"`, vary: 'Accept' }
  const isProtobuf = PROTOBUF_TYPES.has(parseAccept(header(request, 'accept') ?? '')[0]?.type ?? '')
  const type = isProtobuf ? PROTOBUF : 'application/json'
  return unlessKnown(request, { ...headers, 'content-type': type }, () =>
    isProtobuf ? { type: 'bytes', bytes: encodeDocument(JSON.parse(document.text)) } : jsonText(document.text),
  )
}

function unlessKnown(request: ApiRequest, headers: Record<string, string>, body: () => ResponseBody): ApiResponse {
  if (header(request, 'if-none-match') === headers.etag) return { status: 304, headers, body: { type: 'empty' } }
  return { status: 200, headers, body: body() }
}

const jsonText = (text: string): ResponseBody => ({
  type: 'json',
  value: () => JSON.parse(text) as unknown,
  text: () => text,
})
