import { isObject } from '../json-value.ts'
import { printGo } from '../patch/go-print.ts'
import type { Json } from '../schema/schema.ts'
import type { FieldType, ListForm, MapForm, ScalarForm } from './field-type.ts'
import { elementText, type PathElement } from './path-element.ts'
import { formOf, itemElement, TypeMismatch } from './typed.ts'

/** What keeps a configuration from being applied, in the server's words: `.spec.replicas: expected numeric …`. Empty when
 *  it fits the type. */
export function typeErrors(value: Json, type: FieldType): string[] {
  const errors: string[] = []
  check(value, type, '', errors)
  return errors
}

export const joinTypeErrors = (errors: string[]): string =>
  errors.length === 1 ? (errors[0] as string) : ['errors:', ...errors.map(error => `  ${error}`)].join('\n')

function check(value: Json, type: FieldType, path: string, errors: string[]): void {
  const report = (text: string) => errors.push(path === '' ? text : `${path}: ${text}`)
  const form = formOf(value, type)
  if (value === null) return
  if (form === 'scalar') {
    const wrong = scalarError(value, type.scalar as ScalarForm)
    if (wrong !== undefined) report(wrong)
  } else if (form === 'list') {
    if (Array.isArray(value)) checkItems(value, type.list as ListForm, path, errors)
    else report(`expected list, got &{${printGo(value)}}`)
  } else if (isObject(value)) {
    const map = type.map as MapForm
    for (const key of Object.keys(value)) {
      const child = `${path}.${key}`
      const childType = map.field(key)?.type ?? map.rest
      if (childType === undefined) {
        errors.push(`${child}: field not declared in schema`)
        return
      }
      check(value[key] as Json, childType, child, errors)
    }
  } else {
    report(`expected map, got &{${printGo(value)}}`)
  }
}

function checkItems(list: Json[], form: ListForm, path: string, errors: string[]): void {
  const seen = new Set<PathElement>()
  for (const [index, item] of list.entries()) {
    let element: PathElement = `i:${index}`
    if (!form.isAtomic) {
      try {
        element = itemElement(item, form)
      } catch (error) {
        if (!(error instanceof TypeMismatch)) throw error
        errors.push(`${path}: element ${index}: ${error.message}`)
        return
      }
      if (seen.has(element)) errors.push(`${path}: duplicate entries for key ${elementText(element)}`)
      seen.add(element)
    }
    check(item, form.item, `${path}${elementText(element)}`, errors)
  }
}

function scalarError(value: Json, scalar: ScalarForm): string | undefined {
  switch (scalar) {
    case 'numeric':
      if (typeof value === 'number' || typeof value === 'bigint') return undefined
      return `expected numeric (int or float), got ${goTypeName(value)}`
    case 'string':
      if (typeof value === 'string') return undefined
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${printGo(value)}}`
    default:
      return typeof value === 'object' ? `expected any scalar, got &{${printGo(value)}}` : undefined
  }
}

function goTypeName(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  return typeof value === 'boolean' ? 'bool' : isObject(value) ? 'map[string]interface {}' : typeof value
}

/** As Go prints a value with `%#v`. */
function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (!isObject(value)) return printGo(value)
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${goSyntax(value[key] as Json)}`)
  return `map[string]interface {}{${members.join(', ')}}`
}
