/** Something that is wrong with a manifest, for a condition and for `tiphys lint`. */
export interface Problem {
  /** Where: `spec.triggers[0].template.k8s.source`. */
  path: string
  message: string
  /** An error keeps the object from running; a warning does not. */
  severity: 'error' | 'warning'
  /** What is there is wrong by itself: nothing that is set later mends it. */
  isLasting?: boolean
}
