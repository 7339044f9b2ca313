import { PassThrough, pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { asError, delay, type Env, TerminalFailure } from '@tiphys/env'
import { type Client, drained } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { serviceAccountClient, type WorkflowEngineOptions } from '../engine/engine-context.ts'
import { isPassing, tryAgain } from '../engine/passing-trouble.ts'
import type { StatusKeeper } from '../engine/status-keeper.ts'
import type { PodArtifacts } from '../outputs/step-pods.ts'
import {
  broughtArtifacts,
  INPUTS_CONTAINER,
  LAST_INPUT,
  RECEIVE_INPUTS,
  refuseInputs,
} from '../pods/artifact-containers.ts'
import { ANNOTATION, LABEL } from '../pods/labels.ts'
import { hasLocation } from '../spec/artifact.ts'
import type { Artifact, S3Location, Workflow } from '../spec/workflow.ts'
import { creationLetters, creationTime } from '../variables/creation-time.ts'
import { textOf } from '../variables/parameter-text.ts'
import { refusedArtifact } from './artifact-failures.ts'
import { placeIn, repositoryOf, repositoryRefOf } from './artifact-repository.ts'
import { type ArtifactReading, artifactEntries } from './artifact-source.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { ByteReader } from './byte-reader.ts'
import { storeOfLocation } from './s3-location.ts'
import { type ArchiveEntry, readTar, writeTar } from './tar.ts'
import { writeZip } from './zip.ts'

export interface PodArtifactsOptions {
  options: WorkflowEngineOptions
  client: Client
  store: ArtifactStore
  statuses: StatusKeeper
  workflowOf: (pod: Pod) => Workflow | undefined
}

const NOT_THERE = 44
/** What is asked for may be nowhere: somebody waits to be told. */
const BRING_TRIES = 5
/** What is not fetched is lost: a server that is being started anew is waited for. */
const FETCH_TRIES = 8
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** Kubernetes keeps no more of a termination message than 4 KiB. */
const MOST_WORDS = 1000
/** Files up to this size are stored side by side, so many at once: together no more than 2 MiB are held. */
const MOST_SMALL_BYTES = 64 * 1024
const MOST_UNDER_WAY = 32
/** Links inside are followed: what is stored has none. GNU tar makes hard links of files that it has met before, unless told, and ends with 1 after
 *  a link that leads nowhere, or a file that goes or changes while it is read: all the others are sent. */
const SEND = `[ -e "$1" ] || exit ${NOT_THERE}
[ -f "$1" ] || [ -d "$1" ] || { echo "it is neither a file nor a folder" >&2; exit 2; }
case "$(tar --help 2>&1)" in *hard-dereference*) set -- "$1" --hard-dereference ;; esac
cd "$(dirname "$1")" || exit
tar $2 -chf - "$(basename "$1")"
code=$?
[ "$code" = 1 ] && [ -n "$2" ] && code=0
exit "$code"`

/** Artifacts get into pods and out of them through the API alone: tar archives through `exec`, into an init container that
 *  waits for them, and out of the main container, which waits until it is released. */
export function createPodArtifacts({
  options,
  client,
  store,
  statuses,
  workflowOf,
}: PodArtifactsOptions): PodArtifacts {
  const readingFor = (pod: Pod, signal: AbortSignal): ArtifactReading => {
    const { namespace = '' } = pod.metadata
    const account = pod.spec?.serviceAccountName ?? 'default'
    return {
      options: { ...options, artifacts: store },
      client: serviceAccountClient(options, namespace, account),
      namespace,
      signal,
    }
  }
  const { clock } = options.env
  const archiving = createArchiving(options.env, client)
  const refOf = ({ metadata: { namespace = '', name = '' } }: Pod) => ({ namespace, name })

  return {
    async bring(pod, signal) {
      const workflow = workflowOf(pod)
      if (!workflow) throw new Error('the workflow of the pod is gone')
      const { status } = await statuses.whole(workflow)
      const node = status?.nodes?.[pod.metadata.annotations?.[ANNOTATION.nodeId] ?? '']
      const wanted = broughtArtifacts((node?.inputs?.artifacts ?? []).filter(isExpected))
      const inputs = await Promise.all(wanted.map(artifact => located(artifact, workflow)))
      const reading = readingFor(pod, signal)
      let unread: string | undefined
      const send = async () => {
        const errors = createTail()
        unread = undefined
        const { exitCode } = await client.exec(refOf(pod), {
          container: INPUTS_CONTAINER,
          command: RECEIVE_INPUTS,
          stdin: writeTar(
            entriesOf(reading, inputs, name => {
              unread = name
            }),
          ),
          onStdout: () => {},
          onStderr: errors.push,
          signal,
        })
        if (exitCode !== 0) throw refusedArtifact('The input artifacts could not be unpacked', { why: errors.text() })
      }
      try {
        await tryAgain({ clock, most: BRING_TRIES, signal }, send)
      } catch (thrown) {
        signal.throwIfAborted()
        const why = asError(thrown).message
        const words = unread === undefined ? why : `input artifact ${unread} could not be read: ${why}`
        // The container would wait for ever: whoever cannot tell it now comes again.
        await client
          .exec(refOf(pod), {
            container: INPUTS_CONTAINER,
            command: refuseInputs(words.slice(0, MOST_WORDS)),
            signal,
          })
          .catch((untold: unknown) => {
            if (isPassing(untold)) throw untold
          })
        throw thrown
      }
    },

    async fetch(pod, outputs, { pid, over }, signal) {
      const artifacts: Artifact[] = []
      const troubles: Record<string, string> = {}
      for (const artifact of outputs) {
        if (artifact.path === undefined) continue
        try {
          const stored = await tryAgain({ clock, most: FETCH_TRIES, signal }, () => fetchOne(pod, artifact, signal))
          if (stored) artifacts.push(stored)
        } catch (thrown) {
          signal.throwIfAborted()
          troubles[artifact.name] = asError(thrown).message
        }
      }
      await release(pod, pid, over, signal)
      return { artifacts, troubles }
    },

    archivesLogs(pod) {
      const workflow = workflowOf(pod)
      return workflow === undefined ? Promise.resolve(false) : archiving.of(workflow)
    },

    async keepLog(pod, container, content, signal) {
      const artifact: Artifact = { name: `${container}-logs`, archive: { none: {} } }
      const place = await placeOf(pod, artifact, `${container}.log`)
      const target = await storeOfLocation(readingFor(pod, signal), place)
      await target.put(place.key, content)
      return { ...artifact, s3: place }
    },
  }

  /** One that says nothing but a key is in the run's repository, if there is one and not in the engine's store. */
  async function located(artifact: Artifact, workflow: Workflow): Promise<Artifact> {
    const { s3 } = artifact
    if (s3?.key === undefined || s3.bucket !== undefined || s3.endpoint !== undefined) return artifact
    const repository = await repositoryOf(client, workflow)
    if (!repository) return artifact
    const { keyFormat: _, ...location } = repository.s3
    return { ...artifact, s3: { ...location, key: s3.key } }
  }

  /** Whoever is not released waits for ever: a node that does not answer is asked again for as long as the container runs. */
  async function release(pod: Pod, pid: string, over: AbortSignal, signal: AbortSignal): Promise<void> {
    const call = { container: 'main', command: ['sh', '-c', `kill -USR1 ${Number(pid)}`], signal }
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      try {
        await client.exec(refOf(pod), call)
        return
      } catch {
        signal.throwIfAborted()
      }
      // It may have been released without an answer, or somebody ended it. What it left is stored.
      await delay(clock, pauseMs, AbortSignal.any([over, signal])).catch(() => signal.throwIfAborted())
      if (over.aborted) return
    }
  }

  /** Undefined when there is nothing at its path. */
  async function fetchOne(pod: Pod, artifact: Artifact, signal: AbortSignal): Promise<Artifact | undefined> {
    const errors = createTail()
    const output = new PassThrough()
    // Whoever reads it is told, also later.
    output.on('error', () => {})
    const given = new AbortController()
    const ended = client
      .exec(refOf(pod), {
        container: 'main',
        command: ['sh', '-c', SEND, 'tiphys', artifact.path ?? ''],
        // What cannot be stored as fast as it comes stays where it is.
        onStdout: bytes => (output.write(bytes) ? undefined : drained(output)),
        onStderr: errors.push,
        signal: AbortSignal.any([signal, given.signal]),
      })
      .then(({ exitCode }) => {
        if (exitCode === 0 || exitCode === NOT_THERE) output.end()
        else
          output.destroy(
            refusedArtifact(`${artifact.path ?? ''} could not be read`, {
              why: errors.text() || `tar ended with ${exitCode}`,
            }),
          )
        return exitCode
      })
      .catch((thrown: unknown) => {
        output.destroy(asError(thrown))
        throw thrown
      })
    // Either way it is waited for below.
    ended.catch(() => {})
    try {
      const place = await placeOf(pod, artifact)
      const { key } = place
      const target = await storeOfLocation(readingFor(pod, signal), place)
      const reader = new ByteReader(output)
      if ((await reader.peek(1)).length === 0) {
        if ((await ended) === NOT_THERE) return undefined
        throw refusedArtifact(`${artifact.path ?? ''} could not be read`, { why: errors.text() })
      }
      await keep(target, key, artifact, readTar(reader.rest(), { skipsSpecial: true }))
      await ended
      const { path, name, archive, mode, globalName } = artifact
      return {
        name,
        ...(path !== undefined && { path }),
        ...(archive && { archive }),
        ...(mode !== undefined && { mode }),
        ...(globalName !== undefined && { globalName }),
        s3: place,
      }
    } finally {
      // What could not be stored is not waited for.
      given.abort()
      output.destroy()
    }
  }

  /** A location of its own, one in the run's repository, or one in the engine's store. */
  async function placeOf(
    pod: Pod,
    artifact: Artifact,
    file = fileName(artifact),
  ): Promise<S3Location & { key: string }> {
    const { s3 } = artifact
    if (s3?.bucket !== undefined || s3?.endpoint !== undefined) return { ...s3, key: s3.key ?? defaultKey(pod, file) }
    const workflow = workflowOf(pod)
    const repository = workflow && (await repositoryOf(client, workflow))
    if (!repository) return { ...s3, key: s3?.key ?? defaultKey(pod, file) }
    const { keyFormat: _, ...location } = repository.s3
    if (s3?.key !== undefined) return { ...location, key: s3.key }
    const place = placeIn(repository, variablesOf(pod, workflow), file)
    return { ...place, key: place.key ?? '' }
  }
}

/** A repository says for all runs of a namespace whether logs are archived: it is not asked for every step. */
const REPOSITORY_AGE_MS = 5000

function createArchiving({ clock }: Env, client: Client): { of: (workflow: Workflow) => Promise<boolean> } {
  const known = new Map<string, { at: number; answer: Promise<boolean> }>()
  const ask = async (workflow: Workflow) => {
    try {
      return (await repositoryOf(client, workflow))?.archiveLogs === true
    } catch {
      // What is wrong with the repository is told by the steps that have artifacts for it.
      return false
    }
  }
  return {
    of(workflow) {
      const { configMap = '', key = '' } = repositoryRefOf(workflow) ?? {}
      const name = `${workflow.metadata.namespace ?? ''}/${configMap}/${key}`
      const now = clock.now()
      const found = known.get(name)
      if (found && now - found.at < REPOSITORY_AGE_MS) return found.answer
      const answer = ask(workflow)
      known.set(name, { at: now, answer })
      return answer
    },
  }
}

/** Stores what a tar archive has, in the form that the artifact asks for. */
async function keep(
  store: ArtifactStore,
  key: string,
  { archive = {} }: Artifact,
  entries: AsyncGenerator<ArchiveEntry>,
): Promise<void> {
  if (archive.none) return keepEach(store, key, entries)
  if (archive.zip) {
    await store.put(key, writeZip(entries))
    return
  }
  const level = archive.tar?.compressionLevel
  if (level === 0) await store.put(key, writeTar(entries))
  else {
    const gzip = createGzip(level === undefined || level < 0 ? {} : { level: Math.min(9, level) })
    // What fails is thrown where it is read.
    await store.put(
      key,
      pipeline(Readable.from(writeTar(entries), { objectMode: false }), gzip, () => {}),
    )
  }
}

/** Stores every file of a tar archive by itself. Small ones side by side: what each of them waits for is its store, which makes a
 *  folder of a thousand files slow otherwise. */
async function keepEach(store: ArtifactStore, key: string, entries: AsyncGenerator<ArchiveEntry>): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  try {
    for await (const { path, type, size, content } of entries) {
      if (type === 'directory') continue
      // The first part is the name of the file or folder itself.
      const [, ...below] = path.split('/')
      const place = [key, ...below].join('/')
      if (size > MOST_SMALL_BYTES) {
        await store.put(place, content)
        continue
      }
      // The archive goes on only after its contents are read.
      const pieces: Uint8Array[] = []
      for await (const piece of content) pieces.push(piece)
      const put: Promise<unknown> = store.put(place, Readable.from(pieces)).then(() => underWay.delete(put))
      // Whoever waits for them below is told.
      put.catch(() => {})
      underWay.add(put)
      if (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay)
    }
    await Promise.all(underWay)
  } finally {
    // Nothing is written any more when it has failed.
    await Promise.allSettled(underWay)
  }
}

/** All input artifacts, each below its own name. `onUnread` is told which one it broke off at. */
async function* entriesOf(
  reading: ArtifactReading,
  artifacts: readonly Artifact[],
  onUnread: (name: string) => void,
): AsyncGenerator<ArchiveEntry> {
  for (const artifact of artifacts) {
    try {
      for await (const entry of artifactEntries(reading, artifact)) {
        const path = entry.path === '' ? artifact.name : `${artifact.name}/${entry.path}`
        const isMarked = artifact.mode !== undefined && (entry.path === '' || artifact.recurseMode === true)
        yield { ...entry, path, mode: isMarked ? (artifact.mode as number) & 0o777 : entry.mode }
      }
    } catch (thrown) {
      const isMissing = thrown instanceof TerminalFailure && thrown.code === 'artifact-missing'
      if (isMissing && artifact.optional === true) continue
      onUnread(artifact.name)
      throw thrown
    }
  }
  yield { path: LAST_INPUT, type: 'file', mode: 0o644, size: 0, content: Readable.from([]) }
}

/** Artifacts that have a place in the container; an optional one that nobody has given stays away. */
const isExpected = (artifact: Artifact): boolean =>
  artifact.path !== undefined && (artifact.optional !== true || hasLocation(artifact))

function defaultKey(pod: Pod, file: string): string {
  const { namespace = '', name: podName = '', labels = {} } = pod.metadata
  return `${namespace}/${labels[LABEL.workflow] ?? ''}/${podName}/${file}`
}

const fileName = ({ name, archive = {} }: Artifact): string =>
  `${name}${archive.none ? '' : archive.zip ? '.zip' : '.tgz'}`

/** What a keyFormat may have. */
function variablesOf(pod: Pod, { metadata, spec }: Workflow): Record<string, string> {
  const { name = '', namespace = '', uid = '', creationTimestamp } = metadata
  const created = Date.parse(typeof creationTimestamp === 'string' ? creationTimestamp : '')
  const times = creationLetters.flatMap(letter => {
    const text = creationTime(created, letter)
    return text === undefined ? [] : [[`workflow.creationTimestamp.${letter}`, text] as const]
  })
  const parameters = (spec.arguments?.parameters ?? []).flatMap(({ name: of, value }) => {
    const text = textOf(value)
    return text === undefined ? [] : [[`workflow.parameters.${of}`, text] as const]
  })
  return {
    'workflow.name': name,
    'workflow.namespace': namespace,
    'workflow.uid': uid,
    'pod.name': pod.metadata.name ?? '',
    'node.name': pod.metadata.annotations?.[ANNOTATION.nodeName] ?? '',
    ...Object.fromEntries([...times, ...parameters]),
  }
}

/** The end of what was said, for messages. */
function createTail() {
  let said = ''
  return {
    push: (bytes: Uint8Array) => {
      said = (said + Buffer.from(bytes).toString()).slice(-1000)
    },
    text: () => said.trim(),
  }
}
