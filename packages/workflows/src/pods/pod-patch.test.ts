import { describe, expect, it } from 'vitest'
import { patchPodSpec } from './pod-patch.ts'

const SPEC = {
  restartPolicy: 'Never',
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'a' }],
  containers: [{ name: 'main', image: 'alpine', env: [{ name: 'A', value: '1' }] }],
}

describe('podSpecPatch', () => {
  it('merges fields, and lists by their keys', async () => {
    const patch = `
terminationGracePeriodSeconds: 5
nodeSelector: { zone: b }
containers:
  - name: main
    resources: { limits: { memory: 1Gi } }
    env: [{ name: B, value: "2" }]
`
    expect(await patchPodSpec(SPEC, [undefined, patch])).toEqual({
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 5,
      nodeSelector: { disk: 'ssd', zone: 'b' },
      tolerations: [{ key: 'a' }],
      containers: [
        {
          name: 'main',
          image: 'alpine',
          resources: { limits: { memory: '1Gi' } },
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
      ],
    })
  })

  it("patches sidecars where they are, makes sidecars of what is new, and passes over the executor's containers", async () => {
    const spec = { ...SPEC, initContainers: [{ name: 'proxy', image: 'envoy', restartPolicy: 'Always' }] }
    const patch = `
initContainers: [{ name: init, resources: { limits: { cpu: 1 } } }]
containers:
  - { name: wait, resources: { limits: { cpu: 1 } } }
  - { name: main, workingDir: /src }
  - { name: proxy, args: [-v] }
  - { name: more, image: busybox }
`
    expect(await patchPodSpec(spec, [patch])).toMatchObject({
      initContainers: [
        { name: 'proxy', image: 'envoy', restartPolicy: 'Always', args: ['-v'] },
        { name: 'more', image: 'busybox', restartPolicy: 'Always' },
      ],
      containers: [{ name: 'main', image: 'alpine', workingDir: '/src' }],
    })
  })

  it('replaces other lists, removes with null, and takes directives', async () => {
    const patch = JSON.stringify({
      tolerations: [{ key: 'b' }],
      nodeSelector: null,
      containers: [{ $patch: 'delete', name: 'main' }, { name: 'other' }],
    })
    expect(await patchPodSpec(SPEC, [patch])).toEqual({
      restartPolicy: 'Never',
      tolerations: [{ key: 'b' }],
      containers: [{ name: 'other' }],
    })
  })

  it('applies the Workflow’s patch before the template’s, and changes nothing of what it is given', async () => {
    const before = structuredClone(SPEC)
    expect(await patchPodSpec(SPEC, ['{"restartPolicy":"A"}', '{"restartPolicy":"B"}'])).toMatchObject({
      restartPolicy: 'B',
    })
    expect(SPEC).toEqual(before)
  })

  it('that is no object, or pollutes, is refused or is data', async () => {
    await expect(patchPodSpec(SPEC, ['just text'])).rejects.toMatchObject({ code: 'workflow-pod-refused' })
    await expect(patchPodSpec(SPEC, ['{"a": '])).rejects.toThrow('podSpecPatch cannot be read')
    await patchPodSpec(SPEC, ['{"__proto__": {"polluted": true}}'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
