import { type FailureOptions, TerminalFailure } from '@tiphys/env'

/** No pod can be made from what the manifest says: the node's message tells why. */
export class PodRefusal extends TerminalFailure {
  constructor(options: FailureOptions) {
    super('workflow-pod-refused', options)
  }
}
