import { expect, test } from 'vitest'
import { coversTools, type SetUpTools } from './set-up-tools.ts'

const tools: SetUpTools = {
  files: ['/usr/local/bin/setpriv', '/usr/bin/setpriv', '/usr/bin/sh', '/etc/ld.so.preload'],
  libraryFolders: ['/usr/lib', '/usr/lib/x86_64-linux-gnu'],
}

test.each([
  '/',
  '/usr',
  '/usr/bin',
  '/usr/bin/sh',
  '/usr/local/bin',
  '/usr/local/bin/setpriv',
  '/etc',
  '/etc/ld.so.preload',
  '/usr/lib',
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/x86_64-linux-gnu/libc.so.6',
  '/usr/lib/x86_64-linux-gnu/glibc-hwcaps',
])('%s decides what runs', target => {
  expect(coversTools(tools, target)).toBe(true)
})

test.each([
  '/etc/nginx',
  '/etc/nginx/nginx.conf',
  '/usr/bin/tool',
  '/usr/local/bin/tool',
  '/usr/lib/python3/dist-packages',
  '/usr/share/nginx/html',
  '/var/run/secrets/kubernetes.io/serviceaccount',
  '/usr/binary',
])('%s does not', target => {
  expect(coversTools(tools, target)).toBe(false)
})
