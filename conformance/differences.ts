/** A difference from the real server that is wanted. An entry that no longer differs fails the run. */
export interface Difference {
  /** `area: name of the behaviour` */
  scenario: string
  /** Where it differs, as the run prints it: `3 body.metadata.name`. A `*` stands for one part of the way. */
  path: string
  reason: string
}

export const differences: Difference[] = [
  {
    scenario: 'kubectl: create by kind',
    path: '10 body.stderr',
    reason: 'A quota is stored and not enforced yet; a warning says so.',
  },
  {
    scenario: 'kubectl: version and cluster-info',
    path: '3 body.stdout.7',
    reason: 'Nothing of this server is built with Go, so there is no Go version to name.',
  },
]
