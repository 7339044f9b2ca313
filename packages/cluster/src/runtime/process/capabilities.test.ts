import { expect, test } from 'vitest'
import { boundingSet } from './capabilities.ts'

test('the default is that of container engines, without device nodes', () => {
  const names = boundingSet({ add: [], drop: [] })
  expect(names).toHaveLength(13)
  expect(names).toContain('net_bind_service')
  expect(names).not.toContain('mknod')
})

test('adds and drops by name, in any spelling, and ignores what nobody knows', () => {
  expect(boundingSet({ add: ['NET_ADMIN', 'cap_mknod'], drop: ['ALL'] })).toEqual(['net_admin', 'mknod'])
  expect(boundingSet({ add: [], drop: ['KILL', 'NONSENSE'] })).not.toContain('kill')
  expect(boundingSet({ add: ['ALL'], drop: ['SYS_ADMIN'] })).not.toContain('sys_admin')
  expect(boundingSet({ add: ['KILL'], drop: ['KILL'] })).not.toContain('kill')
})
