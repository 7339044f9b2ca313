import type { WorkflowSpec } from './workflow.ts'

/** What a spec asks for, is accepted with, and does not get, in words; undefined when there is nothing of that. */
export function unkeptWishes(spec: WorkflowSpec): string | undefined {
  const wishes = [...removals(spec), ...ownPods(spec)]
  return wishes.length === 0 ? undefined : wishes.join('; ')
}

function removals({ artifactGC, templates = [] }: WorkflowSpec): string[] {
  const places = [
    ...(isWanted(artifactGC) ? ['spec.artifactGC'] : []),
    ...templates.flatMap(({ outputs }, index) =>
      (outputs?.artifacts ?? []).flatMap(({ artifactGC: own }, position) =>
        isWanted(own) ? [`spec.templates[${index}].outputs.artifacts[${position}].artifactGC`] : [],
      ),
    ),
  ]
  return places.length === 0
    ? []
    : [
        `${places.join(', ')}: artifacts are not removed by themselves; let the bucket expire them, or remove them in a step`,
      ]
}

const isWanted = (gc: Readonly<Record<string, unknown>> | undefined): boolean =>
  !['', 'Never'].includes(String(gc?.strategy ?? ''))

/** Upstream carries a resource template out in a pod, whose name it may use. */
function ownPods({ templates = [] }: WorkflowSpec): string[] {
  return templates.flatMap(({ resource }, index) =>
    /\{\{=?\s*pod\.name\s*\}\}/.test(resource?.manifest ?? '')
      ? [
          `spec.templates[${index}].resource.manifest: {{pod.name}} leads to no pod, because the engine carries resource templates out itself; name another object, or act from a container`,
        ]
      : [],
  )
}
