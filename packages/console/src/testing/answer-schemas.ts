import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { JsonSchema } from '../api/schema.ts'

export interface AnswerSchemas {
  /** By `METHOD /path`. */
  answers: Record<string, JsonSchema>
  /** What they refer to, by the names that the types have. */
  schemas: Record<string, JsonSchema>
}

const SOURCE = fileURLToPath(new URL('../api/answers.ts', import.meta.url))
const OWN = fileURLToPath(new URL('../../../', import.meta.url))

/** Types are read as the repository's own check reads them; no answer has one of Node's or the browser's. */
const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: [],
}

/** The JSON schemas of the properties of `Answers`, read from the types and the sentences above them. What JSON cannot hold is an
 *  error, and so are two types with one name. */
export function answerSchemas(): AnswerSchemas {
  const program = ts.createProgram([SOURCE], OPTIONS)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(SOURCE)
  const declared = source?.statements.find(node => ts.isInterfaceDeclaration(node) && node.name.text === 'Answers')
  if (!declared) throw new Error(`${SOURCE} declares no Answers`)
  const schemas = new Map<string, { type: ts.Type; schema: JsonSchema }>()

  const described = (symbol: ts.Symbol | undefined) => {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker))
    return text === '' ? {} : { description: text }
  }

  /** What the type is called where it is ours: `EventItem`, `EventItemPage` for `Page<EventItem>`. */
  const nameOf = (type: ts.Type): { name: string; symbol: ts.Symbol } | undefined => {
    const symbol = type.aliasSymbol ?? (type.isClassOrInterface() || isReference(type) ? type.getSymbol() : undefined)
    const file = symbol?.declarations?.[0]?.getSourceFile().fileName ?? ''
    if (!symbol || !file.startsWith(OWN) || file.includes('/node_modules/')) return undefined
    const args = type.aliasSymbol
      ? type.aliasTypeArguments
      : isReference(type)
        ? checker.getTypeArguments(type)
        : undefined
    const names = (args ?? []).filter(arg => !arg.isTypeParameter()).map(arg => nameOf(arg)?.name ?? '')
    return { name: `${names.join('')}${symbol.name}`, symbol }
  }

  const schemaOf = (type: ts.Type): JsonSchema => {
    const named = nameOf(type)
    if (!named) return inline(type)
    const known = schemas.get(named.name)
    if (known && known.type !== type) throw new Error(`two types are called ${named.name}`)
    if (!known) {
      const entry = { type, schema: {} as JsonSchema }
      schemas.set(named.name, entry)
      entry.schema = { ...described(named.symbol), ...inline(type) }
    }
    return { $ref: `#/components/schemas/${named.name}` }
  }

  const inline = (type: ts.Type): JsonSchema => {
    // Any value: a type that refers to itself says nothing more.
    if (type.aliasSymbol?.name === 'Json' || type.flags & ts.TypeFlags.Unknown) return {}
    if (type.flags & ts.TypeFlags.String) return { type: 'string' }
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' }
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' }
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' }
    if (type.isStringLiteral()) return { type: 'string', enum: [type.value] }
    if (type.flags & ts.TypeFlags.BooleanLiteral)
      return { type: 'boolean', enum: [checker.typeToString(type) === 'true'] }
    if (type.isUnion()) return unionOf(type.types.filter(each => !(each.flags & ts.TypeFlags.Undefined)))
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference)
      return { type: 'array', items: item ? schemaOf(item) : {} }
    }
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectOf(type)
    throw new Error(`JSON has no ${checker.typeToString(type)}`)
  }

  const unionOf = (types: readonly ts.Type[]): JsonSchema => {
    const literals = types.filter(each => each.isStringLiteral())
    const booleans = types.filter(each => each.flags & ts.TypeFlags.BooleanLiteral)
    const others = types.filter(each => !each.isStringLiteral() && !(each.flags & ts.TypeFlags.BooleanLiteral))
    // Sorted, as are the members of objects: the compiler's own order changes with code that is elsewhere.
    const all: JsonSchema[] = [
      ...(literals.length > 0 ? [{ type: 'string', enum: literals.map(({ value }) => value).sort() } as const] : []),
      ...(booleans.length === 2 ? [{ type: 'boolean' } as const] : booleans.map(inline)),
      ...others.map(schemaOf).sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b))),
    ]
    return all.length === 1 && all[0] ? all[0] : { anyOf: all }
  }

  /** As it was written: with `undefined` added, a union no longer knows its name. */
  const typeOf = (member: ts.Symbol): ts.Type => {
    const { valueDeclaration: node } = member
    const written = node && ts.isPropertySignature(node) ? node.type : undefined
    const isPlain = written && ts.isTypeReferenceNode(written) && written.typeArguments === undefined
    const type = isPlain ? checker.getTypeFromTypeNode(written) : undefined
    return type && !type.isTypeParameter() ? type : checker.getTypeOfSymbol(member)
  }

  const objectOf = (type: ts.Type): JsonSchema => {
    if (type.getCallSignatures().length > 0) throw new Error(`JSON has no ${checker.typeToString(type)}`)
    // What has a symbol for a name is beside the object, not in its JSON.
    const members = [...checker.getPropertiesOfType(type)].filter(({ name }) => !name.startsWith('__@')).sort(byPlace)
    const properties: Record<string, JsonSchema> = {}
    for (const member of members) {
      const schema = schemaOf(typeOf(member))
      properties[member.name] = { ...schema, ...described(member) }
    }
    const required = members.filter(member => !(member.flags & ts.SymbolFlags.Optional)).map(({ name }) => name)
    const others = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    return {
      type: 'object',
      ...(members.length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(others && { additionalProperties: others.flags & ts.TypeFlags.Never ? false : schemaOf(others) }),
    }
  }

  const answers = checker
    .getPropertiesOfType(checker.getTypeAtLocation(declared))
    .map(member => [member.name, schemaOf(checker.getTypeOfSymbol(member))] as const)
  return {
    answers: Object.fromEntries(answers),
    schemas: Object.fromEntries(
      [...schemas].sort(([a], [b]) => compare(a, b)).map(([name, { schema }]) => [name, schema]),
    ),
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** In the order in which they are written; those of one file together. */
function byPlace({ declarations: a }: ts.Symbol, { declarations: b }: ts.Symbol): number {
  const [one, other] = [a?.[0], b?.[0]]
  if (!one || !other) return 0
  return compare(one.getSourceFile().fileName, other.getSourceFile().fileName) || one.pos - other.pos
}

function isReference(type: ts.Type): type is ts.TypeReference {
  const { objectFlags = 0 } = type as ts.ObjectType
  return Boolean(type.flags & ts.TypeFlags.Object) && Boolean(objectFlags & ts.ObjectFlags.Reference)
}
