import type { Strategy } from '../../strategy.ts'
import { ensureObject, type Fields, listAt, objectAt, setIfAbsent, textAt, textMapAt } from '../fields.ts'
import { roundUpResourceList } from '../quantity.ts'
import { validateLimitRange } from './quota-validation.ts'

/** Containers get limits from the maximum, and requests from the limits, else from the minimum. */
function setContainerLimitDefaults(limit: Fields): void {
  const limits = ensureObject(limit, 'default')
  const requests = ensureObject(limit, 'defaultRequest')
  for (const [name, quantity] of Object.entries(textMapAt(limit, 'max'))) setIfAbsent(limits, name, quantity)
  for (const [name, quantity] of Object.entries(limits)) setIfAbsent(requests, name, quantity)
  for (const [name, quantity] of Object.entries(textMapAt(limit, 'min'))) setIfAbsent(requests, name, quantity)
  if (Object.keys(limits).length === 0) delete limit.default
  if (Object.keys(requests).length === 0) delete limit.defaultRequest
}

export const limitRangeStrategy: Strategy = {
  hasGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: validateLimitRange,
  validateUpdate: validateLimitRange,
  setDefaults(range) {
    for (const limit of listAt(objectAt(range, 'spec'), 'limits')) {
      if (textAt(limit, 'type') === 'Container') setContainerLimitDefaults(limit)
      for (const name of ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio']) {
        roundUpResourceList(textMapAt(limit, name))
      }
    }
  },
}
