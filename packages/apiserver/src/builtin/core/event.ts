import type { KubeObject } from '@tiphys/kube'
import { jsonCopy } from '../../json-value.ts'
import type { Strategy } from '../../strategy.ts'
import { plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { objectAt, textAt } from '../fields.ts'
import { validateCoreEvent, validateNewEvent, validateNewEventUpdate } from './event-validation.ts'

const INVOLVED_OBJECT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** Core's names of what events.k8s.io calls differently, and back. The rest is the same in both groups. */
const RENAMED: readonly [core: string, events: string][] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

/** One kind in two groups, stored as core/v1: `apiVersion` names the form wanted, `v1` or `events.k8s.io/v1`. */
export function convertEvent(event: KubeObject, apiVersion: string): KubeObject {
  const converted = jsonCopy(event)
  if (event.apiVersion === apiVersion) return converted
  converted.apiVersion = apiVersion
  for (const [core, events] of RENAMED) {
    const [from, to] = apiVersion === 'v1' ? [events, core] : [core, events]
    const value = converted[from]
    delete converted[from]
    if (value !== undefined) converted[to] = value
  }
  return converted
}

export function eventFields(event: KubeObject): Record<string, string> {
  const core = event.apiVersion === 'v1' ? event : convertEvent(event, 'v1')
  const involved = objectAt(core, 'involvedObject')
  const reporter = textAt(core, 'reportingComponent')
  return {
    ...Object.fromEntries(INVOLVED_OBJECT_FIELDS.map(name => [`involvedObject.${name}`, textAt(involved, name)])),
    reason: textAt(core, 'reason'),
    reportingComponent: reporter,
    source: textAt(objectAt(core, 'source'), 'component') || reporter,
    type: textAt(core, 'type'),
  }
}

export const eventStrategy: Strategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: validateCoreEvent,
  validateUpdate: validateCoreEvent,
  fieldNames: [
    ...INVOLVED_OBJECT_FIELDS.map(name => `involvedObject.${name}`),
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  fields: eventFields,
  unsupportedFieldText: plainUnsupportedFieldText,
}

/** events.k8s.io's view of the same objects: the involved object is `regarding`. */
export const eventsGroupEventStrategy: Strategy = {
  ...eventStrategy,
  nameRule: 'subdomain',
  validate: event => validateNewEvent(convertEvent(event, 'v1')),
  validateUpdate: (event, old) => validateNewEventUpdate(convertEvent(event, 'v1'), convertEvent(old, 'v1')),
  convert: event => convertEvent(event, event.apiVersion === 'v1' ? 'events.k8s.io/v1' : 'v1'),
  fieldNames: [...INVOLVED_OBJECT_FIELDS.map(name => `regarding.${name}`), 'reason', 'reportingController', 'type'],
  fields(event) {
    const fields = eventFields(event)
    return {
      ...Object.fromEntries(
        INVOLVED_OBJECT_FIELDS.map(name => [`regarding.${name}`, fields[`involvedObject.${name}`] ?? '']),
      ),
      reason: fields.reason ?? '',
      reportingController: fields.reportingComponent ?? '',
      type: fields.type ?? '',
    }
  },
}
