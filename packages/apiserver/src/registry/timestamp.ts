/** Seconds since the epoch as metav1.Time prints them. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
