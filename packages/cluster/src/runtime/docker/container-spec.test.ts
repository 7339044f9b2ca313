import { describe, expect, test } from 'vitest'
import type { ContainerConfig, ImageRequest } from '../pod-runtime.ts'
import { containerSpec, resolve } from './container-spec.ts'
import { withTag } from './image-store.ts'

const image = {
  Id: 'sha256:1',
  Config: {
    Entrypoint: ['/entry'],
    Cmd: ['a', 'b'],
    Env: ['PATH=/bin', 'EMPTY'],
    WorkingDir: '/work',
    User: 'app:staff',
  },
}

const request = (command?: readonly string[], args?: readonly string[]): ImageRequest => {
  return { container: 'c', image: 'i', imagePullPolicy: 'Never', command, args }
}

const config = (more: Partial<ContainerConfig> = {}): ContainerConfig => ({
  name: 'c',
  restartCount: 0,
  image: resolve(request(), image),
  env: [],
  workingDir: undefined,
  runAsUser: undefined,
  runAsGroup: undefined,
  supplementalGroups: [],
  privileged: false,
  allowPrivilegeEscalation: true,
  readOnlyRootFilesystem: false,
  capabilities: { add: [], drop: [] },
  mounts: [],
  limits: {},
  stdin: false,
  tty: false,
  output: () => {},
  ...more,
})

const place = { sandbox: 'box', image: 'i', labels: {}, shareProcessNamespace: false, isHostNetwork: false }
const spec = (more?: Partial<ContainerConfig>) => containerSpec(config(more), place)

describe('what a container runs', () => {
  test('a command replaces entrypoint and arguments, arguments replace arguments alone', () => {
    expect(resolve(request(), image).argv).toEqual(['/entry', 'a', 'b'])
    expect(resolve(request(undefined, ['x']), image).argv).toEqual(['/entry', 'x'])
    expect(resolve(request(['run']), image).argv).toEqual(['run'])
    expect(resolve(request(['run'], ['x']), image).argv).toEqual(['run', 'x'])
    expect(resolve(request(), { Id: 'sha256:2', Config: null }).argv).toEqual([])
  })

  test('the container’s variables win over the image’s', () => {
    const env = [
      { name: 'PATH', value: '/usr/bin' },
      { name: 'NEW', value: 'a=b' },
    ]
    expect(spec({ env }).Env).toEqual(['PATH=/usr/bin', 'EMPTY=', 'NEW=a=b'])
  })

  test('who it runs as: the image’s user and group unless told otherwise', () => {
    expect(spec().User).toBe('app:staff')
    expect(spec({ runAsUser: 7 }).User).toBe('7')
    expect(spec({ runAsGroup: 8 }).User).toBe('app:8')
    expect(spec({ runAsUser: 7, runAsGroup: 8 }).User).toBe('7:8')
    const plain = { ...resolve(request(), image), user: undefined }
    expect(spec({ image: plain }).User).toBe('')
    expect(spec({ image: plain, runAsGroup: 8 }).User).toBe('0:8')
  })
})

describe('where a container runs', () => {
  test('in the network of its pod, and among its processes when they are shared', () => {
    expect(spec().HostConfig).toMatchObject({ NetworkMode: 'container:box', IpcMode: 'container:box' })
    expect(spec().HostConfig).not.toHaveProperty('PidMode')
    expect(containerSpec(config(), { ...place, shareProcessNamespace: true }).HostConfig).toMatchObject({
      PidMode: 'container:box',
    })
    expect(containerSpec(config(), { ...place, isHostNetwork: true }).HostConfig).toMatchObject({ NetworkMode: 'host' })
  })

  test('within its limits', () => {
    expect(
      spec({ limits: { memoryBytes: 1000, cpuMillis: 250 }, allowPrivilegeEscalation: false }).HostConfig,
    ).toMatchObject({
      Memory: 1000,
      MemorySwap: 1000,
      NanoCpus: 250_000_000,
      SecurityOpt: ['no-new-privileges'],
    })
  })
})

describe('names of images', () => {
  test('have the tag latest when they have none', () => {
    expect(withTag('nginx')).toBe('nginx:latest')
    expect(withTag('nginx:1.27')).toBe('nginx:1.27')
    expect(withTag('registry.example:5000/team/app')).toBe('registry.example:5000/team/app:latest')
    const digest = `app@sha256:${'a'.repeat(64)}`
    expect(withTag(digest)).toBe(digest)
  })

  test('that are none are refused as Kubernetes refuses them', () => {
    for (const name of ['Not An Image', 'UPPER/case', 'a//b', '', 'a:b:c:', 'app@sha256:1']) {
      expect(() => withTag(name)).toThrow(
        `Failed to apply default image tag "${name}": couldn't parse image name "${name}": invalid reference format`,
      )
    }
  })
})
