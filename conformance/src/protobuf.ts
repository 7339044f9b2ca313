/** Just enough of protobuf's wire format to write the bodies that typed clients send. */

export function varint(field: number, value: number): Buffer {
  return Buffer.concat([number((field << 3) | 0), number(value)])
}

export function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([number((field << 3) | 2), number(value.length), value])
}

export function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value))
}

export function message(...fields: Buffer[]): Buffer {
  return Buffer.concat(fields)
}

/** Wraps a typed message the way Kubernetes sends it: a magic number, then the message with its kind. */
export function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const typeMeta = message(text(1, apiVersion), text(2, kind))
  return Buffer.concat([
    Buffer.from('k8s\0', 'latin1'),
    message(bytes(1, typeMeta), bytes(2, raw), text(3, ''), text(4, '')),
  ])
}

function number(value: number): Buffer {
  const encoded: number[] = []
  let rest = value
  while (rest > 0x7f) {
    encoded.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 128)
  }
  encoded.push(rest)
  return Buffer.from(encoded)
}
