import type { ContainerStatus, Pod } from '@tiphys/kube/kinds'
import { ANNOTATION } from './labels.ts'
import { mainsOf, readStepNote } from './step-note.ts'

/** What the runtime or the kubelet says of a container that never ran. No program can say it of itself. */
const NEVER_RAN: readonly string[] = ['StartError', 'ContainerCannotRun', 'RunContainerError', 'CreateContainerError']

/**
 * What is to be done about a pod whose wrapper could not be started, because its image has no shell:
 * - `plain`: nothing of the step has happened, and its outputs can be had without a wrapper: it is made again without one.
 * - `refused`: they cannot; `message` says what to write instead.
 *
 * Undefined for every other pod.
 */
export function missingShell(pod: Pod): { way: 'plain' | 'refused'; message: string } | undefined {
  if (!wasWrapped(pod)) return undefined
  const mains = mainsOf(pod)
  const statuses = (pod.status?.containerStatuses ?? []).filter(({ name }) => mains.includes(name))
  const said = statuses.map(whyNeverRun).find(words => words !== undefined && isAboutShell(words))
  if (said === undefined) return undefined
  const image = pod.spec?.containers.find(({ name }) => name === mains[0])?.image ?? ''
  const lack = `the image ${image} has no /bin/sh, which reads the outputs of this step`
  const obstacle = whyNotPlain(pod)
  if (obstacle === undefined) return { way: 'plain', message: `${lack}: it is started again without` }
  return {
    way: 'refused',
    message: `${lack} (${said}); ${obstacle}: use an image with sh, or write one file, less than 4096 bytes, as the only output and set the annotation ${ANNOTATION.outputs}: termination-message in the template's metadata`,
  }
}

const wasWrapped = ({ spec }: Pod): boolean => spec?.containers.some(({ command = [] }) => isWrapper(command)) === true
const isWrapper = (command: readonly string[]): boolean => command[0] === '/bin/sh' && command[3] === 'tiphys'

function whyNeverRun({ state }: ContainerStatus): string | undefined {
  const { reason = '', message = '' } = state?.terminated ?? state?.waiting ?? {}
  return NEVER_RAN.includes(reason) ? message : undefined
}

const isAboutShell = (words: string): boolean =>
  words.includes('/bin/sh') && /no such file|not found|ENOENT/i.test(words)

/** A pod in which something else may have run already is not made a second time. */
function whyNotPlain(pod: Pod): string | undefined {
  const { initContainers = [] } = pod.spec ?? {}
  const { outputs } = readStepNote(pod)
  const files = (outputs?.parameters ?? []).filter(({ valueFrom }) => valueFrom?.path !== undefined)
  const artifacts = (outputs?.artifacts ?? []).filter(({ path }) => path !== undefined)
  if (mainsOf(pod).length > 1) return 'it has several containers'
  if (initContainers.some(({ name }) => !name.startsWith('tiphys-')))
    return 'its init containers or sidecars have run already'
  if (artifacts.length > 0) return `its output artifact ${artifacts[0]?.name ?? ''} needs sh and tar`
  if (files.length > 1) return `it has ${files.length} output parameters, and without sh there can be one`
  return undefined
}
