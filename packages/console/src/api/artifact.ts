/** What is there of an artifact now. */
export interface ArtifactState {
  /** Whether the step was given it, or gave it. */
  of: 'inputs' | 'outputs'
  name: string
  /** Of the file that is downloaded, where the store says it beforehand. */
  bytes?: number
  /** Why it cannot be had. */
  trouble?: string
}
