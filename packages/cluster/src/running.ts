/** A part of a cluster that goes on until it is stopped. */
export interface Running {
  /** Nothing is being done or ready to be done. (What waits for time to pass does not count.) */
  isIdle(): boolean
  stop(): Promise<void>
}
