/** A difference from the real server that is wanted. An entry that no longer differs fails the run. */
export interface Difference {
  /** `area: name of the behaviour` */
  scenario: string
  /** Where it differs, as the run prints it: `3 body.metadata.name`. A `*` stands for one part of the way. */
  path: string
  reason: string
}

export const differences: Difference[] = []
