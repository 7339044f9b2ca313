import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { quote, runScript } from './shell.ts'

/** What the containers of a pod share besides its network, each in a folder: `uts` and `ipc` are namespaces, `shm` is the
 *  memory they share, and `pid` is the place for a namespace of processes. */
export interface PodFolders {
  take(): Promise<string>
  /** What is in it must have ended. */
  remove(folder: string, mounted: readonly string[]): Promise<void>
}

/** As container engines have it. */
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024

/** Some are kept ready: to make one takes longer than all else about a pod. */
export function createPodFolders(parent: string, spare = 2): PodFolders {
  const ready: string[] = []
  let serial = 0
  let making: Promise<void> | undefined

  const makeOne = async () => {
    const folder = `${parent}/${serial++}`
    mkdirSync(`${folder}/shm`, { recursive: true })
    for (const name of ['uts', 'ipc', 'pid']) writeFileSync(`${folder}/${name}`, '')
    await runScript(`mount -t tmpfs -o mode=1777,size=${SHARED_MEMORY_BYTES},nosuid,nodev shm ${quote(`${folder}/shm`)}
      exec unshare --uts=${quote(`${folder}/uts`)} --ipc=${quote(`${folder}/ipc`)} true`)
    return folder
  }
  const refill = () => {
    making ??= (async () => {
      while (ready.length < spare) ready.push(await makeOne())
    })().finally(() => {
      making = undefined
    })
    // Whoever needs one makes it and learns why it cannot be made.
    making.catch(() => {})
  }
  refill()
  return {
    async take() {
      const folder = ready.shift() ?? (await makeOne())
      refill()
      return folder
    },
    async remove(folder, mounted) {
      await runScript(`umount -l ${mounted.map(part => quote(`${folder}/${part}`)).join(' ')}`)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
