import { parseDuration } from '@tiphys/expressions'
import type { Container, Volume } from '@tiphys/kube/kinds'
import type { ContainerNode, ContainerSetTemplate, Template } from '../spec/workflow.ts'
import { ANNOTATION } from './labels.ts'
import { PodRefusal } from './pod-failures.ts'
import type { StepPodInput } from './step-pod.ts'
import { needsFolder, type Wrapping, wrapped } from './wrapper.ts'

export interface MainContainers {
  containers: Container[]
  /** They share a folder. */
  needsFolder: boolean
  /** Frames are printed into the log of `main`. */
  hasFrames: boolean
}

export const SCRIPT_VOLUME = 'tiphys-script'
/** Where scripts find themselves, as upstream has it. */
const SCRIPT_FILE = '/argo/staging/script'
/** All annotations together may have 256 KiB. */
const LONGEST_SOURCE = 240 * 1024

/** Shows an annotation of the pod as a file: a script gets into an image without anything being added to the image. */
export const scriptVolume = (): Volume => ({
  name: SCRIPT_VOLUME,
  downwardAPI: {
    defaultMode: 0o755,
    items: [{ path: 'script', fieldRef: { fieldPath: `metadata.annotations['${ANNOTATION.source}']` } }],
  },
})

/** The containers that do the work of a template. */
export function mainContainers(input: StepPodInput): MainContainers {
  const { template } = input
  if (template.containerSet) return containerSet(input, template.containerSet)
  const wrapping = wrappingOf(input)
  const container = template.script ? scriptContainer(template.script) : (template.container as Container | undefined)
  if (!container) throw new PodRefusal({ what: `The template ${template.name ?? ''} has no container` })
  const named = { ...container, name: 'main' }
  const main = withTerminationMessage(template, wrapping ? wrap(named, wrapping, input) : named)
  return {
    containers: [main],
    needsFolder: wrapping !== undefined && needsFolder(wrapping),
    hasFrames: wrapping !== undefined,
  }
}

function scriptContainer({ source, ...container }: NonNullable<Template['script']>): Container {
  const bytes = Buffer.byteLength(source ?? '')
  if (bytes > LONGEST_SOURCE)
    throw new PodRefusal({
      what: `The source of the script has ${bytes} bytes, which is more than ${LONGEST_SOURCE}`,
      todo: 'Put large data into an artifact or a ConfigMap that the script reads',
    })
  if (bytes === 0) return container as Container
  // Behind the arguments, which are the interpreter's: without a command those of the image's own entrypoint.
  return { ...container, args: [...((container as Container).args ?? []), SCRIPT_FILE] } as Container
}

/** Undefined when the command can run as it is. */
function wrappingOf({ template, wantsResult, nonce }: StepPodInput): Wrapping | undefined {
  const holds = hasOutputArtifacts(template)
  const isPlain = usesTerminationMessage(template)
  // Without a wrapper the result is everything that was printed.
  if (isPlain && !holds) return undefined
  const files = isPlain ? [] : outputFiles(template)
  if (files.length === 0 && !holds && !wantsResult) return undefined
  return { nonce, files, keepsResult: wantsResult, holds }
}

/** A daemon is never waited for. */
export const hasOutputArtifacts = (template: Template): boolean =>
  template.daemon !== true && (template.outputs?.artifacts ?? []).some(({ path }) => path !== undefined)

const outputFiles = ({ outputs, daemon }: Template): { name: string; path: string }[] =>
  daemon === true
    ? []
    : (outputs?.parameters ?? []).flatMap(({ name, valueFrom }) =>
        valueFrom?.path === undefined ? [] : [{ name: `parameter:${name}`, path: valueFrom.path }],
      )

/** How output parameters get out of an image without `sh`: one file, as the container's termination message. */
export const usesTerminationMessage = (template: Template): boolean =>
  template.metadata?.annotations?.[ANNOTATION.outputs] === TERMINATION_MESSAGE

const TERMINATION_MESSAGE = 'termination-message'

/** The template as if it had said so itself. */
export const withoutShell = (template: Template): Template => ({
  ...template,
  metadata: {
    ...template.metadata,
    annotations: { ...template.metadata?.annotations, [ANNOTATION.outputs]: TERMINATION_MESSAGE },
  },
})

function withTerminationMessage(template: Template, container: Container): Container {
  if (!usesTerminationMessage(template)) return container
  const files = outputFiles(template)
  if (files.length > 1)
    throw new PodRefusal({
      what: `The template ${template.name ?? ''} has ${files.length} output parameters with a path`,
      why: `with ${ANNOTATION.outputs}: termination-message there can be one`,
      todo: 'Use an image with sh, or write one JSON file and take it apart in the next step',
    })
  const [file] = files
  return file ? { ...container, terminationMessagePath: file.path } : container
}

function wrap(container: Container, wrapping: Wrapping, { entrypoints }: StepPodInput): Container {
  const { command = [], args, image = '' } = container
  if (command.length > 0) return { ...container, command: wrapped([...command, ...(args ?? [])], wrapping), args: [] }
  const known = entrypoints?.(image)
  if (!known)
    throw new PodRefusal({
      what: `The container ${container.name} of the image ${image} has no command`,
      why: 'its outputs are read by a wrapper around the command, and what the image would run is not known',
      todo: `Write the command into the manifest, name the image's entrypoint in the table of images, or, for one small output, set the annotation ${ANNOTATION.outputs}: termination-message`,
    })
  const words = [...known.command, ...(args ?? known.args ?? [])]
  return { ...container, command: wrapped(words, wrapping), args: [] }
}

function containerSet(input: StepPodInput, set: ContainerSetTemplate): MainContainers {
  const { template } = input
  const awaited = new Set(set.containers.flatMap(({ dependencies = [] }) => dependencies))
  const retries = retriesOf(set)
  const outcome = wrappingOf(input)
  // The outputs are those of all containers: whoever looks for them looks when all have ended.
  const others = outcome ? set.containers.map(({ name }) => name).filter(name => name !== 'main') : []
  for (const name of others) awaited.add(name)
  const wrappings = new Map<string, Wrapping>()
  for (const { name, dependencies = [] } of set.containers) {
    const ofMain = name === 'main' ? outcome : undefined
    if (!ofMain && dependencies.length === 0 && !awaited.has(name) && !retries) continue
    wrappings.set(name, {
      ...(ofMain ?? { nonce: input.nonce }),
      waitsFor: dependencies,
      ...(ofMain && { outlasts: others }),
      ...(awaited.has(name) && { reportsAs: name }),
      ...(retries && { retries }),
    })
  }
  if (outcome && !wrappings.has('main'))
    throw new PodRefusal({
      what: `The outputs of the template ${template.name ?? ''} cannot be read`,
      why: 'they are those of the container main, and there is none of that name',
    })
  const containers = set.containers.map(node => {
    const { dependencies: _, ...container } = node as ContainerNode & Container
    const own = { ...container, volumeMounts: [...((container.volumeMounts ?? []) as never[]), ...mountsOf(set)] }
    const wrapping = wrappings.get(node.name)
    return wrapping ? wrap(own, wrapping, input) : own
  })
  return {
    containers,
    needsFolder: [...wrappings.values()].some(needsFolder),
    hasFrames: outcome !== undefined,
  }
}

const mountsOf = ({ volumeMounts = [] }: ContainerSetTemplate) => volumeMounts as never[]

function retriesOf({ retryStrategy }: ContainerSetTemplate): Wrapping['retries'] {
  if (!retryStrategy) return undefined
  const count = Number(retryStrategy.retries ?? 0)
  if (!Number.isInteger(count) || count < 0)
    throw new PodRefusal({ what: `containerSet.retryStrategy.retries cannot be ${String(retryStrategy.retries)}` })
  return { count, pauseSeconds: secondsOf(retryStrategy.duration) }
}

function secondsOf(duration: string | undefined): number {
  if (duration === undefined || duration === '') return 0
  return Number(parseDuration(duration)) / 1e9
}
