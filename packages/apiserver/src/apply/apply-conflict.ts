import { goQuote, type StatusCause } from '@tiphys/kube'
import { StatusError } from '../status-error.ts'
import type { Manager } from './managers.ts'
import { type PathElement, pathText } from './path-element.ts'

export interface Conflict {
  manager: Manager
  path: readonly PathElement[]
  /** `.spec.replicas` */
  field: string
  /** `conflict with "kubectl"` */
  message: string
}

export function conflictOver(manager: Manager, path: readonly PathElement[]): Conflict {
  return { manager, path, field: pathText(path), message: `conflict with ${describe(manager)}` }
}

/** An apply would change fields that others own. */
export class ApplyConflict extends StatusError {
  readonly conflicts: readonly Conflict[]

  /** Conflicts come by manager, sorted by its identity. */
  constructor(conflicts: readonly Conflict[]) {
    super(409, 'Conflict', conflictMessage(conflicts), { causes: conflicts.map(cause) })
    this.conflicts = conflicts
  }
}

const cause = ({ message, field }: Conflict): StatusCause => ({ reason: 'FieldManagerConflict', message, field })

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only] = conflicts
  if (conflicts.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: ${only.message}: ${only.field}`
  }
  const lines: string[] = []
  let last: Manager | undefined
  for (const { manager, field } of conflicts) {
    if (manager !== last) lines.push(`conflicts with ${describe(manager)}:`)
    lines.push(`- ${field}`)
    last = manager
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}

function describe({ name, operation, apiVersion, subresource }: Manager): string {
  const who = subresource === '' ? goQuote(name) : `${goQuote(name)} with subresource ${goQuote(subresource)}`
  return operation === 'Update' ? `${who} using ${apiVersion}` : who
}
