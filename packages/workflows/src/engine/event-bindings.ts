import type { Env } from '@tiphys/env'
import type { Recorder } from '@tiphys/journal/records'
import { bindingProblems } from '../control/event-dispatch.ts'
import type { WorkflowEventBinding } from '../spec/event-binding.ts'
import { referenceOf } from './run-records.ts'
import type { ServedObjects } from './served-objects.ts'

/** Says of a WorkflowEventBinding that no event can start anything with what is wrong with it, and that it can when that
 *  was mended. */
export function reportEventBindings(bindings: ServedObjects<WorkflowEventBinding>, recorder: Recorder, env: Env): void {
  const told = new Map<string, string>()
  bindings.subscribe(({ type, object }) => {
    const { namespace = '', name = '', uid = '' } = object.metadata
    if (type === 'deleted') return void told.delete(uid)
    const message = bindingProblems(object).join('; ')
    if (message === (told.get(uid) ?? '')) return
    told.set(uid, message)
    if (message !== '')
      env.log.warn('a WorkflowEventBinding cannot be used', { binding: `${namespace}/${name}`, message })
    recorder.record({
      kind: 'health',
      trace: '',
      object: referenceOf(object),
      condition: 'Served',
      status: message === '' ? 'True' : 'False',
      reason: message === '' ? 'Valid' : 'Invalid',
      message,
    })
  })
}
