export type { MeasuredKind } from './measured-kind.ts'
export { kindsOf, quotaUsage } from './quota-usage.ts'
