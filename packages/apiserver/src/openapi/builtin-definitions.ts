import { builtinDiscovery, builtinKinds, builtinTypes, type FieldEntry, type TypeEntry } from '../builtin-schema.ts'

export type Definition = Record<string, unknown>

/** Version 2 (Swagger) or 3 of OpenAPI. They differ in where definitions stand and in how much they can say. */
export type OpenApiVersion = 2 | 3

export const reference = (version: OpenApiVersion, name: string): Definition => ({
  $ref: version === 2 ? `#/definitions/${name}` : `#/components/schemas/${name}`,
})

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'
export const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info'

/** A definition as it stands in a document, with the names of the definitions that it needs there. */
export interface WrittenDefinition {
  definition: Definition
  needs: readonly string[]
}

const written = { 2: new Map<string, WrittenDefinition>(), 3: new Map<string, WrittenDefinition>() }

/** The definition of a built-in type; undefined for a name that is none. It is shared: nobody changes it. */
export function builtinDefinition(version: OpenApiVersion, name: string): WrittenDefinition | undefined {
  const known = written[version].get(name)
  if (known) return known
  const entry = builtinTypes()[name]
  const needs = new Set<string>()
  const definition = entry ? new Writer(version, needs).definition(name, entry) : TYPES_WITHOUT_ENTRY[name]
  if (!definition) return undefined
  const made = { definition, needs: [...needs] }
  written[version].set(name, made)
  return made
}

interface Scalar {
  definition: Definition
  zero: unknown
}

const integer = (format: string): Scalar => ({ definition: { type: 'integer', format }, zero: 0 })

const SCALARS: Record<string, Scalar> = {
  string: { definition: { type: 'string' }, zero: '' },
  bool: { definition: { type: 'boolean' }, zero: false },
  int: integer('int32'),
  int32: integer('int32'),
  int64: integer('int64'),
  uint32: integer('int64'),
  uint64: integer('int64'),
  uint8: integer('byte'),
  float64: { definition: { type: 'number', format: 'double' }, zero: 0 },
  bytes: { definition: { type: 'string', format: 'byte' }, zero: undefined },
}

type Special = NonNullable<TypeEntry['s']>

const SPECIAL: Record<Special, Definition> = {
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  Quantity: { type: 'string' },
  IntOrString: { type: 'string', format: 'int-or-string' },
  RawExtension: { type: 'object' },
  FieldsV1: { type: 'object' },
  JSON: {},
  bytes: { type: 'string', format: 'byte' },
}

/** Version 3 can say that a value has one of two types. */
const SPECIAL_3: Partial<Record<Special, Definition>> = {
  Quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  IntOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
}

const text = { type: 'string' }
const requiredText = { type: 'string', default: '' }

const TYPES_WITHOUT_ENTRY: Record<string, Definition> = {
  [`${META}Patch`]: { type: 'object' },
  [VERSION_INFO]: {
    type: 'object',
    required: [
      'major',
      'minor',
      'gitVersion',
      'gitCommit',
      'gitTreeState',
      'buildDate',
      'goVersion',
      'compiler',
      'platform',
    ],
    properties: {
      buildDate: requiredText,
      compiler: requiredText,
      emulationMajor: text,
      emulationMinor: text,
      gitCommit: requiredText,
      gitTreeState: requiredText,
      gitVersion: requiredText,
      goVersion: requiredText,
      major: requiredText,
      minCompatibilityMajor: text,
      minCompatibilityMinor: text,
      minor: requiredText,
      platform: requiredText,
    },
  },
}

/** Writes types in one version of OpenAPI and notes which other types they need. */
class Writer {
  readonly #version: OpenApiVersion
  readonly #needs: Set<string>

  constructor(version: OpenApiVersion, needs: Set<string>) {
    this.#version = version
    this.#needs = needs
  }

  definition(name: string, entry: TypeEntry): Definition {
    const kinds = kindsOf(name)
    return {
      ...this.#structure(entry),
      ...(entry.m ? { 'x-kubernetes-map-type': entry.m } : {}),
      ...(kinds ? { 'x-kubernetes-group-version-kind': kinds } : {}),
    }
  }

  #structure(entry: TypeEntry): Definition {
    if (entry.s) return (this.#version === 3 ? SPECIAL_3[entry.s] : undefined) ?? SPECIAL[entry.s]
    if (entry.a) return this.#element(entry.a, undefined)
    const properties: Record<string, Definition> = {}
    const required: string[] = []
    this.#addFields(entry.f ?? [], properties, required)
    return {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
    }
  }

  #addFields(fields: readonly FieldEntry[], properties: Record<string, Definition>, required: string[]): void {
    for (const field of fields) {
      if (field.i) {
        this.#addFields(builtinTypes()[field.t]?.f ?? [], properties, required)
        continue
      }
      properties[field.n] = { ...this.#field(field), ...rulesOf(field) }
      if (field.r) required.push(field.n)
    }
  }

  #field(field: FieldEntry): Definition {
    const { definition, zero } = this.#typed(field.t, field.e)
    if (this.#version === 2) return definition
    const isStruct = '$ref' in definition
    const fallback = field.d ?? (field.p === 1 || (field.o !== undefined && !isStruct) ? undefined : zero)
    return {
      ...(isStruct ? { allOf: [definition] } : definition),
      ...(fallback === undefined ? {} : { default: fallback }),
    }
  }

  /** What stands in a list or map. */
  #element(type: string, allowed: readonly string[] | undefined): Definition {
    const { definition, zero } = this.#typed(type, allowed)
    if (this.#version === 2 || zero === undefined) return definition
    return { ...('$ref' in definition ? { allOf: [definition] } : definition), default: zero }
  }

  #typed(type: string, allowed: readonly string[] | undefined): Scalar {
    if (type.startsWith('[]'))
      return { definition: { type: 'array', items: this.#element(type.slice(2), allowed) }, zero: undefined }
    const unnamed = withoutName(type)
    if (unnamed.startsWith('{}')) {
      const additionalProperties = this.#element(unnamed.slice(2), allowed)
      return { definition: { type: 'object', additionalProperties }, zero: undefined }
    }
    const scalar = SCALARS[unnamed]
    if (scalar) return allowed ? { ...scalar, definition: { ...scalar.definition, enum: allowed } } : scalar
    const entry = builtinTypes()[type]
    if (entry?.a) return this.#typed(entry.a, allowed)
    this.#needs.add(type)
    return { definition: reference(this.#version, type), zero: entry?.s ? undefined : {} }
  }
}

function rulesOf(field: FieldEntry): Definition {
  return {
    ...(field.l ? { 'x-kubernetes-list-type': field.l } : {}),
    ...(field.k ? { 'x-kubernetes-list-map-keys': field.k } : {}),
    ...(field.m ? { 'x-kubernetes-map-type': field.m } : {}),
    ...(field.s ? { 'x-kubernetes-patch-strategy': field.s } : {}),
    ...(field.mk ? { 'x-kubernetes-patch-merge-key': field.mk } : {}),
  }
}

/** A named map or scalar carries its Go name behind `=`: `string=v1.PodPhase`. */
const withoutName = (type: string): string => {
  const at = type.lastIndexOf('=')
  return at < 0 ? type : type.slice(0, at)
}

interface GroupVersionKind {
  group: string
  version: string
  kind: string
}

let kindsByType: Map<string, GroupVersionKind[]> | undefined

function kindsOf(name: string): GroupVersionKind[] | undefined {
  kindsByType ??= readKinds()
  return kindsByType.get(name)
}

function readKinds(): Map<string, GroupVersionKind[]> {
  const kinds = new Map<string, GroupVersionKind[]>()
  for (const [key, name] of Object.entries(builtinKinds())) {
    const [group = '', version = '', kind = ''] = key.split('/')
    kinds.set(name, [...(kinds.get(name) ?? []), { group, version, kind }])
  }
  // These belong to every group: a client may send them as a kind of the group it talks to.
  for (const kind of ['DeleteOptions', 'WatchEvent']) {
    const all = builtinDiscovery().map(({ groupVersion }) => {
      const [version = '', group = ''] = groupVersion.split('/').reverse()
      return { group, version, kind }
    })
    kinds.set(`${META}${kind}`, all)
  }
  return kinds
}
