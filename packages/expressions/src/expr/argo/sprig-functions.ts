import {
  type CallContext,
  type GoFunction,
  GoInt,
  GoMap,
  GoSlice,
  type GoValue,
} from '../../go-template/go-template.ts'
import { TimeValue } from '../../go-template/time-value.ts'
import type { GoObject } from '../../go-template/value.ts'
import { GoTime } from '../../go-time/go-time.ts'
import { goText } from '../go-print.ts'
import {
  anyMapType,
  anyType,
  arrayType,
  boolType,
  bytesType,
  durationType,
  errorType,
  floatsType,
  floatType,
  type GoType,
  int64Type,
  intsType,
  intType,
  mapType,
  monthType,
  sliceOf,
  stringsType,
  stringType,
  timeType,
  weekdayType,
} from '../go-type.ts'
import {
  Byte,
  Duration,
  type ExprFunction,
  type ExprValue,
  isList,
  isMap,
  isObject,
  isTypedNil,
  NamedInt,
  nilList,
  Opaque,
  own,
  put,
  tagged,
  typeName,
} from '../value.ts'

const types = new Map(
  [
    anyType,
    boolType,
    intType,
    int64Type,
    floatType,
    stringType,
    arrayType,
    intsType,
    floatsType,
    stringsType,
    bytesType,
    mapType,
    anyMapType,
    timeType,
    durationType,
    monthType,
    weekdayType,
    errorType,
  ].map(type => [type.name, type]),
)

function typeNamed(name: string): GoType {
  const known = types.get(name)
  if (known !== undefined) return known
  if (name.startsWith('[]')) return sliceOf(typeNamed(name.slice(2)))
  if (name.startsWith('map[')) return { kind: 'map', name }
  return { kind: /^u?int/.test(name) ? 'int64' : 'struct', name }
}

/** The functions of templates as functions of expressions. `context` gives what they need each time they are called. */
export function sprigFunctions(
  functions: ReadonlyMap<string, GoFunction>,
  context: () => CallContext,
): Record<string, ExprFunction> {
  return Object.fromEntries(
    [...functions]
      .filter(([name]) => name !== 'env' && name !== 'expandenv')
      .map(([name, definition]) => [name, adapted(definition, context)]),
  )
}

function adapted(definition: GoFunction, context: () => CallContext): ExprFunction {
  const { parameters, isVariadic } = definition
  const declared = parameters.map(typeNamed)
  const last = declared.at(-1)
  if (isVariadic && last !== undefined) declared[declared.length - 1] = sliceOf(last)
  const call = (...values: ExprValue[]) => fromTemplate(definition.call(context(), values.map(toTemplate)), context)
  // What a function gives is known only once it has been called.
  return Object.assign(call, { signature: { parameters: declared, isVariadic, results: [anyType] } })
}

function toTemplate(value: ExprValue): GoValue {
  if (value === undefined || value === null || typeof value !== 'object') return value as GoValue
  if (value instanceof Duration) return new GoInt('time.Duration', value.nanos)
  if (value instanceof NamedInt) return new GoInt(value.type.name, value.value)
  if (value instanceof Byte) return new GoInt('uint8', BigInt(value.value))
  if (value instanceof GoTime) return new TimeValue(value)
  if (value instanceof TemplateObject) return value.object
  if (value instanceof Uint8Array)
    return new GoSlice(
      '[]uint8',
      [...value].map(byte => new GoInt('uint8', BigInt(byte))),
    )
  if (isList(value)) return new GoSlice(typeName(value), value.map(toTemplate), isTypedNil(value))
  if (isMap(value))
    return new GoMap(
      typeName(value),
      [...value].map(([key, item]) => [goText(key), toTemplate(item)]),
    )
  if (isObject(value))
    return new GoMap(
      typeName(value),
      Object.keys(value).map(key => [key, toTemplate(own(value, key))]),
    )
  return goText(value)
}

class TemplateObject extends Opaque {
  readonly type: GoType
  readonly object: GoObject
  readonly #context: () => CallContext

  constructor(object: GoObject, context: () => CallContext) {
    super()
    this.type = { kind: object.kind, name: object.type }
    this.object = object
    this.#context = context
  }

  text(): string {
    return this.object.text()
  }

  method(name: string): ExprFunction | undefined {
    const found = this.object.method(name)
    return found && adapted(found, this.#context)
  }
}

function fromTemplate(value: GoValue, context: () => CallContext): ExprValue {
  if (value === undefined || value === null || typeof value !== 'object') return value
  if (value instanceof GoInt) {
    return value.type === 'time.Duration' ? new Duration(value.value) : new NamedInt(typeNamed(value.type), value.value)
  }
  if (value instanceof TimeValue) return value.time
  if (value instanceof GoSlice) {
    if (value.isNil) return tagged(nilList(), typeNamed(value.type))
    const items = value.items.map(item => fromTemplate(item, context))
    return value.type === '[]interface {}' ? items : tagged(items, typeNamed(value.type))
  }
  if (value instanceof GoMap) {
    const object: Record<string, ExprValue> = {}
    for (const [key, item] of value.entries) put(object, key, fromTemplate(item, context))
    return value.type === 'map[string]interface {}' ? object : tagged(object, typeNamed(value.type))
  }
  return 'method' in value ? new TemplateObject(value, context) : null
}
