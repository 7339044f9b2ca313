import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { type Fields, listAt, objectAt, optionalObjectAt, setIfZero, textAt } from '../fields.ts'

/** A request for devices asks for one device unless it says otherwise. */
function setRequestDefaults(spec: Fields): void {
  for (const request of listAt(objectAt(spec, 'devices'), 'requests')) {
    const exactly = optionalObjectAt(request, 'exactly')
    if (exactly) setCount(exactly)
    for (const alternative of listAt(request, 'firstAvailable')) setCount(alternative)
  }
}

function setCount(request: Fields): void {
  setIfZero(request, 'allocationMode', 'ExactCount')
  if (textAt(request, 'allocationMode') === 'ExactCount') setIfZero(request, 'count', 1)
}

export const resourceClaimStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  setDefaults: claim => setRequestDefaults(objectAt(claim, 'spec')),
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}

export const resourceClaimTemplateStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  setDefaults: (template: KubeObject) => setRequestDefaults(objectAt(objectAt(template, 'spec'), 'spec')),
}

export const deviceClassStrategy: Strategy = { hasGeneration: true, allowUnconditionalUpdate: true }

export const resourceSliceStrategy: Strategy = { hasGeneration: true, allowUnconditionalUpdate: true }
