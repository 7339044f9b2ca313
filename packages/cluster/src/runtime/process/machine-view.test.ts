import { expect, test } from 'vitest'
import { mountOf, parseMounts, submounts } from './machine-view.ts'

const line = (point: string, fileSystem: string, options = 'rw,relatime') =>
  `30 1 0:25 / ${point} ${options} shared:1 - ${fileSystem} device rw,seclabel`

const mounts = parseMounts(
  [
    line('/', 'ext4'),
    line('/proc', 'proc'),
    line('/home', 'btrfs', 'rw,nosuid,nodev'),
    line('/home/old', 'ext4'),
    line('/mnt/my\\040disk', 'xfs'),
    line('/dev/shm', 'tmpfs'),
    line('/var/lib/docker/overlay2/abc/merged', 'overlay'),
    line('/data', 'ext4'),
    line('/data/inner', 'ext4'),
    line('/data', 'xfs', 'ro'),
  ].join('\n'),
)

test('shows the mounts that a copy of the root would miss, and no pseudo file systems', () => {
  expect(submounts(mounts).map(({ point }) => point)).toEqual(['/data', '/home', '/home/old', '/mnt/my disk'])
})

test('a later mount hides what was below it', () => {
  expect(submounts(mounts).find(({ point }) => point === '/data')?.fileSystem).toBe('xfs')
})

test('finds the mount that a path is in', () => {
  expect(mountOf(mounts, '/home/me/file')?.options).toEqual(['rw', 'nosuid', 'nodev'])
  expect(mountOf(mounts, '/homeless')?.point).toBe('/')
})
