import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { TerminalFailure } from '@tiphys/env'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
}
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** The built application in a folder. Which files there are is read once: a request can name no others. */
export interface Assets {
  /** Answers, or says that it has no such file. Every path that is no file's is the application's. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean
}

export async function openAssets(folder: string): Promise<Assets> {
  const sizes = new Map<string, number>()
  for (const name of await namesIn(folder)) sizes.set(`/${name}`, (await stat(join(folder, name))).size)
  if (!sizes.has('/index.html')) {
    throw new TerminalFailure('console-assets-missing', {
      what: `the console's pages are not in ${folder}`,
      todo: 'Build them with npm run build',
    })
  }
  return {
    serve(request, response, path) {
      const isFile = sizes.has(path) && path !== '/index.html'
      if (!isFile && extname(path) !== '' && path.startsWith('/assets/')) return false
      const file = isFile ? path : '/index.html'
      const accepted = acceptedIn(String(request.headers['accept-encoding'] ?? ''))
      const encoding = ENCODINGS.find(({ name, suffix }) => accepted.has(name) && sizes.has(file + suffix))
      const served = encoding ? file + encoding.suffix : file
      response.writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        'content-length': sizes.get(served),
        // Names of assets have a hash of their content in them.
        'cache-control': file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        vary: 'accept-encoding',
        ...(encoding && { 'content-encoding': encoding.name }),
      })
      if (request.method === 'HEAD') response.end()
      else
        createReadStream(join(folder, served))
          .on('error', () => response.destroy())
          .pipe(response)
      return true
    },
  }
}

/** The encodings that somebody takes: `gzip, br;q=0` takes one. */
function acceptedIn(header: string): ReadonlySet<string> {
  const each = header.split(',').map(part => part.split(';').map(text => text.trim().toLowerCase()))
  return new Set(each.flatMap(([name = '', ...more]) => (more.some(text => /^q=0(\.0*)?$/.test(text)) ? [] : [name])))
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw cause
  }
}
