import type { RunObject } from './scene.ts'

/** A Workflow of thirty nodes: steps, a loop, tasks that depend on each other, values handed on, an exit handler. Its steps print the
 *  same whether they are simulated or run. Only for tests. */
export const THIRTY_NODES = {
  entrypoint: 'main',
  onExit: 'bye',
  templates: [
    {
      name: 'main',
      steps: [
        [{ name: 'first', template: 'say', arguments: { parameters: [{ name: 'text', value: 'one' }] } }],
        [
          {
            name: 'each',
            template: 'say',
            withItems: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'],
            arguments: { parameters: [{ name: 'text', value: '{{steps.first.outputs.result}}-{{item}}' }] },
          },
          { name: 'graph', template: 'graph' },
        ],
        [
          {
            name: 'last',
            template: 'say',
            arguments: { parameters: [{ name: 'text', value: '{{steps.each.outputs.result}}' }] },
          },
        ],
      ],
    },
    {
      name: 'graph',
      dag: {
        tasks: Array.from({ length: 8 }, (_, index) => ({
          name: `t${index}`,
          template: 'say',
          ...(index > 1 && { dependencies: [`t${index - 1}`, `t${index - 2}`] }),
          arguments: {
            parameters: [
              { name: 'text', value: index > 1 ? `{{tasks.t${index - 1}.outputs.result}}${index}` : `${index}` },
            ],
          },
        })),
      },
    },
    {
      name: 'say',
      inputs: { parameters: [{ name: 'text' }] },
      metadata: { annotations: { 'tiphys.dev/simulate': '{"log": {{=toJson(inputs.parameters.text)}} }' } },
      script: {
        image: 'alpine',
        command: ['sh'],
        env: [{ name: 'TEXT', value: '{{inputs.parameters.text}}' }],
        source: 'echo "$TEXT"',
      },
    },
    { name: 'bye', steps: [[{ name: 'goodbye', template: 'end' }]] },
    { name: 'end', container: { image: 'alpine', command: ['true'] } },
  ],
}

/** What does not depend on when and how often it was interrupted. */
export const outcomeOf = ({ status, metadata }: RunObject) => ({
  phase: status?.phase,
  progress: status?.progress,
  nodes: Object.fromEntries(
    Object.values(status?.nodes ?? {})
      .map(
        ({ name, type, phase, outputs }) =>
          [name.replace(metadata.name ?? '', 'wf'), [type, phase, outputs?.result ?? '']] as const,
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ),
})
