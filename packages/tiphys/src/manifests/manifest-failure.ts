import { asError, TerminalFailure } from '@tiphys/env'
import { ApiError } from '@tiphys/kube'
import { parseFieldPath } from './field-path.ts'
import { type FileNote, formatNote, type Manifest, nameOf } from './manifest.ts'
import type { Found } from './manifest-folder.ts'

/** Manifests cannot be used as they are. The message has one place for each thing that is wrong. */
export class ManifestFailure extends TerminalFailure {
  readonly notes: readonly FileNote[]

  constructor(notes: readonly FileNote[], todo = 'Correct it and try again') {
    const [first, ...rest] = notes
    const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`
    super('manifest-invalid', { what: first ? `${formatNote(first)}${more}` : 'a manifest cannot be used', todo })
    this.notes = notes
  }
}

/** Whoever names a folder means what is in it: an empty one is likely another than was meant. */
export function mustHaveManifests(
  { manifests, problems }: Pick<Found, 'manifests' | 'problems'>,
  paths: readonly string[],
) {
  if (manifests.length > 0 || problems.length > 0) return
  throw new TerminalFailure('manifest-not-found', {
    what: `there are no manifests in ${paths.join(', ')}`,
    todo: 'Name a folder with YAML or JSON files that are some, or write one with tiphys init',
  })
}

/** What the server says of a manifest, with the line that each complaint is about. */
export function notesOfRefusal(manifest: Manifest, thrown: unknown): FileNote[] {
  const error = asError(thrown)
  const at = (field: string | undefined, message: string): FileNote => ({
    file: manifest.file,
    line: field === undefined ? manifest.line : manifest.lineOf(parseFieldPath(field)),
    message: `${nameOf(manifest.object)}: ${message}`,
  })
  if (!(error instanceof ApiError)) return [at(undefined, error.message)]
  const unknown = [...error.message.matchAll(/(?:unknown|duplicate) field "([^"]+)"/g)]
  if (unknown.length > 0)
    return (
      unknown
        .map(([words, field]) => at(field, `${words.replaceAll('"', '')}`))
        // The server has an order of its own.
        .sort((a, b) => a.line - b.line)
    )
  const mistyped = [...error.message.matchAll(/(?<=[\s:])\.([^\s:]+): (field not declared in schema|expected [^\n]+)/g)]
  if (mistyped.length > 0)
    return mistyped.map(([, field, words]) =>
      at(field, words?.startsWith('field') ? `unknown field ${field}` : `${field}: ${words}`),
    )
  const causes = error.details?.causes ?? []
  const fields = causes.filter(({ field }) => field !== undefined && field !== '' && field !== '<nil>')
  if (fields.length === 0 || error.reason === 'Conflict') return [at(undefined, error.message)]
  return fields.map(({ field = '', message = '' }) =>
    at(field, message.includes(field) ? message : `${field}: ${message}`),
  )
}
