import type { WorkflowSpec } from './workflow.ts'

/** What a spec asks for, is accepted with, and does not get, in words; undefined when there is nothing of that. */
export function unkeptWishes({ artifactGC, templates = [] }: WorkflowSpec): string | undefined {
  const places = [
    ...(isWanted(artifactGC) ? ['spec.artifactGC'] : []),
    ...templates.flatMap(({ outputs }, index) =>
      (outputs?.artifacts ?? []).flatMap(({ artifactGC: own }, position) =>
        isWanted(own) ? [`spec.templates[${index}].outputs.artifacts[${position}].artifactGC`] : [],
      ),
    ),
  ]
  if (places.length === 0) return undefined
  return `${places.join(', ')}: artifacts are not removed by themselves; let the bucket expire them, or remove them in a step`
}

const isWanted = (gc: Readonly<Record<string, unknown>> | undefined): boolean =>
  !['', 'Never'].includes(String(gc?.strategy ?? ''))
