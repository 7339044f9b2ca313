import type { JsonObject } from '../src/http.ts'
import { container } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

/** What the server makes of the smallest object of every built-in kind, with ownership. */
export const defaults = area('defaults', { managedFields: true })

interface Minimal {
  /** Group and version; `v1` for the core group. */
  api: string
  resource: string
  isClusterWide?: boolean
  make(t: Session): JsonObject
}

const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [container('main')] } }
const onceTemplate = { spec: { restartPolicy: 'Never', containers: [container('main')] } }
const selector = { matchLabels: { app: 'x' } }
const webhook = (rest: JsonObject): JsonObject => ({
  name: 'hook.example.test',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { service: { name: 's', namespace: 'default' } },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  // Never called, whatever this server enforces: no object has the label.
  objectSelector: { matchLabels: { 'conformance.dev/never': 'true' } },
  ...rest,
})

const minimal: Record<string, Minimal> = {
  ConfigMap: { api: 'v1', resource: 'configmaps', make: () => ({}) },
  Secret: { api: 'v1', resource: 'secrets', make: () => ({}) },
  Pod: { api: 'v1', resource: 'pods', make: () => ({ spec: { containers: [{ name: 'main', image: 'x' }] } }) },
  'Pod with everything': {
    api: 'v1',
    resource: 'pods',
    make: () => ({
      spec: {
        initContainers: [container('init', { restartPolicy: 'Always' })],
        containers: [
          {
            name: 'main',
            image: 'x:latest',
            ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }],
            env: [
              { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
              { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
            ],
            resources: { limits: { cpu: '0.5', memory: '1.5Gi' } },
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { tcpSocket: { port: 80 } },
            startupProbe: { grpc: { port: 80 } },
            lifecycle: { preStop: { httpGet: { port: 'dns' } } },
            securityContext: { runAsUser: 1 },
            volumeMounts: [{ name: 'a', mountPath: '/a' }],
          },
        ],
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', secret: { secretName: 's' } },
          { name: 'c', configMap: { name: 'c' } },
          { name: 'd', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
          { name: 'e', downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'f', hostPath: { path: '/x' } },
          { name: 'g', persistentVolumeClaim: { claimName: 'p' } },
          {
            name: 'h',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
        ],
        tolerations: [{ key: 'a', operator: 'Exists' }],
        hostNetwork: false,
      },
    }),
  },
  'Pod on the host network': {
    api: 'v1',
    resource: 'pods',
    make: () => ({ spec: { hostNetwork: true, containers: [container('main', { ports: [{ containerPort: 81 }] })] } }),
  },
  Service: { api: 'v1', resource: 'services', make: () => ({ spec: { ports: [{ port: 80 }] } }) },
  'Service of type LoadBalancer': {
    api: 'v1',
    resource: 'services',
    make: () => ({
      spec: {
        type: 'LoadBalancer',
        sessionAffinity: 'ClientIP',
        externalTrafficPolicy: 'Local',
        ports: [{ port: 80 }],
      },
    }),
  },
  ServiceAccount: { api: 'v1', resource: 'serviceaccounts', make: () => ({}) },
  Endpoints: {
    api: 'v1',
    resource: 'endpoints',
    make: () => ({ subsets: [{ addresses: [{ ip: '192.168.9.9' }], ports: [{ port: 80 }] }] }),
  },
  Event: {
    api: 'v1',
    resource: 'events',
    make: t => ({ involvedObject: { kind: 'Pod', name: 'p', namespace: t.namespace } }),
  },
  LimitRange: {
    api: 'v1',
    resource: 'limitranges',
    make: () => ({ spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '5Gi' } }] } }),
  },
  PersistentVolumeClaim: {
    api: 'v1',
    resource: 'persistentvolumeclaims',
    make: () => ({ spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }),
  },
  PersistentVolume: {
    api: 'v1',
    resource: 'persistentvolumes',
    isClusterWide: true,
    make: () => ({ spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } }),
  },
  PodTemplate: { api: 'v1', resource: 'podtemplates', make: () => ({ template }) },
  ReplicationController: { api: 'v1', resource: 'replicationcontrollers', make: () => ({ spec: { template } }) },
  ResourceQuota: { api: 'v1', resource: 'resourcequotas', make: () => ({ spec: { hard: { pods: '1000' } } }) },
  Node: { api: 'v1', resource: 'nodes', isClusterWide: true, make: () => ({}) },
  Namespace: { api: 'v1', resource: 'namespaces', isClusterWide: true, make: () => ({}) },
  Deployment: { api: 'apps/v1', resource: 'deployments', make: () => ({ spec: { selector, template } }) },
  StatefulSet: {
    api: 'apps/v1',
    resource: 'statefulsets',
    make: () => ({
      spec: {
        selector,
        template,
        serviceName: 's',
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    }),
  },
  DaemonSet: { api: 'apps/v1', resource: 'daemonsets', make: () => ({ spec: { selector, template } }) },
  ReplicaSet: { api: 'apps/v1', resource: 'replicasets', make: () => ({ spec: { selector, template } }) },
  ControllerRevision: {
    api: 'apps/v1',
    resource: 'controllerrevisions',
    make: () => ({ revision: 1, data: { any: ['thing'] } }),
  },
  Job: { api: 'batch/v1', resource: 'jobs', make: () => ({ spec: { template: onceTemplate } }) },
  'Job with a failure policy': {
    api: 'batch/v1',
    resource: 'jobs',
    make: () => ({
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
        template: onceTemplate,
      },
    }),
  },
  CronJob: {
    api: 'batch/v1',
    resource: 'cronjobs',
    make: () => ({ spec: { schedule: '* * * * *', jobTemplate: { spec: { template: onceTemplate } } } }),
  },
  'HorizontalPodAutoscaler v2': {
    api: 'autoscaling/v2',
    resource: 'horizontalpodautoscalers',
    make: () => ({
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' },
        behavior: { scaleUp: {} },
      },
    }),
  },
  'HorizontalPodAutoscaler v1': {
    api: 'autoscaling/v1',
    resource: 'horizontalpodautoscalers',
    make: () => ({
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' } },
    }),
  },
  Lease: { api: 'coordination.k8s.io/v1', resource: 'leases', make: () => ({}) },
  EndpointSlice: {
    api: 'discovery.k8s.io/v1',
    resource: 'endpointslices',
    make: () => ({ addressType: 'IPv4', endpoints: [{ addresses: ['192.168.9.9'] }], ports: [{ port: 80 }] }),
  },
  'Event of events.k8s.io': {
    api: 'events.k8s.io/v1',
    resource: 'events',
    make: t => ({
      eventTime: '2020-01-01T00:00:00.000000Z',
      action: 'Start',
      reason: 'Started',
      reportingController: 'example.test/c',
      reportingInstance: 'c-1',
      type: 'Normal',
      regarding: { kind: 'Pod', name: 'p', namespace: t.namespace },
    }),
  },
  Ingress: {
    api: 'networking.k8s.io/v1',
    resource: 'ingresses',
    make: () => ({
      spec: {
        rules: [
          {
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
            },
          },
        ],
      },
    }),
  },
  IngressClass: {
    api: 'networking.k8s.io/v1',
    resource: 'ingressclasses',
    isClusterWide: true,
    make: () => ({ spec: { controller: 'example.test/c', parameters: { kind: 'X', name: 'y' } } }),
  },
  NetworkPolicy: {
    api: 'networking.k8s.io/v1',
    resource: 'networkpolicies',
    make: () => ({ spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }], egress: [{}] } }),
  },
  PodDisruptionBudget: {
    api: 'policy/v1',
    resource: 'poddisruptionbudgets',
    make: () => ({ spec: { minAvailable: 1, selector } }),
  },
  Role: {
    api: 'rbac.authorization.k8s.io/v1',
    resource: 'roles',
    make: () => ({ rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
  },
  RoleBinding: {
    api: 'rbac.authorization.k8s.io/v1',
    resource: 'rolebindings',
    make: () => ({
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'Group', name: 'g' },
      ],
    }),
  },
  ClusterRole: { api: 'rbac.authorization.k8s.io/v1', resource: 'clusterroles', isClusterWide: true, make: () => ({}) },
  ClusterRoleBinding: {
    api: 'rbac.authorization.k8s.io/v1',
    resource: 'clusterrolebindings',
    isClusterWide: true,
    make: () => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'n' }],
    }),
  },
  StorageClass: {
    api: 'storage.k8s.io/v1',
    resource: 'storageclasses',
    isClusterWide: true,
    make: () => ({ provisioner: 'example.test/p' }),
  },
  CSIDriver: { api: 'storage.k8s.io/v1', resource: 'csidrivers', isClusterWide: true, make: () => ({ spec: {} }) },
  CSINode: {
    api: 'storage.k8s.io/v1',
    resource: 'csinodes',
    isClusterWide: true,
    make: () => ({ spec: { drivers: [] } }),
  },
  CSIStorageCapacity: {
    api: 'storage.k8s.io/v1',
    resource: 'csistoragecapacities',
    make: () => ({ storageClassName: 's' }),
  },
  VolumeAttachment: {
    api: 'storage.k8s.io/v1',
    resource: 'volumeattachments',
    isClusterWide: true,
    make: () => ({ spec: { attacher: 'a.example.test', nodeName: 'n', source: { persistentVolumeName: 'p' } } }),
  },
  VolumeAttributesClass: {
    api: 'storage.k8s.io/v1',
    resource: 'volumeattributesclasses',
    isClusterWide: true,
    make: () => ({ driverName: 'example.test/d', parameters: { a: 'b' } }),
  },
  PriorityClass: {
    api: 'scheduling.k8s.io/v1',
    resource: 'priorityclasses',
    isClusterWide: true,
    make: () => ({ value: 5 }),
  },
  RuntimeClass: {
    api: 'node.k8s.io/v1',
    resource: 'runtimeclasses',
    isClusterWide: true,
    make: () => ({ handler: 'h' }),
  },
  FlowSchema: {
    api: 'flowcontrol.apiserver.k8s.io/v1',
    resource: 'flowschemas',
    isClusterWide: true,
    make: () => ({ spec: { priorityLevelConfiguration: { name: 'workload-low' } } }),
  },
  PriorityLevelConfiguration: {
    api: 'flowcontrol.apiserver.k8s.io/v1',
    resource: 'prioritylevelconfigurations',
    isClusterWide: true,
    make: () => ({ spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } }),
  },
  MutatingWebhookConfiguration: {
    api: 'admissionregistration.k8s.io/v1',
    resource: 'mutatingwebhookconfigurations',
    isClusterWide: true,
    make: () => ({ webhooks: [webhook({})] }),
  },
  ValidatingWebhookConfiguration: {
    api: 'admissionregistration.k8s.io/v1',
    resource: 'validatingwebhookconfigurations',
    isClusterWide: true,
    make: () => ({ webhooks: [webhook({ clientConfig: { url: 'https://example.test/x' } })] }),
  },
  ValidatingAdmissionPolicy: {
    api: 'admissionregistration.k8s.io/v1',
    resource: 'validatingadmissionpolicies',
    isClusterWide: true,
    make: () => ({
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['none.example.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] },
          ],
        },
        validations: [{ expression: 'true' }],
      },
    }),
  },
  ValidatingAdmissionPolicyBinding: {
    api: 'admissionregistration.k8s.io/v1',
    resource: 'validatingadmissionpolicybindings',
    isClusterWide: true,
    make: () => ({ spec: { policyName: 'no-such-policy', validationActions: ['Deny'] } }),
  },
  CertificateSigningRequest: {
    api: 'certificates.k8s.io/v1',
    resource: 'certificatesigningrequests',
    isClusterWide: true,
    make: () => ({
      spec: {
        request: certificateRequest,
        signerName: 'example.test/signer',
        usages: ['digital signature', 'client auth'],
      },
    }),
  },
  APIService: {
    api: 'apiregistration.k8s.io/v1',
    resource: 'apiservices',
    isClusterWide: true,
    make: () => ({
      spec: {
        group: 'x',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { name: 's', namespace: 'default' },
      },
    }),
  },
  ResourceClaim: {
    api: 'resource.k8s.io/v1',
    resource: 'resourceclaims',
    make: () => ({ spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } }),
  },
  DeviceClass: {
    api: 'resource.k8s.io/v1',
    resource: 'deviceclasses',
    isClusterWide: true,
    make: () => ({ spec: {} }),
  },
  ServiceCIDR: {
    api: 'networking.k8s.io/v1',
    resource: 'servicecidrs',
    isClusterWide: true,
    make: () => ({ spec: { cidrs: ['172.30.99.0/24'] } }),
  },
}

/** Of CN=x, for no real signer. */
const certificateRequest = Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----
MIHGMG4CAQAwDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BENYzTeQCxIL+WvBkBMDpYEmfRl1QUxfpD596KFAx5eXf5qWofYrZ5jP7Rxb0UK1
QB4MqwQhtaHEibIlIQf1pLugADAKBggqhkjOPQQDAgNIADBFAiEArMZuIKZOVOO8
22StqBLU4gJ0QwGWEltNj4j8Sp+OuBUCIAjiVEsiqbdL0nsFaRSmmEigrOPWZoR9
pmJfdjp6E5Jf
-----END CERTIFICATE REQUEST-----
`).toString('base64')

for (const [kind, { api, resource, isClusterWide, make }] of Object.entries(minimal)) {
  defaults.scenario(`of a ${kind}`, async t => {
    const name = isClusterWide ? `${t.namespace}.example.test` : 'x'
    const collection = isClusterWide
      ? `${api === 'v1' ? '/api/v1' : `/apis/${api}`}/${resource}`
      : api === 'v1'
        ? t.core(resource)
        : t.api(api, resource)
    const body: JsonObject = { metadata: { name: nameFor(resource, name, t) }, ...make(t) }
    if (resource === 'apiservices') body.spec = { ...(body.spec as JsonObject), group: `${t.namespace}.example.test` }
    const created = await t.post(collection, body)
    if (isClusterWide && created.status === 201 && resource !== 'namespaces') {
      await t.delete(`${collection}/${created.string('metadata.name')}`, undefined, { unrecorded: true })
    }
  })
}

/** Some kinds have rules for names beyond those of the rest. */
function nameFor(resource: string, name: string, t: Session): string {
  if (resource === 'apiservices') return `v1.${t.namespace}.example.test`
  if (resource === 'namespaces' || resource === 'prioritylevelconfigurations') return `${t.namespace}-x`
  return name
}
