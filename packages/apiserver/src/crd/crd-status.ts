import { goQuote } from '@tiphys/kube'
import { jsonEqual } from '../json-value.ts'
import type { CrdCondition, CrdNames, CrdSpec, CrdStatus, CustomResourceDefinition } from './crd.ts'
import { findCondition, isConditionTrue } from './crd.ts'

/** The status with the version that objects are stored in from now on. */
export function withStoredVersion(status: CrdStatus, spec: CrdSpec): CrdStatus {
  const stored = (spec.versions ?? []).find(version => version.storage)?.name
  const before = status.storedVersions ?? []
  if (stored === undefined || before.includes(stored)) return status
  return { ...status, storedVersions: [...before, stored] }
}

/** What the server says about a CRD's names: the status to write, or undefined when it is right already. `all` are the
 *  CRDs there are, this one among them or not; `now` is an RFC 3339 time. After a change, the others of the group are to
 *  be asked again: a name may have become free. */
export function decideNames(
  crd: CustomResourceDefinition,
  all: Iterable<CustomResourceDefinition>,
  now: string,
): CrdStatus | undefined {
  const accepted = crd.status?.acceptedNames ?? { plural: '', kind: '' }
  if (jsonEqual(clean(crd.spec.names), clean(accepted))) return undefined
  const { conflict, names } = acceptNames(crd.spec.names, accepted, namesInUse(crd.spec.group, all))
  const naming: CrdCondition = conflict ?? {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  }
  const known = findCondition(crd, 'NamesAccepted')
  if (jsonEqual(clean(names), clean(accepted)) && known && isSame(known, naming)) return undefined
  const status: CrdStatus = { ...crd.status, acceptedNames: names }
  return withCondition(withCondition(status, naming, now), establishedAfter(crd, naming), now)
}

/** Once the names are accepted, the CRD is served: the status to write, or undefined when there is nothing to do. */
export function decideEstablished(crd: CustomResourceDefinition, now: string): CrdStatus | undefined {
  if (!isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established')) return undefined
  const established: CrdCondition = {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  }
  return withCondition(crd.status ?? {}, established, now)
}

/** A CRD that is being deleted says so while its objects go. */
export function withTerminating(
  status: CrdStatus,
  condition: { status: 'True' | 'False'; reason: string; message: string },
  now: string,
): CrdStatus {
  return withCondition(status, { type: 'Terminating', ...condition }, now)
}

interface NamesInUse {
  resources: ReadonlySet<string>
  kinds: ReadonlySet<string>
}

function namesInUse(group: string, all: Iterable<CustomResourceDefinition>): NamesInUse {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const { spec, status } of all) {
    if (spec.group !== group || !status?.acceptedNames) continue
    const { kind, listKind, plural, shortNames, singular } = status.acceptedNames
    for (const name of [plural, singular ?? '', ...(shortNames ?? [])]) resources.add(name)
    for (const name of [kind, listKind ?? '']) kinds.add(name)
  }
  return { resources, kinds }
}

function acceptNames(
  requested: CrdNames,
  accepted: CrdNames,
  { kinds, resources }: NamesInUse,
): { names: CrdNames; conflict?: CrdCondition } {
  const names: CrdNames = { ...accepted }
  let conflict: CrdCondition | undefined
  const refuse = (reason: string, message: string) => {
    conflict = { type: 'NamesAccepted', status: 'False', reason, message }
  }
  const settle = (field: 'plural' | 'singular' | 'kind' | 'listKind', reason: string, used: ReadonlySet<string>) => {
    const name = requested[field] ?? ''
    if (name !== (accepted[field] ?? '') && used.has(name)) refuse(reason, inUse(name))
    else names[field] = name
  }
  settle('plural', 'PluralConflict', resources)
  settle('singular', 'SingularConflict', resources)
  if (!jsonEqual(requested.shortNames ?? [], accepted.shortNames ?? [])) {
    const taken = (requested.shortNames ?? []).filter(
      name => !accepted.shortNames?.includes(name) && resources.has(name),
    )
    const messages = [...new Set(taken.map(inUse))]
    if (messages.length > 0)
      refuse('ShortNamesConflict', messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`)
    else setList(names, 'shortNames', requested.shortNames)
  }
  settle('kind', 'KindConflict', kinds)
  settle('listKind', 'ListKindConflict', kinds)
  setList(names, 'categories', requested.categories)
  return conflict ? { names, conflict } : { names }
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`

function setList(names: CrdNames, field: 'shortNames' | 'categories', list: string[] | undefined): void {
  if (list && list.length > 0) names[field] = [...list]
  else delete names[field]
}

function establishedAfter(crd: CustomResourceDefinition, naming: CrdCondition): CrdCondition {
  const known = findCondition(crd, 'Established')
  if (known?.status !== 'True' && naming.status === 'True') {
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    }
  }
  return known ?? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}

/** Conditions keep their place; the time changes with the status alone. */
function withCondition(status: CrdStatus, condition: CrdCondition, now: string): CrdStatus {
  const conditions = status.conditions ?? []
  const known = conditions.find(({ type }) => type === condition.type)
  if (!known) return { ...status, conditions: [...conditions, stamped(condition, now)] }
  const since = known.status === condition.status && known.lastTransitionTime ? known.lastTransitionTime : now
  const changed = {
    ...stamped(known, since),
    status: condition.status,
    reason: condition.reason,
    message: condition.message,
  }
  return { ...status, conditions: conditions.map(other => (other === known ? (changed as CrdCondition) : other)) }
}

const stamped = ({ type, status, reason, message }: CrdCondition, now: string): CrdCondition =>
  ({ type, status, lastTransitionTime: now, reason, message }) as CrdCondition

const isSame = (a: CrdCondition, b: CrdCondition): boolean =>
  a.status === b.status && a.reason === b.reason && a.message === b.message

/** Absent and empty are the same. */
function clean(names: CrdNames): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).filter(([, value]) => value !== '' && value !== undefined && value.length > 0),
  )
}
