import type { EngineScene } from './engine-scene.ts'

/** A Sensor, what happens, and what comes of it. */
export interface SensorCase {
  name: string
  annotations?: Record<string, string>
  /** YAML of `spec.dependencies`; one on the entry `a` by default. */
  dependencies?: string
  /** YAML of what the default dependency has beside its names. */
  dependency?: string
  /** YAML of `spec.triggers`; by default one that makes a ConfigMap named as the event says. */
  triggers?: string
  /** What is there before. */
  given?: string
  /** Payloads, with the entry they come from. */
  events?: readonly (readonly [entry: string, body: unknown])[]
  /** What happens besides, after the events. */
  afterwards?: (scene: EngineScene) => Promise<void>
  /** ConfigMaps at the end: their names, with their data where there are some. */
  makes?: readonly string[]
  /** Beside that. */
  outcome?: (scene: EngineScene) => unknown
  is?: unknown
}

export const event = (name: string, more: Record<string, unknown> = {}) => ['a', { name, ...more }] as const

export const make = (parameters: string, resource = '{apiVersion: v1, kind: ConfigMap, metadata: {name: made}}') => `
- template: {name: make, k8s: {operation: create, source: {resource: ${resource}}, parameters: ${parameters}}}`

export const NAME = '{src: {dependencyName: dep, dataKey: body.name}, dest: metadata.name}'
export const dataOf = (src: string, more = '') =>
  make(`[{src: {dependencyName: dep, ${src}}, dest: data.value${more}}]`)
export const two = `
- {name: dep, eventSourceName: hook, eventName: a}
- {name: other-one, eventSourceName: hook, eventName: b}`
export const conditions = (text: string, more = '') => `
- template: {name: make, conditions: "${text}"${more}, k8s: {source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-}}}}}`
export const k8s = (text: string, more = '') => `
- template: {name: make, k8s: {${text}}}
  ${more}`
export const web = 'apiVersion: v1, kind: ConfigMap, metadata: {name: web}'
export const http = (text: string, more = '') => `
- template: {name: post, http: {url: "URL", method: POST, ${text}}}
  ${more}`

export const health = (scene: EngineScene) => scene.condition('Sensor', 'sensor', 'Healthy')
export const reasonLater = async (scene: EngineScene) => {
  await scene.advance(10_000)
  return (await health(scene))?.reason
}
export const verdicts = (scene: EngineScene) => scene.recordsOf('decision').map(({ verdict }) => verdict)
export const parkedErrors = async (scene: EngineScene) => (await scene.engine.parked()).map(({ error }) => error)
