import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'

/** Sends content as a file that no browser opens as a page. Content that is not wanted to its end is ended. */
export function sendDownload(
  response: ServerResponse,
  name: string,
  content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  bytes?: number,
): void {
  const safe = name
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 200)
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${safe}"`,
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'no-store',
    ...(bytes !== undefined && { 'content-length': bytes }),
  })
  // Too late for an error page: a download that breaks off is seen as broken.
  const source = content instanceof Readable ? content : Readable.from(content, { objectMode: true })
  pipeline(source, response, () => {})
}
