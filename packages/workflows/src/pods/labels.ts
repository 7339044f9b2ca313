const PREFIX = 'workflows.argoproj.io'

/** Upstream's names of labels and annotations. */
export const LABEL = {
  workflow: `${PREFIX}/workflow`,
  completed: `${PREFIX}/completed`,
  phase: `${PREFIX}/phase`,
  instanceId: `${PREFIX}/controller-instanceid`,
  cronWorkflow: `${PREFIX}/cron-workflow`,
  workflowTemplate: `${PREFIX}/workflow-template`,
  clusterWorkflowTemplate: `${PREFIX}/cluster-workflow-template`,
  cronWorkflowCompleted: `${PREFIX}/cron-workflow-completed`,
  configMapType: `${PREFIX}/configmap-type`,
  previousWorkflow: `${PREFIX}/resubmitted-from-workflow`,
} as const

export const ANNOTATION = {
  nodeName: `${PREFIX}/node-name`,
  nodeId: `${PREFIX}/node-id`,
  scheduledTime: `${PREFIX}/scheduled-time`,
  defaultContainer: 'kubectl.kubernetes.io/default-container',
  /** The event that a Workflow was made for. */
  event: 'tiphys.dev/event',
  action: 'tiphys.dev/action',
  /** The run that an object was made by. */
  run: 'tiphys.dev/run',
  /** On a Workflow: how often it was retried. What its steps do is another thing each time. On a pod: how often it had been when the
   *  pod was made. */
  retries: 'tiphys.dev/retries',
  /** On a Workflow: what whoever stopped it has to say of it. */
  stopMessage: 'tiphys.dev/stop-message',
  /** On a CronWorkflow: the last time for which it was decided that nothing runs. */
  skippedTime: 'tiphys.dev/skipped-time',
  /** What the frames in the pod's log begin with. */
  frames: 'tiphys.dev/frames',
  /** The source of a script; a volume shows it to the container as a file. */
  source: 'tiphys.dev/source',
  /** What the engine has to know of the step when its pod has ended: a `StepNote`. */
  step: 'tiphys.dev/step',
  /** On a pod: its node is to say when nothing was printed in it. */
  tellSilence: 'tiphys.dev/tell-silence',
  /** On a template's or Workflow's pod metadata: how output parameters get out of the container. */
  outputs: 'tiphys.dev/outputs',
} as const

/** What a node of Tiphys says of a pod that has succeeded and printed nothing. */
export const SILENT_CONDITION = 'tiphys.dev/silent'

/** Keeps a pod until its outcome and its logs are recorded. */
export const OUTCOME_FINALIZER = 'tiphys.dev/outcome'
