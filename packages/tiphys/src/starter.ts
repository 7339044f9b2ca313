/** What `tiphys init` writes: an operator that turns every Greeting into a ConfigMap. Nothing in it needs more than Node. */
export function starterFiles(): Readonly<Record<string, string>> {
  return {
    '1-greeting-crd.yaml': DEFINITION,
    '2-rbac.yaml': RBAC,
    '3-eventbus.yaml': BUS,
    '4-sensor.yaml': SENSOR,
    '5-eventsource.yaml': SOURCE,
    '6-sample.yaml': SAMPLE,
    'greeting.test.ts': TEST,
    'README.md': README,
  }
}

const DEFINITION = `# The kind that this operator gives a meaning to.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: greetings.example.com
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Greeting, plural: greetings, singular: greeting }
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns:
        - { name: Name, type: string, jsonPath: .spec.name }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [name]
              properties:
                name: { type: string, minLength: 1, description: Who is greeted. }
                greeting: { type: string, default: Hello, description: The word to begin with. }
`

const RBAC = `# As whom the operator acts: it may do what stands here, and nothing else.
apiVersion: v1
kind: ServiceAccount
metadata:
  name: greeting-operator
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: greeting-operator
rules:
  - { apiGroups: [example.com], resources: [greetings], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [configmaps], verbs: [get, create, patch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: greeting-operator
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: greeting-operator }
subjects:
  - { kind: ServiceAccount, name: greeting-operator }
`

const BUS = `# Where events are kept until they are handled.
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata:
  name: default
spec:
  jetstream: { version: latest }
`

const SENSOR = `# What is done: a ConfigMap for every Greeting. It belongs to the Greeting, so that it goes with it.
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata:
  name: greeting
spec:
  template:
    serviceAccountName: greeting-operator
  dependencies:
    - name: changed
      eventSourceName: greeting
      eventName: greetings
  triggers:
    - template:
        name: config-map
        k8s:
          operation: apply
          source:
            resource:
              apiVersion: v1
              kind: ConfigMap
              metadata:
                ownerReferences:
                  - { apiVersion: example.com/v1, kind: Greeting }
          parameters:
            - { src: { dependencyName: changed, dataKey: body.metadata.name }, dest: metadata.name }
            - { src: { dependencyName: changed, dataKey: body.metadata.namespace }, dest: metadata.namespace }
            - { src: { dependencyName: changed, dataKey: body.metadata.name }, dest: metadata.ownerReferences.0.name }
            - { src: { dependencyName: changed, dataKey: body.metadata.uid }, dest: metadata.ownerReferences.0.uid }
            - src:
                dependencyName: changed
                dataTemplate: "{{ .Input.body.spec.greeting }}, {{ .Input.body.spec.name }}!"
              dest: data.text
`

const SOURCE = `# Which changes matter: Greetings that are new or different.
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata:
  name: greeting
  annotations:
    # Only what somebody wishes, not what is written about it.
    tiphys.dev/changes: spec
spec:
  template:
    serviceAccountName: greeting-operator
  resource:
    greetings:
      namespace: default
      group: example.com
      version: v1
      resource: greetings
      eventTypes: [ADD, UPDATE]
`

const SAMPLE = `apiVersion: example.com/v1
kind: Greeting
metadata:
  name: world
spec:
  name: world
`

const TEST = `import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindRef, type OperatorCluster, testCluster } from 'tiphys/testing'

const GREETING = kindRef('example.com/v1', 'Greeting')
const CONFIG_MAP = kindRef('v1', 'ConfigMap')
let cluster: OperatorCluster

// A cluster of this file's own, in memory, with the operator of this folder.
before(async () => {
  cluster = await testCluster({ manifests: import.meta.dirname })
})
after(() => cluster.close())

test('a greeting becomes a config map', async () => {
  await cluster.apply({ ...GREETING, metadata: { name: 'ada' }, spec: { name: 'Ada' } })
  const made = await cluster.get({ ...CONFIG_MAP, name: 'ada' })
  assert.deepEqual(made?.data, { text: 'Hello, Ada!' })
})

test('another word changes it', async () => {
  await cluster.apply({ ...GREETING, metadata: { name: 'ada' }, spec: { name: 'Ada', greeting: 'Ahoy' } })
  const made = await cluster.get({ ...CONFIG_MAP, name: 'ada' })
  assert.deepEqual(made?.data, { text: 'Ahoy, Ada!' })
})

test('it goes with the greeting', async () => {
  await cluster.delete({ ...GREETING, name: 'ada' })
  assert.equal(await cluster.get({ ...CONFIG_MAP, name: 'ada' }), undefined)
})
`

const README = `# An operator in manifests

Every \`Greeting\` becomes a \`ConfigMap\` with the same name.

| file                   | what it says                                   |
| ---------------------- | ---------------------------------------------- |
| \`1-greeting-crd.yaml\`  | the kind \`Greeting\`                            |
| \`2-rbac.yaml\`          | as whom the operator acts, and what it may do  |
| \`3-eventbus.yaml\`      | where events are kept                          |
| \`4-sensor.yaml\`        | what is done when a Greeting changes           |
| \`5-eventsource.yaml\`   | which changes matter                           |
| \`6-sample.yaml\`        | a Greeting to try it with                      |
| \`greeting.test.ts\`     | a test, with a cluster of its own              |

\`\`\`sh
tiphys up .                                                  # run it; the console's address is printed
kubectl --kubeconfig .tiphys/kubeconfig get greetings,configmaps
tiphys trace Greeting/world                                  # what came of it, and why
tiphys test .                                                # test it
\`\`\`
`
