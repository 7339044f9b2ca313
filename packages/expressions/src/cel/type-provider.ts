import type { DeclType } from './decl-type.ts'
import { isReservedName } from './escaping.ts'
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  stringType,
  timestampType,
  typeOf,
  typeParameter,
  typeType,
  uintType,
} from './type.ts'

/** Where names that are not variables come from. */
export interface TypeProvider {
  /** The type that `name` denotes when it is used as a value, `type(T)`; undefined when there is none. */
  findIdent(name: string): CelType | undefined
  hasStruct(name: string): boolean
  findField(structName: string, field: string): CelType | undefined
}

const standardIdents: ReadonlyMap<string, CelType> = new Map(
  [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    nullType,
    stringType,
    timestampType,
    uintType,
    opaqueType('net.IP'),
    opaqueType('net.CIDR'),
  ].map(type => [type.name, typeOf(type)]),
)

/** Names that resolve once a schema's types are declared, beside the names of the language itself. */
const declaredIdents: ReadonlyMap<string, CelType> = new Map([
  ['duration', typeOf(durationType)],
  ['timestamp', typeOf(timestampType)],
])

const genericIdents: ReadonlyMap<string, CelType> = new Map([
  ['list', typeOf(listType(typeParameter('A')))],
  ['map', typeOf(mapType(typeParameter('A'), typeParameter('B')))],
  ['type', typeOf(typeType)],
  ['optional_type', typeOf(opaqueType('optional_type'))],
])

/** Resolves type names: those of CEL, and those of the objects within the given declared types. */
export function typeProviderOf(declared: Iterable<DeclType>): TypeProvider {
  const structs = new Map<string, DeclType>()
  const collect = (type: DeclType): void => {
    if (type.fields !== undefined) {
      structs.set(type.celType.name, type)
      for (const field of type.fields.values()) collect(field)
    }
    if (type.element !== undefined) collect(type.element)
  }
  let hasDeclared = false
  for (const type of declared) {
    hasDeclared = true
    collect(type)
  }
  return {
    findIdent(name) {
      const struct = structs.get(name)
      if (struct !== undefined) return typeOf(struct.celType)
      const standard = standardIdents.get(name) ?? genericIdents.get(name)
      return standard ?? (hasDeclared ? declaredIdents.get(name) : undefined)
    },
    hasStruct: name => structs.has(name),
    findField(structName, field) {
      const fields = structs.get(structName)?.fields
      const declared = fields?.get(field) ?? (isReservedName(field) ? fields?.get(`__${field}__`) : undefined)
      return declared?.celType
    },
  }
}
