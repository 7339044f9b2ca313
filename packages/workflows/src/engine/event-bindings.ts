import type { Env } from '@tiphys/env'
import type { Recorder } from '@tiphys/journal/records'
import { type KubeObject, kindRef } from '@tiphys/kube'
import { API_VERSION } from './engine-context.ts'
import { referenceOf } from './run-records.ts'
import type { ServedObjects } from './served-objects.ts'

export const EVENT_BINDING = kindRef<KubeObject>(API_VERSION, 'WorkflowEventBinding')

/** Says of every WorkflowEventBinding that nothing comes of it. */
export function reportEventBindings(bindings: ServedObjects<KubeObject>, recorder: Recorder, env: Env): void {
  bindings.subscribe(({ type, object }) => {
    if (type !== 'added') return
    const { namespace = '', name = '' } = object.metadata
    const message = 'a WorkflowEventBinding is not carried out; use an EventSource of type webhook and a Sensor'
    env.log.warn(message, { binding: `${namespace}/${name}` })
    recorder.record({
      kind: 'health',
      trace: '',
      object: referenceOf(object),
      condition: 'Served',
      status: 'False',
      reason: 'NotSupported',
      message,
    })
  })
}
