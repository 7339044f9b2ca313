import type { Json, JsonObject } from './http.ts'
import type { Session } from './session.ts'

/** Small valid objects that scenarios start from. */

export function configMap(
  name: string,
  data: Record<string, string> = { color: 'blue' },
  metadata: JsonObject = {},
): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data }
}

export function secret(name: string, rest: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...rest }
}

export function container(name: string, rest: JsonObject = {}): JsonObject {
  return { name, image: `example.test/${name}:1`, ...rest }
}

export function pod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [container('main')], ...spec },
  }
}

export function deployment(name: string, spec: JsonObject = {}, containers: Json[] = [container('main')]): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers } },
      ...spec,
    },
  }
}

export function service(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
  }
}

export interface DefinitionOptions {
  plural?: string
  scope?: 'Namespaced' | 'Cluster'
  names?: JsonObject
  /** Schema of spec; any object unless told. */
  spec?: JsonObject
  /** Schema of the whole object, instead of `spec`. */
  schema?: JsonObject
  /** Further fields of the one version. */
  version?: JsonObject
  versions?: Json[]
  /** Further fields of the definition's spec. */
  rest?: JsonObject
}

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A definition of widgets in the scenario's own group. */
export function definition(t: Session, options: DefinitionOptions = {}): JsonObject {
  const plural = options.plural ?? 'widgets'
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`
  const schema = options.schema ?? {
    type: 'object',
    properties: { spec: options.spec ?? anything, status: anything },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${t.group}` },
    spec: {
      group: t.group,
      scope: options.scope ?? 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, ...options.names },
      versions: options.versions ?? [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...options.version },
      ],
      ...options.rest,
    },
  }
}

export function widget(t: Session, name: string, rest: JsonObject = {}, version = 'v1'): JsonObject {
  return { apiVersion: `${t.group}/${version}`, kind: 'Widget', metadata: { name }, ...rest }
}
