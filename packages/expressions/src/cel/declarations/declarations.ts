import {
  anyType,
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  stringType,
  timestampType,
  typeOf,
  typeParameter,
  uintType,
} from '../type.ts'
import { extensionDeclarations } from './extension.ts'
import { kubernetesDeclarations } from './kubernetes.ts'
import { standardDeclarations } from './standard.ts'

export interface Overload {
  id: string
  /** Called as `receiver.name(...)`; the receiver is the first argument type. */
  isMember: boolean
  argTypes: readonly CelType[]
  resultType: CelType
  typeParameters: readonly string[]
}

export interface FunctionDeclaration {
  name: string
  overloads: readonly Overload[]
}

const namedTypes: Readonly<Record<string, CelType>> = {
  any: anyType,
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
}

let functions: ReadonlyMap<string, FunctionDeclaration> | undefined

/** Every function an expression may call, by name. Parsed once, when the first expression is compiled. */
export function functionDeclarations(): ReadonlyMap<string, FunctionDeclaration> {
  functions ??= parseDeclarations([kubernetesFirst, standardDeclarations, extensionDeclarations, kubernetesRest])
  return functions
}

// cel-go keeps a function's overloads in the order of registration; list.indexOf comes before string.indexOf.
const listSearch = /^(indexOf|lastIndexOf) /m
const kubernetesLines = kubernetesDeclarations.split('\n')
const kubernetesFirst = kubernetesLines.filter(line => listSearch.test(line)).join('\n')
const kubernetesRest = kubernetesLines.filter(line => !listSearch.test(line)).join('\n')

function parseDeclarations(tables: readonly string[]): ReadonlyMap<string, FunctionDeclaration> {
  const byName = new Map<string, Overload[]>()
  for (const line of tables.flatMap(table => table.split('\n'))) {
    const match = /^(\S+) (\S+) (\.?)\((.*)\) -> (.+)$/.exec(line)
    if (match === null) continue
    const [, name = '', id = '', dot, args = '', result = ''] = match
    const argTypes = splitTypes(args).map(parseType)
    const resultType = parseType(result)
    const overloads = byName.get(name) ?? []
    overloads.push({
      id,
      isMember: dot === '.',
      argTypes,
      resultType,
      typeParameters: [...new Set([...argTypes, resultType].flatMap(parameterNames))],
    })
    byName.set(name, overloads)
  }
  return new Map([...byName].map(([name, overloads]) => [name, { name, overloads }]))
}

function parameterNames(type: CelType): string[] {
  return type.kind === 'param' ? [type.name] : type.parameters.flatMap(parameterNames)
}

function splitTypes(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++
    else if (text[index] === ')') depth--
    else if (text[index] === ',' && depth === 0) {
      parts.push(text.slice(start, index).trim())
      start = index + 1
    }
  }
  const last = text.slice(start).trim()
  return last === '' ? parts : [...parts, last]
}

function parseType(text: string): CelType {
  const named = namedTypes[text]
  if (named !== undefined) return named
  const generic = /^([a-z_]+)\((.*)\)$/.exec(text)
  if (generic !== null) {
    const parameters = splitTypes(generic[2] ?? '').map(parseType)
    const [first = dynType, second = dynType] = parameters
    if (generic[1] === 'list') return listType(first)
    if (generic[1] === 'map') return mapType(first, second)
    if (generic[1] === 'type') return typeOf(first)
    return opaqueType(generic[1] ?? '', ...parameters)
  }
  if (/^[A-Z]$/.test(text)) return typeParameter(text)
  return text.startsWith('net.') ? opaqueType(text) : objectType(text)
}
