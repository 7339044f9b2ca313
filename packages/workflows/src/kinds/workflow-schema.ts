import {
  ANY,
  COUNT,
  COUNT_OR_TEXT,
  choice,
  each,
  FLAG,
  fields,
  list,
  map,
  OPEN,
  OPEN_LIST,
  type Schema,
  TEXT,
} from './schema.ts'

const KEY_REF = fields({ name: TEXT, key: TEXT, namespace: TEXT, optional: FLAG })

const PARAMETER = fields(
  {
    name: TEXT,
    value: ANY,
    default: ANY,
    enum: list(ANY),
    description: TEXT,
    globalName: TEXT,
    valueFrom: fields({
      ...each(TEXT, 'path jsonPath jqFilter event parameter expression'),
      supplied: OPEN,
      configMapKeyRef: KEY_REF,
      default: ANY,
    }),
  },
  'name',
)

/** Locations of stores that are handed on, and those that are understood. */
const LOCATIONS = {
  raw: fields({ data: TEXT }, 'data'),
  s3: OPEN,
  http: fields(
    {
      url: TEXT,
      headers: list(fields({ name: TEXT, value: TEXT })),
      auth: fields({
        basicAuth: fields(each(KEY_REF, 'usernameSecret passwordSecret')),
        ...each(OPEN, 'clientCert oauth2'),
      }),
    },
    'url',
  ),
  git: fields(
    {
      ...each(TEXT, 'repo revision branch'),
      ...each(FLAG, 'singleBranch insecureIgnoreHostKey insecureSkipTLS disableSubmodules'),
      depth: COUNT,
      fetch: list(TEXT),
      ...each(KEY_REF, 'usernameSecret passwordSecret sshPrivateKeySecret'),
    },
    'repo',
  ),
  ...each(OPEN, 'gcs azure oss hdfs artifactory plugin'),
}

const ARTIFACT = fields(
  {
    name: TEXT,
    ...each(TEXT, 'path from fromExpression subPath globalName'),
    mode: COUNT,
    ...each(FLAG, 'optional recurseMode archiveLogs deleted'),
    archive: fields({ none: OPEN, tar: fields({ compressionLevel: COUNT }), zip: OPEN }),
    artifactGC: OPEN,
    ...LOCATIONS,
  },
  'name',
)

const PARAMETERS_AND_ARTIFACTS = { parameters: list(PARAMETER), artifacts: list(ARTIFACT) }
const ARGUMENTS = fields(PARAMETERS_AND_ARTIFACTS)

const CONTAINER_FIELDS = {
  ...each(TEXT, 'name image imagePullPolicy restartPolicy terminationMessagePath terminationMessagePolicy workingDir'),
  ...each(list(TEXT), 'command args'),
  ...each(FLAG, 'stdin stdinOnce tty'),
  ...each(OPEN, 'lifecycle livenessProbe readinessProbe startupProbe resources securityContext'),
  ...each(OPEN_LIST, 'env envFrom ports resizePolicy restartPolicyRules volumeDevices volumeMounts'),
}
const CONTAINER = fields(CONTAINER_FIELDS)
const USER_CONTAINER = fields({ ...CONTAINER_FIELDS, mirrorVolumeMounts: FLAG }, 'name')

const TEMPLATE_REF = fields({ name: TEXT, template: TEXT, clusterScope: FLAG })
const HOOKS = map(fields({ template: TEXT, templateRef: TEMPLATE_REF, arguments: ARGUMENTS, expression: TEXT }))

const CALL = {
  ...each(TEXT, 'name template when withParam onExit'),
  templateRef: TEMPLATE_REF,
  // A template inside of a template: a schema cannot contain itself.
  inline: OPEN,
  arguments: ARGUMENTS,
  withItems: list(ANY),
  withSequence: fields({ ...each(COUNT_OR_TEXT, 'count start end'), format: TEXT }),
  continueOn: fields(each(FLAG, 'error failed')),
  hooks: HOOKS,
}

const RETRY_STRATEGY = fields({
  limit: COUNT_OR_TEXT,
  retryPolicy: choice('Always', 'OnFailure', 'OnError', 'OnTransientError'),
  backoff: fields({ ...each(TEXT, 'duration maxDuration cap'), factor: COUNT_OR_TEXT }),
  expression: TEXT,
  affinity: OPEN,
})

const LABEL_SELECTOR = fields({
  matchLabels: map(TEXT),
  matchExpressions: list(fields({ key: TEXT, operator: TEXT, values: list(TEXT) }, 'key', 'operator')),
})

const MUTEX = fields({ name: TEXT, namespace: TEXT, database: FLAG })
const SEMAPHORE = fields({ configMapKeyRef: KEY_REF, namespace: TEXT, database: OPEN })
const SYNCHRONIZATION = fields({
  mutex: MUTEX,
  mutexes: list(MUTEX),
  semaphore: SEMAPHORE,
  semaphores: list(SEMAPHORE),
})

const POD_METADATA = fields({ labels: map(TEXT), annotations: map(TEXT) })
const METRICS = fields({
  prometheus: list(
    fields(
      {
        ...each(TEXT, 'name help when'),
        labels: list(fields({ key: TEXT, value: TEXT }, 'key', 'value')),
        gauge: fields({ value: TEXT, realtime: FLAG, operation: choice('', 'Set', 'Add', 'Sub') }, 'value'),
        counter: fields({ value: TEXT }, 'value'),
        histogram: fields({ value: TEXT, buckets: list({ type: 'number' }) }, 'value', 'buckets'),
      },
      'name',
      'help',
    ),
  ),
})

const HTTP = fields(
  {
    ...each(TEXT, 'url method body successCondition'),
    headers: list(fields({ name: TEXT, value: TEXT, valueFrom: fields({ secretKeyRef: KEY_REF }) }, 'name')),
    bodyFrom: fields({ bytes: TEXT }),
    timeoutSeconds: COUNT,
    insecureSkipVerify: FLAG,
  },
  'url',
)

const RESOURCE = fields(
  {
    ...each(TEXT, 'action manifest mergeStrategy successCondition failureCondition'),
    manifestFrom: fields({ artifact: ARTIFACT }, 'artifact'),
    setOwnerReference: FLAG,
    flags: list(TEXT),
  },
  'action',
)

const TEMPLATE: Schema = fields({
  name: TEXT,
  inputs: ARGUMENTS,
  outputs: fields({ ...PARAMETERS_AND_ARTIFACTS, result: TEXT, exitCode: TEXT }),
  container: CONTAINER,
  script: fields({ ...CONTAINER_FIELDS, source: TEXT }),
  steps: list(list(fields(CALL))),
  dag: fields(
    {
      tasks: list(fields({ ...CALL, dependencies: list(TEXT), depends: TEXT }, 'name')),
      target: TEXT,
      failFast: FLAG,
    },
    'tasks',
  ),
  resource: RESOURCE,
  suspend: fields({ duration: COUNT_OR_TEXT }),
  http: HTTP,
  containerSet: fields(
    {
      containers: list(fields({ ...CONTAINER_FIELDS, dependencies: list(TEXT) }, 'name')),
      volumeMounts: OPEN_LIST,
      retryStrategy: fields({ retries: COUNT_OR_TEXT, duration: TEXT }),
    },
    'containers',
  ),
  data: OPEN,
  plugin: OPEN,
  metadata: POD_METADATA,
  ...each(FLAG, 'daemon failFast automountServiceAccountToken'),
  ...each(COUNT, 'parallelism priority'),
  activeDeadlineSeconds: COUNT_OR_TEXT,
  ...each(TEXT, 'timeout pendingTimeout onExit priorityClassName serviceAccountName podSpecPatch schedulerName'),
  retryStrategy: RETRY_STRATEGY,
  synchronization: SYNCHRONIZATION,
  memoize: fields({
    key: TEXT,
    maxAge: TEXT,
    cache: fields({ configMap: fields({ name: TEXT, key: TEXT, optional: FLAG }) }),
  }),
  hooks: HOOKS,
  metrics: METRICS,
  archiveLocation: OPEN,
  executor: fields({ serviceAccountName: TEXT }),
  sidecars: list(USER_CONTAINER),
  initContainers: list(USER_CONTAINER),
  nodeSelector: map(TEXT),
  annotations: map(TEXT),
  ...each(OPEN, 'affinity securityContext podResources'),
  ...each(OPEN_LIST, 'volumes tolerations hostAliases resourceClaims'),
})

/** Of Workflows, and of the templates that Workflows are made from. */
export const WORKFLOW_SPEC: Schema = fields({
  ...each(TEXT, 'entrypoint onExit serviceAccountName podSpecPatch podPriorityClassName dnsPolicy schedulerName'),
  templates: list(TEMPLATE),
  templateDefaults: TEMPLATE,
  arguments: ARGUMENTS,
  workflowTemplateRef: fields({ name: TEXT, clusterScope: FLAG }),
  hooks: HOOKS,
  shutdown: choice('', 'Stop', 'Terminate'),
  ...each(FLAG, 'suspend automountServiceAccountToken hostNetwork archiveLogs'),
  ...each(COUNT, 'parallelism priority activeDeadlineSeconds podPriority'),
  synchronization: SYNCHRONIZATION,
  ttlStrategy: fields(each(COUNT, 'secondsAfterCompletion secondsAfterSuccess secondsAfterFailure')),
  podGC: fields({
    strategy: choice('', 'OnPodCompletion', 'OnPodSuccess', 'OnWorkflowCompletion', 'OnWorkflowSuccess'),
    labelSelector: LABEL_SELECTOR,
    deleteDelayDuration: TEXT,
  }),
  volumeClaimGC: fields({ strategy: choice('OnWorkflowCompletion', 'OnWorkflowSuccess') }),
  executor: fields({ serviceAccountName: TEXT }),
  workflowMetadata: fields({
    labels: map(TEXT),
    annotations: map(TEXT),
    labelsFrom: map(fields({ expression: TEXT })),
  }),
  podMetadata: POD_METADATA,
  retryStrategy: RETRY_STRATEGY,
  artifactRepositoryRef: fields({ configMap: TEXT, key: TEXT }),
  metrics: METRICS,
  nodeSelector: map(TEXT),
  ...each(OPEN, 'affinity securityContext dnsConfig podDisruptionBudget artifactGC podResources'),
  ...each(OPEN_LIST, 'volumes volumeClaimTemplates tolerations hostAliases imagePullSecrets resourceClaims'),
})

/** Of CronWorkflows: v3's `schedule` and `condition`, and v4's `schedules` and `expression`. */
export const CRON_WORKFLOW_SPEC: Schema = fields(
  {
    workflowSpec: WORKFLOW_SPEC,
    workflowMetadata: OPEN,
    ...each(TEXT, 'schedule timezone when'),
    schedules: list(TEXT),
    suspend: FLAG,
    concurrencyPolicy: choice('', 'Allow', 'Forbid', 'Replace'),
    ...each(COUNT, 'startingDeadlineSeconds successfulJobsHistoryLimit failedJobsHistoryLimit'),
    stopStrategy: fields({ expression: TEXT, condition: TEXT }),
  },
  'workflowSpec',
)

export const EVENT_BINDING_SPEC: Schema = fields(
  {
    event: fields({ selector: TEXT }, 'selector'),
    submit: fields({
      workflowTemplateRef: fields({ name: TEXT, clusterScope: FLAG }),
      metadata: OPEN,
      arguments: ARGUMENTS,
    }),
  },
  'event',
)
