import { describe, expect, it } from 'vitest'
import { WireReader } from '../protobuf/wire.ts'
import { encodeDocument } from './protobuf-document.ts'

/** The bytes of the fields on a way of field numbers. */
function at(bytes: Uint8Array, ...way: number[]): Buffer[] {
  let found: Buffer[] = [Buffer.from(bytes)]
  for (const wanted of way) {
    found = found.flatMap(message => {
      const reader = new WireReader(message)
      const fields: Buffer[] = []
      while (!reader.atEnd) {
        const { number, type } = reader.tag()
        if (number === wanted && type === 2) fields.push(reader.bytes())
        else reader.skip(type)
      }
      return fields
    })
  }
  return found
}

const textsAt = (bytes: Uint8Array, ...way: number[]): string[] => at(bytes, ...way).map(String)

const DEFINITIONS = [9, 1]
const VALUE = 2
const VENDOR_EXTENSION = 31

describe('a version 2 document in protocol buffers', () => {
  it('names the definitions and the types of their properties', () => {
    const bytes = encodeDocument({
      swagger: '2.0',
      definitions: { 'v1.Widget': { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } } },
    })
    expect(textsAt(bytes, 1)).toEqual(['2.0'])
    expect(textsAt(bytes, ...DEFINITIONS, 1)).toEqual(['v1.Widget'])
    expect(textsAt(bytes, ...DEFINITIONS, VALUE, 19)).toEqual(['size'])
    expect(textsAt(bytes, ...DEFINITIONS, VALUE, 25, 1, 1)).toEqual(['size'])
    expect(textsAt(bytes, ...DEFINITIONS, VALUE, 25, 1, VALUE, 22, 1)).toEqual(['integer'])
  })

  it('carries extensions as YAML', () => {
    const kinds = [{ group: '', version: 'v1', kind: 'Widget' }]
    const bytes = encodeDocument({ definitions: { w: { 'x-kubernetes-group-version-kind': kinds } } })
    const extension = [...DEFINITIONS, VALUE, VENDOR_EXTENSION]
    expect(textsAt(bytes, ...extension, 1)).toEqual(['x-kubernetes-group-version-kind'])
    expect(textsAt(bytes, ...extension, VALUE, 2)).toEqual([JSON.stringify(kinds)])
  })

  it('lists the query parameters of an operation', () => {
    const parameters = [
      { name: 'body', in: 'body', schema: { $ref: '#/definitions/w' } },
      { name: 'dryRun', in: 'query', type: 'string' },
    ]
    const bytes = encodeDocument({ paths: { '/widgets': { post: { operationId: 'create', parameters } } } })
    const operation = [8, 2, VALUE, 4]
    expect(textsAt(bytes, ...operation, 5)).toEqual(['create'])
    expect(textsAt(bytes, ...operation, 8, 1, 1, 2)).toEqual(['body'])
    expect(textsAt(bytes, ...operation, 8, 1, 2, 3, 4)).toEqual(['dryRun'])
  })

  it('keeps lengths of more than one byte', () => {
    const name = 'x'.repeat(300)
    expect(textsAt(encodeDocument({ definitions: { [name]: {} } }), ...DEFINITIONS, 1)).toEqual([name])
  })
})
