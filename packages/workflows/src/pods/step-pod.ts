import type { Container, Pod, PodSpec, Volume, VolumeMount } from '@tiphys/kube/kinds'
import type { Artifact, Template, Workflow, WorkflowSpec } from '../spec/workflow.ts'
import { INPUTS_VOLUME, inputContainers, inputMounts, inputSecurity } from './artifact-containers.ts'
import { ANNOTATION, LABEL, OUTCOME_FINALIZER } from './labels.ts'
import { mainContainers, SCRIPT_VOLUME, scriptVolume } from './main-containers.ts'
import { PodRefusal } from './pod-failures.ts'
import { patchPodSpec } from './pod-patch.ts'
import { stepNote } from './step-note.ts'
import { WRAPPER_FOLDER } from './wrapper.ts'

/** What a step's pod is made from: everything is resolved, no `{{…}}` is left. */
export interface StepPodInput {
  workflow: Workflow
  /** With what its workflowTemplateRef gives. */
  spec: WorkflowSpec
  node: { id: string; name: string }
  podName: string
  template: Template
  /** Somebody reads `outputs.result` of the step. */
  wantsResult: boolean
  /** The volumes of volumeClaimTemplates. */
  claims: readonly Volume[]
  /** When it is to be ended, in seconds after its start. */
  deadlineSeconds?: number
  /** Nobody else prints lines that begin with it. */
  nonce: string
  instanceId?: string
  entrypoints?: (image: string) => { command: readonly string[]; args?: readonly string[] } | undefined
  /** What runs the containers that take artifacts in: it has `sh` and `tar`, and `git` for artifacts from there. */
  artifactImage: string
}

/** The emptyDir that the wrapper of a command uses. */
export const WRAPPER_VOLUME = 'tiphys'

/** Throws a `PodRefusal` when no pod can be made of it. */
export async function stepPod(input: StepPodInput): Promise<Pod> {
  const { workflow, spec, template, node } = input
  const { name = '', namespace = '', uid = '', annotations: { [ANNOTATION.retries]: retries } = {} } = workflow.metadata
  const main = mainContainers(input)
  const artifacts = inputArtifacts(template)
  const own: Volume[] = [
    ...(main.needsFolder ? [{ name: WRAPPER_VOLUME, emptyDir: {} }] : []),
    ...(template.script ? [scriptVolume()] : []),
    ...(artifacts.length > 0 ? [{ name: INPUTS_VOLUME, emptyDir: {} }] : []),
  ]
  const user = template as unknown as PassedThrough
  const containers = main.containers.map(container =>
    withMounts(container, [
      ...(main.needsFolder ? [{ name: WRAPPER_VOLUME, mountPath: WRAPPER_FOLDER }] : []),
      ...(template.script ? [{ name: SCRIPT_VOLUME, mountPath: '/argo/staging', readOnly: true }] : []),
      ...inputMounts(artifacts),
    ]),
  )
  const mounts = containers[0]?.volumeMounts ?? []
  const placement = scheduling(spec, template)
  const initContainers = [
    ...inputContainers(
      artifacts,
      input.artifactImage,
      inputSecurity(placement.securityContext, containers[0]?.securityContext),
    ),
    ...(user.initContainers ?? []).map(container => userContainer(container, mounts)),
    // Kubernetes ends such a sidecar when the main containers have ended.
    ...(user.sidecars ?? []).map(container => ({ ...userContainer(container, mounts), restartPolicy: 'Always' })),
  ]
  const podSpec: PodSpec = {
    restartPolicy: 'Never',
    ...placement,
    ...(input.deadlineSeconds !== undefined && { activeDeadlineSeconds: input.deadlineSeconds }),
    ...(initContainers.length > 0 && { initContainers }),
    containers,
  }
  const volumes = usedVolumes(podSpec, [...own, ...(user.volumes ?? []), ...volumesOf(spec), ...input.claims])
  if (volumes.length > 0) podSpec.volumes = volumes
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: input.podName,
      namespace,
      labels: {
        ...spec.podMetadata?.labels,
        ...template.metadata?.labels,
        [LABEL.workflow]: name,
        [LABEL.completed]: 'false',
        ...(input.instanceId !== undefined && { [LABEL.instanceId]: input.instanceId }),
      },
      annotations: {
        ...spec.podMetadata?.annotations,
        ...template.metadata?.annotations,
        [ANNOTATION.nodeName]: node.name,
        [ANNOTATION.nodeId]: node.id,
        [ANNOTATION.defaultContainer]:
          containers.find(({ name }) => name === 'main')?.name ?? containers[0]?.name ?? '',
        [ANNOTATION.tellSilence]: 'true',
        ...(retries !== undefined && { [ANNOTATION.retries]: retries }),
        ...stepNote(template, {
          needsResult: input.wantsResult,
          archivesLogs: template.archiveLocation?.archiveLogs ?? spec.archiveLogs === true,
        }),
        ...(main.hasFrames && { [ANNOTATION.frames]: input.nonce }),
        ...(template.script && { [ANNOTATION.source]: template.script.source ?? '' }),
      },
      ownerReferences: [
        {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Workflow',
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      finalizers: [OUTCOME_FINALIZER],
    },
    spec: await patchPodSpec(podSpec, [spec.podSpecPatch, template.podSpecPatch]),
  }
}

/** Artifacts that have a place in the container, and something to put there. */
export const inputArtifacts = (template: Template): Artifact[] =>
  (template.inputs?.artifacts ?? []).filter(artifact => artifact.path !== undefined && hasSource(artifact))

const hasSource = ({ raw, s3, http, git }: Artifact): boolean => (raw ?? s3 ?? http ?? git) !== undefined

/** Parts of a template that Kubernetes' own types describe. */
interface PassedThrough {
  initContainers?: UserContainer[]
  sidecars?: UserContainer[]
  volumes?: Volume[]
}

type UserContainer = Container & { mirrorVolumeMounts?: boolean }

function userContainer(
  { mirrorVolumeMounts, ...container }: UserContainer,
  mirrored: readonly VolumeMount[],
): Container {
  return mirrorVolumeMounts ? withMounts(container, mirrored) : container
}

function withMounts(container: Container, mounts: readonly VolumeMount[]): Container {
  if (mounts.length === 0) return container
  const taken = new Set((container.volumeMounts ?? []).map(({ mountPath }) => mountPath))
  const more = mounts.filter(({ mountPath }) => !taken.has(mountPath))
  return { ...container, volumeMounts: [...(container.volumeMounts ?? []), ...more] }
}

const volumesOf = (spec: WorkflowSpec): Volume[] => spec.volumes ?? []

/** Those that a container mounts, as upstream does it: the others may need what this pod has no use for. */
function usedVolumes(spec: PodSpec, known: readonly Volume[]): Volume[] {
  const used = new Set<string>()
  for (const { volumeMounts = [], volumeDevices = [] } of [...(spec.initContainers ?? []), ...spec.containers])
    for (const { name } of [...volumeMounts, ...volumeDevices]) used.add(name)
  const volumes = new Map<string, Volume>()
  for (const volume of known) if (used.has(volume.name) && !volumes.has(volume.name)) volumes.set(volume.name, volume)
  for (const name of used)
    if (!volumes.has(name))
      throw new PodRefusal({
        what: `The volume ${name} is mounted, but nothing says what it is`,
        todo: 'Name it in volumes or volumeClaimTemplates of the Workflow, or in volumes of the template',
      })
  return [...volumes.values()]
}

/** Fields of a pod that a template says, or else the Workflow. */
function scheduling(spec: WorkflowSpec, template: Template): Partial<PodSpec> {
  const account = template.serviceAccountName ?? spec.serviceAccountName
  const fields: Record<string, unknown> = {
    serviceAccountName: account,
    automountServiceAccountToken: template.automountServiceAccountToken ?? spec.automountServiceAccountToken,
    nodeSelector: present(template.nodeSelector) ?? present(spec.nodeSelector),
    affinity: template.affinity ?? spec.affinity,
    resources: template.podResources ?? spec.podResources,
    resourceClaims: nonEmpty(template.resourceClaims) ?? nonEmpty(spec.resourceClaims),
    tolerations: nonEmpty(template.tolerations) ?? nonEmpty(spec.tolerations),
    schedulerName: template.schedulerName ?? spec.schedulerName,
    priorityClassName: template.priorityClassName ?? spec.podPriorityClassName,
    hostAliases: nonEmpty([...(spec.hostAliases ?? []), ...(template.hostAliases ?? [])]),
    securityContext: template.securityContext ?? spec.securityContext,
    imagePullSecrets: spec.imagePullSecrets,
    hostNetwork: spec.hostNetwork,
    dnsPolicy: spec.dnsPolicy,
    dnsConfig: spec.dnsConfig,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const present = (fields: object | undefined) => (fields && Object.keys(fields).length > 0 ? fields : undefined)
const nonEmpty = <T>(list: readonly T[] | undefined) => (list && list.length > 0 ? list : undefined)
