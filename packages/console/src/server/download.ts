import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** Sends content as a file that no browser opens as a page. */
export function sendDownload(
  response: ServerResponse,
  name: string,
  content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): void {
  const safe = name.replaceAll(/[^\w.-]+/g, '_').slice(0, 200)
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${safe}"`,
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'no-store',
  })
  // Too late for an error page: a download that breaks off is seen as broken.
  Readable.from(content, { objectMode: true })
    .on('error', () => response.destroy())
    .pipe(response)
}
