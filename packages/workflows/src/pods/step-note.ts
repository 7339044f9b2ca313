import type { Pod } from '@tiphys/kube/kinds'
import type { OutputSpec, Template } from '../spec/workflow.ts'
import { ANNOTATION } from './labels.ts'
import { usesTerminationMessage } from './main-containers.ts'

/** What has to be known of a step to read its outcome. It is on the pod, so that an engine that starts anew knows it. */
export interface StepNote {
  outputs?: OutputSpec
  needsResult?: boolean
  /** Its output parameter is the termination message. */
  usesMessage?: boolean
  /** What it prints becomes an artifact. */
  archivesLogs?: boolean
  /** The containers that do its work, unless that is `main` alone. */
  mains?: readonly string[]
}

/** The annotation; none when there is nothing to note. */
export function stepNote(
  template: Template,
  { needsResult, archivesLogs }: { needsResult: boolean; archivesLogs: boolean },
): Record<string, string> {
  const note: StepNote = {
    ...(template.outputs && template.daemon !== true && { outputs: template.outputs }),
    ...(needsResult && { needsResult }),
    ...(usesTerminationMessage(template) && { usesMessage: true }),
    ...(archivesLogs && { archivesLogs }),
    ...(template.containerSet && { mains: template.containerSet.containers.map(({ name }) => name) }),
  }
  return Object.keys(note).length === 0 ? {} : { [ANNOTATION.step]: JSON.stringify(note) }
}

export function readStepNote({ metadata }: Pod): StepNote {
  const text = metadata.annotations?.[ANNOTATION.step]
  if (text === undefined) return {}
  try {
    return JSON.parse(text) as StepNote
  } catch {
    // Somebody changed it: the step is judged by its exit code alone.
    return {}
  }
}

/** The containers that do the step's work. The others of a pod were put into it by somebody else, as admission webhooks do: the
 *  step neither waits for them nor fails with them. */
export function mainsOf(pod: Pod): readonly string[] {
  const names = (pod.spec?.containers ?? []).map(({ name }) => name)
  if (names.length < 2) return names
  const { mains = ['main'] } = readStepNote(pod)
  const own = names.filter(name => mains.includes(name))
  return own.length > 0 ? own : names
}
