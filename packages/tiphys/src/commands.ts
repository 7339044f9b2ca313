import type { CommandInfo, FlagInfo } from './command.ts'

/** Flags that every command understands. */
export const COMMON_FLAGS: readonly FlagInfo[] = [
  { name: 'help', summary: 'show this help' },
  { name: 'verbose', summary: 'log more, and show the stack of an error' },
]

export const SHELLS: readonly string[] = ['bash', 'zsh', 'fish']

const DATA: FlagInfo = { name: 'data', value: 'DIR', summary: 'where everything is kept (.tiphys)' }
const JSON_FLAG: FlagInfo = { name: 'json', summary: 'print JSON instead of text' }
const NAMESPACE: FlagInfo = { name: 'namespace', short: 'n', value: 'NS', summary: 'the namespace (default)' }
const FORCE: FlagInfo = { name: 'force', summary: 'take over fields that somebody else has set' }
const WAIT: FlagInfo = { name: 'no-wait', summary: 'do not wait until it is done' }
const ONLY_NAMESPACE: FlagInfo = { ...NAMESPACE, summary: 'only of this namespace (all)' }
/** Of commands that look for something by its name. */
const SOUGHT_NAMESPACE: FlagInfo = { ...NAMESPACE, summary: 'where it is (anywhere; the newest)' }
/** Of commands that speak with a cluster. */
const CLUSTER_FLAGS: readonly FlagInfo[] = [
  NAMESPACE,
  DATA,
  { name: 'kubeconfig', value: 'FILE', summary: 'another cluster than that of the running instance' },
  { name: 'context', value: 'NAME', summary: 'the context of the kubeconfig' },
  JSON_FLAG,
]
const CONSOLE_FLAGS: readonly FlagInfo[] = [
  {
    name: 'console-port',
    value: 'PORT',
    summary: 'port of the console on loopback (2746; the next free one if taken; 0: any)',
  },
  {
    name: 'console-host',
    value: 'ADDRESS',
    summary: 'where the console listens (127.0.0.1); others need --console-auth cluster',
  },
  {
    name: 'console-auth',
    value: 'HOW',
    summary: 'who may use the console: whoever has the printed token (local), or users of the cluster with theirs',
    choices: ['local', 'cluster'],
  },
  {
    name: 'allowed-host',
    value: 'NAME',
    repeats: true,
    summary: 'a name beside localhost under which the console may be reached; may be given several times',
  },
  {
    name: 'trusted-proxy',
    value: 'CIDR',
    repeats: true,
    summary: 'where a proxy is that says who somebody is; needs --console-auth cluster; may be given several times',
  },
  {
    name: 'proxy-user-header',
    value: 'NAME',
    summary: 'the header in which that proxy names the user (X-Forwarded-User)',
  },
  {
    name: 'proxy-groups-header',
    value: 'NAME',
    summary: 'the header in which that proxy lists the groups; without it nobody has any',
  },
  { name: 'no-console', summary: 'without the console' },
]
const ARCHIVE_FLAGS: readonly FlagInfo[] = [
  { name: 'archive-max-age', value: 'AGE', summary: 'drop history that is older, like 30d (everything is kept)' },
  { name: 'archive-max-events', value: 'COUNT', summary: 'keep the history of so many events (all)' },
  { name: 'archive-max-size', value: 'SIZE', summary: 'keep the history below a size, like 2G (no limit)' },
  { name: 'archive-mask', value: 'FIELDS', summary: 'keep no values of these fields, like password,spec.auth.token' },
]
const ARTIFACT_IMAGE: FlagInfo = {
  name: 'artifact-image',
  value: 'IMAGE',
  summary: 'what brings input artifacts into pods: has sh and tar, and git for those from there (alpine/git)',
}
const PRUNE: FlagInfo = { name: 'prune', summary: 'delete what was applied when its manifest goes' }
/** Of commands that start an embedded cluster. */
const EMBEDDED_FLAGS: readonly FlagInfo[] = [
  {
    name: 'port',
    value: 'PORT',
    summary: 'port of the API on loopback (6443; the next free one if taken; 0: any)',
  },
  DATA,
  { name: 'memory', summary: 'keep nothing on disk: everything is gone when it stops' },
  {
    name: 'runtime',
    value: 'NAME',
    summary: 'what runs the pods (auto: processes of this machine, else docker)',
    choices: ['auto', 'process', 'docker', 'simulated'],
  },
  { name: 'images', value: 'FILE', summary: 'what images run that Tiphys does not know (YAML or JSON)' },
  { name: 'nodes', value: 'COUNT', summary: 'how many nodes the cluster has (1)' },
  { name: 'kubeconfig-out', value: 'FILE', summary: 'where the kubeconfig is written (.tiphys/kubeconfig)' },
]
const RUN_OPERAND = { usage: 'RUN', most: 1, least: 1 }
const WATCH: FlagInfo = { name: 'watch', short: 'w', summary: 'show its steps until it ends; exit code 1 if it fails' }
const LOG: FlagInfo = { name: 'log', summary: 'print what its steps write until it ends; exit code 1 if it fails' }
const PARAMETERS: FlagInfo = {
  name: 'parameter',
  short: 'p',
  value: 'NAME=VALUE',
  repeats: true,
  summary: 'a parameter of the workflow; may be given several times',
}

export const COMMANDS: readonly CommandInfo[] = [
  {
    name: 'up',
    group: 'Run',
    summary: 'Start an embedded cluster, the engines and the console, and apply manifests',
    operands: { usage: '[DIR…]', most: 100 },
    flags: [
      ...EMBEDDED_FLAGS,
      ARTIFACT_IMAGE,
      ...CONSOLE_FLAGS,
      ...ARCHIVE_FLAGS,
      PRUNE,
      { name: 'no-watch', summary: 'do not apply again when files change' },
      { name: 'json', summary: 'print where everything is as one line of JSON' },
    ],
    examples: [
      { command: 'tiphys up my-operator', does: 'run the operator in a folder, with everything it needs' },
      { command: 'tiphys up --memory --port 0 my-operator', does: 'the same, and keep nothing' },
    ],
    load: () => import('./commands/up.ts'),
  },
  {
    name: 'run',
    group: 'Run',
    summary: 'Run the engines and the console against any Kubernetes cluster',
    operands: { usage: '[DIR…]', most: 100 },
    flags: [
      { name: 'kubeconfig', value: 'FILE', summary: 'how the cluster is reached' },
      { name: 'context', value: 'NAME', summary: 'the context of the kubeconfig' },
      { ...NAMESPACE, summary: 'serve this namespace alone (all)' },
      { name: 'instance-id', value: 'ID', summary: 'serve only workflows with this instance id' },
      ARTIFACT_IMAGE,
      DATA,
      ...CONSOLE_FLAGS,
      ...ARCHIVE_FLAGS,
      FORCE,
      PRUNE,
      { name: 'no-watch', summary: 'do not apply again when files change' },
      { name: 'json', summary: 'print where everything is as one line of JSON' },
    ],
    examples: [
      { command: 'tiphys run my-operator --namespace shop', does: 'serve one namespace of the current context' },
      { command: 'tiphys run --kubeconfig .tiphys/kubeconfig', does: 'beside tiphys cluster, in another terminal' },
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'cluster',
    group: 'Run',
    summary: 'Start an embedded Kubernetes cluster that kubectl and every client can use',
    flags: [
      ...EMBEDDED_FLAGS,
      { name: 'api-only', summary: 'the API alone: no controllers, no nodes' },
      { name: 'json', summary: 'print where the cluster is as one line of JSON' },
    ],
    examples: [
      { command: 'tiphys cluster', does: 'start on port 6443, stop with Ctrl-C' },
      {
        command: 'tiphys cluster --memory --port 0 --kubeconfig-out kc',
        does: 'a throw-away cluster on any free port',
      },
      {
        command: 'tiphys cluster --nodes 100 --runtime simulated',
        does: 'a hundred nodes whose pods only pretend, to try things at scale',
      },
      { command: 'kubectl --kubeconfig .tiphys/kubeconfig get namespaces', does: 'use it from another terminal' },
    ],
    load: () => import('./commands/cluster.ts'),
  },
  {
    name: 'init',
    group: 'Write',
    summary: 'Write a small operator that runs at once, to start from',
    operands: { usage: '[DIR]', most: 1, means: { DIR: 'where it is written, a new folder or this one (.)' } },
    flags: [],
    examples: [{ command: 'tiphys init my-operator', does: 'write the manifests, a sample, a test and a README' }],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'lint',
    group: 'Write',
    summary: 'Check manifests without a cluster: unknown fields, names, expressions, paths',
    operands: { usage: 'DIR…', most: 100, least: 1 },
    flags: [JSON_FLAG],
    examples: [{ command: 'tiphys lint my-operator', does: 'list what is wrong, with file and line; exit code 1' }],
    load: () => import('./commands/lint.ts'),
  },
  {
    name: 'apply',
    group: 'Write',
    summary: 'Apply manifests to the running instance, or to any cluster',
    operands: { usage: 'DIR…', most: 100, least: 1 },
    flags: [...CLUSTER_FLAGS, FORCE, { name: 'dry-run', summary: 'ask the server, and change nothing' }],
    examples: [{ command: 'tiphys apply my-operator', does: 'apply what is in the folder, in the right order' }],
    load: () => import('./commands/apply.ts'),
  },
  {
    name: 'test',
    group: 'Write',
    summary: 'Run the tests that stand beside manifests, each with a cluster of its own',
    operands: {
      usage: '[DIR…]',
      most: 100,
      means: { DIR: 'a folder with NAME.test.ts files, or such a file (this folder)' },
    },
    flags: [],
    examples: [
      { command: 'tiphys test my-operator', does: 'run every *.test.ts of the folder' },
      { command: 'tiphys test my-operator/greeting.test.ts', does: 'one file' },
    ],
    load: () => import('./commands/test.ts'),
  },
  {
    name: 'events',
    group: 'Look',
    summary: 'List events, follow them, or show one',
    operands: { usage: '[QUERY…|ID]', most: 100, isQuery: true },
    flags: [
      { name: 'follow', short: 'f', summary: 'go on as events come' },
      { name: 'limit', value: 'COUNT', summary: 'how many at most (30)' },
      ONLY_NAMESPACE,
      DATA,
      JSON_FLAG,
    ],
    examples: [
      { command: 'tiphys events status:failed,parked age:<1h', does: 'what went wrong within the hour' },
      { command: 'tiphys events -f source:mem*', does: 'events of some sources as they come' },
    ],
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'runs',
    group: 'Look',
    summary: 'List the runs of workflows',
    operands: { usage: '[QUERY…]', most: 100, isQuery: true },
    flags: [{ name: 'limit', value: 'COUNT', summary: 'how many at most (30)' }, ONLY_NAMESPACE, DATA, JSON_FLAG],
    examples: [{ command: 'tiphys runs phase:Failed', does: 'the runs that failed' }],
    load: () => import('./commands/runs.ts'),
  },
  {
    name: 'get',
    group: 'Look',
    summary: 'Show one run with its steps',
    operands: { usage: 'run RUN', most: 2, least: 2 },
    flags: [SOUGHT_NAMESPACE, DATA, JSON_FLAG],
    examples: [{ command: 'tiphys get run hello-x7k2p', does: 'its steps, what they gave, and why it failed' }],
    load: () => import('./commands/get.ts'),
  },
  {
    name: 'logs',
    group: 'Look',
    summary: 'Print what the steps of a run wrote',
    operands: { usage: 'RUN [STEP]', most: 2, least: 1 },
    flags: [{ name: 'follow', short: 'f', summary: 'go on until the run ends' }, SOUGHT_NAMESPACE, DATA, JSON_FLAG],
    examples: [{ command: 'tiphys logs -f hello-x7k2p', does: 'all steps, as they write' }],
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'trace',
    group: 'Look',
    summary: 'Draw the chain of an event: what it set off, and what came of it',
    operands: { usage: 'EVENT|RUN|KIND/NAME', most: 1, least: 1 },
    flags: [
      SOUGHT_NAMESPACE,
      DATA,
      { name: 'why', summary: 'also tell what the filters said of events that they let through' },
      JSON_FLAG,
    ],
    examples: [{ command: 'tiphys trace Memcached/sample', does: 'the newest chain that the object started' }],
    load: () => import('./commands/trace.ts'),
  },
  {
    name: 'explain',
    group: 'Look',
    summary: 'Say in words what last happened to an object and what it waits for',
    operands: { usage: 'KIND/NAME', most: 1, least: 1 },
    flags: [SOUGHT_NAMESPACE, DATA, JSON_FLAG],
    examples: [{ command: 'tiphys explain Deployment/sample', does: 'who made it, when and why' }],
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'export',
    group: 'Look',
    summary: 'Print the history as JSON lines, with payloads and logs',
    operands: { usage: '[QUERY…]', most: 100, isQuery: true },
    flags: [DATA],
    examples: [
      { command: 'tiphys export > history.jsonl', does: 'everything' },
      { command: 'tiphys export status:failed age:<1d > failed.jsonl', does: 'what belongs to some events' },
    ],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    group: 'Look',
    summary: 'Take what tiphys export has printed into the history',
    operands: { usage: 'FILE', most: 1, least: 1, means: { FILE: 'JSON lines of tiphys export' } },
    flags: [DATA, JSON_FLAG],
    examples: [{ command: 'tiphys import failed.jsonl --data colleague', does: 'look at it in a folder of its own' }],
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'submit',
    group: 'Act',
    summary: 'Start a workflow from a file or a template',
    operands: {
      usage: '[FILE]',
      most: 1,
      means: { FILE: 'a Workflow, in YAML or JSON, - for standard input; none with --from' },
    },
    flags: [
      { name: 'from', value: 'KIND/NAME', summary: 'a WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow' },
      PARAMETERS,
      { name: 'name', value: 'NAME', summary: 'the name of the run' },
      WATCH,
      LOG,
      ...CLUSTER_FLAGS,
    ],
    examples: [
      { command: 'tiphys submit hello.yaml -p name=Ada --watch', does: 'start it and watch it' },
      { command: 'tiphys submit --from WorkflowTemplate/hello --log', does: 'start a template and read along' },
    ],
    load: () => import('./commands/submit.ts'),
  },
  {
    name: 'fire',
    group: 'Act',
    summary: 'Publish an event made by hand',
    operands: { usage: 'SOURCE NAME', most: 2, least: 2 },
    flags: [
      { name: 'data', value: 'FILE', summary: 'what the event carries: JSON or YAML, - for standard input' },
      NAMESPACE,
      { name: 'data-dir', value: 'DIR', summary: 'where everything is kept (.tiphys)' },
      JSON_FLAG,
    ],
    examples: [{ command: 'tiphys fire orders created --data order.json', does: 'as if the source had made it' }],
    load: () => import('./commands/fire.ts'),
  },
  {
    name: 'retry',
    group: 'Act',
    summary: 'Try again: a failed run, or deliveries that were given up',
    operands: { usage: 'RUN|EVENT|sensor/NAME[/TRIGGER]', most: 1, least: 1 },
    flags: [
      {
        name: 'node',
        value: 'STEP',
        summary: 'of a run: start over from this step, also if it succeeded; or a selector like templateName=build',
      },
      { name: 'restart-successful', summary: 'as upstream has it; --node alone does the same' },
      PARAMETERS,
      { ...WATCH, summary: `of a run: ${WATCH.summary}` },
      WAIT,
      ...CLUSTER_FLAGS,
    ],
    examples: [
      { command: 'tiphys retry hello-x7k2p', does: 'start the failed steps of a run again' },
      { command: 'tiphys retry hello-x7k2p --node build -p tag=v2 -w', does: 'from one step, with another parameter' },
      { command: 'tiphys retry sensor/hello', does: 'deliver everything again that the sensor gave up' },
    ],
    load: () => import('./commands/retry.ts'),
  },
  {
    name: 'discard',
    group: 'Act',
    summary: 'Give up deliveries that wait for a person',
    operands: { usage: 'EVENT|sensor/NAME[/TRIGGER]', most: 1, least: 1 },
    flags: [{ name: 'reason', value: 'TEXT', summary: 'why nothing is to be done; kept' }, WAIT, ...CLUSTER_FLAGS],
    examples: [{ command: "tiphys discard sensor/hello --reason 'a test'", does: 'nothing of it is tried again' }],
    load: () => import('./commands/discard.ts'),
  },
  {
    name: 'replay',
    group: 'Act',
    summary: 'Send events of the past again',
    operands: { usage: 'EVENT…|QUERY…', most: 100, least: 1, isQuery: true },
    flags: [
      { name: 'count', summary: 'only say how many there are, and why some cannot be sent' },
      {
        name: 'mode',
        value: 'WHICH',
        summary: 'of a query: all events, those that started no run, or those that failed (all)',
        choices: ['all', 'without-run', 'failed'],
      },
      { name: 'rate', value: 'COUNT', summary: 'how many in a second at most (10)' },
      { name: 'sensor', value: 'NAME', summary: 'for this sensor alone' },
      { name: 'trigger', value: 'NAME', summary: 'for this trigger of the sensor alone' },
      WAIT,
      { ...ONLY_NAMESPACE, summary: `of a query: ${ONLY_NAMESPACE.summary}` },
      ...CLUSTER_FLAGS.filter(flag => flag !== NAMESPACE),
    ],
    examples: [
      { command: 'tiphys replay status:failed age:<1h --count', does: 'how many events that would be' },
      {
        command: 'tiphys replay source:orders age:<1d --mode without-run --rate 2',
        does: 'what came to nothing, the oldest first, two in a second',
      },
    ],
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'stop',
    group: 'Act',
    summary: 'Stop a run; its exit handlers still run',
    operands: RUN_OPERAND,
    flags: [{ name: 'message', value: 'TEXT', summary: 'why; shown on the run' }, ...CLUSTER_FLAGS],
    examples: [{ command: 'tiphys stop hello-x7k2p', does: 'end it in order' }],
    load: async () => ({ run: (await import('./commands/run-control.ts')).stop }),
  },
  {
    name: 'terminate',
    group: 'Act',
    summary: 'End a run at once',
    operands: RUN_OPERAND,
    flags: CLUSTER_FLAGS,
    examples: [{ command: 'tiphys terminate hello-x7k2p', does: 'end it without its exit handlers' }],
    load: async () => ({ run: (await import('./commands/run-control.ts')).terminate }),
  },
  {
    name: 'suspend',
    group: 'Act',
    summary: 'Start no more steps of a run',
    operands: RUN_OPERAND,
    flags: CLUSTER_FLAGS,
    examples: [{ command: 'tiphys suspend hello-x7k2p', does: 'what runs goes on to its end' }],
    load: async () => ({ run: (await import('./commands/run-control.ts')).suspend }),
  },
  {
    name: 'resume',
    group: 'Act',
    summary: 'Let a suspended run go on',
    operands: RUN_OPERAND,
    flags: [
      {
        name: 'node',
        value: 'STEP',
        summary: 'only this step, or those that a selector chooses (templateName=approve)',
      },
      { ...PARAMETERS, summary: 'an output of the suspended step; may be given several times' },
      ...CLUSTER_FLAGS,
    ],
    examples: [{ command: 'tiphys resume hello-x7k2p -p approve=yes', does: 'with what the step waited for' }],
    load: async () => ({ run: (await import('./commands/run-control.ts')).resume }),
  },
  {
    name: 'resubmit',
    group: 'Act',
    summary: 'Start a run once more, as a new one',
    operands: RUN_OPERAND,
    flags: [{ name: 'memoized', summary: 'keep what succeeded' }, PARAMETERS, WATCH, LOG, ...CLUSTER_FLAGS],
    examples: [{ command: 'tiphys resubmit hello-x7k2p', does: 'the same workflow, from its beginning' }],
    load: async () => ({ run: (await import('./commands/run-control.ts')).resubmit }),
  },
  {
    name: 'delete',
    group: 'Act',
    summary: 'Delete a run from the cluster; its history is kept',
    operands: RUN_OPERAND,
    flags: CLUSTER_FLAGS,
    examples: [{ command: 'tiphys delete hello-x7k2p', does: 'end it, if it runs, and take its pods away' }],
    load: async () => ({ run: (await import('./commands/run-control.ts')).remove }),
  },
  {
    name: 'completion',
    group: 'Other',
    summary: 'Print a completion script for a shell',
    operands: { usage: SHELLS.join('|'), most: 1, choices: SHELLS },
    flags: [],
    examples: [{ command: 'source <(tiphys completion bash)', does: 'complete tiphys commands in this shell' }],
    load: () => import('./commands/completion.ts'),
  },
]
