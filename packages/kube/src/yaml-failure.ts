import { TerminalFailure } from '@tiphys/env'

/** A text that Kubernetes would not accept as YAML. */
export class YamlFailure extends TerminalFailure {
  /** Where in the text, counted from 1, when it is known. */
  readonly line: number | undefined

  constructor(what: string, line?: number) {
    super('kube-yaml-invalid', { what })
    this.line = line
  }
}
