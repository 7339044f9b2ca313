import type { RunCommand } from '../command.ts'
import { formatNote } from '../manifests/manifest.ts'
import { checkManifests } from '../manifests/manifest-check.ts'
import { mustHaveManifests } from '../manifests/manifest-failure.ts'
import { readManifests } from '../manifests/manifest-folder.ts'
import { dim, green, red, yellow } from '../terminal.ts'

/** `tiphys lint DIR…`: findings with file and line; exit code 1 when one of them is an error. */
export const run: RunCommand = async ({ operands, flags, terminal: { out } }) => {
  const { manifests, problems, notes } = await readManifests(operands)
  const unreadable = problems.map(problem => ({ ...problem, severity: 'error' as const }))
  // What cannot be read would only make others look wrong.
  const findings = unreadable.length > 0 ? unreadable : await checkManifests(manifests)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  if (flags.json === true) {
    mustHaveManifests({ manifests, problems }, operands)
    for (const finding of findings) out.print(JSON.stringify(finding))
    return errors > 0 ? 1 : 0
  }
  for (const { severity, ...note } of findings) {
    const word = severity === 'error' ? red(out, 'error') : yellow(out, 'warning')
    out.print(`${note.file}:${note.line}: ${word}: ${note.message}`)
  }
  for (const note of notes) out.print(dim(out, formatNote(note)))
  mustHaveManifests({ manifests, problems }, operands)
  const warnings = findings.length - errors
  const objects = manifests.length === 1 ? '1 object' : `${manifests.length} objects`
  if (findings.length === 0) out.print(green(out, `${objects}, nothing wrong`))
  else
    out.print(`${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`)
  return errors > 0 ? 1 : 0
}
