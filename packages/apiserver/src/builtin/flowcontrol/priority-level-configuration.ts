import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { objectAt, optionalObjectAt, setIfAbsent, setIfZero } from '../fields.ts'
import { validatePriorityLevel } from './flow-control-validation.ts'

export const priorityLevelConfigurationStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  validate: validatePriorityLevel,
  validateUpdate: validatePriorityLevel,
  setDefaults(level) {
    const spec = objectAt(level, 'spec')
    const exempt = optionalObjectAt(spec, 'exempt')
    if (exempt !== undefined) {
      setIfAbsent(exempt, 'nominalConcurrencyShares', 0)
      setIfAbsent(exempt, 'lendablePercent', 0)
    }
    const limited = optionalObjectAt(spec, 'limited')
    if (limited === undefined) return
    setIfAbsent(limited, 'nominalConcurrencyShares', 30)
    setIfAbsent(limited, 'lendablePercent', 0)
    const queuing = optionalObjectAt(objectAt(limited, 'limitResponse'), 'queuing')
    if (queuing === undefined) return
    setIfZero(queuing, 'handSize', 8)
    setIfZero(queuing, 'queues', 64)
    setIfZero(queuing, 'queueLengthLimit', 50)
  },
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
