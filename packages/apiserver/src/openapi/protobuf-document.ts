/** Writes a value as the bytes that follow a field's tag. */
type Encode = (value: unknown) => Uint8Array

interface Field {
  number: number
  wire: 0 | 1 | 2
  encode: Encode
  isRepeated?: boolean
}

type JsonObject = Record<string, unknown>

/** A whole OpenAPI version 2 document in the protocol buffers of `openapi.v2.Document`. Some clients ask for nothing
 *  else, among them kubectl's check of a kind that it does not know. */
export const encodeDocument = (document: unknown): Uint8Array => DOCUMENT(document)

const varint = (value: number): Uint8Array => {
  const bytes: number[] = []
  let left = value
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80)
    left = Math.floor(left / 0x80)
  }
  return Uint8Array.from([...bytes, left])
}

function tagged({ number, wire }: Field, payload: Uint8Array): Uint8Array[] {
  const tag = varint(number * 8 + wire)
  return wire === 2 ? [tag, varint(payload.length), payload] : [tag, payload]
}

const field = (number: number, encode: Encode): Field => ({ number, wire: 2, encode })
const each = (number: number, encode: Encode): Field => ({ number, wire: 2, encode, isRepeated: true })
const flag = (number: number): Field => ({ number, wire: 0, encode: value => varint(value ? 1 : 0) })
const whole = (number: number): Field => ({ number, wire: 0, encode: value => varint(Number(value)) })
const double = (number: number): Field => ({
  number,
  wire: 1,
  encode: value => {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(Number(value))
    return bytes
  },
})

const text: Encode = value => Buffer.from(String(value))

/** A message with these fields. Keys that start with `x-` go to the field `extensions`; other keys are left out. */
function message(fields: Record<string, Field>, extensions?: number): Encode {
  return value => {
    const parts: Uint8Array[] = []
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      const known = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (known) {
        const values = known.isRepeated ? (inner as unknown[]) : [inner]
        for (const one of values) parts.push(...tagged(known, known.encode(one)))
      } else if (extensions !== undefined && key.startsWith('x-')) {
        parts.push(...tagged(field(extensions, text), named(any)(key, inner)))
      }
    }
    return Buffer.concat(parts)
  }
}

/** A message that holds nothing but one of several messages. */
const only = (number: number, encode: Encode): Encode => {
  const inner = field(number, encode)
  return value => Buffer.concat(tagged(inner, encode(value)))
}

const named =
  (encode: Encode) =>
  (name: string, value: unknown): Uint8Array =>
    Buffer.concat([...tagged(field(1, text), text(name)), ...tagged(field(2, encode), encode(value))])

/** A map as a repeated message of names and values, in field `number`. */
const map = (number: number, encode: Encode): Encode => {
  const entry = named(encode)
  return value =>
    Buffer.concat(
      Object.entries(value as JsonObject).flatMap(([name, inner]) => tagged(field(number, text), entry(name, inner))),
    )
}

/** Anything, as YAML. JSON is YAML. */
const any: Encode = value => Buffer.concat(tagged(field(2, text), text(JSON.stringify(value))))

const schema: Encode = value => SCHEMA(value)

const SCHEMA = message(
  {
    $ref: field(1, text),
    format: field(2, text),
    title: field(3, text),
    description: field(4, text),
    default: field(5, any),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: flag(8),
    minimum: double(9),
    exclusiveMinimum: flag(10),
    maxLength: whole(11),
    minLength: whole(12),
    pattern: field(13, text),
    maxItems: whole(14),
    minItems: whole(15),
    uniqueItems: flag(16),
    maxProperties: whole(17),
    minProperties: whole(18),
    required: each(19, text),
    enum: each(20, any),
    additionalProperties: field(21, value =>
      typeof value === 'boolean' ? Uint8Array.from([2 * 8, value ? 1 : 0]) : only(1, schema)(value),
    ),
    type: field(22, only(1, text)),
    items: field(23, only(1, schema)),
    allOf: each(24, schema),
    properties: field(25, map(1, schema)),
    example: field(30, any),
  },
  31,
)

const BODY_PARAMETER = message({
  description: field(1, text),
  name: field(2, text),
  in: field(3, text),
  required: flag(4),
  schema: field(5, schema),
})
const QUERY_PARAMETER = message({
  required: flag(1),
  in: field(2, text),
  description: field(3, text),
  name: field(4, text),
  type: field(6, text),
  uniqueItems: flag(20),
})
const PATH_PARAMETER = message({
  required: flag(1),
  in: field(2, text),
  description: field(3, text),
  name: field(4, text),
  type: field(5, text),
  uniqueItems: flag(19),
})

const PARAMETERS: Record<string, Encode> = {
  body: only(1, BODY_PARAMETER),
  query: only(2, only(3, QUERY_PARAMETER)),
  path: only(2, only(4, PATH_PARAMETER)),
}

const parametersItem = only(1, value => {
  const encode = PARAMETERS[(value as { in: string }).in]
  if (!encode) throw new Error(`a parameter in ${(value as { in: string }).in} cannot be written`)
  return encode(value)
})

const RESPONSE = message({ description: field(1, text), schema: field(2, only(1, schema)) })

const OPERATION = message(
  {
    tags: each(1, text),
    description: field(3, text),
    operationId: field(5, text),
    produces: each(6, text),
    consumes: each(7, text),
    parameters: each(8, parametersItem),
    responses: field(9, map(1, only(1, RESPONSE))),
    schemes: each(10, text),
  },
  13,
)

const PATH_ITEM = message(
  {
    get: field(2, OPERATION),
    put: field(3, OPERATION),
    post: field(4, OPERATION),
    delete: field(5, OPERATION),
    options: field(6, OPERATION),
    head: field(7, OPERATION),
    patch: field(8, OPERATION),
    parameters: each(9, parametersItem),
  },
  10,
)

const API_KEY = message({ type: field(1, text), name: field(2, text), in: field(3, text), description: field(4, text) })

const DOCUMENT = message({
  swagger: field(1, text),
  info: field(2, message({ title: field(1, text), version: field(2, text) })),
  paths: field(8, map(2, PATH_ITEM)),
  definitions: field(9, map(1, schema)),
  security: each(12, map(1, message({}))),
  securityDefinitions: field(13, map(1, only(2, API_KEY))),
})
