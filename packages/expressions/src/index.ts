export { CelCostError } from './cel/evaluation.ts'
