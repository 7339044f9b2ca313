import { type KubeObject, kindRef, readYaml } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { WorkflowProcesses } from './processes.ts'
import { nodeNamed } from './scene.ts'

const obstacle = whyNoNamespaces()

/** The machine may be busy with other tests. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

describe.skipIf(obstacle)(`workflows of real programs${obstacle}`, () => {
  let scene: WorkflowProcesses
  beforeAll(async () => {
    scene = await WorkflowProcesses.start()
  })
  afterAll(() => scene?.close())

  const run = async (manifest: string) => {
    let name = ''
    for (const { value } of await readYaml(manifest)) {
      const object = value as KubeObject
      await scene.create(object)
      if (object.kind === 'Workflow') name = object.metadata.name ?? ''
    }
    return scene.untilOver(name)
  }

  it('hands outputs from step to step: results, files and what was not there', async () => {
    const workflow = await run(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: outputs }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: make, template: make }
          - { name: count, template: count }
        - - name: show
            template: show
            arguments:
              parameters:
                - { name: a, value: "{{steps.make.outputs.parameters.a}}" }
                - { name: d, value: "{{steps.make.outputs.parameters.d}}" }
                - { name: r, value: "{{steps.count.outputs.result}}" }
    - name: make
      container:
        image: alpine
        command: [sh, -c]
        args: ["echo working; printf 'two\\nlines\\n' >/a.txt"]
      outputs:
        parameters:
          - { name: a, valueFrom: { path: /a.txt } }
          - { name: d, valueFrom: { path: /nowhere, default: fallback } }
    - name: count
      script:
        image: python
        command: [python3]
        source: |
          import sys
          print("not this", file=sys.stderr)
          print(6 * 7)
    - name: show
      inputs: { parameters: [{ name: a }, { name: d }, { name: r }] }
      container:
        image: alpine
        command: [printf]
        args: ["%s|%s|%s", "{{inputs.parameters.a}}", "{{inputs.parameters.d}}", "{{inputs.parameters.r}}"]
`)
    expect(workflow.status).toMatchObject({ phase: 'Succeeded' })
    const show = nodeNamed(workflow, 'show')
    expect(show.inputs?.parameters?.map(({ value }) => value)).toEqual(['two\nlines', 'fallback', '42'])
    await scene.engine.settled()
    expect(await scene.logOf(workflow, show.id)).toBe('two\nlines|fallback|42')
    expect(await scene.logOf(workflow, nodeNamed(workflow, 'make').id)).toBe('working\n')
  })

  it('passes artifacts on', async () => {
    const workflow = await run(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: artifacts }
spec:
  entrypoint: main
  templates:
    - name: main
      dag:
        tasks:
          - { name: make, template: make }
          - name: read
            template: read
            dependencies: [make]
            arguments:
              artifacts:
                - { name: file, from: "{{tasks.make.outputs.artifacts.file}}" }
                - { name: folder, from: "{{tasks.make.outputs.artifacts.folder}}" }
                - { name: plain, from: "{{tasks.make.outputs.artifacts.plain}}" }
                - { name: raw, raw: { data: "as it is" } }
    - name: make
      container:
        image: alpine
        command: [sh, -c, "echo content >/tmp/file; mkdir -p /tmp/folder/sub; echo deep >/tmp/folder/sub/x; echo plain >/tmp/plain"]
      outputs:
        artifacts:
          - { name: file, path: /tmp/file }
          - { name: folder, path: /tmp/folder }
          - { name: plain, path: /tmp/plain, archive: { none: {} } }
          - { name: missing, path: /tmp/missing, optional: true }
    - name: read
      inputs:
        artifacts:
          - { name: file, path: /in/file }
          - { name: folder, path: /in/folder }
          - { name: plain, path: /in/plain }
          - { name: raw, path: /in/raw }
      container: { image: alpine, command: [sh, -c, "cat /in/file /in/folder/sub/x /in/plain /in/raw"] }
`)
    expect(workflow.status).toMatchObject({ phase: 'Succeeded' })
    await scene.engine.settled()
    expect(await scene.logOf(workflow, nodeNamed(workflow, 'read').id)).toBe('content\ndeep\nplain\nas it is')
  })

  it('acts on the cluster as its ServiceAccount, and not beyond its rights', async () => {
    const workflow = await run(`
apiVersion: v1
kind: ServiceAccount
metadata: { name: writer }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: writer }
rules: [{ apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, patch, delete] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: writer }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: writer }
subjects: [{ kind: ServiceAccount, name: writer, namespace: default }]
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: resources }
spec:
  entrypoint: main
  serviceAccountName: writer
  templates:
    - name: main
      steps:
        - - { name: make, template: make }
        - - { name: other, template: other }
        - - { name: sweep, template: sweep }
        - - { name: secret, template: secret, continueOn: { failed: true, error: true } }
    - name: make
      resource:
        action: apply
        successCondition: data.state == ready
        manifest: |
          apiVersion: v1
          kind: ConfigMap
          metadata: { name: made-by-a-step }
          data: { state: ready, answer: "42" }
      outputs:
        parameters:
          - { name: answer, valueFrom: { jsonPath: "{.data.answer}" } }
          - { name: keys, valueFrom: { jqFilter: ".data | keys" } }
    - name: other
      resource: { action: create, manifest: "{apiVersion: v1, kind: ConfigMap, metadata: {name: swept, labels: {sweep: me}}}" }
    - name: sweep
      resource: { action: delete, flags: [configmap, --selector, sweep=me, --ignore-not-found] }
    - name: secret
      resource: { action: create, manifest: "{apiVersion: v1, kind: Secret, metadata: {name: not-allowed}}" }
`)
    expect(workflow.status).toMatchObject({ phase: 'Succeeded' })
    expect(nodeNamed(workflow, 'make').outputs?.parameters?.map(({ value }) => value)).toEqual([
      '42',
      '["answer","state"]',
    ])
    expect(nodeNamed(workflow, 'secret')).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('system:serviceaccount:default:writer') as string,
    })
    const { items } = await scene.client.list({ ...kindRef('v1', 'ConfigMap'), namespace: 'default' })
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('swept')
    const made = await scene.client.get({ ...kindRef('v1', 'ConfigMap'), namespace: 'default', name: 'made-by-a-step' })
    expect(made.metadata.annotations).toMatchObject({ 'tiphys.dev/run': 'default/resources' })
  })

  it('ends a step that takes too long, and says how a failing one ended', async () => {
    const workflow = await run(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: failing }
spec:
  entrypoint: main
  templates:
    - name: main
      failFast: false
      dag:
        tasks:
          - { name: slow, template: slow }
          - { name: broken, template: broken }
    - name: slow
      activeDeadlineSeconds: 2
      podSpecPatch: "terminationGracePeriodSeconds: 1"
      container: { image: alpine, command: [sleep, "100"] }
    - name: broken
      container: { image: alpine, command: [sh, -c, "exit 3"] }
`)
    expect(workflow.status).toMatchObject({ phase: 'Failed' })
    expect(nodeNamed(workflow, 'broken')).toMatchObject({
      phase: 'Failed',
      message: 'main: Error (exit code 3)',
      outputs: { exitCode: '3' },
    })
    expect(nodeNamed(workflow, 'slow')).toMatchObject({ phase: 'Failed' })
  })

  it('runs several containers of one pod after each other, with sidecars beside', async () => {
    const workflow = await run(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: sets }
spec:
  entrypoint: main
  templates:
    - name: main
      steps: [[{ name: set, template: set }, { name: late, template: late }, { name: beside, template: beside }]]
    - name: set
      containerSet:
        volumeMounts: [{ name: work, mountPath: /work }]
        containers:
          - { name: a, image: alpine, command: [sh, -c, "echo from a >/work/x"] }
          - { name: main, image: alpine, command: [cat, /work/x], dependencies: [a] }
      volumes: [{ name: work, emptyDir: {} }]
    - name: late
      containerSet:
        volumeMounts: [{ name: work, mountPath: /work }]
        containers:
          - { name: slow, image: alpine, command: [sh, -c, "sleep 0.5; echo at last >/work/x"] }
          - { name: main, image: alpine, command: ["true"] }
      outputs: { parameters: [{ name: x, valueFrom: { path: /work/x } }] }
      volumes: [{ name: work, emptyDir: {} }]
    - name: beside
      container: { image: alpine, command: [sh, -c, "until [ -e /shared/ready ]; do sleep 0.1; done; cat /shared/ready"], volumeMounts: [{ name: shared, mountPath: /shared }] }
      sidecars:
        - { name: helper, image: alpine, command: [sh, -c, "echo helped >/shared/ready; trap 'exit 0' TERM; while :; do sleep 0.1; done"], mirrorVolumeMounts: true }
      volumes: [{ name: shared, emptyDir: {} }]
`)
    expect(workflow.status).toMatchObject({ phase: 'Succeeded' })
    await scene.engine.settled()
    expect(await scene.logOf(workflow, nodeNamed(workflow, 'set').id)).toBe('from a\n')
    expect(nodeNamed(workflow, 'late').outputs?.parameters?.[0]?.value).toBe('at last')
    expect(await scene.logOf(workflow, nodeNamed(workflow, 'beside').id)).toBe('helped\n')
  })
})
