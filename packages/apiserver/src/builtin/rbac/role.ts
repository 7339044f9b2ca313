import type { BuiltinStrategy } from '../builtin-strategy.ts'

export const roleStrategy: BuiltinStrategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
}

export const clusterRoleStrategy: BuiltinStrategy = { ...roleStrategy }
