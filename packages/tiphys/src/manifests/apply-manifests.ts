import { asError, delay, type Env } from '@tiphys/env'
import { type Client, isConflict, isNotFound, type KubeObject, UnknownKindFailure } from '@tiphys/kube'
import { stagesOf } from './apply-order.ts'
import type { FileNote, Manifest } from './manifest.ts'
import { notesOfRefusal } from './manifest-failure.ts'
import { waitUntilEstablished } from './wait-until-established.ts'

/** As who Tiphys owns the fields of what it applies. */
export const FIELD_MANAGER = 'tiphys'

export interface ApplyOptions {
  client: Client
  env: Env
  /** The namespace of what names none. */
  namespace: string
  /** Takes over fields that somebody else has set. */
  force?: boolean
  /** Waits until sources and sensors listen. Left out: nothing here makes them, and nobody waits. */
  untilActive?: (applied: readonly Applied[]) => Promise<FileNote[]>
  /** Asks the server, and changes nothing. */
  dryRun?: boolean
  /** Whether a kind that the server does not know may only be late; it is, unless told otherwise. */
  isPatient?: boolean
  signal?: AbortSignal
  onApplied?: (applied: Applied) => void
}

export interface Applied {
  manifest: Manifest
  object: KubeObject
  outcome: 'created' | 'changed' | 'unchanged'
}

export interface ApplyReport {
  applied: Applied[]
  /** What the server refused. What would have come after is not tried. */
  problems: FileNote[]
  /** What is in place but not as one would wish. */
  notes: FileNote[]
}

/** Applies manifests in the order in which they need each other. What is there as written stays untouched. */
export async function applyManifests(manifests: readonly Manifest[], options: ApplyOptions): Promise<ApplyReport> {
  const report: ApplyReport = { applied: [], problems: [], notes: [] }
  for (const { manifests: stage, wait } of stagesOf(manifests)) {
    for (const manifest of stage) await applyOne(manifest, options, report)
    if (report.problems.length > 0) return report
    const own = report.applied.filter(({ manifest }) => stage.includes(manifest))
    if (wait === 'established' && options.dryRun !== true)
      report.problems.push(...(await waitUntilEstablished(own, options)))
    if (wait === 'active' && options.untilActive) report.notes.push(...(await options.untilActive(report.applied)))
    if (report.problems.length > 0) return report
  }
  return report
}

async function applyOne(manifest: Manifest, options: ApplyOptions, report: ApplyReport): Promise<void> {
  if (manifest.object.metadata.name === undefined) {
    const { file, line } = manifest
    const message = `${manifest.object.kind} has a generateName and is left out: start it with tiphys submit ${file}`
    report.notes.push({ file, line, message })
    return
  }
  try {
    const applied = await write(manifest, options)
    report.applied.push(applied)
    options.onApplied?.(applied)
  } catch (thrown) {
    if (options.dryRun === true && thrown instanceof UnknownKindFailure && isDefinedIn(manifest, report)) return
    report.problems.push(
      ...(isConflict(thrown) ? conflictNotes(manifest, thrown) : await allNotes(manifest, thrown, options)),
    )
  }
}

/** Whoever applies hears of one unknown field at a time, whoever creates of all of them. */
async function allNotes(manifest: Manifest, thrown: unknown, options: ApplyOptions): Promise<FileNote[]> {
  const notes = notesOfRefusal(manifest, thrown)
  if (!asError(thrown).message.includes('field not declared in schema')) return notes
  try {
    await options.client.create(await placed(manifest.object, options), { dryRun: true, fieldValidation: 'Strict' })
    return notes
  } catch (refused) {
    const all = notesOfRefusal(manifest, refused)
    return all.length > notes.length ? all : notes
  }
}

async function write(manifest: Manifest, options: ApplyOptions): Promise<Applied> {
  const { client, force = false, dryRun = false, signal } = options
  const object = await placed(manifest.object, options)
  const { apiVersion, kind, metadata } = object
  const { namespace, name = '' } = metadata
  const ref = { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) }
  const before = await client.get(ref, { metadataOnly: true }).catch(thrown => {
    if (isNotFound(thrown)) return undefined
    throw thrown
  })
  const stored = await client.apply(object, {
    fieldManager: FIELD_MANAGER,
    fieldValidation: 'Strict',
    force,
    dryRun,
    ...(signal && { signal }),
  })
  const isSame = before?.metadata.resourceVersion === stored.metadata.resourceVersion
  return { manifest, object: stored, outcome: before === undefined ? 'created' : isSame ? 'unchanged' : 'changed' }
}

/** With the namespace that it belongs to, if its kind has one. */
async function placed(object: KubeObject, options: ApplyOptions): Promise<KubeObject> {
  const { namespaced } = await resourceFor(object, options)
  if (!namespaced) return object
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? options.namespace } }
}

const DISCOVERY_LAG_MS = 100
const DISCOVERY_TRIES = 30

/** A kind that was defined a moment ago is not in every server's discovery yet. */
async function resourceFor(object: KubeObject, { client, env, signal, dryRun, isPatient = true }: ApplyOptions) {
  for (let tries = 1; ; tries++) {
    try {
      return await client.resourceFor(object)
    } catch (thrown) {
      const isCustom = object.apiVersion.includes('.')
      const mayBeLate = isCustom && isPatient && dryRun !== true && tries < DISCOVERY_TRIES
      if (!(thrown instanceof UnknownKindFailure) || !mayBeLate) throw thrown
      await delay(env.clock, DISCOVERY_LAG_MS, signal)
    }
  }
}

function conflictNotes(manifest: Manifest, thrown: Error): FileNote[] {
  return notesOfRefusal(manifest, thrown).map(note => ({
    ...note,
    message: `${note.message}. Leave the field out of the manifest, or take it over with --force`,
  }))
}

/** Whether a definition of the kind is among what a dry run only pretended to apply. */
function isDefinedIn({ object }: Manifest, { applied }: ApplyReport): boolean {
  return applied.some(({ object: { spec } }) => {
    const { group, names } = (spec ?? {}) as { group?: string; names?: { kind?: string } }
    return names?.kind === object.kind && object.apiVersion.startsWith(`${group}/`)
  })
}
