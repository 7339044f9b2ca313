import { describe, expect, it } from 'vitest'
import { guard } from './guard.ts'

const ours = { host: '127.0.0.1:2746' }
const ask = (
  headers: Record<string, string>,
  { method = 'GET', path = '/api/v1/events', allowedHosts = [] as string[] } = {},
) => guard({ method, path, headers }, { allowedHosts })?.status

describe('the guard', () => {
  it('answers only to the names of loopback, with any port, and to those that are allowed', () => {
    for (const host of ['127.0.0.1:2746', 'localhost', 'LOCALHOST:1', '[::1]:2746', '[::1]'])
      expect(ask({ host })).toBeUndefined()
    for (const host of [
      'evil.test',
      'evil.test:2746',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      '0.0.0.0',
      '127.0.0.2',
      '',
    ])
      expect(ask({ host })).toBe(421)
    expect(ask({})).toBe(421)
    const allowedHosts = ['Console.example.com', 'other.example.com:8443']
    expect(ask({ host: 'console.example.com:80' }, { allowedHosts })).toBeUndefined()
    expect(ask({ host: 'other.example.com:8443' }, { allowedHosts })).toBeUndefined()
    expect(ask({ host: 'other.example.com:80' }, { allowedHosts })).toBe(421)
    // As one says where to listen.
    expect(ask({ host: '[fd00::5]:2746' }, { allowedHosts: ['FD00::5'] })).toBeUndefined()
    expect(ask({ host: '[fd00::6]:2746' }, { allowedHosts: ['FD00::5'] })).toBe(421)
  })

  it('refuses a page of any other origin, also of another port', () => {
    expect(ask({ ...ours, origin: 'http://127.0.0.1:2746' })).toBeUndefined()
    for (const origin of [
      'http://127.0.0.1:9999',
      'https://127.0.0.1:2746',
      'http://localhost:2746',
      'null',
      'http://evil.test',
    ])
      expect(ask({ ...ours, origin })).toBe(403)
    const allowedHosts = ['console.example.com']
    expect(
      ask({ host: 'console.example.com', origin: 'https://console.example.com' }, { allowedHosts }),
    ).toBeUndefined()
    expect(ask({ host: 'console.example.com', origin: 'https://evil.test' }, { allowedHosts })).toBe(403)
  })

  it('looks at the name before the origin, and at the origin before where the browser says it comes from', () => {
    expect(ask({ host: 'evil.test', origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' })).toBe(421)
    expect(guard({ method: 'POST', path: '/', headers: { ...ours, origin: 'http://evil.test' } })?.code).toBe(
      'console-origin-refused',
    )
    expect(guard({ method: 'POST', path: '/', headers: { ...ours, 'sec-fetch-site': 'cross-site' } })?.code).toBe(
      'console-origin-refused',
    )
  })

  it('lets a link from elsewhere open a page, and never read the API', () => {
    const link = { ...ours, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect(ask(link, { path: '/events/1' })).toBeUndefined()
    expect(ask(link)).toBe(403)
    expect(ask({ ...link, 'sec-fetch-dest': 'iframe' }, { path: '/events/1' })).toBe(403)
    expect(ask({ ...ours, 'sec-fetch-site': 'same-site' })).toBe(403)
    for (const site of ['same-origin', 'none']) expect(ask({ ...ours, 'sec-fetch-site': site })).toBeUndefined()
  })

  it('wants JSON and our header for everything that changes something', () => {
    const post = (headers: Record<string, string>) => ask({ ...ours, ...headers }, { method: 'POST' })
    expect(post({ 'content-type': 'application/json; charset=utf-8', 'x-tiphys': '1' })).toBeUndefined()
    expect(post({ 'content-type': 'application/json', authorization: 'Bearer t' })).toBeUndefined()
    expect(post({ 'content-type': 'application/json', authorization: 'Basic dTpw' })).toBe(403)
    expect(post({ 'content-type': 'text/plain', 'x-tiphys': '1' })).toBe(415)
    expect(post({ 'x-tiphys': '1' })).toBe(415)
    expect(post({ 'content-type': 'application/json' })).toBe(403)
    expect(ask({ ...ours }, { method: 'DELETE' })).toBe(415)
  })
})
