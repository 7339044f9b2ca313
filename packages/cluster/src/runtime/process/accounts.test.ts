import { expect, test } from 'vitest'
import { identify, parseAccounts } from './accounts.ts'

const accounts = parseAccounts(
  'root:x:0:0:root:/root:/bin/sh\ndb:x:101:104:DB,,,:/var/lib/db:/bin/sh\n# a comment\n',
  'root:x:0:\ndb:x:104:\nssl:x:110:db,other\nweb:x:33:other\n',
)
const request = { user: undefined, runAsUser: undefined, runAsGroup: undefined, supplementalGroups: [] }

test.each([
  ['nothing said', {}, { uid: 0, gid: 0, supplementalGroups: [], home: '/root' }],
  ['a name', { user: 'db' }, { uid: 101, gid: 104, supplementalGroups: [110], home: '/var/lib/db' }],
  ['a name and a group', { user: 'db:web' }, { uid: 101, gid: 33, supplementalGroups: [110], home: '/var/lib/db' }],
  ['numbers', { user: '77:88' }, { uid: 77, gid: 88, supplementalGroups: [], home: '/' }],
  ['the pod’s word', { user: 'db:web', runAsUser: 5 }, { uid: 5, gid: 0, supplementalGroups: [], home: '/' }],
  [
    'the pod’s groups',
    { runAsUser: 101, runAsGroup: 7, supplementalGroups: [7, 8] },
    { uid: 101, gid: 7, supplementalGroups: [110, 8], home: '/var/lib/db' },
  ],
])('%s', (_, change, identity) => {
  expect(identify(accounts, { ...request, ...change })).toEqual(identity)
})

test('refuses names that nobody has', () => {
  expect(() => identify(accounts, { ...request, user: 'who' })).toThrow('unable to find user who')
  expect(() => identify(accounts, { ...request, user: 'db:who' })).toThrow('unable to find group who')
})
