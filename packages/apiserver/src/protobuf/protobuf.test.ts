import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decodeProtobuf } from './protobuf.ts'
import { ProtobufFailure } from './wire.ts'

interface Example {
  name: string
  protobuf: string
  json: { apiVersion: string; kind: string }
}

const examples = readFileSync(new URL('./testdata/protobuf-answers.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as Example)

describe('a protobuf body', () => {
  it.each(examples)('of $name is the JSON that it stands for', ({ protobuf, json }) => {
    expect(decodeProtobuf(Buffer.from(protobuf, 'base64'))).toEqual(json)
  })

  it('is refused wherever it is cut off, and never as anything but a protobuf failure', () => {
    const pod = Buffer.from((examples.find(({ name }) => name === 'core.v1.Pod') as Example).protobuf, 'base64')
    for (let length = 0; length < pod.length; length += 7) {
      try {
        decodeProtobuf(pod.subarray(0, length))
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(ProtobufFailure)
      }
    }
  })

  it('says what it is not', () => {
    const body = (text: string) => () => decodeProtobuf(Buffer.from(text, 'latin1'))
    expect(body('')).toThrow('empty data')
    expect(body('{}')).toThrow('does not appear to be a protobuf message, expected prefix [107 56 115 0]')
    expect(body('k8s\0garbage')).toThrow('proto: illegal wireType 7')
    expect(body('k8s\0\x0a\xff\xff')).toThrow('unexpected EOF')
    expect(body('k8s\0\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff')).toThrow('proto: integer overflow')
  })

  it('of a kind that nobody knows is refused', () => {
    const type = Buffer.from('\x0a\x02v1\x12\x04Nope', 'latin1')
    const body = Buffer.concat([Buffer.from('k8s\0\x0a'), Buffer.from([type.length]), type])
    expect(() => decodeProtobuf(body)).toThrow('no kind "Nope" is registered for version "v1"')
  })

  it('with a field of another type than the kind has is refused', () => {
    const type = Buffer.from('\x0a\x02v1\x12\x09ConfigMap', 'latin1')
    const raw = Buffer.from('\x10\x01', 'latin1') // data, a map, as a number
    const body = Buffer.concat([
      Buffer.from('k8s\0\x0a'),
      Buffer.from([type.length]),
      type,
      Buffer.from([0x12, raw.length]),
      raw,
    ])
    expect(() => decodeProtobuf(body)).toThrow('proto: wrong wireType = 0 for field Data')
  })
})
