import type { CommandInfo, FlagInfo } from './command.ts'

/** Flags that every command understands. */
export const COMMON_FLAGS: readonly FlagInfo[] = [
  { name: 'help', summary: 'show this help' },
  { name: 'verbose', summary: 'log more, and show the stack of an error' },
]

export const SHELLS: readonly string[] = ['bash', 'zsh', 'fish']

export const COMMANDS: readonly CommandInfo[] = [
  {
    name: 'cluster',
    group: 'Run',
    summary: 'Start an embedded Kubernetes cluster that kubectl and every client can use',
    flags: [
      {
        name: 'port',
        value: 'PORT',
        summary: 'port of the API on loopback (6443; the next free one if taken; 0: any)',
      },
      { name: 'data', value: 'DIR', summary: 'where the cluster is kept (.tiphys)' },
      { name: 'memory', summary: 'keep nothing on disk: the cluster is gone when it stops' },
      {
        name: 'runtime',
        value: 'NAME',
        summary: 'what runs the pods (auto: processes of this machine, else docker)',
        choices: ['auto', 'process', 'docker', 'simulated'],
      },
      { name: 'images', value: 'FILE', summary: 'what images run that Tiphys does not know (YAML or JSON)' },
      { name: 'nodes', value: 'COUNT', summary: 'how many nodes the cluster has (1)' },
      { name: 'api-only', summary: 'the API alone: no controllers, no nodes' },
      { name: 'kubeconfig-out', value: 'FILE', summary: 'where the kubeconfig is written (.tiphys/kubeconfig)' },
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
    name: 'completion',
    group: 'Other',
    summary: 'Print a completion script for a shell',
    operands: { usage: SHELLS.join('|'), most: 1, choices: SHELLS },
    flags: [],
    examples: [{ command: 'source <(tiphys completion bash)', does: 'complete tiphys commands in this shell' }],
    load: () => import('./commands/completion.ts'),
  },
]
