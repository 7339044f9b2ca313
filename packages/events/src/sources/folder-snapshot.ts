import { readdir, stat } from 'node:fs/promises'

/** A file as it was last seen. */
export interface SeenFile {
  inode: number
  size: number
  modified: number
  mode: number
}

export type FolderSnapshot = ReadonlyMap<string, SeenFile>

export type FileOperation = 'CREATE' | 'WRITE' | 'REMOVE' | 'RENAME' | 'CHMOD'

/** In upstream's bit mask. */
export const OPERATION_BITS: Readonly<Record<FileOperation, number>> = {
  CREATE: 1,
  WRITE: 2,
  REMOVE: 4,
  RENAME: 8,
  CHMOD: 16,
}

export interface FileChange {
  name: string
  operation: FileOperation
}

export async function readFolder(directory: string): Promise<FolderSnapshot> {
  const names = (await readdir(directory)).sort()
  const files = await Promise.all(
    names.map(async (name): Promise<[string, SeenFile] | undefined> => {
      try {
        const { ino, size, mtimeMs, mode } = await stat(`${directory}/${name}`)
        return [name, { inode: ino, size, modified: mtimeMs, mode }]
      } catch {
        // Gone between the two calls, or a link to nowhere: it is not there.
        return undefined
      }
    }),
  )
  return new Map(files.filter(file => file !== undefined))
}

/** What has happened between two snapshots, as a watcher of the folder would have been told. */
export function folderChanges(before: FolderSnapshot, after: FolderSnapshot): FileChange[] {
  const changes: FileChange[] = []
  const inodes = new Set([...after].filter(([name]) => !before.has(name)).map(([, { inode }]) => inode))
  for (const [name, { inode }] of before)
    if (!after.has(name)) changes.push({ name, operation: inodes.has(inode) ? 'RENAME' : 'REMOVE' })
  const moved = new Map([...before].filter(([name]) => !after.has(name)).map(([, file]) => [file.inode, file]))
  for (const [name, file] of after) {
    const seen = before.get(name)
    const origin = seen ?? moved.get(file.inode)
    if (!seen) changes.push({ name, operation: 'CREATE' })
    if (origin ? origin.size !== file.size || origin.modified !== file.modified : file.size > 0)
      changes.push({ name, operation: 'WRITE' })
    else if (origin && origin.mode !== file.mode) changes.push({ name, operation: 'CHMOD' })
  }
  return changes
}
