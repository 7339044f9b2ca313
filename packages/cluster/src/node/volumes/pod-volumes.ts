import { chmod, chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asError } from '@tiphys/env'
import { type Client, isNotFound, kindRef } from '@tiphys/kube'
import type { PersistentVolume, Pod, Volume } from '@tiphys/kube/kinds'
import { writeAtomically } from './atomic-directory.ts'
import { prepareHostPath } from './host-path.ts'
import { type FileSources, volumeFiles } from './volume-files.ts'

/** A volume cannot be made. The message is that of the Event. */
export class MountFailure extends Error {
  constructor(volume: string, why: string) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${why}`)
    this.name = 'MountFailure'
  }
}

/** Where a volume is on this machine. */
export interface MadeVolume {
  path: string
  /** This node alone writes it, and it may change while containers run. */
  isOurs: boolean
}

const PVC = kindRef('v1', 'PersistentVolumeClaim')
const PV = kindRef('v1', 'PersistentVolume')

/** The volumes of pods, in `directory/<uid>/volumes/<name>`. */
export class PodVolumes {
  readonly #client: Client
  readonly #directory: string
  readonly #made = new Map<string, Map<string, MadeVolume>>()

  constructor(client: Client, directory: string) {
    this.#client = client
    this.#directory = directory
  }

  /** Throws a `MountFailure` for the first volume that cannot be made. */
  async prepare(pod: Pod, sources: FileSources): Promise<void> {
    const { uid = '' } = pod.metadata
    const made = this.#made.get(uid) ?? new Map<string, MadeVolume>()
    this.#made.set(uid, made)
    for (const volume of pod.spec?.volumes ?? []) {
      try {
        made.set(volume.name, await this.#make(pod, volume, sources))
      } catch (thrown) {
        throw new MountFailure(volume.name, asError(thrown).message)
      }
    }
  }

  /** Writes what the API's objects say by now. Throws a `MountFailure`. */
  async refresh(pod: Pod, sources: FileSources): Promise<void> {
    const made = this.#made.get(pod.metadata.uid ?? '')
    for (const volume of pod.spec?.volumes ?? []) {
      if (!made?.get(volume.name)?.isOurs) continue
      try {
        await this.#make(pod, volume, sources)
      } catch (thrown) {
        throw new MountFailure(volume.name, asError(thrown).message)
      }
    }
  }

  find(pod: Pod, name: string): MadeVolume | undefined {
    return this.#made.get(pod.metadata.uid ?? '')?.get(name)
  }

  async remove(uid: string): Promise<void> {
    this.#made.delete(uid)
    await rm(join(this.#directory, uid, 'volumes'), { recursive: true, force: true })
  }

  async #make(pod: Pod, volume: Volume, sources: FileSources): Promise<MadeVolume> {
    const own = join(this.#directory, pod.metadata.uid ?? '', 'volumes', volume.name)
    const group = pod.spec?.securityContext?.fsGroup
    if (volume.emptyDir) {
      await makeShared(own, group)
      return { path: own, isOurs: false }
    }
    if (volume.hostPath) {
      await prepareHostPath(volume.hostPath.path, volume.hostPath.type)
      return { path: volume.hostPath.path, isOurs: false }
    }
    const claim = volume.persistentVolumeClaim?.claimName
    if (claim !== undefined) return { path: await this.#claimedPath(pod, claim, group), isOurs: false }
    if (volume.ephemeral) {
      const path = await this.#claimedPath(pod, `${pod.metadata.name}-${volume.name}`, group)
      return { path, isOurs: false }
    }
    const { configMap, secret, downwardAPI, projected } = volume
    if (configMap ?? secret ?? downwardAPI ?? projected) {
      await writeAtomically(own, await volumeFiles(pod, volume, sources), group)
      return { path: own, isOurs: true }
    }
    const [type = 'none'] = Object.keys(volume).filter(key => key !== 'name')
    throw new Error(`volumes of the type ${type} are not supported by this node`)
  }

  async #claimedPath({ metadata }: Pod, name: string, group: number | undefined): Promise<string> {
    const namespace = metadata.namespace ?? ''
    const claim = await this.#client.get({ ...PVC, namespace, name }).catch(thrown => {
      if (isNotFound(thrown)) throw new Error(`persistentvolumeclaim "${name}" not found`)
      throw thrown
    })
    if (claim.status?.phase !== 'Bound' || !claim.spec?.volumeName) {
      throw new Error(`error processing PVC ${namespace}/${name}: PVC is not bound`)
    }
    const volume = await this.#client.get({ ...PV, name: claim.spec.volumeName })
    const path = await persistentPath(volume)
    if (group !== undefined) await makeShared(path, group)
    return path
  }
}

async function persistentPath({ metadata, spec }: PersistentVolume): Promise<string> {
  if (spec?.hostPath) {
    await prepareHostPath(spec.hostPath.path, spec.hostPath.type)
    return spec.hostPath.path
  }
  if (spec?.local) {
    await prepareHostPath(spec.local.path, 'Directory')
    return spec.local.path
  }
  throw new Error(`the PersistentVolume ${metadata.name} is of a type that is not supported by this node`)
}

/** Anybody may write, as in a container's own file system; what is made in it belongs to the pod's group. */
async function makeShared(path: string, group: number | undefined): Promise<void> {
  await mkdir(path, { recursive: true })
  if (group !== undefined) await chown(path, -1, group).catch(ignorePermission)
  await chmod(path, group === undefined ? 0o777 : 0o2777).catch(ignorePermission)
}

/** Who is not root cannot give files away; containers then run as the same user, and need no group. */
const ignorePermission = (thrown: unknown) => {
  if ((thrown as NodeJS.ErrnoException).code !== 'EPERM') throw thrown
}
